//! The model of what surrounds the driver: entry points, who runs beside whom, rules (data).

pub mod entry;
