//! What functions without a model fill in: members of the driver's own objects that the input reads and nobody in it sets.
//!
//! A library of the kernel that is given a struct to set up (`adis_init`, `pwmchip_add`, `v4l2_fwnode_endpoint_parse`) stores what its
//! users read afterwards. Without its body these members stay zero, and where the input follows such a pointer, or asks for such a number,
//! no execution gets further. So after the call of a function without a body and without a model, which is given a pointer, not to what
//! is constant, to a variable of the caller or to a member of one of the input's own structs, each number there that is zero is
//! arbitrary, and each pointer that is null is as it was, or leads to what the same call was given of that type, or else to an object of
//! that type from outside: of the members that the input reads and never writes. So with a pointer that is a variable of the input's, or a
//! member of its structs, where its address is given (`acpi_get_table(…, &table)`).
//!
//! Of what others can see too this is done while the harness sets up only: later the function may have written, or not, and is taken not to
//! have. What is filled in is no access that could race. Not seen: members that are read without their type's name (in plain -O2 bitcode), arrays, bit-fields.

use std::collections::{BTreeMap, HashMap, HashSet};

use inkwell::module::Module;
use llvm_sys::LLVMIntPredicate::LLVMIntEQ;
use llvm_sys::core::*;

use super::declared::declared;
use super::defaults;
use super::handed::constant_targets;
use super::models::{mark_as_model, mark_assumption};
use crate::assumption::Fixed;
use crate::environment::discover::{global_type, place_at, pointee, struct_named};
use crate::environment::entry::Registrar;
use crate::frontend::llvm::build::Builder;
use crate::frontend::llvm::debug_info::DebugInfo;
use crate::frontend::llvm::raw::{Bb, LLVMOpcode, LLVMValueKind, Val, functions};
use crate::frontend::sequentialize::silence;
use crate::frontend::stubs::Group;
use crate::index::{DebugTypeId, Idx, ValueId};
use crate::program::{
    Const, DebugMember, DebugTypeKind, Function, Op, Operand, Origin, Primitive, Program, Silencer,
    is_runtime, operands,
};

/// No more members of one argument are filled in.
const MOST: usize = 32;
/// So many numbers stand where a pointer to one leads.
const NUMBERS: u64 = 64;
/// Structs within structs are looked into so deep.
const DEPTH: usize = 4;
/// Parts that models know, or that are linked with others' of their kind.
const KNOWN: &[&str] = &[
    "list_head",
    "hlist_node",
    "hlist_head",
    "rb_node",
    "mutex",
    "spinlock",
    "raw_spinlock",
    "rw_semaphore",
    "completion",
    "wait_queue_head",
    "work_struct",
    "delayed_work",
    "timer_list",
    "hrtimer",
    "tasklet_struct",
    "kref",
    "kobject",
    "device",
];

/// Puts it after the calls. After models are linked, before defaults are made: what has neither is known now.
pub fn fill(module: &Module<'_>, plain: &Program, registrars: &[Registrar]) {
    let builder = Builder::new(module);
    let info = DebugInfo::new(module);
    let members = Members::of(plain);
    let mut known: HashMap<DebugTypeId, Vec<Leaf>> = HashMap::new();
    for function in functions(module) {
        let name = function.name();
        let ours =
            name.starts_with("llvm.") || is_runtime(&name) || Primitive::by_name(&name).is_some();
        let registers = registrars.iter().any(|r| r.function == name);
        let untold = function.is_declaration() && declared(Group::Linux, &name).is_none();
        if ours || !(registers || untold) || function.global_type().is_variadic() {
            continue;
        }
        let input = plain.function_named(&name).map(|f| &plain.functions[f]);
        let Some(input) = input.filter(|f| !f.is_defined()) else {
            continue;
        };
        let constant = constant_targets(&info, function);
        for (n, ty) in input.param_types.iter().enumerate() {
            let target = ty.and_then(|ty| pointee(plain, ty));
            let Some(target) = target.filter(|_| !constant.contains(&n)) else {
                continue;
            };
            if let Some(result) = pointee(plain, target) {
                for (ty, calls) in by_result(plain, (function, n), result) {
                    let leaf = Leaf {
                        offset: 0,
                        holds: Holds::Result(ty),
                    };
                    let of = (function, input, n);
                    after_calls(module, plain, &builder, of, &calls, &[leaf]);
                }
                continue;
            }
            let leaves = known
                .entry(target)
                .or_insert_with(|| members.filled(plain, target));
            if !leaves.is_empty() {
                let calls = function.users();
                after_calls(
                    module,
                    plain,
                    &builder,
                    (function, input, n),
                    &calls,
                    leaves,
                );
            }
        }
    }
}

