//! Where the locks lie that the kernel holds around entry points.

use super::objects::{BUS_DEVICE, DEVICE};
use super::types::member_offset;
use crate::environment::entry::{EntryPoint, LockAddress, Parameter};
use crate::environment::rules::LockObject;
use crate::program::Program;

/// The members that the device of an object of a bus is.
const DEVICE_MEMBERS: [&str; 2] = ["dev", "mdio.dev"];

/// The device that an entry point gets first, which is one or has one: the shared object, and where the device lies in it.
fn device_of(program: &Program, entry: &EntryPoint) -> Option<(String, u64)> {
    let inside = |name: &str| {
        let mut members = DEVICE_MEMBERS.iter();
        members.find_map(|member| member_offset(program, name, member))
    };
    match entry.parameters.first()? {
        Parameter::Shared(name) if name.split(':').next() == Some(DEVICE) => {
            Some((name.clone(), 0))
        }
        Parameter::Shared(name) => Some((name.clone(), inside(name)?)),
        Parameter::Member(name, at) if inside(name) == Some(*at) => Some((name.clone(), *at)),
        _ => None,
    }
}

/// Where a lock lies, by the input's debug info; `always`: it is there.
pub(super) fn address(
    program: &Program,
    object: &LockObject,
    always: bool,
    entry: &EntryPoint,
) -> Option<LockAddress> {
    let (shared, start) = match object.shared == BUS_DEVICE {
        true => device_of(program, entry)?,
        false => (object.shared.clone(), 0),
    };
    let offset = match object.member.as_str() {
        "" => start,
        member => start + member_offset(program, object.structure(), member)?,
    };
    let through = match object.through.as_deref() {
        None => None,
        Some("") => Some(0),
        Some(place) => {
            let (structure, member) = place.split_once('.')?;
            Some(member_offset(program, structure, member)?)
        }
    };
    Some(LockAddress {
        shared,
        offset,
        through,
        maybe: object.through.as_deref() == Some("") && !always,
    })
}
