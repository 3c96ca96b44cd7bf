//! What calls an entry point: `__irkiss_entry_K` as a thread, `__irkiss_run_K` before the threads, and where threads start.

use std::fmt::Write as _;

use super::text::{HarnessError, quoted, type_text};
use super::{
    Writer, called, does, gates, grace, is_thread, managed, needs, once, prologue, registered,
    sleep,
};
use crate::environment::discover::MODULE_EXIT;
use crate::environment::entry::{EntryPoint, Start};
use crate::index::{EntryId, Idx};
use crate::program::Type;

/// How a thread that something has started begins, and ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Started {
    Irq,
    /// Whoever arms it may have it run again.
    Again,
    Once,
    Handler,
    /// Once a grace period of RCU is over.
    AfterGrace,
}

impl Started {
    /// `None`: it begins by itself.
    fn of(entry: &EntryPoint) -> Option<Started> {
        match entry.start {
            Start::Any => None,
            Start::Irq => Some(Started::Irq),
            Start::Armed if prologue::again(entry) => Some(Started::Again),
            Start::Armed if prologue::is_thread(entry) => Some(Started::Once),
            Start::Armed if entry.after_grace => Some(Started::AfterGrace),
            Start::Armed => Some(Started::Handler),
        }
    }

    /// Whose state says whether it runs: the object's, or the cell's.
    fn whose(self, slot: &str) -> &str {
        match self {
            Started::Handler | Started::AfterGrace => "%object",
            Started::Irq | Started::Again | Started::Once => slot,
        }
    }

    fn begin(self, slot: &str) -> [String; 2] {
        let kind = match self {
            Started::Irq => "irq",
            Started::Again => "again",
            Started::Once => "once",
            Started::Handler => "handler",
            Started::AfterGrace => "rcu",
        };
        [
            format!("%object = call ptr @__irkiss_{kind}_begin(ptr {slot})"),
            format!("call void @__irkiss_runs(ptr {})", self.whose(slot)),
        ]
    }

    fn end(self, slot: &str) -> [String; 2] {
        let ran = format!("call void @__irkiss_ran(ptr {})", self.whose(slot));
        let ends = match self {
            Started::Handler | Started::AfterGrace => {
                "call void @__irkiss_handler_end(ptr %object)".to_string()
            }
            Started::Irq => format!("call void @__irkiss_irq_end(ptr {slot})"),
            Started::Again | Started::Once => format!("call void @__irkiss_once_end(ptr {slot})"),
        };
        [ran, ends]
    }
}