/// A member that somebody else sets.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// Where in the object, in bytes.
    offset: u64,
    holds: Holds,
}

#[derive(Clone, Copy, Debug)]
enum Holds {
    /// A number of so many bits.
    Number(u32),
    /// A pointer to a struct, or to numbers.
    Pointer(DebugTypeId),
    /// The same, to nothing that the call was given.
    Result(DebugTypeId),
}

/// Which members of structs the input reads, and which of them it may write: by name of the struct and offset.
struct Members {
    read: HashSet<(String, u64)>,
    written: HashSet<(String, u64)>,
}

impl Members {
    fn of(plain: &Program) -> Members {
        let mut all = Members {
            read: HashSet::new(),
            written: HashSet::new(),
        };
        for function in plain.functions.iter().filter(|f| f.is_defined()) {
            all.add(plain, function);
        }
        all
    }

    fn add(&mut self, plain: &Program, function: &Function) {
        let instructions = || function.blocks.iter().flat_map(|b| &b.instrs);
        let mut fields: HashMap<ValueId, (String, u64)> = HashMap::new();
        let mut variables: HashMap<ValueId, DebugTypeId> = HashMap::new();
        for instr in instructions() {
            let Some(result) = instr.result else { continue };
            match &instr.op {
                Op::Alloca { of: Some(of), .. } => {
                    variables.extend(struct_named(plain, of).map(|ty| (result, ty)));
                }
                Op::Gep {
                    field: Some(field), ..
                } => {
                    fields.insert(result, (field.struct_name.clone(), field.offset));
                }
                Op::Gep {
                    base: Operand::Value(base),
                    offset,
                    scaled,
                    ..
                } if scaled.is_empty() => {
                    let ty = variables.get(base).copied();
                    let place = ty.and_then(|ty| member_at(plain, ty, *offset));
                    fields.extend(place.map(|place| (result, place)));
                }
                _ => {}
            }
        }
        let field = |operand: &Operand| match operand {
            Operand::Value(v) => fields.get(v).cloned(),
            Operand::Const(Const::Addr { global, offset, .. }) => {
                member_at(plain, global_type(plain, *global)?, *offset)
            }
            Operand::Const(_) => None,
        };
        // The address of a variable is that of its first member, too.
        let first = |operand: &Operand| member_at(plain, *variables.get(&operand.value()?)?, 0);
        for instr in instructions() {
            match &instr.op {
                Op::Load { ptr, .. } => self.read.extend(field(ptr).or_else(|| first(ptr))),
                Op::Store { ptr, value, .. } => {
                    self.written.extend(field(ptr).or_else(|| first(ptr)));
                    self.written.extend(field(value));
                }
                // A member of the member: what is done with that is looked at by itself.
                Op::Gep {
                    base,
                    field: Some(_),
                    ..
                } if field(base).is_some() => {}
                op => operands(op, &mut |o| self.written.extend(field(o))),
            }
        }
    }

    /// The members of a struct, and of the structs in it, that the input reads and does not write.
    fn filled(&self, plain: &Program, structure: DebugTypeId) -> Vec<Leaf> {
        let mut found = Vec::new();
        self.collect(plain, structure, 0, DEPTH, &mut found);
        found.truncate(MOST);
        found
    }

    fn collect(
        &self,
        plain: &Program,
        structure: DebugTypeId,
        at: u64,
        depth: usize,
        found: &mut Vec<Leaf>,
    ) {
        let ty = &plain.debug_types[structure];
        let (DebugTypeKind::Struct(members) | DebugTypeKind::Union(members)) = &ty.kind else {
            return;
        };
        if KNOWN.contains(&ty.name.as_str()) || depth == 0 {
            return;
        }
        for member in members.iter().filter(|m| m.bits.is_none()) {
            let Some(inner) = member.ty else { continue };
            let place = (ty.name.clone(), member.offset);
            let ours = self.read.contains(&place) && !self.written.contains(&place);
            match self::holds(plain, member, inner) {
                Some(holds) if ours => found.push(Leaf {
                    offset: at + member.offset,
                    holds,
                }),
                Some(_) => {}
                None => self.collect(plain, inner, at + member.offset, depth - 1, found),
            }
        }
    }
}

