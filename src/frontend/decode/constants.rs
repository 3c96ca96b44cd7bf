//! Constants: folding constant expressions to addresses and numbers, and initialisers to cells.

use llvm_sys::LLVMTypeKind;

use super::Decoder;
use crate::frontend::llvm::raw::{LLVMOpcode, LLVMValueKind, Ty, Val, resolve_alias};
use crate::program::{Const, FieldRef, InitCell, Type};

/// An address computation, in bytes.
pub(super) struct GepParts<'m> {
    /// Sum of the constant parts.
    pub offset: i64,
    /// Variable index, bytes per step.
    pub scaled: Vec<(Val<'m>, i64)>,
    /// The field selected last, of the innermost named struct.
    pub field: Option<FieldRef>,
    /// Variable indices of declared arrays, with the numbers of their elements.
    pub bounds: Vec<(Val<'m>, u64)>,
}

impl<'m> Decoder<'m> {
    /// The constant, if it can be said without computing at run time. `Err` means that an instruction has to make it.
    pub(super) fn constant(&self, value: Val<'m>) -> Result<Const, ()> {
        use LLVMValueKind::*;
        let ty = value.ty();
        Ok(match value.kind() {
            LLVMConstantIntValueKind => match value.int_value() {
                Some(n) => Const::int(ty.int_bits(), n),
                None => self.unsupported(ty, "integer constant of more than 128 bits"),
            },
            LLVMConstantPointerNullValueKind => Const::Null,
            LLVMUndefValueValueKind | LLVMPoisonValueKind => match self.layout.value_type(ty) {
                Ok(t) => Const::Undef(t),
                Err(e) => self.unsupported(ty, &e),
            },
            LLVMConstantFPValueKind => self.float(value),
            LLVMConstantAggregateZeroValueKind => match self.layout.scalars(ty) {
                Some(all) => Const::Tuple(all.iter().map(|(_, t)| zero(t)).collect()),
                None => self.unsupported(ty, "large aggregate constant"),
            },
            LLVMConstantStructValueKind
            | LLVMConstantArrayValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => {
                let mut items = Vec::new();
                for (_, element) in self.elements(value) {
                    match self.constant(element)? {
                        Const::Tuple(inner) => items.extend(inner),
                        Const::Undef(Type::Tuple(inner)) => {
                            items.extend(inner.into_iter().map(Const::Undef));
                        }
                        scalar => items.push(scalar),
                    }
                }
                Const::Tuple(items)
            }
            LLVMFunctionValueKind => match self.function_ids.get(&value) {
                Some(id) => Const::Func {
                    function: *id,
                    int_bits: None,
                },
                None => self.unsupported(ty, "function of another module"),
            },
            LLVMGlobalVariableValueKind => match self.global_ids.get(&value) {
                Some(id) => Const::Addr {
                    global: *id,
                    offset: 0,
                    int_bits: None,
                },
                None => self.unsupported(ty, "global of another module"),
            },
            LLVMGlobalAliasValueKind => {
                let target = resolve_alias(value);
                if target.kind() == LLVMGlobalAliasValueKind {
                    self.unsupported(ty, "alias of itself")
                } else {
                    return self.constant(target);
                }
            }
            LLVMConstantExprValueKind => return self.expression(value),
            LLVMGlobalIFuncValueKind => self.unsupported(ty, "ifunc"),
            LLVMBlockAddressValueKind => self.unsupported(ty, "address of a label"),
            _ => self.unsupported(ty, &format!("constant {}", value.print())),
        })
    }

    fn unsupported(&self, ty: Ty<'m>, what: &str) -> Const {
        Const::Unsupported(
            self.layout.value_type(ty).unwrap_or(Type::Void),
            what.to_string(),
        )
    }

    /// Elements of an aggregate constant with their byte offsets.
    fn elements(&self, value: Val<'m>) -> Vec<(u64, Val<'m>)> {
        let ty = value.ty();
        let place: Vec<u64> = if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
            (0..u32::try_from(ty.fields().len()).unwrap_or(0))
                .map(|n| self.layout.field_offset(ty, n))
                .collect()
        } else {
            let (element, count) = ty.elements().unwrap_or((ty, 0));
            let stride = self.layout.alloc_size(element);
            (0..count).map(|n| n * stride).collect()
        };
        place
            .into_iter()
            .enumerate()
            .filter_map(|(n, offset)| {
                let n = u32::try_from(n).ok()?;
                let element =
                    unsafe { Val::maybe(llvm_sys::core::LLVMGetAggregateElement(value.raw(), n)) }?;
                Some((offset, element))
            })
            .collect()
    }

    fn float(&self, value: Val<'m>) -> Const {
        let mut lossy = 0;
        let number = unsafe { llvm_sys::core::LLVMConstRealGetDouble(value.raw(), &mut lossy) };
        match value.ty().kind() {
            LLVMTypeKind::LLVMDoubleTypeKind => Const::Float {
                bits: 64,
                value: u128::from(number.to_bits()),
            },
            LLVMTypeKind::LLVMFloatTypeKind => Const::Float {
                bits: 32,
                value: u128::from((number as f32).to_bits()),
            },
            _ => printed_float(&value.print())
                .unwrap_or_else(|| self.unsupported(value.ty(), "floating-point constant")),
        }
    }

    /// Folds a constant expression.
    fn expression(&self, value: Val<'m>) -> Result<Const, ()> {
        let pointer_bits = self.layout.pointer_bytes * 8;
        let bits = value.ty().int_bits();
        let operand = |n| value.operand(n).ok_or(());
        match value.opcode().ok_or(())? {
            LLVMOpcode::LLVMGetElementPtr => {
                let parts = self.gep_parts(value)?;
                if !parts.scaled.is_empty() {
                    return Err(());
                }
                offset_by(self.constant(operand(0)?)?, parts.offset, None)
            }
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr => {
                Ok(match self.constant(operand(0)?)? {
                    Const::Null => Const::int(bits, 0),
                    Const::Addr { global, offset, .. } => Const::Addr {
                        global,
                        offset,
                        int_bits: Some(bits),
                    },
                    Const::Func { function, .. } => Const::Func {
                        function,
                        int_bits: Some(bits),
                    },
                    _ => return Err(()),
                })
            }
            LLVMOpcode::LLVMIntToPtr => Ok(match self.constant(operand(0)?)? {
                Const::Int { value: 0, .. } => Const::Null,
                Const::Addr {
                    global,
                    offset,
                    int_bits: Some(b),
                } if b >= pointer_bits => Const::Addr {
                    global,
                    offset,
                    int_bits: None,
                },
                Const::Func {
                    function,
                    int_bits: Some(b),
                } if b >= pointer_bits => Const::Func {
                    function,
                    int_bits: None,
                },
                _ => return Err(()),
            }),
            LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMAddrSpaceCast => {
                match self.constant(operand(0)?)? {
                    c @ (Const::Null | Const::Addr { .. } | Const::Func { .. }) => Ok(c),
                    _ => Err(()),
                }
            }
            LLVMOpcode::LLVMTrunc => Ok(match self.constant(operand(0)?)? {
                Const::Int { value, .. } => Const::int(bits, value),
                Const::Addr {
                    global,
                    offset,
                    int_bits: Some(_),
                } => Const::Addr {
                    global,
                    offset,
                    int_bits: Some(bits),
                },
                Const::Func {
                    function,
                    int_bits: Some(_),
                } => Const::Func {
                    function,
                    int_bits: Some(bits),
                },
                _ => return Err(()),
            }),
            op @ (LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub | LLVMOpcode::LLVMXor) => {
                let (a, b) = (self.constant(operand(0)?)?, self.constant(operand(1)?)?);
                fold_binary(op, bits, a, b)
            }
            _ => Err(()),
        }
    }

    /// Splits an address computation (instruction or constant expression).
    pub(super) fn gep_parts(&self, gep: Val<'m>) -> Result<GepParts<'m>, ()> {
        let source = unsafe { Ty::new(llvm_sys::core::LLVMGetGEPSourceElementType(gep.raw())) };
        let mut parts = GepParts {
            offset: 0,
            scaled: Vec::new(),
            field: None,
            bounds: Vec::new(),
        };
        let mut at = source;
        for n in 1..gep.operand_count() {
            let index = gep.operand(n).ok_or(())?;
            if index.ty().int_bits() == 0 {
                return Err(()); // a vector of indices
            }
            if n > 1 && at.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let field = u32::try_from(index.int_value().ok_or(())?).map_err(|_| ())?;
                let offset = self.layout.field_offset(at, field);
                parts.offset += i64::try_from(offset).map_err(|_| ())?;
                parts.field = match at.source_struct_name() {
                    Some(struct_name) => Some(FieldRef {
                        struct_name,
                        offset,
                        within: 0,
                    }),
                    // A field of an anonymous struct belongs to the named struct around it.
                    None => parts.field.map(|f| FieldRef {
                        offset: f.offset + offset,
                        ..f
                    }),
                };
                at = *at.fields().get(field as usize).ok_or(())?;
                continue;
            }
            let mut count = 0;
            if n > 1 {
                (at, count) = at.elements().ok_or(())?;
            }
            let stride = i64::try_from(self.layout.alloc_size(at)).map_err(|_| ())?;
            match index.int_value() {
                Some(value) => {
                    let step = sign_extend(value, index.ty().int_bits()).wrapping_mul(stride);
                    parts.offset = parts.offset.wrapping_add(step);
                    if let Some(field) = &mut parts.field {
                        field.within = field.within.wrapping_add(step);
                    }
                }
                None => {
                    parts.scaled.push((index, stride));
                    // What is declared with one element, or none, is as long as it is made.
                    if count > 1 {
                        parts.bounds.push((index, count));
                    }
                }
            }
        }
        Ok(parts)
    }

    /// The scalars of an initialiser that are not zero.
    pub(super) fn init_cells(&self, value: Val<'m>) -> Vec<InitCell> {
        let mut cells = Vec::new();
        self.init_at(value, 0, &mut cells);
        cells
    }

    fn init_at(&self, value: Val<'m>, at: u64, cells: &mut Vec<InitCell>) {
        use LLVMValueKind::*;
        match value.kind() {
            LLVMConstantAggregateZeroValueKind
            | LLVMConstantPointerNullValueKind
            | LLVMUndefValueValueKind
            | LLVMPoisonValueKind => return,
            LLVMConstantStructValueKind
            | LLVMConstantArrayValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => {
                for (offset, element) in self.elements(value) {
                    self.init_at(element, at + offset, cells);
                }
                return;
            }
            _ => {}
        }
        let constant = match self.constant(value) {
            Ok(Const::Int { value: 0, .. } | Const::Null) => return,
            Ok(c) => c,
            Err(()) => self.integer_pointer(value).unwrap_or_else(|| {
                self.unsupported(value.ty(), &format!("initialiser {}", value.print()))
            }),
        };
        cells.push(InitCell {
            offset: at,
            size: u32::try_from(self.layout.store_size(value.ty())).unwrap_or(0),
            value: constant,
        });
    }

    /// `inttoptr (i64 N to ptr)` in an initialiser: its bytes are those of the integer.
    fn integer_pointer(&self, value: Val<'m>) -> Option<Const> {
        if !matches!(value.opcode(), Some(LLVMOpcode::LLVMIntToPtr)) {
            return None;
        }
        match self.constant(value.operand(0)?) {
            Ok(Const::Int { value, .. }) => Some(Const::int(self.layout.pointer_bytes * 8, value)),
            _ => None,
        }
    }
}

