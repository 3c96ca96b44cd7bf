//! Memory, by what small functions may return.

use crate::symex::testing::{OTHER, ran};

#[test]
fn what_is_stored_is_read() {
    ran("define i32 @f() { %p = alloca i32 store i32 7, ptr %p %v = load i32, ptr %p ret i32 %v }")
        .returns(&[7]);
}

#[test]
fn the_first_byte_of_a_word_is_its_lowest() {
    ran("define i8 @f() { %p = alloca i32 store i32 515, ptr %p %v = load i8, ptr %p ret i8 %v }")
        .returns(&[3]);
}

#[test]
fn a_read_over_two_cells_joins_them() {
    ran("define i16 @f() {
           %p = alloca i16 %q = getelementptr i8, ptr %p, i64 1
           store i8 52, ptr %p store i8 18, ptr %q
           %v = load i16, ptr %p ret i16 %v }")
    .returns(&[0x1234]);
}

#[test]
fn a_cell_that_is_overwritten_in_part_keeps_the_rest() {
    ran("define i16 @f() {
           %p = alloca i16 store i16 4660, ptr %p
           store i8 18, ptr %p %q = getelementptr i8, ptr %p, i64 1 store i8 52, ptr %q
           %v = load i16, ptr %p ret i16 %v }")
    .returns(&[0x3412]);
    ran("define i8 @f() {
           %p = alloca i16 store i16 772, ptr %p store i8 9, ptr %p
           %q = getelementptr i8, ptr %p, i64 1 %v = load i8, ptr %q ret i8 %v }")
    .returns(&[3]);
}

#[test]
fn a_heap_block_is_arbitrary_at_first() {
    ran("define i1 @f() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 0) %v = load i32, ptr %p
           %c = icmp eq i32 %v, 5 ret i1 %c }")
    .returns(&(0..2).collect::<Vec<_>>());
}

#[test]
fn the_same_place_holds_the_same_arbitrary_value() {
    ran("define i1 @f() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 0) %v = load i32, ptr %p %w = load i32, ptr %p
           %c = icmp eq i32 %v, %w ret i1 %c }")
    .returns(&[1]);
}

#[test]
fn a_heap_block_may_be_zero() {
    ran("define i32 @f() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 1) %v = load i32, ptr %p ret i32 %v }")
    .returns(&[0]);
}

#[test]
fn a_global_holds_its_initialiser() {
    ran("@g = global [3 x i16] [i16 1, i16 2, i16 3]
         define i16 @f() {
           %q = getelementptr i8, ptr @g, i64 4 %v = load i16, ptr %q ret i16 %v }")
    .returns(&[3]);
}

#[test]
fn a_pointer_in_a_global_leads_there() {
    ran("@g = global i32 6
         @p = global ptr @g
         define i32 @f() { %q = load ptr, ptr @p %v = load i32, ptr %q ret i32 %v }")
    .returns(&[6]);
}

#[test]
fn an_access_of_what_was_freed_ends() {
    ran("define i32 @f() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 1) call void @__irkiss_free(ptr %p)
           %v = load i32, ptr %p ret i32 %v }")
    .ends("invalid access");
}

#[test]
fn freeing_twice_ends_and_freeing_null_does_not() {
    ran("define i32 @f() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 1)
           call void @__irkiss_free(ptr %p) call void @__irkiss_free(ptr %p) ret i32 1 }")
    .ends("invalid access");
    ran("define i32 @f() { call void @__irkiss_free(ptr null) ret i32 1 }").returns(&[1]);
}

#[test]
fn freeing_the_middle_of_a_block_ends() {
    ran("define i32 @f() {
           %p = call ptr @__irkiss_alloc(i64 8, i8 1) %q = getelementptr i8, ptr %p, i64 4
           call void @__irkiss_free(ptr %q) ret i32 1 }")
    .ends("invalid access");
}

#[test]
fn an_access_through_null_ends() {
    ran("define i32 @f() { %v = load i32, ptr null ret i32 %v }").ends("invalid access");
}

#[test]
fn an_access_beyond_an_object_ends() {
    ran(
        "define i32 @f() {
           %p = alloca i32 %q = getelementptr i8, ptr %p, i64 2 %v = load i32, ptr %q ret i32 %v }",
    )
    .ends("invalid access");
}

#[test]
fn only_executions_whose_index_is_inside_go_on() {
    ran("@g = global [4 x i8] c\"\\01\\02\\03\\04\"
         define i8 @f() {
           %i = call i8 @__irkiss_nondet_u8() %w = zext i8 %i to i64
           %q = getelementptr i8, ptr @g, i64 %w %v = load i8, ptr %q ret i8 %v }")
    .returns_or_ends(&[1, 2, 3, 4], "invalid access");
}

#[test]
fn a_store_at_an_index_hits_one_element() {
    ran("define i8 @f() {
           %p = alloca [2 x i8] call void @llvm.memset.p0.i64(ptr %p, i8 4, i64 2, i1 false)
           %c = call i1 @__irkiss_nondet_bool() %i = zext i1 %c to i64
           %q = getelementptr i8, ptr %p, i64 %i store i8 9, ptr %q
           %v = load i8, ptr %p ret i8 %v }")
    .returns(&[4, 9]);
}

#[test]
fn what_was_stored_at_an_index_is_read_there() {
    ran("define i8 @f() {
           %p = call ptr @__irkiss_alloc(i64 64, i8 1)
           %i = call i8 @__irkiss_nondet_u8() %small = icmp ult i8 %i, 64
           call void @__irkiss_assume(i1 %small)
           %w = zext i8 %i to i64 %q = getelementptr i8, ptr %p, i64 %w
           store i8 9, ptr %q %v = load i8, ptr %q ret i8 %v }")
    .returns(&[9]);
}

#[test]
fn a_store_through_either_of_two_pointers_changes_one() {
    ran("define i8 @f() {
           %p = alloca i8 %q = alloca i8 store i8 1, ptr %p store i8 2, ptr %q
           %c = call i1 @__irkiss_nondet_bool() %r = select i1 %c, ptr %p, ptr %q
           store i8 5, ptr %r
           %v = load i8, ptr %p %w = load i8, ptr %q %s = add i8 %v, %w ret i8 %s }")
    .returns(&[6, 7]);
}

#[test]
fn a_pointer_of_an_object_from_outside_is_null_or_leads_to_one() {
    ran("define i8 @f() {
           %o = call ptr @__irkiss_lazy(i64 0, ptr null) %p = load ptr, ptr %o
           store i8 3, ptr %p %q = load ptr, ptr %o %v = load i8, ptr %q ret i8 %v }")
    .returns_or_ends(&[3], "invalid access");
}

#[test]
fn objects_behind_two_pointers_from_outside_are_apart() {
    ran("define i8 @f() {
           %o = call ptr @__irkiss_lazy(i64 0, ptr null) %n = getelementptr i8, ptr %o, i64 8
           %p = load ptr, ptr %o %q = load ptr, ptr %n
           store i8 3, ptr %p store i8 4, ptr %q %v = load i8, ptr %p ret i8 %v }")
    .returns_or_ends(&[3], "invalid access");
}

#[test]
fn a_copy_reads_before_it_writes() {
    ran("define i8 @f() {
           %p = alloca [3 x i8] store i8 1, ptr %p
           %q = getelementptr i8, ptr %p, i64 1 store i8 2, ptr %q
           call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 2, i1 false)
           %r = getelementptr i8, ptr %p, i64 2 %v = load i8, ptr %r ret i8 %v }")
    .returns(&[2]);
}

#[test]
fn a_copy_of_unknown_length_changes_so_many_bytes() {
    ran("define i8 @f() {
           %p = alloca [4 x i8] %q = alloca [4 x i8]
           call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 4, i1 false)
           call void @llvm.memset.p0.i64(ptr %q, i8 2, i64 4, i1 false)
           %c = call i1 @__irkiss_nondet_bool() %n = select i1 %c, i64 1, i64 3
           call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
           %r = getelementptr i8, ptr %p, i64 2 %v = load i8, ptr %r ret i8 %v }")
    .returns(&[1, 2]);
}

