//! Types and layout: from LLVM's types to owned ones, sizes, offsets, struct names.

use inkwell::module::Module;
use llvm_sys::LLVMTypeKind;
use llvm_sys::core::LLVMGetTarget;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout,
    LLVMOffsetOfElement, LLVMPointerSize, LLVMStoreSizeOfType, LLVMTargetDataRef,
};

use crate::frontend::llvm::raw::Ty;
use crate::program::{DataLayout, Type};

/// More elements than this in a first-class value are not followed.
const MAX_TUPLE: usize = 4096;

/// Sizes and offsets of one module's target.
pub(super) struct Layout {
    data: LLVMTargetDataRef,
    /// 4 or 8.
    pub pointer_bytes: u32,
}

impl Layout {
    pub fn new(module: &Module<'_>) -> Self {
        unsafe {
            let data = LLVMGetModuleDataLayout(module.as_mut_ptr());
            Layout {
                data,
                pointer_bytes: LLVMPointerSize(data),
            }
        }
    }

    /// The owned facts.
    pub fn facts(&self, module: &Module<'_>, producer: String) -> DataLayout {
        let triple = unsafe { c_text(LLVMGetTarget(module.as_mut_ptr())) };
        DataLayout {
            little_endian: matches!(
                unsafe { LLVMByteOrder(self.data) },
                LLVMByteOrdering::LLVMLittleEndian
            ),
            pointer_bytes: self.pointer_bytes,
            triple,
            producer,
        }
    }

    /// Bytes from one array element to the next; 0 for opaque types.
    pub fn alloc_size(&self, ty: Ty<'_>) -> u64 {
        if ty.is_sized() {
            unsafe { LLVMABISizeOfType(self.data, ty.raw()) }
        } else {
            0
        }
    }

    /// Bytes that a store of the type writes; 0 for opaque types.
    pub fn store_size(&self, ty: Ty<'_>) -> u64 {
        if ty.is_sized() {
            unsafe { LLVMStoreSizeOfType(self.data, ty.raw()) }
        } else {
            0
        }
    }

    /// Byte offset of field `n` of a struct.
    pub fn field_offset(&self, ty: Ty<'_>, n: u32) -> u64 {
        debug_assert!(ty.kind() == LLVMTypeKind::LLVMStructTypeKind);
        unsafe { LLVMOffsetOfElement(self.data, ty.raw(), n) }
    }

    /// The scalars of a type in order, each with its byte offset in memory; `None` if there is one that cannot be carried.
    pub fn scalars(&self, ty: Ty<'_>) -> Option<Vec<(u64, Type)>> {
        let mut out = Vec::new();
        self.collect(ty, 0, &mut out)?;
        Some(out)
    }

    fn collect(&self, ty: Ty<'_>, at: u64, out: &mut Vec<(u64, Type)>) -> Option<()> {
        if out.len() > MAX_TUPLE {
            return None;
        }
        match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind => {
                for (n, field) in ty.fields().into_iter().enumerate() {
                    let offset = self.field_offset(ty, u32::try_from(n).ok()?);
                    self.collect(field, at + offset, out)?;
                }
            }
            LLVMTypeKind::LLVMArrayTypeKind => {
                let (element, count) = ty.elements()?;
                let stride = self.alloc_size(element);
                if count > MAX_TUPLE as u64 {
                    return None;
                }
                for n in 0..count {
                    self.collect(element, at + n * stride, out)?;
                }
            }
            LLVMTypeKind::LLVMVectorTypeKind => {
                let (element, count) = ty.elements()?;
                // Elements of a vector are packed by bits; only whole bytes can be split.
                let bits = element.scalar()?.bits(self.pointer_bytes)?;
                if bits % 8 != 0 || count > MAX_TUPLE as u64 {
                    return None;
                }
                for n in 0..count {
                    out.push((at + n * u64::from(bits / 8), element.scalar()?));
                }
            }
            _ => out.push((at, ty.scalar()?)),
        }
        Some(())
    }

    /// The owned type; `Err` with a reason for types that values of programs cannot have.
    pub fn value_type(&self, ty: Ty<'_>) -> Result<Type, String> {
        match ty.kind() {
            LLVMTypeKind::LLVMVoidTypeKind => Ok(Type::Void),
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind => self
                .scalars(ty)
                .map(|all| Type::Tuple(all.into_iter().map(|(_, t)| t).collect()))
                .ok_or_else(|| format!("value of type {}", ty.print())),
            LLVMTypeKind::LLVMVectorTypeKind => {
                let (element, count) = ty
                    .elements()
                    .ok_or_else(|| format!("value of type {}", ty.print()))?;
                let scalar = element
                    .scalar()
                    .ok_or_else(|| format!("value of type {}", ty.print()))?;
                Ok(Type::Tuple(vec![
                    scalar;
                    usize::try_from(count).unwrap_or(0)
                ]))
            }
            _ => ty
                .scalar()
                .ok_or_else(|| format!("value of type {}", ty.print())),
        }
    }

    /// Number of scalars in a type, and for a path of indices the range of scalars it selects.
    pub fn element_range(&self, ty: Ty<'_>, path: &[u32]) -> Option<(usize, usize, bool)> {
        let mut start = 0usize;
        let mut at = ty;
        for &index in path {
            match at.kind() {
                LLVMTypeKind::LLVMStructTypeKind => {
                    let fields = at.fields();
                    for field in fields.get(..index as usize)? {
                        start += self.count(*field)?;
                    }
                    at = *fields.get(index as usize)?;
                }
                _ => {
                    let (element, _) = at.elements()?;
                    start += index as usize * self.count(element)?;
                    at = element;
                }
            }
        }
        Some((start, self.count(at)?, at.is_aggregate()))
    }

    fn count(&self, ty: Ty<'_>) -> Option<usize> {
        if ty.is_aggregate() {
            self.scalars(ty).map(|s| s.len())
        } else {
            Some(1)
        }
    }
}

