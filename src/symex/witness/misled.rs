//! What made an execution possible that is none.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::expr::{Assignment, Evaluator, Node, Term, Terms};
use crate::symex::machine::exec::Executor;
use crate::symex::memory::untracked::Left;
use crate::symex::witness::checker::Checker;

impl Checker<'_> {
    /// What is to be followed, where a condition holds under these values and an execution with them comes to something else.
    /// None: nothing that is not followed made the difference.
    pub(in crate::symex) fn misled(
        &self,
        run: &Executor<'_>,
        values: &Assignment,
        condition: Term,
    ) -> BTreeSet<Left> {
        let terms = &self.run.terms;
        let mut roots = self.run.chosen.axioms.clone();
        roots.push(condition);
        let mattered = reasons(terms, values, &roots);
        let mut wrong = run.journal().untracked.iter().filter(|r| !r.same);
        let first = wrong.clone().find(|r| mattered.contains(&r.var));
        // Else it left the way of the symbolic run before it came to what mattered.
        let first = first.or_else(|| wrong.next());
        first.into_iter().map(|r| r.what).collect()
    }
}

/// The variables whose values make these Booleans what they are: where one operand is enough, those of one.
fn reasons(terms: &Terms, values: &Assignment, roots: &[Term]) -> FxHashSet<Term> {
    let mut known = Evaluator::new(values);
    let mut seen: FxHashSet<Term> = roots.iter().copied().collect();
    let mut todo: Vec<Term> = roots.to_vec();
    let mut vars = FxHashSet::default();
    while let Some(t) = todo.pop() {
        let mut push = |x: Term| {
            if seen.insert(x) {
                todo.push(x);
            }
        };
        match *terms.node(t) {
            Node::Var(_) => {
                vars.insert(t);
            }
            Node::And(a, b) if terms.width(t) == 1 => {
                match (known.holds(terms, a), known.holds(terms, b)) {
                    (true, true) => {
                        push(a);
                        push(b);
                    }
                    (false, _) => push(a),
                    (true, false) => push(b),
                }
            }
            Node::Ite(c, a, b) => {
                push(c);
                push(if known.holds(terms, c) { a } else { b });
            }
            ref node => node.for_each_operand(push),
        }
    }
    vars
}
