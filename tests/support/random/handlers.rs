//! Random programs with handlers, as the models have them: armed by anybody, run one at a time, waited for by who cancels them.

use std::fmt::Write;

use super::Rng;

/// Keys 512 (armed) and 513 (runs) of the ghost state.
const MODELS: &str = "
declare i64 @__irkiss_async(ptr, ptr)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare void @__irkiss_assume(i1)
declare i1 @__irkiss_nondet_bool()
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)
attributes #0 = { \"irkiss-model\" }
@o0 = global i32 0
@o1 = global i32 0
@x0 = global i32 0
@x1 = global i32 0
define void @__irkiss_runs(ptr %o) #0 {
  ret void
}
define void @__irkiss_ran(ptr %o) #0 {
  ret void
}
define void @__irkiss_over(ptr %o) #0 {
  ret void
}
define void @begin(ptr %o) #0 {
  call void @__irkiss_atomic_begin()
  %armed = call i64 @__irkiss_ghost_get(ptr %o, i32 512)
  %may = icmp ne i64 %armed, 0
  call void @__irkiss_assume(i1 %may)
  %runs = call i64 @__irkiss_ghost_get(ptr %o, i32 513)
  %none = icmp eq i64 %runs, 0
  call void @__irkiss_assume(i1 %none)
  call void @__irkiss_ghost_set(ptr %o, i32 512, i64 0)
  call void @__irkiss_ghost_set(ptr %o, i32 513, i64 1)
  call void @__irkiss_atomic_end()
  call void @__irkiss_runs(ptr %o)
  ret void
}
define void @end(ptr %o) #0 {
  call void @__irkiss_ran(ptr %o)
  call void @__irkiss_atomic_begin()
  call void @__irkiss_ghost_set(ptr %o, i32 513, i64 0)
  call void @__irkiss_atomic_end()
  ret void
}
define void @arm(ptr %o) #0 {
  call void @__irkiss_atomic_begin()
  call void @__irkiss_ghost_set(ptr %o, i32 512, i64 1)
  call void @__irkiss_atomic_end()
  ret void
}
define void @cancel(ptr %o) #0 {
  call void @__irkiss_atomic_begin()
  %runs = call i64 @__irkiss_ghost_get(ptr %o, i32 513)
  %none = icmp eq i64 %runs, 0
  call void @__irkiss_assume(i1 %none)
  call void @__irkiss_ghost_set(ptr %o, i32 512, i64 0)
  call void @__irkiss_atomic_end()
  call void @__irkiss_over(ptr %o)
  ret void
}
";

/// Two handlers, one or two other threads; `main` arms the handlers first, or not.
pub fn handlers(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::from(MODELS);
    for o in 0..2 {
        let body = body(&mut rng, 30);
        let _ = write!(
            text,
            "define void @h{o}(ptr %unused) {{\n  call void @begin(ptr @o{o})\n{body}  call void @end(ptr @o{o})\n  ret void\n}}\n"
        );
    }
    let others = 1 + rng.below(2);
    for n in 0..others {
        let body = body(&mut rng, 70);
        let _ = write!(
            text,
            "define void @w{n}(ptr %unused) {{\n{body}  ret void\n}}\n"
        );
    }
    text.push_str("define void @__irkiss_main() {\n");
    for o in (0..2).filter(|_| rng.chance(60)) {
        let _ = writeln!(text, "  call void @arm(ptr @o{o})");
    }
    let handlers = (0..2).map(|o| format!("h{o}"));
    for (k, f) in handlers
        .chain((0..others).map(|n| format!("w{n}")))
        .enumerate()
    {
        let _ = writeln!(
            text,
            "  %t{k} = call i64 @__irkiss_async(ptr @{f}, ptr null)"
        );
    }
    text.push_str("  ret void\n}\n");
    text
}

/// A few steps, one of them perhaps under a condition; `cancels`: how many of those that are about a handler take it back, in percent.
fn body(rng: &mut Rng, cancels: usize) -> String {
    let mut text = String::new();
    for k in 0..1 + rng.below(4) {
        let n = rng.below(2);
        let step = match (rng.below(5), rng.chance(cancels)) {
            (0, _) => format!("  store i32 {k}, ptr @x{n}\n"),
            (1, _) => format!("  %l{k} = load i32, ptr @x{n}\n"),
            (_, true) => format!("  call void @cancel(ptr @o{n})\n"),
            (_, false) if rng.chance(50) => format!("  call void @arm(ptr @o{n})\n"),
            (_, false) => format!("  store i32 {k}, ptr @x{n}\n"),
        };
        if rng.chance(15) {
            let _ = write!(
                text,
                "  %c{k} = call i1 @__irkiss_nondet_bool()\n  br i1 %c{k}, label %do{k}, label %go{k}\ndo{k}:\n{step}  br label %go{k}\ngo{k}:\n"
            );
        } else {
            text.push_str(&step);
        }
    }
    text
}