impl Ty<'_> {
    /// Whether values of it are tuples.
    pub(super) fn is_aggregate(self) -> bool {
        matches!(
            self.kind(),
            LLVMTypeKind::LLVMStructTypeKind
                | LLVMTypeKind::LLVMArrayTypeKind
                | LLVMTypeKind::LLVMVectorTypeKind
        )
    }

    /// The owned type of a scalar.
    fn scalar(self) -> Option<Type> {
        match self.kind() {
            LLVMTypeKind::LLVMIntegerTypeKind => {
                let bits = self.int_bits();
                (bits <= 128).then_some(Type::Int(bits))
            }
            LLVMTypeKind::LLVMPointerTypeKind => Some(Type::Ptr),
            LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMBFloatTypeKind => {
                Some(Type::Float(16))
            }
            LLVMTypeKind::LLVMFloatTypeKind => Some(Type::Float(32)),
            LLVMTypeKind::LLVMDoubleTypeKind => Some(Type::Float(64)),
            LLVMTypeKind::LLVMX86_FP80TypeKind => Some(Type::Float(80)),
            LLVMTypeKind::LLVMFP128TypeKind | LLVMTypeKind::LLVMPPC_FP128TypeKind => {
                Some(Type::Float(128))
            }
            _ => None,
        }
    }

    /// Name of the struct type that this is, or is an array of, as the source has it.
    pub(super) fn source_struct_name(self) -> Option<String> {
        let mut at = self;
        while at.kind() == LLVMTypeKind::LLVMArrayTypeKind {
            at = at.elements()?.0;
        }
        at.struct_name()
            .map(|n| source_name(&n))
            .filter(|n| !n.is_empty())
    }
}

/// The source name in an IR struct name: without `struct.` and without the number that linking adds.
/// Empty for anonymous types.
pub(super) fn source_name(ir_name: &str) -> String {
    let name = ir_name
        .strip_prefix("struct.")
        .or_else(|| ir_name.strip_prefix("class."))
        .unwrap_or(ir_name);
    let name = match name.rsplit_once('.') {
        Some((stem, number))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            stem
        }
        _ => name,
    };
    if name == "anon" || name == "union.anon" {
        return String::new();
    }
    name.to_string()
}

/// # Safety
/// `ptr` is null or a C string.
unsafe fn c_text(ptr: *const std::ffi::c_char) -> String {
    if ptr.is_null() {
        return String::new();
    }
    unsafe { std::ffi::CStr::from_ptr(ptr) }
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn struct_names_lose_prefix_and_link_number() {
        assert_eq!(source_name("struct.foo"), "foo");
        assert_eq!(source_name("struct.foo.17"), "foo");
        assert_eq!(source_name("union.u"), "union.u");
        assert_eq!(source_name("struct.anon.3"), "");
        assert_eq!(source_name("union.anon"), "");
    }
}
