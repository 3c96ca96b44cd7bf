; The parts of the harness that do not depend on the driver. Numbers of ghost keys: see mod.rs. What threads beyond the second of
; a scenario need is put in at the lines `; further: …` (further.rs).
; 512 + 5: a lifecycle thread of the pair was born; 512 + 18: init code failed; 512 + 21: what runs before a pair has run; 512 + 22: its threads
; have begun.

declare ptr @__irkiss_lazy(i64, ptr)
declare zeroext i1 @__irkiss_nondet_bool()
declare zeroext i1 @__irkiss_property(i32)
declare zeroext i8 @__irkiss_nondet_u8()
declare zeroext i16 @__irkiss_nondet_u16()
declare i32 @__irkiss_nondet_u32()
declare i64 @__irkiss_nondet_u64()
declare void @__irkiss_assume(i1 zeroext)
declare void @__irkiss_havoc(ptr, i64)
declare void @__irkiss_atomic_begin()
declare void @__irkiss_atomic_end()
declare i64 @__irkiss_async(ptr, ptr)
declare i64 @__irkiss_ghost_get(ptr, i32)
declare void @__irkiss_ghost_set(ptr, i32, i64)
declare i32 @__irkiss_pair(i32)
declare i64 @__irkiss_self()
declare void @__irkiss_unsupported(ptr)
declare ptr @__irkiss_handler_begin(ptr)
declare ptr @__irkiss_rcu_begin(ptr)
declare void @__irkiss_handler_end(ptr)
declare ptr @__irkiss_irq_begin(ptr)
declare void @__irkiss_irq_end(ptr)
declare i32 @__irkiss_irq_number(ptr)
declare zeroext i1 @__irkiss_runs_on_line(ptr, i32)
declare ptr @__irkiss_once_begin(ptr)
declare ptr @__irkiss_again_begin(ptr)
declare zeroext i1 @__irkiss_is_made_twice(ptr)
declare void @__irkiss_once_end(ptr)
declare zeroext i1 @__irkiss_is_armed(ptr)
declare ptr @__irkiss_nondet_ptr()
declare zeroext i1 @__irkiss_arm(ptr, ptr)
declare zeroext i1 @__irkiss_cancel(ptr, i32)
declare zeroext i1 @__irkiss_is_running(ptr)
declare zeroext i1 @__irkiss_is_pending(ptr, ptr, ptr)
declare void @__irkiss_cancel_contained(ptr, ptr, i32)
declare void @__irkiss_allow(ptr)
declare void @__irkiss_allow_contained(ptr, ptr)
declare void @__irkiss_cancel_thread(ptr, i32)
declare i32 @__irkiss_vector(ptr, i32)
declare void @__irkiss_free_irq(ptr, i32, ptr, i32)
declare void @__irkiss_mask_irq(ptr, i32, i32)
declare void @__irkiss_unmask_irq(ptr, i32)
declare void @__irkiss_stand_in(i1 zeroext)
declare void @__irkiss_runs(ptr)
declare void @__irkiss_ran(ptr)
declare void @__irkiss_over(ptr)
declare zeroext i1 @__irkiss_is_open(ptr)
declare void @__irkiss_gate_enter(ptr)
declare void @__irkiss_gate_leave(ptr)
declare void @__irkiss_gate(ptr, i32)
declare void @__irkiss_manage_gate(ptr)
declare void @__irkiss_put_within(ptr, ptr)
declare zeroext i1 @__irkiss_is_within(ptr, ptr)
declare void @__irkiss_show_u8(ptr, i16 zeroext, ptr)
declare void @__irkiss_shown_u8()
declare void @__irkiss_written_u8()
declare void @__irkiss_show_u16(ptr, i16 zeroext, ptr)
declare void @__irkiss_shown_u16()
declare void @__irkiss_written_u16()
declare void @__irkiss_show_u32(ptr, i16 zeroext, ptr)
declare void @__irkiss_shown_u32()
declare void @__irkiss_written_u32()
declare void @__irkiss_show_u64(ptr, i16 zeroext, ptr)
declare void @__irkiss_shown_u64()
declare void @__irkiss_written_u64()
declare void @__irkiss_show_ulong(ptr, i16 zeroext, ptr)
declare void @__irkiss_shown_ulong()
declare void @__irkiss_written_ulong()
declare void @__irkiss_show_bool(ptr, i16 zeroext, ptr)
declare void @__irkiss_shown_bool()
declare void @__irkiss_written_bool()
declare void @__irkiss_free_given(ptr)
declare void @__irkiss_keep_handle(ptr, ptr)
declare void @__irkiss_keep_held(ptr, ptr, i64)
declare void @__irkiss_sleep(ptr, i1 zeroext)
declare void @__irkiss_slept(ptr, i1 zeroext)
declare void @__irkiss_awake(ptr)
declare void @__irkiss_needs(ptr, i32)
declare void @__irkiss_needs_below(ptr, ptr)
declare void @__irkiss_power_begin(ptr)
declare void @__irkiss_power_begin_off(ptr)
declare void @__irkiss_power_switch(ptr, i1 zeroext)
declare void @__irkiss_power_suspend(ptr, i1 zeroext)
declare void @__irkiss_power_suspended(ptr, i1 zeroext)
declare void @__irkiss_power_resume(ptr, i1 zeroext)
declare void @__irkiss_power_resumed(ptr, i1 zeroext)
declare void @__irkiss_power_idle(ptr)
declare ptr @__irkiss_power_use_parent(ptr, ptr)
declare void @__irkiss_power_unuse_parent(ptr)
declare i64 @__irkiss_enter(i32, i32)
declare void @__irkiss_leave(i64, i32, i32)
declare void @__irkiss_reader_begin()
declare void @__irkiss_reader_end()
declare void @__irkiss_entry_over()

