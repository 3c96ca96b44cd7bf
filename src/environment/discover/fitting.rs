//! What a parameter of a function may be, as its type says.

use super::{Found, Maker, types};
use crate::environment::entry::{Parameter, Start};
use crate::environment::rules::RuleParameter;
use crate::index::FuncId;
use crate::program::{DebugType, DebugTypeKind, Type};

impl Maker<'_> {
    /// Whether that parameter of a function may be what a rule says: places of one rule may have functions of several types.
    pub(super) fn fits(
        &self,
        found: &Found,
        (n, start): (usize, Start),
        rule: &RuleParameter,
    ) -> bool {
        let program = self.program;
        let f = &program.functions[found.function];
        let is_pointer = f.values[f.params[n]].ty == Type::Ptr;
        let target = self.target(found.function, n);
        let structure = target.filter(|t| {
            !t.name.is_empty() && matches!(t.kind, DebugTypeKind::Struct(_) | DebugTypeKind::Opaque)
        });
        match rule {
            RuleParameter::Number => !is_pointer,
            RuleParameter::Holder => {
                let holder = found.via.split_once('.').map(|(holder, _)| holder);
                // What is armed by calls is the object that these name.
                let armed = holder.is_none() && start == Start::Armed;
                is_pointer
                    && (armed
                        || target.is_none_or(|_| structure.map(|t| t.name.as_str()) == holder))
            }
            RuleParameter::Shared(name) | RuleParameter::Its(name, _) => {
                // A name that is no struct's may stand for any.
                let other =
                    |t: &DebugType| t.name != *name && types::struct_named(program, name).is_some();
                is_pointer && !structure.is_some_and(other)
            }
            _ => true,
        }
    }

    /// What a parameter of a function points to, by debug info; `None`: anything, or that is not known.
    fn target(&self, function: FuncId, n: usize) -> Option<&DebugType> {
        let types = &self.program.functions[function].param_types;
        let ty = types.get(n).copied().flatten()?;
        let target = types::pointee(self.program, ty)?;
        Some(&self.program.debug_types[target])
    }

    /// Without a rule: of pointers to structs it is looked whose they are, other pointers are private, the rest numbers.
    /// By its type, as a rule says: who gets one gets the same.
    pub(super) fn typed(&self, function: FuncId, n: usize) -> Parameter {
        match self.default_parameter(function, n) {
            Parameter::Typed { name, .. } => Parameter::Typed {
                name,
                by_rule: true,
            },
            other => other,
        }
    }

    pub(super) fn default_parameter(&self, function: FuncId, n: usize) -> Parameter {
        let f = &self.program.functions[function];
        if f.values[f.params[n]].ty != Type::Ptr {
            return Parameter::Number;
        }
        let ty = f.param_types.get(n).copied().flatten();
        match self.target(function, n) {
            None if ty.is_some() => Parameter::Typed {
                name: String::new(),
                by_rule: false,
            },
            Some(t)
                if !t.name.is_empty()
                    && matches!(t.kind, DebugTypeKind::Struct(_) | DebugTypeKind::Opaque) =>
            {
                Parameter::Typed {
                    name: t.name.clone(),
                    by_rule: false,
                }
            }
            _ => Parameter::Private(0),
        }
    }
}
