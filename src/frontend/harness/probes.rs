//! Initialisation: the module's own, and the probes of its drivers.
//!
//! One module may have drivers for several buses, or for two kinds of device on one (struct pnp_driver beside struct
//! platform_driver). There is one device: which of the drivers is bound to it is arbitrary, and several may be where one after
//! another succeeds. Functions of one driver (`usb_serial_driver.probe`, `attach`) go together.
//!
//! Where no probe can succeed (a driver's own bus, whose devices come later; a driver that a write registers), the module without a
//! device is the state to start from: `__irkiss_pair(5)` is then not 0.

use std::fmt::Write as _;

use super::registered::is_registered;
use super::text::{global_name, is_valid};
use super::{INIT_FAILED, Writer, called};
use crate::environment::contract::UNBOUND;
use crate::environment::discover::{BUS_DEVICE, member_offset, pointee};
use crate::environment::entry::{EntryPoint, EntryPoints, Parameter, Phase, is_probe};
use crate::index::Idx;
use crate::program::Type;

/// The drivers that probe, by the object that registers them.
pub fn probes(entries: &EntryPoints) -> Vec<String> {
    objects(entries, |e| is_probe(entries, e))
}

/// The ops objects that register such entry points, each once.
fn objects(entries: &EntryPoints, such: impl Fn(&EntryPoint) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for entry in entries.iter().filter(|e| such(e)) {
        if let Some(by) = &entry.registered_by
            && !found.contains(by)
        {
            found.push(by.clone());
        }
    }
    found
}

/// What is bound, as far as the text goes.
pub(super) struct Bound {
    /// The ops objects of drivers, and after them those of what drivers register once they are bound.
    objects: Vec<String>,
    /// How many of them are drivers.
    drivers: usize,
    /// Of which one functions are being called.
    last: Option<usize>,
}

impl Bound {
    /// Nothing yet.
    pub(super) fn new(entries: &EntryPoints) -> Bound {
        let mut all = probes(entries);
        let drivers = all.len();
        let parts = |e: &EntryPoint| e.phase == Phase::Init && !is_probe(entries, e);
        let parts = objects(entries, parts);
        all.extend(parts.into_iter().filter(|o| !probes(entries).contains(o)));
        Bound {
            objects: all,
            drivers,
            last: None,
        }
    }

    fn place(&self, entry: &EntryPoint) -> Option<usize> {
        let by = entry.registered_by.as_ref()?;
        self.objects.iter().position(|d| d == by)
    }

    /// Whether it is a driver, rather than what one registers.
    fn is_driver(&self, n: usize) -> bool {
        n < self.drivers
    }
}

