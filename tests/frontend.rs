//! The frontend through its child process: what it accepts, what it refuses, and that nothing kills the parent.

use std::path::{Path, PathBuf};
use std::process::Command;

use irkiss::config::Options;
use irkiss::deadline::{Deadline, Stopped};
use irkiss::error::Failure;
use irkiss::internals::frontend::child::{Limits, close_in_child_of};
use irkiss::internals::frontend::{Closed, Goal};
use irkiss::internals::program::{DebugTypeKind, Op, Primitive};

fn close(file: &Path, goal: Goal) -> Result<(Closed, String), Failure> {
    close_with(file, goal, Limits::default())
}

fn close_with(file: &Path, goal: Goal, limits: Limits) -> Result<(Closed, String), Failure> {
    close_in_child_of(
        Path::new(env!("CARGO_BIN_EXE_irkiss")),
        &[file.to_path_buf()],
        &Options::default(),
        goal,
        limits,
        Deadline::NEVER,
        &mut |_| {},
    )
}

const PROGRAM: &str = r"
#include <pthread.h>
static int counter; _Thread_local int mine; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node { int key; struct node *next; }; static struct node *list;
static void *worker(void *arg) {
  pthread_mutex_lock(&m); counter++; pthread_mutex_unlock(&m);
  mine = *(int *)arg;
  for (struct node *n = list; n; n = n->next) if (n->key == mine) return n;
  return 0;
}
int main(void) {
  pthread_t t; int k = 3;
  if (pthread_create(&t, 0, worker, &k)) return 1;
  pthread_mutex_lock(&m); counter--; pthread_mutex_unlock(&m);
  return pthread_join(t, 0);
}
";

fn compile(folder: &Path, source: &str) -> PathBuf {
    let c = folder.join("input.c");
    std::fs::write(&c, source).expect("written");
    let bc = folder.join("input.bc");
    let status = Command::new("clang-22")
        .args([
            "-O2",
            "-Xclang",
            "-disable-llvm-passes",
            "-g",
            "-emit-llvm",
            "-c",
            "-o",
        ])
        .arg(&bc)
        .arg(&c)
        .status()
        .expect("clang-22 runs");
    assert!(status.success());
    bc
}

#[test]
fn a_pthread_program_is_closed() {
    let folder = tempfile::tempdir().expect("folder");
    let bc = compile(folder.path(), PROGRAM);
    let (closed, text) = close(&bc, Goal::SequentialText).expect("closed");
    for program in [&closed.concurrent, &closed.sequential] {
        assert!(program.function_named("__irkiss_main").is_some());
        assert!(program.function_named("worker").is_some());
        assert!(!program.sites.is_empty());
        let asyncs = program
            .functions
            .iter()
            .flat_map(|f| f.blocks.iter())
            .flat_map(|b| &b.instrs);
        let asyncs = asyncs.filter(|i| {
            matches!(
                &i.op,
                Op::Primitive {
                    primitive: Primitive::Async,
                    ..
                }
            )
        });
        assert_eq!(
            asyncs.count(),
            usize::from(std::ptr::eq(program, &closed.concurrent))
        );
        for i in program
            .functions
            .iter()
            .flat_map(|f| f.blocks.iter())
            .flat_map(|b| &b.instrs)
        {
            assert!(!matches!(&i.op, Op::Unsupported(_)), "{:?}", i.op);
        }
    }
    assert!(closed.sequential.function_named("__kiss_main").is_some());
    assert_eq!(closed.concurrent.sites.len(), closed.sequential.sites.len());
    assert!(
        closed.default_models.is_empty(),
        "{:?}",
        closed.default_models
    );
    assert!(text.contains("define") && text.contains("__kiss_main"));
    // Locations lead to the source.
    let user = closed
        .concurrent
        .sites
        .iter()
        .find(|s| s.function == "worker")
        .expect("site");
    let at = closed.concurrent.source.describe(user.loc);
    assert!(at.contains("input.c:"), "{at}");
    // The thread-local variable is an array of copies.
    let mine = closed.concurrent.global_named("mine").expect("mine");
    assert_eq!(closed.concurrent.globals[mine].size, 64 * 4);
}