/// The member at a place in an object of that type: name of its struct, and offset.
fn member_at(plain: &Program, ty: DebugTypeId, offset: i64) -> Option<(String, u64)> {
    let offset = u64::try_from(offset).ok()?;
    let place = place_at(plain, ty, offset)?;
    Some((place.structure, offset - place.start))
}

/// What a member holds, if it is no struct.
fn holds(plain: &Program, member: &DebugMember, ty: DebugTypeId) -> Option<Holds> {
    match &plain.debug_types[ty].kind {
        DebugTypeKind::Scalar if matches!(member.size, 1 | 2 | 4 | 8) => {
            Some(Holds::Number(member.size as u32 * 8))
        }
        DebugTypeKind::Pointer(Some(target))
            if matches!(
                plain.debug_types[*target].kind,
                DebugTypeKind::Struct(_) | DebugTypeKind::Scalar
            ) =>
        {
            Some(Holds::Pointer(*target))
        }
        _ => None,
    }
}

/// The calls of a function that are given the address of a pointer there, by what that leads to: as the type of the variable says, which
/// may know more than the function's declaration, else `declared`.
fn by_result<'m>(
    plain: &Program,
    (function, n): (Val<'m>, usize),
    declared: DebugTypeId,
) -> BTreeMap<DebugTypeId, Vec<Val<'m>>> {
    let mut by: BTreeMap<DebugTypeId, Vec<Val<'m>>> = BTreeMap::new();
    let leads = |ty: &DebugTypeId| {
        let kind = &plain.debug_types[*ty].kind;
        matches!(kind, DebugTypeKind::Struct(_) | DebugTypeKind::Scalar)
    };
    for call in function.users() {
        // What a variable of the caller holds is arbitrary already (handed.rs).
        let Some(argument) = call.call_args().get(n).copied() else {
            continue;
        };
        if whose(plain, argument) != Some(Whose::Inputs) {
            continue;
        }
        let is_variable = argument.kind() == LLVMValueKind::LLVMGlobalVariableValueKind;
        let leads_to = match is_variable {
            // A table is no result.
            true => plain
                .global_named(&argument.name())
                .and_then(|g| pointee(plain, global_type(plain, g)?)),
            false => Some(declared),
        };
        if let Some(ty) = leads_to.filter(leads) {
            by.entry(ty).or_default().push(call);
        }
    }
    by
}

/// The calls of a function whose argument `n` is the input's own, each followed by one that fills it in.
fn after_calls<'m>(
    module: &'m Module<'_>,
    plain: &Program,
    builder: &Builder<'m>,
    (function, input, n): (Val<'m>, &Function, usize),
    calls: &[Val<'m>],
    leaves: &[Leaf],
) {
    let mut helper = format!("__irkiss_filled.{}.{n}", function.name());
    if let [
        Leaf {
            holds: Holds::Result(ty),
            ..
        },
    ] = leaves
    {
        helper = format!("{helper}.{}", ty.index());
    }
    let mut used = false;
    for call in calls.iter().copied() {
        let args = call.call_args();
        let own = args.get(n).and_then(|a| whose(plain, *a));
        let next = unsafe { Val::maybe(LLVMGetNextInstruction(call.raw())) };
        let (true, Some(own), Some(next)) = (call.callee() == Some(function), own, next) else {
            continue;
        };
        builder.before(next);
        let is = |whose: &[Whose]| builder.int(1, u64::from(whose.contains(&own)));
        let mut all = vec![is(&[Whose::Callers, Whose::Blank]), is(&[Whose::Blank])];
        all.extend(args);
        builder.call(&helper, builder.void_type(), &all);
        used = true;
    }
    if used {
        define(module, plain, builder, (&helper, input, n), leaves);
    }
}

/// Whose memory an argument leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// A variable of the calling function.
    Callers,
    /// One that nothing was put into as a whole.
    Blank,
    /// A member of a struct of the input's own.
    Inputs,
}