impl<'a> Writer<'a> {
    /// What initialises, in order; the functions of one driver follow one another.
    pub(super) fn initial(&self, bound: &Bound) -> Vec<&'a EntryPoint> {
        let all = self.entries.iter().filter(|e| e.phase == Phase::Init);
        let mut all: Vec<&EntryPoint> = all.collect();
        all.sort_by_key(|e| bound.place(e));
        all
    }

    /// Before a function of another driver than the last one: the driver is bound, or not. What a driver registers comes together once it is
    /// bound, or has not yet.
    pub(super) fn begin_probe(&mut self, bound: &mut Bound, entry: &EntryPoint) {
        let Some(n) = bound.place(entry).filter(|n| bound.last != Some(*n)) else {
            return;
        };
        self.end_probe(bound);
        if bound.last.is_none() {
            self.line(&format!("%number = call i32 @__irkiss_pair(i32 {UNBOUND})"));
            self.line("%unbound = icmp ne i32 %number, 0");
            self.line("%bound = alloca i1");
            self.line("store i1 %unbound, ptr %bound");
            for (id, _) in self.entries.iter_ids().filter(|(_, e)| e.of_module) {
                self.line(&format!(
                    "call void @__irkiss_born_entry(i32 {})",
                    id.index()
                ));
            }
        }
        if !bound.is_driver(n) && bound.last.is_some_and(|last| bound.is_driver(last)) {
            self.is_bound();
        }
        // The only one has to succeed.
        let text = match bound.drivers {
            1 if bound.is_driver(n) => {
                format!("  br i1 %unbound, label %bound{n}, label %bind{n}\nbind{n}:\n")
            }
            _ => self.may_be_bound(n, bound),
        };
        self.text.push_str(&text);
        bound.last = Some(n);
    }

    /// Text that goes on at `bind`, or at `bound` where that one is not.
    fn may_be_bound(&self, n: usize, bound: &Bound) -> String {
        let name = format!("%registered{n}");
        let known = is_registered(
            self.program,
            self.entries,
            self.registrars,
            &bound.objects[n],
            &name,
        );
        let (mut text, mut condition) = match known {
            Some(text) => (
                format!("{text}  %may{n} = and i1 %probe{n}, {name}\n"),
                format!("%may{n}"),
            ),
            None => (String::new(), format!("%probe{n}")),
        };
        if !bound.is_driver(n) {
            let _ = write!(
                text,
                "  %some{n} = xor i1 %unbound, true\n  %part{n} = and i1 {condition}, %some{n}\n"
            );
            condition = format!("%part{n}");
        }
        format!(
            "  %probe{n} = call zeroext i1 @__irkiss_nondet_bool()\n{text}  \
             br i1 {condition}, label %bind{n}, label %bound{n}\nbind{n}:\n"
        )
    }

    /// After the functions of the last driver, or of what it registers.
    fn end_probe(&mut self, bound: &Bound) {
        let Some(n) = bound.last else {
            return;
        };
        let noted = called::probed(self.entries, self.registrars, &bound.objects[n]);
        self.text.push_str(&noted);
        if bound.is_driver(n) {
            self.line("store i1 true, ptr %bound");
        }
        let _ = write!(self.text, "  br label %bound{n}\nbound{n}:\n");
    }

    /// After all of them: one is bound.
    pub(super) fn end_probes(&mut self, bound: &Bound) {
        self.end_probe(bound);
        if bound.last.is_some_and(|last| bound.is_driver(last)) {
            self.is_bound();
        }
    }

    /// Executions go on only where a driver is bound, or none is to be.
    fn is_bound(&mut self) {
        self.line("%some = load i1, ptr %bound");
        self.line("call void @__irkiss_assume(i1 zeroext %some)");
    }

    /// Calls a function that initialises, and goes on where it succeeds; what has been entered and taken is left and given back.
    pub(super) fn probed(&mut self, entry: &EntryPoint, call: &str, (leave, unlock): (&str, &str)) {
        let function = self.program.function_named(&entry.function);
        let function = function.map(|f| &self.program.functions[f]);
        let ret = function.map_or(Type::Void, |f| f.ret.clone());
        let object = function
            .and_then(|f| pointee(self.program, f.ret_type?))
            .map(|t| self.program.debug_types[t].name.clone());
        let (result, ok) = (self.temporary(), self.temporary());
        let test = match ret {
            // 0 is success; a number of ports is one too (drivers/usb/serial/usb-serial.c: usb_serial_probe).
            Type::Int(bits) => {
                match entry.via.ends_with(".calc_num_ports") || entry.is_called_by_others() {
                    true => format!("{ok} = icmp sge i{bits} {result}, 0"),
                    false => format!("{ok} = icmp eq i{bits} {result}, 0"),
                }
            }
            Type::Ptr if entry.is_called_by_others() => {
                let (number, below) = (self.temporary(), self.temporary());
                is_valid(&result, [&number, &below, &ok])
            }
            _ => {
                self.line(call);
                self.text.push_str(leave);
                self.text.push_str(unlock);
                return;
            }
        };
        self.line(&format!("{result} = {call}"));
        self.text.push_str(leave);
        self.text.push_str(unlock);
        self.line(&test);
        // In the lifecycle scenario threads run already: a failed init is a state like any other.
        let n = self.temporaries;
        let _ = write!(
            self.text,
            "  br i1 %life, label %life{n}, label %steady{n}\nsteady{n}:\n  call void @__irkiss_assume(i1 zeroext {ok})\n  \
             br label %next{n}\nlife{n}:\n  br i1 {ok}, label %next{n}, label %failed{n}\nfailed{n}:\n  \
             call void @__irkiss_ghost_set(ptr @__irkiss_harness_state, i32 {INIT_FAILED}, i64 1)\n  ret void\nnext{n}:\n"
        );
        // What it makes is what callbacks are given.
        if let Some(object) = object.filter(|o| ret == Type::Ptr && self.shared.contains(o)) {
            let cell = global_name("shared", &object);
            self.line(&format!("store volatile ptr {result}, ptr @{cell}"));
        }
    }

    /// A device that is being probed has no driver data yet (drivers/base/dd.c: device_unbind_cleanup).
    pub(super) fn no_data_yet(&mut self, name: &str, object: &str) {
        let given = Parameter::Shared(name.to_string());
        let mut init = self.entries.iter().filter(|e| e.phase == Phase::Init);
        if !init.any(|e| e.parameters.contains(&given)) {
            return;
        }
        let place = match name {
            BUS_DEVICE => member_offset(self.program, "device", "driver_data"),
            name => member_offset(self.program, name, "dev.driver_data"),
        };
        if let Some(offset) = place {
            let data = self.temporary();
            self.line(&format!(
                "{data} = getelementptr i8, ptr {object}, i64 {offset}"
            ));
            self.line(&format!("store ptr null, ptr {data}"));
        }
    }
}