@__irkiss_harness_state = internal global [4 x i8] zeroinitializer

define void @__irkiss_main() {
  call void @__irkiss_harness_init()
  call void @__irkiss_pair_main()
  ret void
}

define internal i1 @__irkiss_lifecycle() {
  %scenario = call i32 @__irkiss_pair(i32 2)
  %is = icmp eq i32 %scenario, 1
  ret i1 %is
}

; Whether this is what comes before the threads of the scenario: the thread that initialises, and no thread of a pair yet.
define zeroext i1 @__irkiss_sets_up() {
  %self = call i64 @__irkiss_self()
  %first = icmp eq i64 %self, 0
  %begun = call i64 @__irkiss_ghost_get(ptr @__irkiss_harness_state, i32 534)
  %before = icmp eq i64 %begun, 0
  %is = and i1 %first, %before
  ret i1 %is
}

define internal void @__irkiss_start(i32 %number) {
  %wide = zext i32 %number to i64
  %arg = inttoptr i64 %wide to ptr
  %thread = call i64 @__irkiss_async(ptr @__irkiss_entry_start, ptr %arg)
  ret void
}

define void @__irkiss_pair_main() {
  %life = call i1 @__irkiss_lifecycle()
  br i1 %life, label %lifecycle, label %steady

steady:
  %warm = call i64 @__irkiss_ghost_get(ptr @__irkiss_harness_state, i32 533)
  %is.warm = icmp ne i64 %warm, 0
  br i1 %is.warm, label %begin, label %warm.up

warm.up:
  call void @__irkiss_warm_up()
  br label %begin

begin:
  call void @__irkiss_ghost_set(ptr @__irkiss_harness_state, i32 534, i64 1)
  %a = call i32 @__irkiss_pair(i32 0)
  %b = call i32 @__irkiss_pair(i32 1)
  call void @__irkiss_start(i32 %b)
; further: start
  %wide = zext i32 %a to i64
  %arg = inttoptr i64 %wide to ptr
  call void @__irkiss_entry_start(ptr %arg)
  ret void

lifecycle:
  %failed = call i64 @__irkiss_ghost_get(ptr @__irkiss_harness_state, i32 530)
  %stop = icmp ne i64 %failed, 0
  br i1 %stop, label %done, label %go

go:
  call void @__irkiss_prepare(ptr null)
  %first = call i32 @__irkiss_pair(i32 0)
  call void @__irkiss_start_late(i32 0, i32 %first)
  %second = call i32 @__irkiss_pair(i32 1)
  call void @__irkiss_start_late(i32 1, i32 %second)
; further: late
  br label %done

done:
  ret void
}