impl Writer<'_> {
    /// `__irkiss_entry_K`: builds the arguments and calls the function.
    pub(super) fn wrapper(&mut self, id: EntryId, entry: &EntryPoint) -> Result<(), HarnessError> {
        let n = id.index();
        let gate = gates::has_gate(self.entries, self.registrars, id);
        self.temporaries = 0;
        self.read.clear();
        let _ = writeln!(self.text, "define void @__irkiss_entry_{n}() {{");
        let refused = registered::unless_refused(self.program, self.entries, self.registrars, id);
        self.text.push_str(&refused);
        if entry.via == MODULE_EXIT && self.watched.is_some() {
            self.line("call void @__irkiss_close_files()");
        }
        self.runs_before(id, entry);
        // Before the gate: who waits for a lock is not yet what cancelling waits for.
        let unlock = self.lock(entry);
        if gate {
            let _ = write!(
                self.text,
                "  %gated = call i1 @__irkiss_gated.{n}()\n  br i1 %gated, label %enter, label %entered\nenter:\n  \
                 call void @__irkiss_gate_enter(ptr @__irkiss_gate.{n})\n  br label %entered\nentered:\n"
            );
        }
        let slot = format!("@__irkiss_slot.{n}");
        let started = Started::of(entry);
        if let Some(started) = started {
            for line in started.begin(&slot) {
                self.line(&line);
            }
        }
        let args = self.arguments(entry, started.map(|_| ("%object", slot.as_str())))?;
        self.called(id, entry, &args)?;
        if let Some(started) = started {
            for line in started.end(&slot) {
                self.line(&line);
            }
        }
        if gate {
            let _ = write!(
                self.text,
                "  br i1 %gated, label %leave, label %left\nleave:\n  \
                 call void @__irkiss_gate_leave(ptr @__irkiss_gate.{n})\n  br label %left\nleft:\n"
            );
        }
        self.text.push_str(&unlock);
        self.text.push_str(grace::at_end(self.entries, entry));
        self.line("ret void");
        self.text.push_str("}\n");
        Ok(())
    }

    /// What has to run before an entry point where nobody else has run it.
    fn runs_before(&mut self, id: EntryId, entry: &EntryPoint) {
        let n = id.index();
        let mut before = prologue::calls_before(self.entries, entry);
        if !entry.follows.is_empty() {
            let _ = writeln!(before, "  call void @__irkiss_settle(i32 {n})");
        }
        if !before.is_empty() {
            // In the lifecycle scenario nobody else has run them.
            let _ = write!(
                self.text,
                "  %life = call i1 @__irkiss_lifecycle()\n  br i1 %life, label %before, label %go\nbefore:\n{before}  \
                 br label %go\ngo:\n"
            );
        }
    }

    /// The call of an entry point's function, and what the kernel does around it.
    fn called(&mut self, id: EntryId, entry: &EntryPoint, args: &str) -> Result<(), HarnessError> {
        let f = self.function(entry)?;
        let result = if f.ret == Type::Void {
            ""
        } else {
            "%result = "
        };
        let ret = type_text(&f.ret).map_err(HarnessError)?;
        let number = matches!(f.ret, Type::Int(_)).then_some((ret.as_str(), "%result"));
        let name = quoted(&f.name);
        self.text.push_str(&needs::before(entry, args));
        self.text.push_str(&needs::while_frozen(id, entry, args));
        let leave = self.enter(entry);
        let around = self.bracket(entry, args)?;
        let (asleep, awake, args) =
            sleep::around(self.entries, id, entry, &around.arguments, number);
        let call = format!("call {ret} @{name}({args})");
        self.text.push_str(&around.before);
        self.text.push_str(&once::before(id, entry));
        let begun = once::while_begun(self.entries, (id, entry));
        self.text.push_str(&begun);
        self.text.push_str(managed::before(self.program, entry));
        let (does, done) = does::around(entry, &args);
        self.text.push_str(&does);
        self.text.push_str(&asleep);
        self.line(&format!("{result}{call}"));
        self.text.push_str(&awake);
        self.text.push_str(&done);
        self.text.push_str(managed::after(self.entries, entry));
        let unbound = called::unbound(self.entries, self.registrars, id);
        self.text.push_str(&unbound);
        self.text.push_str(&around.after);
        self.text.push_str(&leave);
        let opened = once::after(self.entries, (id, entry), number);
        self.text.push_str(&opened);
        Ok(())
    }

    /// `__irkiss_run_K`: calls the function and goes on only where it succeeds.
    pub(super) fn runner(&mut self, id: EntryId, entry: &EntryPoint) -> Result<(), HarnessError> {
        let n = id.index();
        self.temporaries = 0;
        self.read.clear();
        let _ = writeln!(
            self.text,
            "define internal void @__irkiss_run_{n}() {{\n{}  call void @__irkiss_settle(i32 {n})",
            prologue::calls_before(self.entries, entry)
        );
        let may = registered::only_unrefused(self.program, self.entries, self.registrars, id);
        self.text.push_str(&may);
        let unlock = self.lock(entry);
        let args = self.arguments(entry, None)?;
        self.text.push_str(&needs::before(entry, &args));
        let f = self.function(entry)?;
        let ret = type_text(&f.ret).map_err(HarnessError)?;
        let is_number = matches!(f.ret, Type::Int(_));
        let number = is_number.then_some((ret.as_str(), "%result"));
        let name = quoted(&f.name);
        let around = self.bracket(entry, &args)?;
        let (asleep, awake, args) =
            sleep::around(self.entries, id, entry, &around.arguments, number);
        let call = format!("call {ret} @{name}({args})");
        let (does, done) = does::around(entry, &args);
        self.text.push_str(&around.before);
        let begun = once::while_begun(self.entries, (id, entry));
        for text in [begun, does, asleep] {
            self.text.push_str(&text);
        }
        let result = if ret == "void" { "" } else { "%result = " };
        self.line(&format!("{result}{call}"));
        for text in [awake, done, around.after, unlock] {
            self.text.push_str(&text);
        }
        if is_number {
            self.line(&format!("%ok = icmp eq {ret} %result, 0"));
            self.line("call void @__irkiss_assume(i1 zeroext %ok)");
        }
        self.text.push_str(&once::lets(self.entries, entry));
        self.line("ret void");
        self.text.push_str("}\n");
        Ok(())
    }

    /// Where threads start; some begin with what may arm them, or open their file.
    pub(super) fn entry_start(&mut self, first: &[(&str, &[usize])]) {
        self.text.push_str(
            "define void @__irkiss_entry_start(ptr %n) {\n  %wide = ptrtoint ptr %n to i64\n  switch i64 %wide, label %none [\n",
        );
        let threads: Vec<usize> = self
            .entries
            .iter_ids()
            .filter(|(_, e)| is_thread(e))
            .map(|(id, _)| id.index())
            .collect();
        for n in &threads {
            let _ = writeln!(self.text, "    i64 {n}, label %entry{n}");
        }
        self.text.push_str("  ]\n");
        for n in threads {
            let own = first.iter().filter(|(_, of)| of.contains(&n));
            let before: String = own
                .map(|(what, _)| format!("  call void @__irkiss_{what}.{n}()\n"))
                .collect();
            let _ = writeln!(
                self.text,
                "entry{n}:\n{before}  call void @__irkiss_entry_{n}()\n  ret void"
            );
        }
        self.text.push_str("none:\n  ret void\n}\n");
    }
}