/// A constant of another format than C's `float` and `double`, as LLVM prints it: the type, then a letter for it and the bits.
fn printed_float(text: &str) -> Option<Const> {
    let (_, digits) = text.rsplit_once("0x")?;
    let (letter, digits) = digits.split_at_checked(1)?;
    let number = |digits: &str| u128::from_str_radix(digits, 16).ok();
    let (bits, value) = match letter {
        "H" | "R" => (16, number(digits)?),
        "K" => (80, number(digits)?),
        // The lower half comes first.
        "L" | "M" => {
            let (low, high) = digits.split_at_checked(16)?;
            (128, number(high)? << 64 | number(low)?)
        }
        _ => return None,
    };
    Some(Const::Float { bits, value })
}

/// The zero of a scalar type.
pub(super) fn zero(ty: &Type) -> Const {
    match ty {
        Type::Int(bits) => Const::int(*bits, 0),
        Type::Ptr => Const::Null,
        Type::Float(bits) => Const::Float {
            bits: *bits,
            value: 0,
        },
        Type::Void => Const::Undef(Type::Void),
        Type::Tuple(items) => Const::Tuple(items.iter().map(zero).collect()),
    }
}

/// The low `bits` of `value` as a signed number.
pub(super) fn sign_extend(value: u128, bits: u32) -> i64 {
    let shift = 128 - bits.clamp(1, 128);
    (((value << shift) as i128) >> shift) as i64
}