; What runs before the pair: once for several pairs, if it is executed before __irkiss_pair_main.
define void @__irkiss_warm_up() {
  call void @__irkiss_ghost_set(ptr @__irkiss_harness_state, i32 535, i64 1)
  call void @__irkiss_earlier()
  %a = call i32 @__irkiss_pair(i32 0)
  %b = call i32 @__irkiss_pair(i32 1)
  call void @__irkiss_warm(i32 %a)
  call void @__irkiss_warm(i32 %b)
; further: warm
  call void @__irkiss_settle(i32 %a)
  call void @__irkiss_settle(i32 %b)
; further: settle
  call void @__irkiss_ghost_set(ptr @__irkiss_harness_state, i32 535, i64 0)
  call void @__irkiss_ghost_set(ptr @__irkiss_harness_state, i32 533, i64 1)
  ret void
}

; Whether what runs before the pair is under way.
define internal i1 @__irkiss_runs_before() {
  %state = call i64 @__irkiss_ghost_get(ptr @__irkiss_harness_state, i32 535)
  %is = icmp ne i64 %state, 0
  ret i1 %is
}

; Whether an entry point is one of the pair.
define internal i1 @__irkiss_in_pair(i32 %entry) {
  %a = call i32 @__irkiss_pair(i32 0)
  %is.a = icmp eq i32 %a, %entry
  %b = call i32 @__irkiss_pair(i32 1)
  %is.b = icmp eq i32 %b, %entry
  %is = or i1 %is.a, %is.b
  ret i1 %is
}

; Below, %n is the place of the thread in the pair or scenario, %number that of its entry point.

define internal void @__irkiss_start_late(i32 %n, i32 %number) {
  %cell = getelementptr i8, ptr @__irkiss_harness_state, i32 %n
  %born = call i64 @__irkiss_ghost_get(ptr %cell, i32 517)
  %is = icmp ne i64 %born, 0
  br i1 %is, label %done, label %start

start:
  call void @__irkiss_ghost_set(ptr %cell, i32 517, i64 1)
  call void @__irkiss_start(i32 %number)
  br label %done

done:
  ret void
}

define internal void @__irkiss_born_as(i32 %n, i32 %number, ptr %key) {
  %match = call i1 @__irkiss_matches(i32 %number, ptr %key)
  br i1 %match, label %start, label %done

start:
  call void @__irkiss_start_late(i32 %n, i32 %number)
  br label %done

done:
  ret void
}

define internal void @__irkiss_born_number(i32 %n, i32 %number, i32 %entry) {
  %match = icmp eq i32 %number, %entry
  br i1 %match, label %start, label %done

start:
  call void @__irkiss_start_late(i32 %n, i32 %number)
  br label %done

done:
  ret void
}

; In the lifecycle scenario: starts the threads of the pair that are that entry point.
define internal void @__irkiss_born_entry(i32 %entry) {
  %life = call i1 @__irkiss_lifecycle()
  br i1 %life, label %lifecycle, label %done

lifecycle:
  %a = call i32 @__irkiss_pair(i32 0)
  call void @__irkiss_born_number(i32 0, i32 %a, i32 %entry)
  %b = call i32 @__irkiss_pair(i32 1)
  call void @__irkiss_born_number(i32 1, i32 %b, i32 %entry)
; further: born_entry
  br label %done

done:
  ret void
}

define void @__irkiss_born(ptr %key) {
  %life = call i1 @__irkiss_lifecycle()
  br i1 %life, label %lifecycle, label %done

lifecycle:
  call void @__irkiss_prepare(ptr %key)
  %a = call i32 @__irkiss_pair(i32 0)
  call void @__irkiss_born_as(i32 0, i32 %a, ptr %key)
  %b = call i32 @__irkiss_pair(i32 1)
  call void @__irkiss_born_as(i32 1, i32 %b, ptr %key)
; further: born
  br label %done

done:
  ret void
}
