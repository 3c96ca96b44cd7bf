//! Debug info: locations, scopes, types.
//!
//! The C API has getters for little of it. The rest is read from the operands
//! of the metadata nodes; their order is that of LLVM 22 (`DebugInfoMetadata.h`)
//! and the same for bitcode of every age, since the reader upgrades it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;

use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use super::raw::{Val, text};

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Md<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

/// DWARF tags that type nodes carry.
pub mod tag {
    #![allow(missing_docs, reason = "DWARF's names")]
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const ENUMERATION: u16 = 0x04;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const STRUCTURE: u16 = 0x13;
    pub const UNION: u16 = 0x17;
    pub const TYPEDEF: u16 = 0x16;
    pub const BASE: u16 = 0x24;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const RVALUE_REFERENCE: u16 = 0x42;
}

impl<'m> Md<'m> {
    /// # Safety
    /// `raw` is metadata of `context`, which lives for `'m`.
    unsafe fn maybe(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Self> {
        (!raw.is_null()).then_some(Md {
            raw,
            context,
            module: PhantomData,
        })
    }
    /// What sort of node it is.
    pub fn kind(self) -> LLVMMetadataKind {
        unsafe { LLVMGetMetadataKind(self.raw) }
    }
    /// A number that is the same for the same node.
    pub fn key(self) -> usize {
        self.raw as usize
    }
    fn is_node(self) -> bool {
        !matches!(
            self.kind(),
            LLVMMetadataKind::LLVMMDStringMetadataKind
                | LLVMMetadataKind::LLVMConstantAsMetadataMetadataKind
                | LLVMMetadataKind::LLVMLocalAsMetadataMetadataKind
                | LLVMMetadataKind::LLVMDIArgListMetadataKind
                | LLVMMetadataKind::LLVMDistinctMDOperandPlaceholderMetadataKind
        )
    }
    /// The operands of a node as values: metadata wrapped, constants bare, `None` where absent.
    fn operand_values(self) -> Vec<Option<Val<'m>>> {
        if !self.is_node() {
            return Vec::new();
        }
        unsafe {
            let value = LLVMMetadataAsValue(self.context, self.raw);
            let mut raw = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, raw.as_mut_ptr());
            raw.into_iter().map(|v| Val::maybe(v)).collect()
        }
    }
    /// The operands that are metadata.
    pub fn operands(self) -> Vec<Option<Md<'m>>> {
        self.operand_values()
            .into_iter()
            .map(|v| {
                let v = v?;
                unsafe { Md::maybe(LLVMValueAsMetadata(v.raw()), self.context) }
            })
            .collect()
    }
    /// The `n`-th operand.
    pub fn operand(self, n: usize) -> Option<Md<'m>> {
        self.operands().into_iter().nth(n).flatten()
    }
    /// The `n`-th operand, as a string.
    pub fn string_operand(self, n: usize) -> Option<String> {
        let value = self.operand_values().into_iter().nth(n).flatten()?;
        unsafe {
            if LLVMIsAMDString(value.raw()).is_null() {
                return None;
            }
            let mut len = 0;
            let ptr = LLVMGetMDString(value.raw(), &mut len);
            Some(text(ptr, len as usize))
        }
    }
    /// The `n`-th operand, as a number (sign-extended constants come as they are stored).
    pub fn number_operand(self, n: usize) -> Option<u128> {
        self.operand_values()
            .into_iter()
            .nth(n)
            .flatten()?
            .int_value()
    }
    /// DWARF tag.
    pub fn tag(self) -> u16 {
        if !self.is_node() {
            return 0;
        }
        unsafe { LLVMGetDINodeTag(self.raw) }
    }
    /// Whether it is a type.
    pub fn is_type(self) -> bool {
        matches!(
            self.kind(),
            LLVMMetadataKind::LLVMDIBasicTypeMetadataKind
                | LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind
                | LLVMMetadataKind::LLVMDICompositeTypeMetadataKind
                | LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind
                | LLVMMetadataKind::LLVMDIStringTypeMetadataKind
        )
    }
    /// Name of a type; empty for others.
    pub fn type_name(self) -> String {
        if !self.is_type() {
            return String::new();
        }
        unsafe {
            let mut len = 0;
            let ptr = LLVMDITypeGetName(self.raw, &mut len);
            text(ptr, len)
        }
    }
    /// Size of a type in bits.
    pub fn type_bits(self) -> u64 {
        if self.is_type() {
            unsafe { LLVMDITypeGetSizeInBits(self.raw) }
        } else {
            0
        }
    }
    /// Offset of a member in bits.
    pub fn offset_bits(self) -> u64 {
        if self.is_type() {
            unsafe { LLVMDITypeGetOffsetInBits(self.raw) }
        } else {
            0
        }
    }
    /// The type that a pointer, typedef, qualifier, member or array refers to.
    pub fn base_type(self) -> Option<Md<'m>> {
        match self.kind() {
            LLVMMetadataKind::LLVMDIDerivedTypeMetadataKind
            | LLVMMetadataKind::LLVMDICompositeTypeMetadataKind => {
                self.operand(5).filter(|b| b.is_type())
            }
            _ => None,
        }
    }
    /// Members of a struct, subranges of an array.
    pub fn elements(self) -> Vec<Md<'m>> {
        if !matches!(
            self.kind(),
            LLVMMetadataKind::LLVMDICompositeTypeMetadataKind
        ) {
            return Vec::new();
        }
        self.operand(6)
            .map(|list| list.operands().into_iter().flatten().collect())
            .unwrap_or_default()
    }
    /// Result and parameter types of a subroutine type (`None`: void).
    pub fn signature(self) -> Vec<Option<Md<'m>>> {
        if !matches!(
            self.kind(),
            LLVMMetadataKind::LLVMDISubroutineTypeMetadataKind
        ) {
            return Vec::new();
        }
        // The type array is the last operand.
        self.operands()
            .last()
            .copied()
            .flatten()
            .map(|list| list.operands())
            .unwrap_or_default()
    }

    /// Line, column, scope and call site of a location.
    pub fn location(self) -> Option<(u32, u32, Md<'m>, Option<Md<'m>>)> {
        if !matches!(self.kind(), LLVMMetadataKind::LLVMDILocationMetadataKind) {
            return None;
        }
        unsafe {
            let scope = Md::maybe(LLVMDILocationGetScope(self.raw), self.context)?;
            let inlined = Md::maybe(LLVMDILocationGetInlinedAt(self.raw), self.context);
            Some((
                LLVMDILocationGetLine(self.raw),
                LLVMDILocationGetColumn(self.raw),
                scope,
                inlined,
            ))
        }
    }
    /// The function that a scope lies in.
    pub fn subprogram(self) -> Option<Md<'m>> {
        let mut at = self;
        // Scopes nest finitely in valid debug info.
        for _ in 0..1000 {
            match at.kind() {
                LLVMMetadataKind::LLVMDISubprogramMetadataKind => return Some(at),
                LLVMMetadataKind::LLVMDILexicalBlockMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind => at = at.operand(1)?,
                _ => return None,
            }
        }
        None
    }
    /// Name of a subprogram.
    pub fn subprogram_name(self) -> String {
        match self.kind() {
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => {
                self.string_operand(2).unwrap_or_default()
            }
            _ => String::new(),
        }
    }
    /// Type of a subprogram.
    pub fn subprogram_type(self) -> Option<Md<'m>> {
        match self.kind() {
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => self.operand(4),
            _ => None,
        }
    }
    /// Line of a subprogram's definition.
    pub fn subprogram_line(self) -> u32 {
        match self.kind() {
            LLVMMetadataKind::LLVMDISubprogramMetadataKind => unsafe {
                LLVMDISubprogramGetLine(self.raw)
            },
            _ => 0,
        }
    }
    /// Directory and name of the file of a scope, variable, struct or union.
    pub fn file(self) -> Option<(String, String)> {
        unsafe {
            let file = match self.kind() {
                LLVMMetadataKind::LLVMDIGlobalVariableMetadataKind
                | LLVMMetadataKind::LLVMDILocalVariableMetadataKind => {
                    LLVMDIVariableGetFile(self.raw)
                }
                LLVMMetadataKind::LLVMDISubprogramMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind
                | LLVMMetadataKind::LLVMDICompositeTypeMetadataKind => LLVMDIScopeGetFile(self.raw),
                _ => return None,
            };
            if file.is_null() {
                return None;
            }
            let mut len = 0;
            let name = LLVMDIFileGetFilename(file, &mut len);
            let name = text(name, len as usize);
            let directory = LLVMDIFileGetDirectory(file, &mut len);
            Some((text(directory, len as usize), name))
        }
    }
    /// Type and line of a global or local variable.
    pub fn variable(self) -> Option<(Option<Md<'m>>, u32)> {
        match self.kind() {
            LLVMMetadataKind::LLVMDIGlobalVariableMetadataKind
            | LLVMMetadataKind::LLVMDILocalVariableMetadataKind => {
                let ty = self.operand(3).filter(|t| t.is_type());
                Some((ty, unsafe { LLVMDIVariableGetLine(self.raw) }))
            }
            _ => None,
        }
    }
}

