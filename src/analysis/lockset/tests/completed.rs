//! Handlers that are over.

use super::super::super::testing::{function, program};
use super::super::super::{PlanOptions, Planner, PointsTo};

/// Handlers as the models have them: `@tick` handles `@timer`, `@job` handles `@work`.
const HANDLERS: &str = "
    @timer = global i32 0
    @work = global i32 0
    @x = global i32 0
    define void @__irkiss_runs(ptr %o) #0 { ret void }
    define void @__irkiss_ran(ptr %o) #0 { ret void }
    define void @__irkiss_over(ptr %o) #0 { ret void }
    define void @arm(ptr %o) #0 {
      call void @__irkiss_ghost_set(ptr %o, i32 512, i64 1)
      ret void
    }
    define void @cancel(ptr %o) #0 {
      call void @__irkiss_ghost_set(ptr %o, i32 512, i64 0)
      call void @__irkiss_over(ptr %o)
      ret void
    }
    define void @tick() {
      call void @__irkiss_runs(ptr @timer)
      call void @arm(ptr @timer)
      call void @arm(ptr @work)
      call void @__irkiss_ran(ptr @timer)
      ret void
    }
    define void @job() {
      call void @__irkiss_runs(ptr @work)
      store i32 1, ptr @x
      call void @__irkiss_ran(ptr @work)
      ret void
    }
    define void @main() {
      call void @tick() call void @job() call void @remove() call void @other()
      ret void
    }
";

/// Whether `@x` is proved of `remove` beside `job`; other threads are `tick` and, if it is one, `other`. `apart`: of `remove`.
fn proved(text: &str, apart: bool) -> bool {
    let text = format!("{HANDLERS}{text}");
    let program = program(&text);
    let f = |name| function(&program, name);
    let points_to = PointsTo::solve(&program, &[f("main")], true);
    let options = PlanOptions {
        ..PlanOptions::default()
    };
    let roots = [f("tick"), f("job"), f("remove"), f("other")];
    let planner = Planner::new(&program, &points_to, options).with_threads(&roots, None);
    let planner = planner.with_exclusions(apart.then_some((f("remove"), f("other"))));
    let plan = planner.pair(&[f("job")], &[f("remove")]);
    assert_eq!(plan.gap, None);
    let proved = plan
        .proved
        .iter()
        .any(|r| r.name.name() == "@x" && !r.over.is_empty());
    assert_eq!(proved, plan.regions.iter().all(|r| r.name.name() != "@x"));
    proved
}

const NOTHING: &str = "define void @other() { ret void }";
const ARMS: &str = "define void @other() { call void @arm(ptr @work) ret void }";

pub(super) fn who_arms_goes_first() {
    let order = "define void @remove() {
        call void @cancel(ptr @timer) call void @cancel(ptr @work)
        store i32 2, ptr @x
        ret void }";
    assert!(proved(&format!("{order}{NOTHING}"), false));
    // The timer may have armed the work in between.
    let order = "define void @remove() {
        call void @cancel(ptr @work) call void @cancel(ptr @timer)
        store i32 2, ptr @x
        ret void }";
    assert!(!proved(&format!("{order}{NOTHING}"), false));
    let work =
        "define void @remove() { call void @cancel(ptr @work) store i32 2, ptr @x ret void }";
    assert!(!proved(&format!("{work}{NOTHING}"), false));
    let early = "define void @remove() {
        call void @cancel(ptr @timer)
        store i32 2, ptr @x
        call void @cancel(ptr @work)
        ret void }";
    assert!(!proved(&format!("{early}{NOTHING}"), false));
}

pub(super) fn others_may_arm_it_again() {
    let remove = "define void @remove() {
        call void @cancel(ptr @timer) call void @cancel(ptr @work)
        store i32 2, ptr @x
        ret void }";
    assert!(!proved(&format!("{remove}{ARMS}"), false));
    // Not where the rules say that they do not run meanwhile.
    assert!(proved(&format!("{remove}{ARMS}"), true));
    let own = "define void @remove() {
        call void @cancel(ptr @timer) call void @cancel(ptr @work)
        call void @arm(ptr @work)
        store i32 2, ptr @x
        ret void }";
    assert!(!proved(&format!("{own}{NOTHING}"), true));
    // The timer is let go again before the work is waited for.
    let own = "define void @remove() {
        call void @cancel(ptr @timer) call void @arm(ptr @timer) call void @cancel(ptr @work)
        store i32 2, ptr @x
        ret void }";
    assert!(!proved(&format!("{own}{NOTHING}"), false));
}

pub(super) fn on_one_way_only() {
    let remove = "define void @remove() {
      entry:
        call void @cancel(ptr @timer)
        %u = call i32 @__irkiss_nondet_u32()
        %c = icmp eq i32 %u, 0
        br i1 %c, label %yes, label %out
      yes:
        call void @cancel(ptr @work)
        br label %out
      out:
        store i32 2, ptr @x
        ret void }";
    assert!(!proved(&format!("{remove}{NOTHING}"), false));
}

#[test]
fn a_handler_that_was_waited_for_is_over() {
    who_arms_goes_first();
}

#[test]
fn a_handler_that_is_armed_again_is_not_over() {
    others_may_arm_it_again();
}

#[test]
fn a_handler_that_is_waited_for_on_one_way_is_not_over() {
    on_one_way_only();
}
