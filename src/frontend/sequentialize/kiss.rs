//! KISS's transformation: Qadeer, Wu, "KISS: Keep It Simple and Sequential", PLDI 2004, figures 4 and 5.
//!
//! A thread is a function call. The instrumented program calls, before every visible instruction, the scheduler, which
//! may call the start functions of pending threads, and a thread stops by setting `raise` and returning from all its
//! frames. What the inserted calls do is in `runtime-stubs/sequential/kiss.c`, with the deviations from the paper; this
//! file says which call stands where. The executions simulated are the *balanced* ones (theorem 1), with at most MAX
//! pending threads; it misses every error that needs a thread to be left and returned to while the other one goes on.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;

use super::SequentializeError;
use super::edit::{Editor, Frame};
use super::faults;
use super::instrument::{Sequentialization, instrument};
use super::visible::{Access, Length, Visible};
use crate::config::{Options, RaceCheck};
use crate::faults::{KissFault, seeded};
use crate::frontend::decode::SITE_METADATA;
use crate::frontend::llvm::raw::{LLVMOpcode, Val, metadata_kind};
use crate::index::{Idx, SiteId};
use crate::program::SiteKind;
use crate::property::Property;

/// Site number of the points of `--instrument=every` that are at no visible instruction: always enabled.
pub const SITE_EVERY: u32 = u32::MAX - 1;

/// Flags of `__kiss_access`.
const WRITE: u64 = 1;
const MARKED: u64 = 2;

/// The run time's functions, and what to do.
struct Kiss<'m> {
    point: Val<'m>,
    access: Val<'m>,
    also: Val<'m>,
    atomic_begin: Val<'m>,
    atomic_end: Val<'m>,
    assert: Val<'m>,
    claim: Val<'m>,
    /// With `--race-check value`: the access checks of writes of an integer and of a pointer.
    written: Option<[Val<'m>; 2]>,
    /// With `--property atomicity`: what is told of each access.
    watch: Option<Val<'m>>,
    assume: Option<Val<'m>>,
    asynchronous: Val<'m>,
    stop: Val<'m>,
    before_return: Val<'m>,
    raise: Val<'m>,
    self_id: Val<'m>,
    site_kind: u32,
    race: bool,
}

/// Inserts the calls of the run time, which has been linked in; the start function is `__kiss_main` (for a driver also
/// `__kiss_pair_main`, from the state after initialisation).
pub(super) fn transform(module: &Module<'_>, options: &Options) -> Result<(), SequentializeError> {
    let editor = Editor::new(module);
    let kiss = Kiss::new(module, &editor, options)?;
    instrument(module, &editor, &kiss, options)
}

impl<'m> Kiss<'m> {
    fn new(
        module: &Module<'_>,
        editor: &Editor<'m>,
        options: &Options,
    ) -> Result<Self, SequentializeError> {
        let missing = |name: &str| SequentializeError::Runtime(format!("no {name}"));
        let function = |name: &str| editor.function(name).ok_or_else(|| missing(name));
        let global = |name: &str| editor.global(name).ok_or_else(|| missing(name));
        Ok(Kiss {
            point: function("__kiss_point")?,
            access: function("__kiss_access")?,
            also: function("__kiss_also")?,
            atomic_begin: function("__kiss_atomic_begin")?,
            atomic_end: function("__kiss_atomic_end")?,
            assert: function("__kiss_assert")?,
            claim: function("__kiss_claim")?,
            written: match options.race_check {
                RaceCheck::Adjacent => None,
                RaceCheck::Value => Some([
                    function("__kiss_access_number")?,
                    function("__kiss_access_pointer")?,
                ]),
            },
            watch: match options.asks(Property::Atomicity) {
                true => Some(function("__kiss_watch")?),
                false => None,
            },
            assume: if options.asks(Property::Assert) {
                None
            } else {
                Some(function("__irkiss_assume")?)
            },
            asynchronous: function("__kiss_async")?,
            stop: function("__kiss_stop")?,
            before_return: function("__kiss_before_return")?,
            raise: global("__kiss_raise")?,
            self_id: global("__kiss_self")?,
            site_kind: metadata_kind(module, SITE_METADATA),
            race: options.asks(Property::Race),
        })
    }

    /// `if (function(args)) return;` before `at`.
    fn return_if(
        &self,
        editor: &Editor<'m>,
        frame: &mut Frame<'m>,
        at: Val<'m>,
        function: Val<'m>,
        args: &[Val<'m>],
    ) {
        let head = editor.split_before(at);
        let raised = editor.call_at_end(head, function, args, at);
        let raise = self.raise_block(editor, frame, at);
        editor.branch(head, raised, raise, at);
    }

    fn point(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>, site: u32) {
        let site = editor.int(32, u64::from(site));
        self.return_if(editor, frame, at, self.point, &[site]);
    }

    /// The block in which the function returns because its thread was raised. Its stack objects live on, unless seeded.
    fn raise_block(
        &self,
        editor: &Editor<'m>,
        frame: &mut Frame<'m>,
        at: Val<'m>,
    ) -> crate::frontend::llvm::raw::Bb<'m> {
        let function = frame.function;
        frame.raise_block(editor, |block| {
            if seeded(KissFault::FramesDieAtRaise) {
                faults::havoc_frame(editor, function, block, at);
            }
        })
    }

