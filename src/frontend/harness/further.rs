//! The threads of a scenario beyond its second.
//!
//! `__irkiss_pair(3)`, `__irkiss_pair(4)` are the numbers of their entry points and one more; 0: there is none, as in every pair.

use std::fmt::Write as _;

/// The prelude for scenarios of up to `threads` threads.
pub fn prelude(text: &str, threads: usize) -> String {
    let mut all = String::new();
    for line in text.lines() {
        all.push_str(line);
        all.push('\n');
        let Some(what) = line.strip_prefix("; further: ") else {
            continue;
        };
        for k in 2..threads {
            all.push_str(&insertion(what, k));
        }
    }
    all
}

/// What stands at such a line for the thread at place `k`.
fn insertion(what: &str, k: usize) -> String {
    // The names of values and labels: the two scenarios are parts of one function.
    let n = match what {
        "late" => format!("late{k}"),
        _ => format!("{k}"),
    };
    let started = |call: &str| {
        format!(
            "  %is{n} = icmp ne i32 %p{n}, 0\n  br i1 %is{n}, label %start{n}, label %next{n}\nstart{n}:\n  {call}\n  \
             br label %next{n}\nnext{n}:\n"
        )
    };
    let then = match what {
        "warm" => format!("  call void @__irkiss_warm(i32 %n{n})\n"),
        // The number was read where it was warmed.
        "settle" => return format!("  call void @__irkiss_settle(i32 %n{n})\n"),
        "start" => started(&format!("call void @__irkiss_start(i32 %n{n})")),
        "late" => started(&format!(
            "call void @__irkiss_start_late(i32 {k}, i32 %n{n})"
        )),
        // The number of nobody is that of no entry point.
        "born_entry" => {
            format!("  call void @__irkiss_born_number(i32 {k}, i32 %n{n}, i32 %entry)\n")
        }
        _ => format!("  call void @__irkiss_born_as(i32 {k}, i32 %n{n}, ptr %key)\n"),
    };
    number(&n, k) + &then
}

/// `%nN`: the number of the entry point at place `k`.
fn number(n: &str, k: usize) -> String {
    format!(
        "  %p{n} = call i32 @__irkiss_pair(i32 {})\n  %n{n} = sub i32 %p{n}, 1\n",
        k + 1
    )
}

/// Whether one of the threads is one of those entry points: the text, and the value that says so.
pub fn is_thread(numbers: &[usize], threads: usize) -> (String, String) {
    let mut text = String::from(
        "  %a = call i32 @__irkiss_pair(i32 0)\n  %b = call i32 @__irkiss_pair(i32 1)\n",
    );
    let mut names = vec!["%a".to_string(), "%b".to_string()];
    for k in 2..threads {
        text.push_str(&number(&k.to_string(), k));
        names.push(format!("%n{k}"));
    }
    let mut last = "false".to_string();
    for (i, c) in numbers.iter().enumerate() {
        for (k, name) in names.iter().enumerate() {
            let _ = write!(
                text,
                "  %e{k}.{i} = icmp eq i32 {name}, {c}\n  %l{k}.{i} = or i1 {last}, %e{k}.{i}\n"
            );
            last = format!("%l{k}.{i}");
        }
    }
    (text, last)
}
