//! Locations and debug types, from LLVM's metadata to owned tables.

use std::collections::{HashMap, HashSet};

use crate::frontend::llvm::debug_info::{DebugInfo, Md, tag};
use crate::frontend::llvm::raw::Val;
use crate::index::{DebugTypeId, FileId, IdVec, LocId};
use crate::program::{DebugMember, DebugType, DebugTypeKind, Origin};
use crate::source::{Location, SourceMap};

/// Interns the locations and types of one module.
pub(super) struct DebugTables<'m> {
    pub info: DebugInfo<'m>,
    pub source: SourceMap,
    pub types: IdVec<DebugTypeId, DebugType>,
    files: HashMap<String, FileId>,
    locations: HashMap<Location, LocId>,
    location_of_node: HashMap<usize, Option<LocId>>,
    type_of_node: HashMap<usize, Option<DebugTypeId>>,
}

impl<'m> DebugTables<'m> {
    /// Empty type table; locations are added to those of `source`, whose numbers stay valid.
    pub fn new(info: DebugInfo<'m>, source: SourceMap) -> Self {
        let files = source
            .files
            .iter_ids()
            .map(|(id, name)| (name.clone(), id))
            .collect();
        let locations = source
            .locations
            .iter_ids()
            .map(|(id, l)| (l.clone(), id))
            .collect();
        DebugTables {
            info,
            source,
            types: IdVec::new(),
            files,
            locations,
            location_of_node: HashMap::new(),
            type_of_node: HashMap::new(),
        }
    }

    fn file(&mut self, scope: Md<'m>) -> FileId {
        let (directory, name) = scope.file().unwrap_or_default();
        let path = if name.is_empty() {
            "<unknown>".to_string()
        } else if name.starts_with('/') || directory.is_empty() {
            name
        } else {
            format!("{directory}/{}", name.trim_start_matches("./"))
        };
        if let Some(id) = self.files.get(&path) {
            return *id;
        }
        let id = self.source.files.push(path.clone());
        self.files.insert(path, id);
        id
    }

    fn intern(&mut self, location: Location) -> LocId {
        if let Some(id) = self.locations.get(&location) {
            return *id;
        }
        let id = self.source.locations.push(location.clone());
        self.locations.insert(location, id);
        id
    }

    /// The location of an instruction, with the call sites it was inlined into.
    pub fn instruction(&mut self, instruction: Val<'m>) -> Option<LocId> {
        let node = self.info.instruction(instruction)?;
        self.location(node, 0)
    }

    fn location(&mut self, node: Md<'m>, depth: u32) -> Option<LocId> {
        if let Some(known) = self.location_of_node.get(&node.key()) {
            return *known;
        }
        let found = self.new_location(node, depth);
        self.location_of_node.insert(node.key(), found);
        found
    }

    fn new_location(&mut self, node: Md<'m>, depth: u32) -> Option<LocId> {
        let (line, column, scope, inlined) = node.location()?;
        // A chain that long is no inlining but broken debug info.
        let inlined_at = match inlined {
            Some(outer) if depth < 500 => self.location(outer, depth + 1),
            _ => None,
        };
        let file = self.file(scope);
        let function = scope
            .subprogram()
            .map(Md::subprogram_name)
            .unwrap_or_default();
        Some(self.intern(Location {
            file,
            line,
            column,
            function,
            inlined_at,
        }))
    }

    /// Where a function is defined.
    pub fn function(&mut self, function: Val<'m>) -> Option<LocId> {
        let subprogram = self.info.function(function)?;
        let file = self.file(subprogram);
        Some(self.intern(Location {
            file,
            line: subprogram.subprogram_line(),
            column: 0,
            function: subprogram.subprogram_name(),
            inlined_at: None,
        }))
    }

    /// Types of the parameters of a function; empty where debug info does not match the `count` IR
    /// parameters one to one (structs passed in pieces).
    pub fn parameters(&mut self, function: Val<'m>, count: usize) -> Vec<Option<DebugTypeId>> {
        let signature = self
            .info
            .function(function)
            .and_then(Md::subprogram_type)
            .map(Md::signature)
            .unwrap_or_default();
        // The first is the result; a variadic function has a trailing null.
        if signature.len() < count + 1
            || (signature.len() > count + 1 && signature[count + 1].is_some())
        {
            return Vec::new();
        }
        signature[1..=count]
            .iter()
            .map(|t| t.and_then(|t| self.ty(t)))
            .collect()
    }

    /// Type of the result of a function; `None` also where it has none.
    pub fn result(&mut self, function: Val<'m>) -> Option<DebugTypeId> {
        let subprogram = self.info.function(function)?;
        let first = subprogram.subprogram_type()?.signature().into_iter().next();
        first.flatten().and_then(|t| self.ty(t))
    }

    /// Declaration and type of a global.
    pub fn global(&mut self, global: Val<'m>) -> (Option<LocId>, Option<DebugTypeId>) {
        let Some(variable) = self.info.global(global) else {
            return (None, None);
        };
        let Some((ty, line)) = variable.variable() else {
            return (None, None);
        };
        let file = self.file(variable);
        let loc = self.intern(Location {
            file,
            line,
            column: 0,
            function: String::new(),
            inlined_at: None,
        });
        (Some(loc), ty.and_then(|t| self.ty(t)))
    }

