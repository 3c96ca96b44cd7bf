//! Many modules, night after night: what `irkiss sweep` does.
//!
//! 1. [`source`]: what is there to check: bitcode below a folder, the modules of a kernel build, the programs of a
//!    `compile_commands.json`. What is no bitcode yet is compiled, once for each state of its sources ([`unit`]).
//! 2. [`plan`]: one task for each module, with the name of its content ([`key`]): what it is made of, the options, the engine. A task
//!    whose name is in the store already is done. One that a budget left undecided is planned with the next larger one ([`budget`]).
//! 3. [`run`]: tasks in processes of their own ([`child`]), the dearest first ([`estimate`]), on this machine or on a cluster
//!    ([`engine`]); each result is in the store as soon as it is there.
//! 4. [`changes`]: what is new, fixed, or no longer decided since another night, and since those before it, where that one did not look
//!    ([`history`]).
//! 5. [`prune`]: what no night needs any more goes.
//!
//! A compiler's plugin or a step of a build may bring results by itself ([`record`]).
//!
//! Everything is in one [`store`]: a folder with an SQLite database. Whatever ends a sweep, what is in there is whole, and the next
//! run goes on from it. Stores of several machines are put together by [`merge`].

pub mod allowed;
pub mod budget;
pub mod changes;
pub mod child;
pub mod contents;
pub mod engine;
pub mod estimate;
mod headers;
pub mod history;
pub mod key;
pub mod merge;
pub mod plan;
pub mod prune;
pub mod reading;
pub mod record;
pub mod run;
pub mod source;
pub mod store;
pub mod task;
pub mod unit;
pub mod words;
