//! What the kernel calls before and after an entry point, in the same thread (`[[bracket]]` in rule files): what that locks is held
//! around it.

use super::text::{quoted, type_text};
use super::{HarnessError, Writer};
use crate::environment::entry::EntryPoint;
use crate::program::Type;

/// Text around the call of an entry point, and its arguments.
#[derive(Default)]
pub(super) struct Around {
    /// Before it.
    pub before: String,
    /// After it.
    pub after: String,
    /// The arguments of the call.
    pub arguments: String,
}

/// Arguments of which one, the one that the bracket gives, is that value.
fn given(arguments: &str, gives: Option<usize>, value: Option<&str>) -> String {
    let (Some(n), Some(value)) = (gives, value) else {
        return arguments.to_string();
    };
    let mut each: Vec<String> = arguments.split(", ").map(str::to_string).collect();
    if let Some(argument) = each.get_mut(n).filter(|a| a.starts_with("ptr ")) {
        *argument = format!("ptr {value}");
    }
    each.join(", ")
}

/// Arguments of which so many are those of another call.
fn with_first(arguments: &str, same: usize, of: &str) -> String {
    let each = arguments
        .split(", ")
        .zip(of.split(", ").chain(std::iter::repeat("")));
    let first = each.enumerate().map(|(n, (own, other))| {
        let alike = own.split(' ').next() == other.split(' ').next();
        if n < same && alike { other } else { own }
    });
    first.collect::<Vec<_>>().join(", ")
}

impl Writer<'_> {
    /// What is called around an entry point with those arguments. Where the first function answers an error, or no object, the entry
    /// point is not called.
    pub(super) fn bracket(
        &mut self,
        entry: &EntryPoint,
        arguments: &str,
    ) -> Result<Around, HarnessError> {
        let mut around = Around {
            arguments: arguments.to_string(),
            ..Around::default()
        };
        let Some(bracket) = entry.within.clone() else {
            return Ok(around);
        };
        let pointer = self.function(entry)?.ret == Type::Ptr;
        let mut answer = pointer.then_some("%result");
        if let Some(name) = &bracket.begins {
            let (call, ret) =
                self.other(entry, name, |own| with_first(&own, bracket.same, arguments))?;
            let test = match ret {
                Type::Void => format!("  {call}\n"),
                Type::Ptr => {
                    answer = Some("%begun");
                    format!(
                        "  %begun = {call}\n  %begun.number = ptrtoint ptr %begun to i64\n  \
                         %begun.less = add i64 %begun.number, -1\n  %goes.on = icmp ult i64 %begun.less, -4096\n  \
                         call void @__irkiss_assume(i1 zeroext %goes.on)\n"
                    )
                }
                Type::Int(bits) => format!(
                    "  %begun = {call}\n  %goes.on = icmp sge i{bits} %begun, 0\n  \
                     call void @__irkiss_assume(i1 zeroext %goes.on)\n"
                ),
                _ => format!("  %begun = {call}\n"),
            };
            around.before = test;
            around.arguments = given(arguments, bracket.gives, answer.filter(|a| *a != "%result"));
        }
        if let Some(name) = &bracket.ends {
            let (call, ret) = self.other(entry, name, |own| {
                given(
                    &with_first(&own, bracket.same, arguments),
                    bracket.gives,
                    answer,
                )
            })?;
            around.after = match ret {
                Type::Void => format!("  {call}\n"),
                _ => format!("  %ended = {call}\n"),
            };
        }
        Ok(around)
    }

    /// The call of another entry point of the same object, and what it answers; `told` makes its arguments of those that it would get.
    fn other(
        &mut self,
        entry: &EntryPoint,
        name: &str,
        told: impl FnOnce(String) -> String,
    ) -> Result<(String, Type), HarnessError> {
        let same = |e: &&EntryPoint| e.function == name && e.registered_by == entry.registered_by;
        let other = self.entries.iter().find(same).unwrap_or(entry).clone();
        let arguments = told(self.arguments(&other, None)?);
        let function = self.function(&other)?;
        let ret = type_text(&function.ret).map_err(HarnessError)?;
        let call = format!("call {ret} @{}({arguments})", quoted(&function.name));
        Ok((call, function.ret.clone()))
    }
}
