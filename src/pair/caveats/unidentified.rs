//! What a pair rests on that nobody told: whose the objects are that come from outside.

use std::collections::BTreeSet;

use crate::analysis::plan::{PairPlan, Part, PlannedRegion};
use crate::analysis::unidentified::Unidentified;
use crate::assumption::Assumption;
use crate::frontend::Closed;
use crate::identity::{Choice, ChoiceKind};
use crate::index::{FuncId, Idx};
use crate::program::{Function, Type};
use crate::region::Region;
use crate::verdict::{Claim, Finding, PairResult, Verdicts, Why};

use super::{Checked, Closing, Shared, Task};
use crate::pair::asked_for;

/// A plan for two objects of a kind of which nothing tells the numbers: what they index is each one's own, or not.
pub(in crate::pair) fn of_each_its_own(
    mut plan: PairPlan,
    closed: &Closed,
    (task, kind): (&Task, &str),
) -> PairPlan {
    let mut entries = task.entries().iter().map(|e| &closed.entries[*e]);
    let functions = &closed.concurrent.functions;
    let mut executed = plan.functions.ones().map(|f| &functions[FuncId::new(f)]);
    // A function without a model that is given one may answer with its number.
    let answers = |f: &Function| f.is_given_pointers() && matches!(f.ret, Type::Int(_));
    if !entries.any(|e| e.unnumbered) && !executed.any(answers) {
        return plan;
    }
    let (elements, regions) = plan
        .regions
        .into_iter()
        .partition(|r| r.part == Part::Elements);
    plan.regions = regions;
    let elements: Vec<PlannedRegion> = elements;
    let meetings = elements.into_iter().map(|region| Unidentified {
        name: region.name,
        objects: vec![format!("the element of each {kind}")],
    });
    plan.unidentified.memory.extend(meetings);
    plan.unidentified.memory.sort_by(|a, b| a.name.cmp(&b.name));
    plan
}

/// Whatever was found out of other objects, nothing is known of those that may be another's; the rest lists what it rests on.
pub(super) fn told(checked: &mut Checked, closing: &Closing<'_, '_, '_>) {
    let Closing {
        shared, task, plan, ..
    } = *closing;
    let choices = choices(plan, shared);
    for finding in &mut checked.findings {
        let rests_on = rests_on(finding, &choices);
        finding.assumptions.extend(rests_on);
    }
    let regions = &mut checked.pair.regions;
    regions.rest_on(|_| {
        let rests_on = choices.iter().map(|c| Assumption::Identity((*c).clone()));
        rests_on.collect()
    });
    let anywhere = plan.regions.iter().filter(|r| r.part == Part::Anywhere);
    let anywhere: BTreeSet<&Region> = anywhere.map(|r| &r.name).collect();
    regions.take_back(|region| {
        let own = region.claim().region().filter(|_| region.is_claimed())?;
        if anywhere.contains(own) {
            let origin = "a pointer of unknown origin".to_string();
            return Some(Why::Unidentified(vec![origin]));
        }
        // What each has its own of, was searched as such.
        let own = task.has_two().is_none().then(|| own.starred())?;
        let (_, object) = plan.of_one.iter().find(|(region, _)| *region == own)?;
        Some(Why::OneOfSeveral(object.clone()))
    });
    locks(regions, plan);
    meetings(&mut checked.pair, plan, &shared.options.fields);
}

/// Whether the two wait for each other is not known where the lock that both take may be one.
fn locks(regions: &mut Verdicts, plan: &PairPlan) {
    let mut objects: Vec<String> = Vec::new();
    for meeting in &plan.unidentified.locks {
        objects.extend(meeting.objects.iter().cloned());
    }
    if objects.is_empty() {
        return;
    }
    objects.sort();
    objects.dedup();
    regions.take_back(|region| {
        let held = *region.claim() == Claim::Deadlocks && region.is_claimed();
        held.then(|| Why::Unidentified(objects.clone()))
    });
}

/// The assumptions about what is given to functions that the threads may execute.
fn choices<'a>(plan: &PairPlan, shared: &Shared<'a, '_>) -> Vec<&'a Choice> {
    let functions = &shared.closed.concurrent.functions;
    let executed = |c: &&Choice| {
        plan.functions
            .ones()
            .any(|f| functions[FuncId::new(f)].name == c.by)
    };
    shared.closed.identity.iter().filter(executed).collect()
}

/// Those that a finding's own interleaving rests on: who is given the object takes part in it.
fn rests_on(finding: &Finding, choices: &[&Choice]) -> BTreeSet<String> {
    let entries = finding.accesses.iter().map(|a| &a.entry_point);
    let stacks = finding.accesses.iter().flat_map(|a| &a.stack);
    let events = finding.events.iter().map(|e| &e.at);
    let mut part: BTreeSet<&String> = stacks.chain(events).map(|f| &f.function).collect();
    part.extend(entries);
    let same = choices.iter().filter(|c| c.kind != ChoiceKind::Private);
    same.filter(|c| part.contains(&c.by))
        .map(ToString::to_string)
        .collect()
}

fn meetings(pair: &mut PairResult, plan: &PairPlan, fields: &[String]) {
    let mut any = false;
    for meeting in &plan.unidentified.memory {
        if !fields.is_empty() && !asked_for(meeting.name.name(), fields) {
            continue;
        }
        any = true;
        let claim = Claim::Region(meeting.name.clone());
        let why = Why::Unidentified(meeting.objects.clone());
        pair.regions.doubt(claim, &why);
    }
    if any {
        pair.nothing_shared = false;
    }
}
