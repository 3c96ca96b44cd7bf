//! Bit-fields that share bytes: who writes one writes its neighbours, too.

use super::describe::{Names, struct_named};
use super::memory::ObjectKind;
use crate::index::DebugTypeId;
use crate::program::{DebugTypeKind, Program};

/// A bit-field: its name, and how many bits it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitField {
    /// As the struct declares it.
    pub name: String,
    /// Its width.
    pub bits: u32,
}

impl Names<'_> {
    /// The bit-fields that lie in these bytes, in order; none where something else does.
    pub fn bit_fields(&self, address: u64, bytes: u64) -> Vec<BitField> {
        match self.typed(address) {
            Some((ty, offset)) => within(self.machine.program, ty, offset, bytes),
            None => Vec::new(),
        }
    }

    /// The type of what an address is in, and how far: that of a global, or of a struct of which the address was computed as a field.
    fn typed(&self, address: u64) -> Option<(DebugTypeId, u64)> {
        let program = self.machine.program;
        let object = self.state.memory.object_at(self.machine, address);
        let global = object.and_then(|object| match object.kind {
            ObjectKind::Global(id) => {
                let offset = u64::try_from(object.offset_of(address)).ok()?;
                Some((program.globals[id].debug_type?, offset))
            }
            _ => None,
        });
        let field = || {
            let field = self.log.fields.get(&address)?;
            Some((struct_named(program, &field.struct_name)?, field.offset))
        };
        global.or_else(field)
    }
}

/// The bit-fields in so many bytes at an offset of a type.
fn within(program: &Program, mut ty: DebugTypeId, mut offset: u64, bytes: u64) -> Vec<BitField> {
    loop {
        let inner = match &program.debug_types[ty].kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => {
                let here = |at: u64, size: u64| at < offset + bytes && offset < at + size.max(1);
                let found: Vec<BitField> = members
                    .iter()
                    .filter(|m| here(m.offset, m.size))
                    .filter_map(|m| {
                        Some(BitField {
                            name: m.name.clone(),
                            bits: m.bits?,
                        })
                    })
                    .collect();
                if !found.is_empty() {
                    return found;
                }
                members
                    .iter()
                    .find(|m| m.offset <= offset && offset < m.offset + m.size)
                    .and_then(|m| Some((m.ty?, offset - m.offset)))
            }
            DebugTypeKind::Array { element, .. } => element.map(|element| {
                let size = program.debug_types[element].size.max(1);
                (element, offset % size)
            }),
            _ => None,
        };
        let Some(inner) = inner else {
            return Vec::new();
        };
        (ty, offset) = inner;
    }
}

/// The kind of what stands at an address: of a global, or of a field that the address was computed as.
pub(super) fn leaf<'a>(names: &Names<'a>, address: u64) -> Option<&'a DebugTypeKind> {
    let program = names.machine.program;
    let (mut ty, mut offset) = names.typed(address)?;
    loop {
        let inner = match &program.debug_types[ty].kind {
            DebugTypeKind::Struct(members) | DebugTypeKind::Union(members) => members
                .iter()
                .find(|m| m.offset <= offset && offset < m.offset + m.size)
                .and_then(|m| Some((m.ty?, offset - m.offset))),
            DebugTypeKind::Array { element, .. } => element.map(|element| {
                let size = program.debug_types[element].size.max(1);
                (element, offset % size)
            }),
            kind => return Some(kind),
        };
        (ty, offset) = inner?;
    }
}
