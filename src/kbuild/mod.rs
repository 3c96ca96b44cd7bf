//! A step of a kernel build: `make C=2 CHECK="irkiss kbuild" drivers/x/`.
//!
//! Kbuild calls `$(CHECK) $(CHECKFLAGS) $(c_flags) FILE.c` in the object tree, after it has compiled the file itself
//! (`scripts/Makefile.build`, `cmd_checksrc`): the flags of its compiler without the compiler's name, without `-c` and `-o`,
//! the source last. A non-zero exit code breaks the build. [`line`] takes such a call apart, [`compile`] makes bitcode of it,
//! [`supervise`] sees to it that a crash is a line and no more.
//!
//! What kbuild keeps beside the objects tells the rest: [`call`] how each was made, [`module`] which of them make a module together, and
//! [`goals`] whether the make that calls compiles all of these.
//!
//! Nothing is written into the trees: the bitcode goes into a temporary folder, and the option that names the list of headers
//! (`-Wp,-MMD,FILE`, which kbuild reads) is left out.

pub mod call;
pub mod compile;
pub mod goals;
pub mod line;
pub mod module;
pub mod supervise;
