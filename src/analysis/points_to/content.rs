//! What an object is, by what the program does with it where it is made or first read.

use crate::index::{DebugTypeId, FuncId, ValueId};
use crate::program::{
    Callee, Const, DebugMember, DebugTypeKind, FieldRef, Function, Op, Operand, Terminator,
};

use super::instances::InstanceId;
use super::objects::{ObjectKind, Place};
use super::solver::Solver;
use super::types::{Content, MAX_DEPTH, Member, Taken};

impl Solver<'_> {
    /// What an address computation takes its base for.
    pub fn taken(&self, i: InstanceId, field: Option<&FieldRef>) -> Taken {
        // Models know structs by other names; what they index by a number is a bit map.
        if self.program.functions[self.instances[i].function].is_model {
            return Taken::Words;
        }
        let named = |f: &FieldRef| {
            Some(Member {
                of: self.types.named(&f.struct_name)?,
                offset: f.offset,
                within: f.within,
            })
        };
        field.and_then(named).map_or(Taken::Anything, Taken::Struct)
    }

    /// The same, of an access to the array that the address lies in.
    pub fn taken_for_array(&self, i: InstanceId, field: &FieldRef) -> Taken {
        match self.taken(i, Some(field)) {
            Taken::Struct(member) => Taken::Struct(Member {
                within: 0,
                ..member
            }),
            other => other,
        }
    }

    /// The struct behind the pointer that an instruction loads: as declared, or (`void *`) as it is used there.
    pub fn loaded_type(&self, at: Place, ptr: &Operand) -> Content {
        let function = self.instances[at.instance].function;
        let declared = (!self.program.functions[function].is_model)
            .then(|| self.declared_type(function, ptr, MAX_DEPTH))
            .flatten();
        match declared.map(|t| self.types.behind(t)) {
            None | Some(Content::Unknown) => self.type_of_result(at),
            Some(known) => known,
        }
    }

    /// The declared type of the scalar or pointer to which a pointer leads. `None`: of a union, and where nothing declares it.
    fn declared_type(&self, function: FuncId, ptr: &Operand, depth: u32) -> Option<DebugTypeId> {
        let (mut ty, mut inside) = self.declared_within(function, ptr, depth)?;
        for _ in 0..MAX_DEPTH {
            (ty, inside) = match &self.program.debug_types[ty].kind {
                DebugTypeKind::Struct(members) => member_at(members, inside)?,
                DebugTypeKind::Array { element, .. } => {
                    let element = (*element)?;
                    let size = self.program.debug_types[element].size;
                    (element, inside.checked_rem(size)?)
                }
                DebugTypeKind::Union(_) => return None,
                _ => return (inside == 0).then_some(ty),
            };
        }
        None
    }

    /// A declared type that a pointer leads into, and how many bytes it leads behind its beginning.
    fn declared_within(
        &self,
        function: FuncId,
        ptr: &Operand,
        depth: u32,
    ) -> Option<(DebugTypeId, u64)> {
        let v = match ptr {
            Operand::Value(v) => v,
            Operand::Const(Const::Addr { global, offset, .. }) => {
                let declared = self.program.globals[*global].debug_type?;
                return Some((declared, u64::try_from(*offset).ok()?));
            }
            Operand::Const(_) => return None,
        };
        let Op::Gep {
            base,
            offset,
            scaled,
            field,
        } = self.definition(function, *v)?
        else {
            return None;
        };
        let named = field
            .as_ref()
            .and_then(|f| Some((self.types.member_type(f)?, f.within)));
        let (ty, inside) = match named {
            Some((ty, within)) => (ty, u64::try_from(within).ok()?),
            None if depth == 0 => return None,
            None => {
                let (ty, inside) = self.declared_within(function, base, depth - 1)?;
                (ty, inside.checked_add_signed(*offset)?)
            }
        };
        let strides = scaled.iter().map(|(_, stride)| stride.unsigned_abs());
        self.element_within(ty, inside, strides.collect())
    }

    /// The same within an element of the arrays that such strides go through.
    fn element_within(
        &self,
        mut ty: DebugTypeId,
        mut inside: u64,
        mut strides: Vec<u64>,
    ) -> Option<(DebugTypeId, u64)> {
        for _ in 0..MAX_DEPTH {
            if strides.is_empty() {
                return Some((ty, inside));
            }
            (ty, inside) = match &self.program.debug_types[ty].kind {
                DebugTypeKind::Struct(members) => member_at(members, inside)?,
                DebugTypeKind::Array { element, .. } => {
                    let element = (*element)?;
                    let size = self.program.debug_types[element].size;
                    strides.retain(|stride| stride.checked_rem(size) != Some(0));
                    (element, inside.checked_rem(size)?)
                }
                _ => return None,
            };
        }
        None
    }

    /// The struct that an object of the environment is named after.
    pub fn type_by_name(&self, name: &Operand) -> Option<DebugTypeId> {
        let Operand::Const(Const::Addr { global, .. }) = name else {
            return None;
        };
        let text: String = self.program.globals[*global]
            .init
            .iter()
            .flatten()
            .map_while(|c| match c.value {
                Const::Int { value, .. } if c.size == 1 && value != 0 => u8::try_from(value).ok(),
                _ => None,
            })
            .map(char::from)
            .collect();
        self.types.named(&text)
    }

    /// The struct that the object made by an instruction is.
    pub fn type_of_result(&self, at: Place) -> Content {
        let function = &self.program.functions[self.instances[at.instance].function];
        let instr = &function.blocks[at.block].instrs[at.index as usize];
        let used = instr.result.map(|v| self.type_by_use(at.instance, v));
        used.unwrap_or_default()
    }

    /// The struct that a new object is, by what is done with the pointer to it there and where it is returned to.
    fn type_by_use(&self, i: InstanceId, value: ValueId) -> Content {
        let mut found = Vec::new();
        self.collect_uses(i, value, &mut found, MAX_DEPTH);
        let compounds = || {
            found.iter().filter_map(|c| match c {
                Content::Compound(t) => Some(*t),
                _ => None,
            })
        };
        // Several: all but the largest begin it.
        match compounds().max_by_key(|t| self.program.debug_types[*t].size) {
            Some(largest) => {
                let mut all = compounds();
                match all.all(|t| self.types.begins(largest, t, MAX_DEPTH)) {
                    true => Content::Compound(largest),
                    false => Content::Unknown,
                }
            }
            None if found.contains(&Content::Plain) => Content::Plain,
            None => Content::Unknown,
        }
    }

    fn collect_uses(&self, i: InstanceId, value: ValueId, found: &mut Vec<Content>, depth: u32) {
        let instance = &self.instances[i];
        let function = &self.program.functions[instance.function];
        let mut same = vec![value];
        let is = |same: &[ValueId], o: &Operand| matches!(o, Operand::Value(v) if same.contains(v));
        let mut done = 0;
        while done != same.len() {
            done = same.len();
            for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
                let passed = match &instr.op {
                    Op::Phi(items) => items.iter().any(|(_, o)| is(&same, o)),
                    Op::Select {
                        if_true, if_false, ..
                    } => is(&same, if_true) || is(&same, if_false),
                    Op::Cast { value, .. } => is(&same, value),
                    _ => false,
                };
                if let Some(result) = instr.result.filter(|r| passed && !same.contains(r)) {
                    same.push(result);
                }
            }
        }
        for instr in function.blocks.iter().flat_map(|b| &b.instrs) {
            match &instr.op {
                Op::Gep {
                    base,
                    offset,
                    field: Some(field),
                    ..
                } if !function.is_model && is(&same, base) => {
                    // What lies further inside does not say what is around it.
                    let of = self.types.named(&field.struct_name);
                    let here = *offset == field.beyond_start();
                    found.extend(of.filter(|_| here).map(Content::Compound));
                }
                Op::Call {
                    callee: Callee::Direct(f),
                    args,
                    ..
                } => {
                    for (n, _) in args.iter().enumerate().filter(|(_, a)| is(&same, a)) {
                        found.push(self.parameter_type(*f, n));
                    }
                }
                Op::Store { ptr, value, .. } if !function.is_model && is(&same, value) => {
                    let declared = self.declared_type(instance.function, ptr, MAX_DEPTH);
                    found.extend(declared.map(|t| self.types.behind(t)));
                }
                _ => {}
            }
        }
        let returned = function
            .blocks
            .iter()
            .any(|b| matches!(&b.term, Terminator::Return(Some(o)) if is(&same, o)));
        if let (true, Some(place)) = (returned && depth > 0, instance.site) {
            let caller = &self.program.functions[self.instances[place.instance].function];
            let call = &caller.blocks[place.block].instrs[place.index as usize];
            if let Some(result) = call.result {
                self.collect_uses(place.instance, result, found, depth - 1);
            }
        }
    }

    /// What a parameter of user code points to.
    pub fn parameter_type(&self, f: FuncId, n: usize) -> Content {
        let function: &Function = &self.program.functions[f];
        let declared = function.param_types.get(n).copied().flatten();
        match declared.filter(|_| !function.is_model) {
            Some(ty) => self.types.behind(ty),
            None => Content::Unknown,
        }
    }

    /// The type of a global.
    pub fn global_type(&self, kind: ObjectKind) -> Content {
        let ObjectKind::Global(g) = kind else {
            return Content::Unknown;
        };
        let declared = self.program.globals[g].debug_type;
        let compound = declared.and_then(|t| self.types.compound(t));
        compound.map_or(Content::Unknown, Content::Compound)
    }
}

/// The member of a struct that so many bytes behind its beginning are part of, and where in it.
fn member_at(members: &[DebugMember], inside: u64) -> Option<(DebugTypeId, u64)> {
    let there = |m: &&DebugMember| m.offset <= inside && inside < m.offset + m.size;
    let member = members.iter().find(there)?;
    Some((member.ty?, inside - member.offset))
}
