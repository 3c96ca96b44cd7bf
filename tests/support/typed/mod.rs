//! Random concurrent C programs that keep to C types: what the points-to analysis takes for granted of drivers.
//!
//! Structs nest, hold arrays, unions, lists, buffers that are used as a struct, pointers to each other and `void *` to what only
//! the program knows; objects are global, on stacks and heaps, have private parts behind them and variable tails; pointers are
//! stored, copied with the struct that they are in, kept as integers, and come back by `container_of` and casts of first members.
//! Threads share all of it under locks that are mostly held. A program may be two files with structs of their own of one shape,
//! which linking gives one name.
//!
//! The same seed gives the same program.

mod defs;
mod ops;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::random::Rng;
use defs::World;

/// What every file begins with.
const PRELUDE: &str = "
typedef unsigned long usize;
#define NULL ((void *)0)
#define offset_of(T, m) __builtin_offsetof(T, m)
#define container_of(p, T, m) ((T *)((void *)(p) - offset_of(T, m)))
void *malloc(usize), *calloc(usize, usize);
int pthread_mutex_lock(void *), pthread_mutex_unlock(void *);
unsigned long long __irkiss_async(void (*)(void *), void *);
unsigned char __irkiss_nondet_u8(void);
void __irkiss_assume(_Bool);
struct lock { unsigned raw[10]; };
struct head { struct head *next, *prev; };
static void head_init(struct head *h) { h->next = h; h->prev = h; }
static void list_add(struct head *new, struct head *head)
{
    struct head *next = head->next;
    if (!next) {
        head_init(head);
        next = head;
    }
    next->prev = new;
    new->next = next;
    new->prev = head;
    head->next = new;
}
static void list_del(struct head *e)
{
    if (!e->next || !e->prev)
        return;
    e->next->prev = e->prev;
    e->prev->next = e->next;
    head_init(e);
}
static void *make(usize n) { return calloc(1, n); }
";

/// A function: what must stay, and statements that may each go.
#[derive(Clone, Debug)]
pub struct Function {
    /// Up to the statements.
    pub head: String,
    /// Statements that stand alone.
    pub chunks: Vec<String>,
    /// What follows them.
    pub tail: String,
}

/// A source file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Types and globals.
    pub head: String,
    /// Functions in order.
    pub functions: Vec<Function>,
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{PRELUDE}{}", self.head)?;
        for function in &self.functions {
            writeln!(f, "{}", function.head)?;
            for chunk in &function.chunks {
                writeln!(f, "    {chunk}")?;
            }
            writeln!(f, "{}", function.tail)?;
        }
        Ok(())
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Typed {
    /// Its files; the first has `main`.
    pub units: Vec<Unit>,
    /// Whether clang optimises it.
    pub optimised: bool,
}

impl Typed {
    /// The program of that seed, in one file or in two.
    pub fn random(seed: u64, linked: bool) -> Typed {
        let mut rng = Rng::new(seed ^ 0x7e9e_0000_0000);
        let optimised = rng.chance(40);
        let shapes = rng.below(1 << 30) as u64;
        let other = if rng.chance(70) { shapes } else { shapes + 1 };
        let mut a = World::new("a", shapes, rng.below(1 << 30) as u64);
        let mut units = vec![a.unit(linked.then_some("b"), true)];
        if linked {
            let mut b = World::new("b", other, rng.below(1 << 30) as u64);
            units.push(b.unit(Some("a"), false));
        }
        Typed { units, optimised }
    }

    /// The bitcode files, in `folder`. `Err`: clang does not take it (while shrinking).
    pub fn compile(&self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for (n, unit) in self.units.iter().enumerate() {
            let (source, out) = (
                folder.join(format!("{n}.c")),
                folder.join(format!("{n}.bc")),
            );
            std::fs::write(&source, unit.to_string()).expect("written");
            let mut clang = Command::new("clang-22");
            clang.args([
                "-std=gnu17",
                "-O2",
                "-g",
                "-w",
                "-fno-builtin",
                "-emit-llvm",
            ]);
            clang.args(["-fno-strict-aliasing", "-c", "-o"]);
            clang.arg(&out).arg(&source);
            if !self.optimised {
                clang.args(["-Xclang", "-disable-llvm-passes"]);
            }
            let output = clang.output().expect("clang-22");
            if !output.status.success() {
                return Err(format!(
                    "{}\n{unit}",
                    String::from_utf8_lossy(&output.stderr)
                ));
            }
            files.push(out);
        }
        Ok(files)
    }

    /// All programs that have a function or one statement less.
    fn smaller(&self) -> impl Iterator<Item = Typed> + '_ {
        let functions = self.units.iter().enumerate().flat_map(move |(u, unit)| {
            // The last is `main`, or what it calls.
            let all = 0..unit.functions.len() - 1;
            all.rev().map(move |f| {
                let mut less = self.clone();
                less.units[u].functions.remove(f);
                less
            })
        });
        let places = self.units.iter().enumerate().flat_map(|(u, unit)| {
            let functions = unit.functions.iter().enumerate();
            functions.flat_map(move |(f, function)| {
                (0..function.chunks.len()).rev().map(move |c| (u, f, c))
            })
        });
        let statements = places.map(|(u, f, c)| {
            let mut less = self.clone();
            less.units[u].functions[f].chunks.remove(c);
            less
        });
        functions.chain(statements)
    }

    /// A small program that is still bad.
    pub fn shrink(&self, bad: &mut dyn FnMut(&Typed) -> bool) -> Typed {
        let mut at = self.clone();
        loop {
            let less = at.smaller().find(|less| bad(less));
            match less {
                Some(less) => at = less,
                None => return at,
            }
        }
    }
}
