//! What other threads can see of an instruction.
//!
//! Switch points stand before visible instructions only; with the rest commuting past every other thread's actions, that
//! gives the same verdicts as a point before every instruction. Visible are the accesses to memory that another thread
//! may reach, the primitives by which threads begin, end, wait and check, and loop back edges, before which a thread may
//! stop for ever. Not visible: accesses to a stack object whose address stays in its frame, and reads of constants.
//!
//! The escape analysis is local and flow-insensitive: an address that is stored, returned, converted to an integer or
//! passed to a function that may keep it has escaped for the whole function.

use std::collections::{HashMap, HashSet};

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::target::{
    LLVMGetModuleDataLayout, LLVMPointerSize, LLVMStoreSizeOfType, LLVMTargetDataRef,
};

use crate::config::Marked;
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, LLVMValueKind, Val};
use crate::program::{AccessMode, Primitive, SiteKind};

/// How many bytes an access reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length<'m> {
    /// Known.
    Const(u64),
    /// An integer value of the program.
    Value(Val<'m>),
}

/// One range of bytes that an instruction accesses.
#[derive(Clone, Copy)]
pub struct Access<'m> {
    /// Address of the first byte.
    pub pointer: Val<'m>,
    /// Number of bytes.
    pub length: Length<'m>,
    /// Whether it writes (a read-modify-write counts as a write).
    pub write: bool,
}

/// A visible instruction.
#[derive(Clone)]
pub struct Visible<'m> {
    /// The instruction (a terminator for a back edge).
    pub at: Val<'m>,
    /// What it does.
    pub kind: SiteKind,
    /// The ranges that it accesses: none for synchronisation, two for a copy.
    pub accesses: Vec<Access<'m>>,
    /// Whether the accesses are marked: two marked accesses do not race.
    pub marked: bool,
    /// Whether it is a plain write that compilers are taken to do in one ([`crate::program::Site::whole`]).
    pub whole: bool,
    /// Whether it is within an atomic section that begins in the same function.
    pub in_section: bool,
}

impl Visible<'_> {
    /// Bytes accessed, where that is constant; else 0.
    pub fn bytes(&self) -> u32 {
        match self.accesses.first().map(|a| a.length) {
            Some(Length::Const(n)) => u32::try_from(n).unwrap_or(0),
            _ => 0,
        }
    }
}

/// The visible instructions of one module.
pub struct Visibility {
    layout: LLVMTargetDataRef,
    marked: Marked,
}

