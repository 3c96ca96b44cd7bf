//! `__irkiss_harness_init`: what comes before the threads of a pair.

use std::fmt::Write as _;

use super::text::{HarnessError, global_name, quoted, type_text};
use super::{Writer, another, gates, power, probes, prologue, record};

impl Writer<'_> {
    /// Shared objects, init code, open files.
    pub(super) fn init(&mut self) -> Result<(), HarnessError> {
        self.text
            .push_str("define void @__irkiss_harness_init() {\nentry:\n");
        self.line("%life = call i1 @__irkiss_lifecycle()");
        self.line("call void @__irkiss_set_parameters()");
        let closed = gates::close_at_first(self.program, self.entries, self.registrars);
        self.text.push_str(&closed);
        for group in self.groups.clone() {
            self.line(&format!(
                "call void @__irkiss_make_inode.{}()",
                group.number
            ));
        }
        self.make_up();
        self.initialise()?;
        self.text
            .push_str("  br i1 %life, label %done, label %open\nopen:\n");
        self.open();
        self.text
            .push_str("  br label %done\ndone:\n  ret void\n}\n");
        Ok(())
    }

    /// The shared objects that init code does not make, and the pointers that the kernel has set in them.
    fn make_up(&mut self) {
        for name in self.shared.clone() {
            if self.groups.iter().any(|g| g.owns(&name)) {
                continue;
            }
            if self.made(&name) {
                continue;
            }
            let object = self.temporary();
            self.line(&format!(
                "{object} = call ptr @__irkiss_lazy(i64 0, ptr @{})",
                global_name("name", &name)
            ));
            self.no_data_yet(&name, &object);
            // To what the driver makes it leads when that is there (record.rs); before, nowhere.
            let own = self.objects.iter().filter(|o| o.name == name);
            for (offset, other, _) in own.flat_map(|o| &o.set) {
                if self.made(other) {
                    let pointer = self.temporary();
                    self.line(&format!(
                        "{pointer} = getelementptr i8, ptr {object}, i64 {offset}"
                    ));
                    self.line(&format!("store ptr null, ptr {pointer}"));
                }
            }
            self.line(&format!(
                "store ptr {object}, ptr @{}",
                global_name("shared", &name)
            ));
        }
        for object in self.objects {
            let pointers = record::pointers(object, &|other| !self.made(other));
            self.text.push_str(&pointers);
        }
        self.prepare_its();
    }

    /// Calls init code.
    fn initialise(&mut self) -> Result<(), HarnessError> {
        let mut bound = probes::Bound::new(self.entries);
        for entry in self.initial(&bound) {
            self.read.clear();
            self.begin_probe(&mut bound, entry);
            let unlock = self.lock(entry);
            let args = self.arguments(entry, None)?;
            self.text.push_str(&power::begins(entry, &args));
            let f = self.function(entry)?;
            let ret = f.ret.clone();
            let call = format!(
                "call {} @{}({args})",
                type_text(&ret).map_err(HarnessError)?,
                quoted(&f.name)
            );
            let leave = self.enter(entry);
            self.probed(entry, &call, (&leave, &unlock));
        }
        self.end_probes(&bound);
        Ok(())
    }

    /// What comes before the threads of a pair, once init code has run: what creates objects, pointers to them, open files.
    fn open(&mut self) {
        for n in prologue::creators(self.program, self.entries) {
            let _ = write!(
                self.text,
                "  %c{n} = call zeroext i1 @__irkiss_nondet_bool()\n  br i1 %c{n}, label %create{n}, label %created{n}\n\
                 create{n}:\n  call void @__irkiss_run_{n}()\n  br label %created{n}\ncreated{n}:\n"
            );
        }
        for object in self.objects {
            self.text.push_str(&record::led(object));
            if object.led.is_some() {
                let set = record::pointers_again(object);
                self.text.push_str(&set);
            }
        }
        for object in self.objects {
            let copies = another::pointers(object) + &record::copies(object);
            self.text.push_str(&copies);
        }
        for group in self.groups.clone() {
            let n = group.number;
            self.line(&format!("call void @__irkiss_open_files.{n}()"));
        }
    }
}
