; The program of the self-test: two threads count, and nothing orders them.
;
;    1  #include <pthread.h>
;    2  static int counter;
;    3  static void *worker(void *unused)
;    4  {
;    5          counter++;
;    6          return unused;
;    7  }
;    8  int main(void)
;    9  {
;   10          pthread_t thread;
;   11          pthread_create(&thread, 0, worker, 0);
;   12          counter++;
;   13          pthread_join(thread, 0);
;   14          return 0;
;   15  }
source_filename = "counter.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@counter = internal global i32 0, align 4

define i32 @main() !dbg !6 {
entry:
  %thread = alloca i64, align 8
  %created = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr null), !dbg !8
  %old = load i32, ptr @counter, align 4, !dbg !9
  %new = add nsw i32 %old, 1, !dbg !9
  store i32 %new, ptr @counter, align 4, !dbg !9
  %which = load i64, ptr %thread, align 8, !dbg !10
  %joined = call i32 @pthread_join(i64 %which, ptr null), !dbg !10
  ret i32 0, !dbg !11
}

define internal ptr @worker(ptr %unused) !dbg !7 {
entry:
  %old = load i32, ptr @counter, align 4, !dbg !12
  %new = add nsw i32 %old, 1, !dbg !12
  store i32 %new, ptr @counter, align 4, !dbg !12
  ret ptr %unused, !dbg !13
}

declare i32 @pthread_create(ptr, ptr, ptr, ptr)

declare i32 @pthread_join(i64, ptr)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "counter.c", directory: ".")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 8, type: !4, scopeLine: 9, spFlags: DISPFlagDefinition, unit: !0)
!7 = distinct !DISubprogram(name: "worker", scope: !1, file: !1, line: 3, type: !4, scopeLine: 4, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !0)
!8 = !DILocation(line: 11, column: 2, scope: !6)
!9 = !DILocation(line: 12, column: 9, scope: !6)
!10 = !DILocation(line: 13, column: 2, scope: !6)
!11 = !DILocation(line: 14, column: 2, scope: !6)
!12 = !DILocation(line: 5, column: 9, scope: !7)
!13 = !DILocation(line: 6, column: 2, scope: !7)