impl Visibility {
    /// For the functions of `module`; `marked` says which accesses count as marked.
    pub fn new(module: &Module<'_>, marked: Marked) -> Self {
        Visibility {
            layout: unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) },
            marked,
        }
    }

    /// The visible instructions of a function, in the order of blocks and instructions.
    pub fn of_function<'m>(&self, function: Val<'m>) -> Vec<Visible<'m>> {
        let blocks = function.blocks();
        let Some(&entry) = blocks.first() else {
            return Vec::new();
        };
        let local = non_escaping_allocas(&blocks);
        let latches = latches(entry);
        let depths = section_depths(entry);
        let mut found = Vec::new();
        for block in blocks {
            let mut depth = depths.get(&block).copied().unwrap_or(0);
            // Where the block has read since its last call.
            let mut read = HashSet::new();
            for at in block.instructions() {
                let primitive = called_primitive(at);
                if primitive == Some(Primitive::AtomicEnd) {
                    depth = depth.saturating_sub(1);
                }
                if let Some(mut visible) = self.instruction(at, primitive, &local) {
                    visible.in_section = depth > 0;
                    visible.whole = self.is_whole(at, &read);
                    visible.marked |= visible.whole && self.marked == Marked::KcsanDefault;
                    visible.marked |= depth > 0 && !visible.accesses.is_empty();
                    found.push(visible);
                } else if latches.contains(&at) {
                    found.push(synchronisation(at, SiteKind::BackEdge));
                }
                if primitive == Some(Primitive::AtomicBegin) {
                    depth += 1;
                }
                match at.opcode() {
                    Some(LLVMOpcode::LLVMLoad) => read.extend(at.operand(0)),
                    Some(LLVMOpcode::LLVMCall) if at.intrinsic_name().is_none() => read.clear(),
                    _ => {}
                }
            }
        }
        found
    }

    fn instruction<'m>(
        &self,
        at: Val<'m>,
        primitive: Option<Primitive>,
        local: &HashSet<Val<'m>>,
    ) -> Option<Visible<'m>> {
        let (kind, accesses, marked) = match at.opcode()? {
            LLVMOpcode::LLVMLoad => {
                let a = self.access(at.operand(0)?, at, false);
                (SiteKind::Read, vec![a], self.is_marked(at))
            }
            LLVMOpcode::LLVMStore => {
                let a = self.access(at.operand(1)?, at.operand(0)?, true);
                (SiteKind::Write, vec![a], self.is_marked(at))
            }
            LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => {
                let a = self.access(at.operand(0)?, at.operand(1)?, true);
                (SiteKind::ReadWrite, vec![a], true)
            }
            LLVMOpcode::LLVMCall => return self.call(at, primitive, local),
            _ => return None,
        };
        Self::shared(at, kind, accesses, marked, local)
    }

    fn call<'m>(
        &self,
        at: Val<'m>,
        primitive: Option<Primitive>,
        local: &HashSet<Val<'m>>,
    ) -> Option<Visible<'m>> {
        let args = at.call_args();
        let range = |pointer: usize, length: usize, write: bool| {
            Some(Access {
                pointer: *args.get(pointer)?,
                length: length_of(*args.get(length)?),
                write,
            })
        };
        if let Some(primitive) = primitive {
            let kind = match primitive {
                Primitive::Havoc => {
                    let a = range(0, 1, true)?;
                    return Self::shared(at, SiteKind::Write, vec![a], false, local);
                }
                Primitive::Touch => {
                    let a = range(0, 1, false)?;
                    return Self::shared(at, SiteKind::Read, vec![a], false, local);
                }
                Primitive::AtomicBegin => SiteKind::AtomicBegin,
                Primitive::Assume => SiteKind::Assume,
                Primitive::Assert => SiteKind::Assert,
                Primitive::Check => SiteKind::Check,
                Primitive::Async => SiteKind::Async,
                Primitive::Free | Primitive::Leave => SiteKind::Free,
                Primitive::Stop | Primitive::Bug => SiteKind::Stop,
                _ => return None,
            };
            return Some(synchronisation(at, kind));
        }
        let intrinsic = at.intrinsic_name()?;
        let volatile =
            || args.get(3).and_then(|v| v.int_value()) == Some(1) && self.marked != Marked::C11;
        if is_copy(&intrinsic) {
            let both = vec![range(1, 2, false)?, range(0, 2, true)?];
            Self::shared(at, SiteKind::ReadWrite, both, volatile(), local)
        } else if intrinsic.starts_with("llvm.memset.") {
            let a = range(0, 2, true)?;
            Self::shared(at, SiteKind::Write, vec![a], volatile(), local)
        } else if is_trap(&intrinsic) {
            Some(synchronisation(at, SiteKind::Stop))
        } else {
            None
        }
    }

    /// What remains of the accesses that another thread may see.
    fn shared<'m>(
        at: Val<'m>,
        kind: SiteKind,
        mut accesses: Vec<Access<'m>>,
        marked: bool,
        local: &HashSet<Val<'m>>,
    ) -> Option<Visible<'m>> {
        let copies = accesses.len() > 1;
        accesses.retain(|a| {
            a.length != Length::Const(0) && !stays_in_thread(a.pointer, a.write, local)
        });
        let first = accesses.first()?;
        let kind = match (copies, accesses.len(), first.write) {
            (true, 1, true) => SiteKind::Write,
            (true, 1, false) => SiteKind::Read,
            _ => kind,
        };
        Some(Visible {
            at,
            kind,
            accesses,
            marked,
            whole: false,
            in_section: false,
        })
    }

    fn access<'m>(&self, pointer: Val<'m>, value: Val<'m>, write: bool) -> Access<'m> {
        let ty = value.ty();
        let bytes = if ty.is_sized() {
            unsafe { LLVMStoreSizeOfType(self.layout, ty.raw()) }
        } else {
            0
        };
        Access {
            pointer,
            length: Length::Const(bytes),
            write,
        }
    }

    /// Whether it is a store of up to a word, as aligned as it is long, of what is not computed from what has been `read` there.
    fn is_whole<'m>(&self, at: Val<'m>, read: &HashSet<Val<'m>>) -> bool {
        let (Some(LLVMOpcode::LLVMStore), Some(value), Some(pointer)) =
            (at.opcode(), at.operand(0), at.operand(1))
        else {
            return false;
        };
        let Length::Const(bytes) = self.access(pointer, value, true).length else {
            return false;
        };
        let (word, aligned) = unsafe {
            let aligned = u64::from(LLVMGetAlignment(at.raw())) >= bytes;
            (u64::from(LLVMPointerSize(self.layout)), aligned)
        };
        bytes.is_power_of_two() && bytes <= word && aligned && !read.contains(&pointer)
    }

    fn is_marked(&self, at: Val<'_>) -> bool {
        let mode = unsafe {
            AccessMode {
                volatile: LLVMGetVolatile(at.raw()) != 0,
                atomic: LLVMIsAtomic(at.raw()) != 0,
            }
        };
        match self.marked {
            Marked::Kcsan | Marked::KcsanDefault => mode.marked(),
            Marked::C11 => mode.atomic,
        }
    }
}

