//! Objects with a lock each as LLVM text: in an array, in slots, made anew; and locks that are given back by one function
//! whichever side is held.

use super::text::{Text, walk};
use super::{Latch, Place, Pointer, Stmt, Target, Tiny};

/// As runtime-stubs/pthread/rwlock.c has them: readers are counted in all and by thread.
pub(super) const OBJECTS: &str = "
@array = global [2 x [2 x i32]] zeroinitializer
@slots = global [2 x ptr] zeroinitializer
define i32 @mine() #0 {
  %self = call i64 @__irkiss_self()
  %number = urem i64 %self, 64
  %small = trunc i64 %number to i32
  %key = add i32 64, %small
  ret i32 %key
}
define i64 @me() #0 {
  %self = call i64 @__irkiss_self()
  %me = add i64 %self, 1
  ret i64 %me
}
define void @count(ptr %l) #0 {
  %key = call i32 @mine()
  %readers = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
  %more = add i64 %readers, 1
  call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %more)
  %own = call i64 @__irkiss_ghost_get(ptr %l, i32 %key)
  %own_more = add i64 %own, 1
  call void @__irkiss_ghost_set(ptr %l, i32 %key, i64 %own_more)
  ret void
}
define void @enter(ptr %l) #0 {
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %me = call i64 @me()
  %is_me = icmp eq i64 %owner, %me
  br i1 %is_me, label %out, label %wait
wait:
  %free = icmp eq i64 %owner, 0
  call void @__irkiss_assume(i1 %free)
  call void @count(ptr %l)
  br label %out
out:
  call void @__irkiss_atomic_end()
  ret void
}
define i32 @try_enter(ptr %l) #0 {
entry:
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %free = icmp eq i64 %owner, 0
  br i1 %free, label %yes, label %out
yes:
  call void @count(ptr %l)
  br label %out
out:
  %taken = phi i32 [ 0, %entry ], [ 1, %yes ]
  call void @__irkiss_atomic_end()
  ret i32 %taken
}
define void @leave(ptr %l) #0 {
  call void @__irkiss_atomic_begin()
  %owner = call i64 @__irkiss_ghost_get(ptr %l, i32 1)
  %me = call i64 @me()
  %is_me = icmp eq i64 %owner, %me
  br i1 %is_me, label %own, label %other
own:
  call void @__irkiss_ghost_set(ptr %l, i32 1, i64 0)
  br label %out
other:
  %key = call i32 @mine()
  %reads = call i64 @__irkiss_ghost_get(ptr %l, i32 %key)
  %some = icmp ne i64 %reads, 0
  br i1 %some, label %reader, label %out
reader:
  %readers = call i64 @__irkiss_ghost_get(ptr %l, i32 3)
  %less = sub i64 %readers, 1
  call void @__irkiss_ghost_set(ptr %l, i32 3, i64 %less)
  %reads_less = sub i64 %reads, 1
  call void @__irkiss_ghost_set(ptr %l, i32 %key, i64 %reads_less)
  br label %out
out:
  call void @__irkiss_atomic_end()
  ret void
}
";

/// Whether a body points to objects.
pub(super) fn uses_objects(body: &[Stmt]) -> bool {
    let mut found = false;
    walk(body, &mut |s| {
        found |= match s {
            Stmt::Aim(_) | Stmt::Keep(_) | Stmt::KeepAt(_) => true,
            Stmt::Load(_, place, _) | Stmt::Store(place, ..) => {
                matches!(place, Place::Member(Pointer::Aimed))
            }
            Stmt::Take(latch, _)
            | Stmt::Drop(latch, _)
            | Stmt::Try(_, latch)
            | Stmt::Enter(latch)
            | Stmt::TryEnter(_, latch)
            | Stmt::Leave(latch) => matches!(latch, Latch::Of(Pointer::Aimed)),
            Stmt::Async(_, p) | Stmt::Call(_, _, p) | Stmt::Again(_, p) => *p == Pointer::Aimed,
            _ => false,
        };
    });
    found
}