    /// The owned form of a type; `None` for void. Typedefs and qualifiers are looked through.
    pub fn ty(&mut self, node: Md<'m>) -> Option<DebugTypeId> {
        if let Some(known) = self.type_of_node.get(&node.key()) {
            return *known;
        }
        if node.stands_for_another() {
            // A struct may contain what is called by a name of it: the name is known when the struct is, not when it is done.
            let meant = self.meant(node);
            let ty = meant.and_then(|meant| self.ty(meant));
            self.type_of_node.insert(node.key(), ty);
            return ty;
        }
        match node.kind_name() {
            TypeNode::Other => None,
            _ => {
                let id = self.types.push(DebugType {
                    name: node.type_name(),
                    size: node.type_bits().div_ceil(8),
                    kind: DebugTypeKind::Opaque,
                    origin: node
                        .file()
                        .map_or(Origin::Unknown, |(_, name)| Origin::of_file(&name)),
                });
                // Known before its parts are: types refer to themselves.
                self.type_of_node.insert(node.key(), Some(id));
                let kind = self.type_kind(node);
                self.types[id].kind = kind;
                Some(id)
            }
        }
    }

    /// What a typedef or a qualified type stands for. `None` for void, and for names that stand for each other.
    fn meant(&self, node: Md<'m>) -> Option<Md<'m>> {
        let mut passed = HashSet::new();
        let mut at = node;
        while at.stands_for_another() {
            if !passed.insert(at.key()) {
                return None;
            }
            at = at.base_type()?;
        }
        Some(at)
    }

    fn type_kind(&mut self, node: Md<'m>) -> DebugTypeKind {
        match (node.kind_name(), node.tag()) {
            (TypeNode::Basic, _) | (TypeNode::Composite, tag::ENUMERATION) => DebugTypeKind::Scalar,
            (TypeNode::Subroutine, _) => DebugTypeKind::Function,
            (TypeNode::Derived, _) => {
                DebugTypeKind::Pointer(node.base_type().and_then(|b| self.ty(b)))
            }
            (TypeNode::Composite, tag::STRUCTURE | tag::CLASS) => match self.members(node) {
                members if members.is_empty() && node.type_bits() == 0 => DebugTypeKind::Opaque,
                members => DebugTypeKind::Struct(members),
            },
            (TypeNode::Composite, tag::UNION) => match self.members(node) {
                members if members.is_empty() && node.type_bits() == 0 => DebugTypeKind::Opaque,
                members => DebugTypeKind::Union(members),
            },
            (TypeNode::Composite, tag::ARRAY) => DebugTypeKind::Array {
                element: node.base_type().and_then(|b| self.ty(b)),
                count: node
                    .elements()
                    .iter()
                    .map(|range| {
                        let count = range.number_operand(0).unwrap_or(0);
                        // -1 stands for a flexible array.
                        u64::try_from(count)
                            .ok()
                            .filter(|c| *c <= u64::from(u32::MAX))
                            .unwrap_or(0)
                    })
                    .product(),
            },
            _ => DebugTypeKind::Opaque,
        }
    }

    fn members(&mut self, node: Md<'m>) -> Vec<DebugMember> {
        node.elements()
            .into_iter()
            .filter(|m| m.tag() == tag::MEMBER)
            .map(|m| {
                let bits = m.offset_bits();
                let ty = m.base_type().and_then(|b| self.ty(b));
                let own = m.type_bits();
                let narrow = ty.is_some_and(|ty| {
                    let ty = &self.types[ty];
                    matches!(ty.kind, DebugTypeKind::Scalar) && own < ty.size * 8
                });
                DebugMember {
                    bits: u32::try_from(own).ok().filter(|_| narrow || bits % 8 != 0),
                    name: m.type_name(),
                    offset: bits / 8,
                    size: (bits % 8 + m.type_bits()).div_ceil(8),
                    ty,
                }
            })
            .collect()
    }
}

/// The node kinds that are types.
enum TypeNode {
    Basic,
    Derived,
    Composite,
    Subroutine,
    Other,
}

impl Md<'_> {
    /// Whether it is a typedef or a qualifier.
    fn stands_for_another(self) -> bool {
        let pointer = matches!(
            self.tag(),
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE
        );
        matches!(self.kind_name(), TypeNode::Derived) && !pointer
    }

    fn kind_name(self) -> TypeNode {
        use llvm_sys::debuginfo::LLVMMetadataKind as K;
        match self.kind() {
            K::LLVMDIBasicTypeMetadataKind => TypeNode::Basic,
            K::LLVMDIDerivedTypeMetadataKind => TypeNode::Derived,
            K::LLVMDICompositeTypeMetadataKind => TypeNode::Composite,
            K::LLVMDISubroutineTypeMetadataKind => TypeNode::Subroutine,
            _ => TypeNode::Other,
        }
    }
}