/// The primitive that an instruction calls.
pub fn called_primitive(at: Val<'_>) -> Option<Primitive> {
    let callee = at.callee()?;
    (callee.kind() == LLVMValueKind::LLVMFunctionValueKind)
        .then(|| Primitive::by_name(&callee.name()))
        .flatten()
}

/// Whether the intrinsic of that name copies memory.
pub(super) fn is_copy(intrinsic: &str) -> bool {
    intrinsic.starts_with("llvm.memcpy.") || intrinsic.starts_with("llvm.memmove.")
}

/// Whether the intrinsic of that name stops the program.
fn is_trap(intrinsic: &str) -> bool {
    matches!(intrinsic, "llvm.trap" | "llvm.ubsantrap")
}

fn synchronisation(at: Val<'_>, kind: SiteKind) -> Visible<'_> {
    Visible {
        at,
        kind,
        accesses: Vec::new(),
        marked: false,
        whole: false,
        in_section: false,
    }
}

fn length_of(value: Val<'_>) -> Length<'_> {
    match value.int_value().and_then(|n| u64::try_from(n).ok()) {
        Some(n) => Length::Const(n),
        None => Length::Value(value),
    }
}

/// The values that a pointer is computed from by steps that keep it in the same object.
pub fn roots(pointer: Val<'_>) -> Vec<Val<'_>> {
    let mut seen = HashSet::new();
    let mut work = vec![pointer];
    let mut roots = Vec::new();
    while let Some(v) = work.pop() {
        if !seen.insert(v) {
            continue;
        }
        match v.opcode() {
            Some(
                LLVMOpcode::LLVMGetElementPtr
                | LLVMOpcode::LLVMBitCast
                | LLVMOpcode::LLVMAddrSpaceCast
                | LLVMOpcode::LLVMFreeze,
            ) => work.extend(v.operand(0)),
            Some(LLVMOpcode::LLVMSelect) => {
                work.extend([v.operand(1), v.operand(2)].into_iter().flatten())
            }
            Some(LLVMOpcode::LLVMPHI) => {
                work.extend((0..v.operand_count()).filter_map(|k| v.operand(k)));
            }
            _ => roots.push(v),
        }
    }
    roots
}

/// Whether no other thread can tell that the access happens.
fn stays_in_thread<'m>(pointer: Val<'m>, write: bool, local: &HashSet<Val<'m>>) -> bool {
    roots(pointer).into_iter().all(|root| {
        local.contains(&root)
            || (!write
                && root.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
                && unsafe { LLVMIsGlobalConstant(root.raw()) != 0 })
    })
}

/// The stack objects whose addresses stay in their frames.
fn non_escaping_allocas<'m>(blocks: &[Bb<'m>]) -> HashSet<Val<'m>> {
    blocks
        .iter()
        .flat_map(|b| b.instructions())
        .filter(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca) && !escapes(*i))
        .collect()
}