    /// What a store writes, and what checks it, where values matter and this one is a number or pointer of at most 64 bits.
    fn written(&self, editor: &Editor<'m>, at: Val<'m>) -> Option<(Val<'m>, Val<'m>)> {
        let [number, pointer] = self.written?;
        if at.opcode() != Some(LLVMOpcode::LLVMStore) {
            return None;
        }
        let value = at.operand(0)?;
        match value.ty().int_bits() {
            1..=64 => Some((number, value)),
            0 => match value.ty().kind() {
                LLVMTypeKind::LLVMPointerTypeKind => Some((pointer, value)),
                LLVMTypeKind::LLVMFloatTypeKind => {
                    Some((number, editor.bits_before(at, value, 32)))
                }
                LLVMTypeKind::LLVMDoubleTypeKind => {
                    Some((number, editor.bits_before(at, value, 64)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Figure 5: `schedule(); choice{skip [] check(x); RAISE [] RAISE}`; figure 4 where races are not checked.
    fn access(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, v: &Visible<'m>, site: u32) {
        if self.race {
            self.checks(editor, frame, v, site);
        } else {
            self.point(editor, frame, v.at, site);
        }
        if let Some(watch) = self.watch {
            for access in &v.accesses {
                let site = editor.int(32, u64::from(site));
                let args = [access.pointer, length(editor, access), site];
                editor.call_before(v.at, watch, &args);
            }
        }
    }

    fn checks(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, v: &Visible<'m>, site: u32) {
        for (n, access) in v.accesses.iter().enumerate() {
            let args = [
                access.pointer,
                length(editor, access),
                editor.int(32, flags(access, v.marked)),
                editor.int(32, u64::from(site)),
            ];
            // A further range of the same instruction (a copy) shares its point.
            let function = if n == 0 { self.access } else { self.also };
            match self.written(editor, v.at) {
                Some((function, value)) => {
                    let args: Vec<_> = args.into_iter().chain([value]).collect();
                    self.return_if(editor, frame, v.at, function, &args);
                }
                None => self.return_if(editor, frame, v.at, function, &args),
            }
        }
    }
}

pub(super) fn length<'m>(editor: &Editor<'m>, access: &Access<'m>) -> Val<'m> {
    match access.length {
        Length::Const(n) => editor.int(64, n),
        Length::Value(v) => v,
    }
}

pub(super) fn flags(access: &Access<'_>, marked: bool) -> u64 {
    (u64::from(access.write) * WRITE) | (u64::from(marked) * MARKED)
}

impl<'m> Sequentialization<'m> for Kiss<'m> {
    fn visible(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, v: &Visible<'m>, site: SiteId) {
        let at = v.at;
        let number = u32::try_from(site.index()).unwrap_or(SITE_EVERY);
        let site = editor.int(32, u64::from(number));
        // Before what may keep the thread for ever, it may also be stopped.
        let blocking = matches!(
            v.kind,
            SiteKind::Assume | SiteKind::Stop | SiteKind::BackEdge
        );
        let faulty = blocking && seeded(KissFault::NoPointBeforeBlocking);
        match v.kind {
            SiteKind::Read | SiteKind::Write | SiteKind::ReadWrite => {
                self.access(editor, frame, v, number);
                return;
            }
            SiteKind::AtomicBegin => {
                self.return_if(editor, frame, at, self.atomic_begin, &[site]);
                editor.erase(at);
                return;
            }
            _ if faulty => {}
            _ => self.point(editor, frame, at, number),
        }
        match v.kind {
            SiteKind::Assert => {
                let condition = at.call_args().into_iter().take(1);
                let call = match self.assume {
                    // The program ends at a failed assertion: nothing follows, and nothing is reported.
                    Some(assume) => editor.call_before(at, assume, &condition.collect::<Vec<_>>()),
                    None => {
                        let args: Vec<_> = condition.chain([site]).collect();
                        editor.call_before(at, self.assert, &args)
                    }
                };
                editor.copy_metadata(self.site_kind, at, call);
                editor.erase(at);
            }
            SiteKind::Check => {
                let args: Vec<_> = at.call_args().into_iter().take(2).chain([site]).collect();
                let call = editor.call_before(at, self.claim, &args);
                editor.copy_metadata(self.site_kind, at, call);
                editor.erase(at);
            }
            SiteKind::Async => {
                let call = editor.call_before(at, self.asynchronous, &at.call_args());
                editor.copy_metadata(self.site_kind, at, call);
                editor.replace(at, call);
            }
            // A trap stays what it is.
            SiteKind::Stop if at.intrinsic_name().is_none() => {
                self.return_if(editor, frame, at, self.stop, &[]);
                editor.erase(at);
            }
            _ => {}
        }
    }

    fn atomic_end(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>) {
        self.return_if(editor, frame, at, self.atomic_end, &[]);
        editor.erase(at);
    }

    fn self_id(&self, editor: &Editor<'m>, at: Val<'m>) {
        editor.replace_by_load(at, self.self_id);
    }

    /// Figure 4: `if (raise) return`.
    fn after_call(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, next: Val<'m>) {
        if seeded(KissFault::NoPropagation) {
            return;
        }
        let head = editor.split_before(next);
        let raised = editor.is_set(head, self.raise);
        let raise = self.raise_block(editor, frame, next);
        editor.branch(head, raised, raise, next);
    }

    fn before_return(&self, editor: &Editor<'m>, _frame: &mut Frame<'m>, at: Val<'m>) {
        if !seeded(KissFault::NoScheduleAtReturn) {
            editor.call_before(at, self.before_return, &[]);
        }
    }

    fn before_other(&self, editor: &Editor<'m>, frame: &mut Frame<'m>, at: Val<'m>) {
        let blocking = at.opcode() == Some(LLVMOpcode::LLVMUnreachable);
        if !(blocking && seeded(KissFault::NoPointBeforeBlocking)) {
            self.point(editor, frame, at, SITE_EVERY);
        }
    }
}