/// `part` is read first, by its name; on the way to it the struct that contains it is.
const PARTS: &str = r"
typedef struct { struct whole *around; int weight; } part;
struct whole { int kind; union { part own; char bytes[8]; }; };
static struct whole w;
static void set(part *p) { if (p) p->weight = 1; }
int main(void) { set(&w.own); return 0; }
";

#[test]
fn members_have_types_where_structs_lead_back_to_what_contains_them() {
    let folder = tempfile::tempdir().expect("folder");
    let bc = compile(folder.path(), PARTS);
    let (closed, _) = close(&bc, Goal::Concurrent).expect("closed");
    let types = &closed.concurrent.debug_types;
    let mut seen = 0;
    for ty in types
        .iter()
        .filter(|t| t.name == "whole" || t.name.is_empty())
    {
        if let DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) = &ty.kind {
            seen += 1;
            assert!(members.iter().all(|m| m.ty.is_some()), "{ty:?}");
        }
    }
    // The whole, its union, the part.
    assert_eq!(seen, 3, "{types:?}");
}

#[test]
fn wrong_files_have_messages() {
    let folder = tempfile::tempdir().expect("folder");
    let message = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let error = close(&path, Goal::Concurrent).expect_err("refused");
        assert!(error.to_string().contains(name), "{error}");
        error.to_string()
    };
    assert!(message("a.bc", b"hello").contains("not LLVM bitcode"));
    assert!(message("empty.bc", b"").contains("empty"));
    assert!(message("a.o", b"\x7fELF").contains("without bitcode"));
    let bc = std::fs::read(compile(folder.path(), PROGRAM)).expect("read");
    assert!(message("short.bc", &bc[..bc.len() / 2]).contains("short.bc"));
    let nothing = "target triple = \"x86_64-linux-gnu\"\ndefine void @f() { ret void }";
    assert!(message("none.ll", nothing.as_bytes()).contains("entry point"));
    assert!(close(&folder.path().join("not-there.bc"), Goal::Concurrent).is_err());
}

#[test]
fn a_limit_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().expect("folder");
    let bc = compile(folder.path(), PROGRAM);
    let limits = Limits {
        memory: 64 << 20,
        cpu: 600,
    };
    let error = close_with(&bc, Goal::Sequential, limits).expect_err("no memory");
    // Too little even to load LLVM, or to read the file: either way a message and no crash of this process.
    assert_eq!(error.stopped(), Some(Stopped::Memory(limits.memory)));
    assert!(
        error.to_string().contains("input.bc: stopped while"),
        "{error}"
    );
}

/// Copies of a file with flipped bits: errors or programs, nothing else. `IRKISS_FLIPS` sets how many (default 40).
#[test]
fn flipped_bits_give_errors() {
    let folder = tempfile::tempdir().expect("folder");
    let bytes = std::fs::read(compile(folder.path(), PROGRAM)).expect("read");
    let flips = std::env::var("IRKISS_FLIPS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(40);
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as usize
    };
    let path = folder.path().join("flipped.bc");
    let (mut errors, mut crashes) = (0, 0);
    for _ in 0..flips {
        let mut copy = bytes.clone();
        for _ in 0..=random() % 8 {
            let at = random() % (copy.len() * 8);
            copy[at / 8] ^= 1 << (at % 8);
        }
        std::fs::write(&path, &copy).expect("written");
        if let Err(error) = close(&path, Goal::Sequential) {
            errors += 1;
            crashes += usize::from(error.to_string().contains("crashed"));
            assert!(error.to_string().contains("flipped.bc"), "{error}");
            assert!(!error.to_string().contains("internal error"), "{error}");
        }
    }
    println!("{errors} of {flips} are errors, {crashes} of them crashes of LLVM");
    assert!(errors > flips / 2);
}