/// Whether a stack object's address may leave its frame.
pub fn escapes(alloca: Val<'_>) -> bool {
    let mut seen = HashSet::from([alloca]);
    let mut work = vec![alloca];
    while let Some(v) = work.pop() {
        let mut next = unsafe { LLVMGetFirstUse(v.raw()) };
        while !next.is_null() {
            let user = unsafe { Val::new(LLVMGetUser(next)) };
            next = unsafe { LLVMGetNextUse(next) };
            match user.opcode() {
                Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMICmp) => {}
                Some(LLVMOpcode::LLVMStore) if user.operand(0) != Some(v) => {}
                Some(LLVMOpcode::LLVMAtomicRMW) if user.operand(1) != Some(v) => {}
                Some(LLVMOpcode::LLVMAtomicCmpXchg)
                    if user.operand(1) != Some(v) && user.operand(2) != Some(v) => {}
                Some(
                    LLVMOpcode::LLVMGetElementPtr
                    | LLVMOpcode::LLVMBitCast
                    | LLVMOpcode::LLVMAddrSpaceCast
                    | LLVMOpcode::LLVMFreeze
                    | LLVMOpcode::LLVMSelect
                    | LLVMOpcode::LLVMPHI,
                ) => {
                    if seen.insert(user) {
                        work.push(user);
                    }
                }
                Some(LLVMOpcode::LLVMCall) if !call_keeps(user, v) => {}
                _ => return true,
            }
        }
    }
    false
}

/// Whether a call may let another thread have the address `argument`.
fn call_keeps(call: Val<'_>, argument: Val<'_>) -> bool {
    if let Some(primitive) = called_primitive(call) {
        return !matches!(
            primitive,
            Primitive::Assert
                | Primitive::Check
                | Primitive::GhostGet
                | Primitive::GhostSet
                | Primitive::Havoc
                | Primitive::Touch
                | Primitive::Free
                | Primitive::Leave
                | Primitive::Overlap
        );
    }
    if let Some(name) = call.intrinsic_name() {
        return !(is_copy(&name)
            || [
                "memset.",
                "lifetime.",
                "dbg.",
                "objectsize.",
                "assume",
                "invariant.",
            ]
            .iter()
            .any(|known| name["llvm.".len()..].starts_with(known)));
    }
    let captures = unsafe { LLVMGetEnumAttributeKindForName(c"captures".as_ptr(), 8) };
    call.call_args().into_iter().zip(1..).any(|(arg, index)| {
        arg == argument
            && !unsafe {
                let attribute = LLVMGetCallSiteEnumAttribute(call.raw(), index, captures);
                // The encoding of captures(none).
                !attribute.is_null() && LLVMGetEnumAttributeValue(attribute) == 0
            }
    })
}

/// The terminators of the blocks from which an edge leads back to a block on the depth-first path to them.
fn latches(entry: Bb<'_>) -> HashSet<Val<'_>> {
    let mut latches = HashSet::new();
    let mut visited = HashSet::from([entry]);
    let mut on_path = HashSet::from([entry]);
    let mut path = vec![(entry, entry.successors().into_iter())];
    while let Some((block, successors)) = path.last_mut() {
        match successors.next() {
            Some(next) if on_path.contains(&next) => {
                latches.extend(block.instructions().last().copied());
            }
            Some(next) => {
                if visited.insert(next) {
                    on_path.insert(next);
                    path.push((next, next.successors().into_iter()));
                }
            }
            None => {
                on_path.remove(block);
                path.pop();
            }
        }
    }
    latches
}

/// How many atomic sections are open at the beginning of each block, as the text of the function has it.
fn section_depths(entry: Bb<'_>) -> HashMap<Bb<'_>, u32> {
    let mut depths = HashMap::from([(entry, 0)]);
    let mut work = vec![entry];
    while let Some(block) = work.pop() {
        let mut depth: u32 = depths[&block];
        for at in block.instructions() {
            match called_primitive(at) {
                Some(Primitive::AtomicBegin) => depth += 1,
                Some(Primitive::AtomicEnd) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        for next in block.successors() {
            depths.entry(next).or_insert_with(|| {
                work.push(next);
                depth
            });
        }
    }
    depths
}