fn whose(plain: &Program, argument: Val<'_>) -> Option<Whose> {
    match argument.opcode() {
        Some(LLVMOpcode::LLVMAlloca) => Some(match is_blank(argument) {
            true => Whose::Blank,
            false => Whose::Callers,
        }),
        Some(LLVMOpcode::LLVMGetElementPtr) if argument.is_constant() => {
            argument.operand(0).and_then(|base| whose(plain, base))
        }
        Some(LLVMOpcode::LLVMGetElementPtr) => {
            let ty = unsafe {
                crate::frontend::llvm::raw::Ty::new(LLVMGetGEPSourceElementType(argument.raw()))
            };
            let name = ty.struct_name()?;
            let name = name.strip_prefix("struct.").unwrap_or(&name);
            let outer = &plain.debug_types[struct_named(plain, name)?];
            matches!(outer.origin, Origin::Source | Origin::Header).then_some(Whose::Inputs)
        }
        _ if argument.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
            && !argument.is_declaration()
            && unsafe { LLVMIsGlobalConstant(argument.raw()) } == 0 =>
        {
            Some(Whose::Inputs)
        }
        _ => None,
    }
}

/// Whether nothing is copied or stored into a variable as a whole.
fn is_blank(variable: Val<'_>) -> bool {
    let puts = |user: &Val<'_>| match user.opcode() {
        Some(LLVMOpcode::LLVMStore) => user.operand(1) == Some(variable),
        Some(LLVMOpcode::LLVMCall) => {
            let name = user.intrinsic_name().unwrap_or_default();
            let puts = name.starts_with("llvm.memset") || name.starts_with("llvm.memcpy");
            puts && user.call_args().first() == Some(&variable)
        }
        _ => false,
    };
    !variable.users().iter().any(puts)
}

/// The function that fills an argument in; its first parameter says whether nobody else can see the object, the second whether there is
/// nothing in it yet.
fn define<'m>(
    module: &'m Module<'_>,
    plain: &Program,
    builder: &Builder<'m>,
    (helper, input, n): (&str, &Function, usize),
    leaves: &[Leaf],
) {
    let Some(function) = functions(module).into_iter().find(|f| f.name() == helper) else {
        return;
    };
    defaults::begin(builder, module, function);
    mark_as_model(function);
    mark_assumption(function, Fixed::FilledIn);
    let params = function.params();
    let [private, blank, args @ ..] = params.as_slice() else {
        return builder.ret(None);
    };
    let Some(object) = args.get(n).copied() else {
        return builder.ret(None);
    };
    let block = |name: &std::ffi::CStr| unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        Bb::new(LLVMAppendBasicBlockInContext(
            context,
            function.raw(),
            name.as_ptr(),
        ))
    };
    let (go, end) = (block(c"go"), block(c"end"));
    let setup = builder.call("__irkiss_sets_up", builder.int_type(1), &[]);
    let may = builder.binary(LLVMOpcode::LLVMOr, setup, *private);
    builder.branch(may, go, end);
    builder.at_end(go);
    for leaf in leaves {
        let at = builder.offset(object, builder.int(64, leaf.offset));
        let (ty, value, kept) = match leaf.holds {
            Holds::Number(bits) => (builder.int_type(bits), Some(builder.nondet(bits)), None),
            Holds::Pointer(target) | Holds::Result(target) => {
                let of_type = |(_, ty): &(usize, &Option<DebugTypeId>)| {
                    matches!(leaf.holds, Holds::Pointer(_))
                        && ty.and_then(|ty| pointee(plain, ty)) == Some(target)
                };
                let given = input.param_types.iter().enumerate().filter(of_type);
                let given: Vec<usize> = given.map(|(k, _)| k).filter(|k| *k != n).collect();
                let value = match given[..] {
                    [k] => args.get(k).copied(),
                    _ => {
                        let target = &plain.debug_types[target];
                        let bytes = match target.kind {
                            DebugTypeKind::Scalar => target.size * NUMBERS,
                            _ => 0,
                        };
                        let lazy = [builder.int(64, bytes), builder.text(&target.name)];
                        Some(builder.call("__irkiss_lazy", builder.ptr_type(), &lazy))
                    }
                };
                let kept = builder.call("__irkiss_nondet_bool", builder.int_type(1), &[]);
                let kept = builder.convert(kept, builder.int_type(1), false);
                (builder.ptr_type(), value, kept)
            }
        };
        let Some(value) = value else { continue };
        let old = builder.load(ty, at, true);
        silence(module, old, Silencer::Kernel);
        let old = builder.select(*blank, builder.zero(ty), old);
        let unset = builder.compare(LLVMIntEQ, old, builder.zero(ty));
        let value = match kept {
            Some(kept) => builder.select(kept, old, value),
            None => value,
        };
        let put = builder.store(builder.select(unset, value, old), at, true);
        silence(module, put, Silencer::Kernel);
    }
    builder.jump(end);
    builder.at_end(end);
    builder.ret(None);
}