fn offset_by(base: Const, by: i64, int_bits: Option<u32>) -> Result<Const, ()> {
    match base {
        Const::Addr { global, offset, .. } => Ok(Const::Addr {
            global,
            offset: offset.wrapping_add(by),
            int_bits,
        }),
        Const::Func { function, .. } if by == 0 => Ok(Const::Func { function, int_bits }),
        Const::Null if by == 0 => Ok(Const::Null),
        _ => Err(()),
    }
}

fn fold_binary(op: LLVMOpcode, bits: u32, a: Const, b: Const) -> Result<Const, ()> {
    let signed = |n| sign_extend(n, bits);
    match (op, a, b) {
        (LLVMOpcode::LLVMAdd, Const::Int { value: a, .. }, Const::Int { value: b, .. }) => {
            Ok(Const::int(bits, a.wrapping_add(b)))
        }
        (LLVMOpcode::LLVMSub, Const::Int { value: a, .. }, Const::Int { value: b, .. }) => {
            Ok(Const::int(bits, a.wrapping_sub(b)))
        }
        (LLVMOpcode::LLVMXor, Const::Int { value: a, .. }, Const::Int { value: b, .. }) => {
            Ok(Const::int(bits, a ^ b))
        }
        (LLVMOpcode::LLVMAdd, address @ Const::Addr { .. }, Const::Int { value, .. })
        | (LLVMOpcode::LLVMAdd, Const::Int { value, .. }, address @ Const::Addr { .. }) => {
            offset_by(address, signed(value), Some(bits))
        }
        (LLVMOpcode::LLVMSub, address @ Const::Addr { .. }, Const::Int { value, .. }) => {
            offset_by(address, signed(value).wrapping_neg(), Some(bits))
        }
        (
            LLVMOpcode::LLVMSub,
            Const::Addr {
                global: g,
                offset: a,
                ..
            },
            Const::Addr {
                global: h,
                offset: b,
                ..
            },
        ) if g == h => Ok(Const::int(bits, a.wrapping_sub(b) as u128)),
        _ => Err(()),
    }
}