#[test]
fn ghost_state_is_beside_memory_and_by_key() {
    ran("@a = global i64 1
         @b = global i64 1
         define i64 @f() {
           call void @__irkiss_ghost_set(ptr @a, i32 300, i64 4)
           call void @__irkiss_ghost_set(ptr @b, i32 300, i64 8)
           %x = call i64 @__irkiss_ghost_get(ptr @a, i32 300)
           %y = call i64 @__irkiss_ghost_get(ptr @a, i32 301)
           %m = load i64, ptr @a %s = add i64 %x, %y %t = add i64 %s, %m ret i64 %t }")
    .returns(&[5]);
}

#[test]
fn where_states_meet_memory_is_what_the_way_made_it() {
    ran("@g = global i8 1
         define i8 @f() {
         entry:
           %c = call i1 @__irkiss_nondet_bool() br i1 %c, label %yes, label %join
         yes:
           store i8 2, ptr @g br label %join
         join:
           %v = load i8, ptr @g %n = zext i1 %c to i8 %s = add i8 %v, %n ret i8 %s }")
    .returns(&[1, 3]);
}

#[test]
fn what_is_havocked_is_anything() {
    ran("define i8 @f() {
           %p = alloca i16 store i16 0, ptr %p call void @__irkiss_havoc(ptr %p, i64 1)
           %q = getelementptr i8, ptr %p, i64 1
           %v = load i8, ptr %p %w = load i8, ptr %q
           %c = icmp ult i8 %v, 2 %d = zext i1 %c to i8 %s = add i8 %d, %w ret i8 %s }")
    .returns(&[0, 1]);
}

#[test]
fn a_long_copy_meets_the_bound_of_lengths() {
    ran("define i8 @f() {
           %p = call ptr @__irkiss_alloc(i64 4096, i8 1) %n = call i64 @__irkiss_nondet_u64()
           %small = icmp ult i64 %n, 4096 call void @__irkiss_assume(i1 %small)
           call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 %n, i1 false) ret i8 1 }")
    .returns_or_ends(&[1], "length bound");
}

#[test]
fn a_function_is_called_through_memory() {
    ran("@p = global ptr @g
         define i8 @g() { ret i8 5 }
         define i8 @f() { %q = load ptr, ptr @p %v = call i8 %q() ret i8 %v }")
    .returns(&[5]);
}

#[test]
fn a_number_of_which_nothing_is_known_is_any() {
    let any: Vec<u128> = (0..16).chain([0xff, 0x1234, 0x3412, OTHER]).collect();
    ran("define i64 @f() { %v = call i64 @__irkiss_nondet_u64() ret i64 %v }").returns(&any);
}
