//! The model of what surrounds the driver: entry points, who runs beside whom, rules (data).

pub mod contract;
pub mod discover;
pub mod earlier;
pub mod entry;
pub mod identity;
mod kinds;
mod need;
mod object;
mod registrar;
pub mod rules;
pub mod scenario;

pub use discover::{Discovery, discover, library};
pub use rules::Rules;
