//! Which bits calls of the input may give a function of the environment in an argument.

use super::several::calls;
use super::types::Definitions;
use crate::index::FuncId;
use crate::program::{BinOp, Const, Op, Operand, Program};

/// So many functions that hand an argument on are looked through.
const DEPTH: usize = 3;

/// Whether a call of a function may give an argument (`function#argument`) one of those bits.
pub fn may_give(program: &Program, place: &str, bits: u64) -> bool {
    let place = place.split_once('#');
    let Some((function, argument)) = place.and_then(|(f, n)| Some((f, n.parse().ok()?))) else {
        return true;
    };
    may_be_given(program, function, argument, bits, DEPTH)
}

fn may_be_given(
    program: &Program,
    function: &str,
    argument: usize,
    bits: u64,
    depth: usize,
) -> bool {
    calls(program, function).any(|(caller, _, args)| {
        let given = args.get(argument);
        given.is_none_or(|a| may_have(program, caller, a, bits, depth))
    })
}

/// Whether an operand may have one of those bits.
fn may_have(program: &Program, of: FuncId, operand: &Operand, bits: u64, depth: usize) -> bool {
    let value = match operand {
        Operand::Const(Const::Int { value, .. }) => return value & u128::from(bits) != 0,
        Operand::Const(_) => return true,
        Operand::Value(value) => *value,
    };
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let function = &program.functions[of];
    // What hands it on, and is called by nobody else: an inline function of a header.
    if let Some(n) = function.params.iter().position(|p| *p == value) {
        let known = calls(program, &function.name).next().is_some();
        return !known || may_be_given(program, &function.name, n, bits, depth);
    }
    let may = |operand: &Operand| may_have(program, of, operand, bits, depth);
    match Definitions::new(function).of(value).map(|i| &i.op) {
        Some(Op::Bin { op, lhs, rhs }) => match op {
            BinOp::Or => may(lhs) || may(rhs),
            BinOp::And => may(lhs) && may(rhs),
            _ => true,
        },
        Some(Op::Select {
            if_true, if_false, ..
        }) => may(if_true) || may(if_false),
        Some(Op::Phi(from)) => from.iter().any(|(_, operand)| may(operand)),
        _ => true,
    }
}
