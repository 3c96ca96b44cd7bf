//! What rules say of parameters.

use super::nearest;

/// What a rule says of one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleParameter {
    /// An arbitrary number.
    Number,
    /// Null (or 0).
    Null,
    /// An object of this activation alone, of that many bytes (0: as large as accesses need).
    Private(u64),
    /// An open file of the ops object, on which operations may overlap.
    File,
    /// An open file of the ops object on which no operation is under way.
    ClosingFile,
    /// The inode of the ops object.
    Inode,
    /// The text file that a function shows, of one opening: what registration hands over is in all of them.
    TextFile,
    /// One object for all entry points that name it.
    Shared(String),
    /// A member of a struct of that name, of which there is one for all entry points that name it.
    Member(String, String),
    /// That member of the shared object, or an object of this activation alone: the caller has it as its own.
    Either(String, String),
    /// The object of that struct that holds the function: functions at one place have different ones, unless the input stores one
    /// after the other in one. What stands in that member they have in common.
    Its(String, String),
    /// The shared object of that name where the call runs before others; beside them another, new one.
    New(String),
    /// An object of that name of this activation alone, whose pointers are set.
    Own(String),
    /// What the type says: one object for all pointers to that type of struct; otherwise private, or a number.
    Typed,
    /// The device of the bus that the driver belongs to: the member `dev` of what its probe gets.
    BusDevice,
    /// The device that attributes and power management work on: what the driver hands to the calls of `[[object]]` `device`,
    /// else the device of the bus that the driver belongs to.
    Device,
    /// The object that holds the function pointer.
    Holder,
    /// What stands in a member of the object that holds the function pointer, a struct of that name.
    Held(String, String),
    /// The object of that struct a member of which leads to the ops object that holds the function pointer.
    Leads(String, String),
    /// What that argument of that registering call was.
    Registered(String, u32),
}

/// The first words of parameter kinds.
const KINDS: &[&str] = &[
    "number",
    "null",
    "private",
    "file",
    "closing-file",
    "inode",
    "text-file",
    "holder",
    "held",
    "leads",
    "device",
    "bus-device",
    "typed",
    "shared",
    "either",
    "its",
    "new",
    "own",
    "registered",
];

impl RuleParameter {
    pub(super) fn parse(text: &str) -> Result<RuleParameter, String> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts.as_slice() {
            ["number"] => Ok(RuleParameter::Number),
            ["null"] => Ok(RuleParameter::Null),
            ["private"] => Ok(RuleParameter::Private(0)),
            ["private", size] => size
                .parse()
                .map(RuleParameter::Private)
                .map_err(|_| format!("`{text}`: the size is no number")),
            ["file"] => Ok(RuleParameter::File),
            ["closing-file"] => Ok(RuleParameter::ClosingFile),
            ["inode"] => Ok(RuleParameter::Inode),
            ["text-file"] => Ok(RuleParameter::TextFile),
            ["holder"] => Ok(RuleParameter::Holder),
            ["typed"] => Ok(RuleParameter::Typed),
            ["bus-device"] => Ok(RuleParameter::BusDevice),
            ["device"] => Ok(RuleParameter::Device),
            ["shared", name] if !name.is_empty() => Ok(match name.split_once('.') {
                Some((outer, member)) => {
                    RuleParameter::Member(outer.to_string(), member.to_string())
                }
                None => RuleParameter::Shared(name.to_string()),
            }),
            // Of two objects of one struct: what stands before the second colon is the struct.
            ["shared", structure, which] if !structure.is_empty() && !which.is_empty() => {
                Ok(RuleParameter::Shared(format!("{structure}:{which}")))
            }
            [kind @ ("either" | "its"), place] => match (place.split_once('.'), *kind) {
                (Some((outer, member)), "its") => {
                    Ok(RuleParameter::Its(outer.to_string(), member.to_string()))
                }
                (Some((outer, member)), _) => {
                    Ok(RuleParameter::Either(outer.to_string(), member.to_string()))
                }
                (None, _) => Err(format!("`{text}`: the member is missing")),
            },
            ["new", name] if !name.is_empty() => Ok(RuleParameter::New(name.to_string())),
            ["own", name] if !name.is_empty() => Ok(RuleParameter::Own(name.to_string())),
            [kind @ ("held" | "leads"), place] => match place.split_once('.') {
                Some((structure, member)) => {
                    let make = match *kind {
                        "held" => RuleParameter::Held,
                        _ => RuleParameter::Leads,
                    };
                    Ok(make(structure.to_string(), member.to_string()))
                }
                None => Err(format!("`{text}`: the member is missing")),
            },
            ["registered", function, argument] => argument
                .parse()
                .map(|n| RuleParameter::Registered(function.to_string(), n))
                .map_err(|_| format!("`{text}`: the argument is no number")),
            [kind, ..] => Err(match nearest(kind, KINDS.iter().copied()) {
                Some(near) => format!("unknown parameter kind `{text}`; the nearest is `{near}`"),
                None => format!("unknown parameter kind `{text}`"),
            }),
            [] => Err("empty parameter kind".to_string()),
        }
    }
}