/// Access to the debug info of one module.
pub struct DebugInfo<'m> {
    context: LLVMContextRef,
    dbg: u32,
    /// Whether an expression is empty: asking costs printing it.
    displacements: RefCell<HashMap<usize, Option<i64>>>,
    module: PhantomData<&'m ()>,
}

impl<'m> DebugInfo<'m> {
    /// The debug info of `module`.
    pub fn new(module: &'m Module<'_>) -> Self {
        DebugInfo {
            context: unsafe { LLVMGetModuleContext(module.as_mut_ptr()) },
            dbg: super::raw::metadata_kind(module, "dbg"),
            displacements: RefCell::new(HashMap::new()),
            module: PhantomData,
        }
    }
    /// Types that the compiler kept because a cast or the like names them.
    pub fn retained_types(&self, module: &'m Module<'_>) -> Vec<Md<'m>> {
        const RETAINED: usize = 5;
        let units = unsafe {
            let name = c"llvm.dbg.cu".as_ptr();
            let count = LLVMGetNamedMetadataNumOperands(module.as_mut_ptr(), name);
            let mut raw = vec![std::ptr::null_mut(); count as usize];
            LLVMGetNamedMetadataOperands(module.as_mut_ptr(), name, raw.as_mut_ptr());
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            raw.into_iter()
                .filter_map(|v| Md::maybe(LLVMValueAsMetadata(v), context))
                .collect::<Vec<_>>()
        };
        units
            .into_iter()
            .filter_map(|unit| unit.operand(RETAINED))
            .flat_map(|list| list.operands().into_iter().flatten())
            .collect()
    }
    /// The location of an instruction.
    pub fn instruction(&self, instruction: Val<'m>) -> Option<Md<'m>> {
        instruction.opcode()?;
        unsafe { Md::maybe(LLVMInstructionGetDebugLoc(instruction.raw()), self.context) }
    }
    /// The name of the function that an instruction is of in the source, whichever it was inlined into.
    pub fn function_of(&self, instruction: Val<'m>) -> Option<String> {
        let (.., scope, _) = self.instruction(instruction)?.location()?;
        Some(scope.subprogram()?.subprogram_name())
    }
    /// The subprogram of a function.
    pub fn function(&self, function: Val<'m>) -> Option<Md<'m>> {
        unsafe { Md::maybe(LLVMGetSubprogram(function.raw()), self.context) }
    }
    /// The variable that a global is.
    pub fn global(&self, global: Val<'m>) -> Option<Md<'m>> {
        unsafe {
            let mut n = 0;
            let entries = LLVMGlobalCopyAllMetadata(global.raw(), &mut n);
            if entries.is_null() {
                return None;
            }
            let found = (0..u32::try_from(n).unwrap_or(0))
                .filter(|k| LLVMValueMetadataEntriesGetKind(entries, *k) == self.dbg)
                .find_map(|k| {
                    let md = Md::maybe(
                        LLVMValueMetadataEntriesGetMetadata(entries, k),
                        self.context,
                    )?;
                    match md.kind() {
                        LLVMMetadataKind::LLVMDIGlobalVariableExpressionMetadataKind => Md::maybe(
                            LLVMDIGlobalVariableExpressionGetVariable(md.raw),
                            self.context,
                        ),
                        LLVMMetadataKind::LLVMDIGlobalVariableMetadataKind => Some(md),
                        _ => None,
                    }
                });
            LLVMDisposeValueMetadataEntries(entries);
            found
        }
    }
    /// The source variables that debug records before `instruction` say lie in memory, each with where.
    pub fn declared_variables(&self, instruction: Val<'m>) -> Vec<(Val<'m>, Md<'m>)> {
        let mut declared = Vec::new();
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(instruction.raw());
            while !record.is_null() {
                if matches!(
                    LLVMDbgRecordGetKind(record),
                    llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordDeclare
                ) {
                    let place = Val::maybe(LLVMDbgVariableRecordGetValue(record, 0));
                    let variable =
                        Md::maybe(LLVMDbgVariableRecordGetVariable(record), self.context);
                    declared.extend(place.zip(variable));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        declared
    }
    /// The source variables that debug records before `instruction` bind to SSA values, where the
    /// value *is* the variable (no address) or lies that many bytes beyond it.
    pub fn bound_variables(&self, instruction: Val<'m>) -> Vec<(Val<'m>, Md<'m>, i64)> {
        let mut bound = Vec::new();
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(instruction.raw());
            while !record.is_null() {
                if matches!(
                    LLVMDbgRecordGetKind(record),
                    llvm_sys::LLVMDbgRecordKind::LLVMDbgRecordValue
                ) {
                    let value = Val::maybe(LLVMDbgVariableRecordGetValue(record, 0));
                    let variable =
                        Md::maybe(LLVMDbgVariableRecordGetVariable(record), self.context);
                    let beyond =
                        Md::maybe(LLVMDbgVariableRecordGetExpression(record), self.context)
                            .and_then(|e| {
                                *self
                                    .displacements
                                    .borrow_mut()
                                    .entry(e.key())
                                    .or_insert_with(|| displacement(e))
                            });
                    if let (Some(value), Some(variable), Some(beyond)) = (value, variable, beyond) {
                        bound.push((value, variable, beyond));
                    }
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        bound
    }
}

/// By how many bytes the value that a `DIExpression` starts from lies beyond what it computes; `None` if it does more than to add a
/// constant.
fn displacement(expression: Md<'_>) -> Option<i64> {
    // Elements of an expression are no operands; its text has them: `!DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value)`.
    let value = unsafe { Val::maybe(LLVMMetadataAsValue(expression.context, expression.raw)) }?;
    displacement_in(&value.print())
}

fn displacement_in(text: &str) -> Option<i64> {
    let (_, elements) = text.rsplit_once("!DIExpression(")?;
    let elements: Vec<&str> = elements.strip_suffix(')')?.split(", ").collect();
    match elements[..] {
        [""] => Some(0),
        ["DW_OP_plus_uconst", n, "DW_OP_stack_value"] => n.parse().ok().map(|n: i64| -n),
        ["DW_OP_constu", n, "DW_OP_minus", "DW_OP_stack_value"] => n.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::displacement_in;

    #[test]
    fn a_variable_lies_before_or_behind_its_value() {
        let of = |elements: &str| displacement_in(&format!("!1 = !DIExpression({elements})"));
        assert_eq!(of(""), Some(0));
        assert_eq!(of("DW_OP_plus_uconst, 8, DW_OP_stack_value"), Some(-8));
        assert_eq!(
            of("DW_OP_constu, 48, DW_OP_minus, DW_OP_stack_value"),
            Some(48)
        );
        assert_eq!(of("DW_OP_plus_uconst, 8"), None);
        assert_eq!(of("DW_OP_LLVM_fragment, 0, 32"), None);
    }
}