impl Tiny {
    /// Whether a function calls itself.
    pub(super) fn calls_itself(&self, n: usize) -> bool {
        let mut found = false;
        walk(&self.functions[n], &mut |s| {
            found |= matches!(s, Stmt::Again(..))
        });
        found
    }

    /// Whether any function needs [`OBJECTS`].
    pub(super) fn has_objects(&self) -> bool {
        self.functions.iter().any(|body| {
            let mut found = uses_objects(body);
            walk(body, &mut |s| {
                found |= matches!(s, Stmt::Enter(_) | Stmt::TryEnter(..) | Stmt::Leave(_));
            });
            found
        })
    }
}

impl Text<'_> {
    /// What concerns objects and locks with one way back.
    pub(super) fn object(&mut self, n: usize, stmt: &Stmt) {
        match stmt {
            Stmt::Enter(latch) => {
                let latch = self.latch(*latch);
                self.line(&format!("call void @enter(ptr {latch})"));
            }
            Stmt::TryEnter(local, latch) => {
                let latch = self.latch(*latch);
                let taken = self.value(&format!("call i32 @try_enter(ptr {latch})"));
                self.set(*local, &taken);
            }
            Stmt::Leave(latch) => {
                let latch = self.latch(*latch);
                self.line(&format!("call void @leave(ptr {latch})"));
            }
            Stmt::Aim(target) => self.aim(*target),
            Stmt::Keep(slot) => {
                let slot = format!("getelementptr (ptr, ptr @slots, i64 {slot})");
                self.keep(&slot);
            }
            Stmt::KeepAt(local) => {
                let slot = self.slot_at(*local);
                self.keep(&slot);
            }
            Stmt::Again(local, pointer) => {
                let pointer = self.pointer(*pointer);
                let more = self.value("icmp ugt i32 %depth, 0");
                let label = self.label();
                self.line(&format!("br i1 {more}, label %{label}a, label %{label}b"));
                self.block(&format!("{label}a"));
                let less = self.value("sub i32 %depth, 1");
                let value = self.value(&format!("call i32 @f{n}(ptr {pointer}, i32 {less})"));
                self.set(*local, &value);
                self.line(&format!("br label %{label}b"));
                self.block(&format!("{label}b"));
            }
            _ => unreachable!("no statement about objects"),
        }
    }

    fn aim(&mut self, target: Target) {
        let object = match target {
            Target::Element(k) => format!("getelementptr ([2 x i32], ptr @array, i64 {k})"),
            Target::ElementAt(local) => {
                let k = self.index(local);
                self.value(&format!("getelementptr [2 x i32], ptr @array, i64 {k}"))
            }
            Target::Slot(k) => {
                let slot = format!("getelementptr (ptr, ptr @slots, i64 {k})");
                self.kept(&slot)
            }
            Target::SlotAt(local) => {
                let slot = self.slot_at(local);
                self.kept(&slot)
            }
            Target::New => self.value("call ptr @__irkiss_alloc(i64 8, i1 true)"),
        };
        self.line(&format!("store ptr {object}, ptr %q"));
    }

    fn index(&mut self, local: usize) -> String {
        let value = self.local(local);
        let bit = self.value(&format!("and i32 {value}, 1"));
        self.value(&format!("zext i32 {bit} to i64"))
    }

    fn slot_at(&mut self, local: usize) -> String {
        let k = self.index(local);
        self.value(&format!("getelementptr ptr, ptr @slots, i64 {k}"))
    }

    fn kept(&mut self, slot: &str) -> String {
        let object = self.value(&format!("load atomic ptr, ptr {slot} seq_cst, align 8"));
        let there = self.value(&format!("icmp ne ptr {object}, null"));
        self.line(&format!("call void @__irkiss_assume(i1 {there})"));
        object
    }

    fn keep(&mut self, slot: &str) {
        let object = self.pointer(Pointer::Aimed);
        self.line(&format!(
            "store atomic ptr {object}, ptr {slot} seq_cst, align 8"
        ));
    }
}
