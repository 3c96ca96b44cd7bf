//! From possible races to regions: those of one object whose bytes overlap are of one.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::accesses::Sites;
use super::conflicts::{Race, each_once};
use super::plan::{ConflictPair, Part, Party, PlannedRegion};
use super::points_to::{Address, ObjectId};
use super::regions::{Namer, add_once_in_a_while};
use crate::region::Region;

/// Bytes of an object: where and how many.
type Bytes = (Address, u64);

/// Groups the races of one object into regions: overlapping cores are one region. `conflict_pairs`: these too.
pub(super) fn add_regions(
    namer: &Namer,
    object: Option<ObjectId>,
    races: &[Race],
    conflict_pairs: bool,
    regions: &mut BTreeMap<Region, PlannedRegion>,
) {
    let of = object.map_or("unknown".to_string(), |o| namer.object(o));
    for (bytes, races) in grouped(races) {
        let name = match object {
            Some(_) => Region::new(namer.bytes(bytes.0, bytes.1)),
            None => Region::new("unknown memory"),
        };
        let part = part(namer, object, bytes.0, &races);
        let region = regions
            .entry(name.clone())
            .or_insert_with(|| PlannedRegion {
                name,
                objects: Vec::new(),
                part,
                sites_a: Vec::new(),
                sites_b: Vec::new(),
                conflict_pairs: Vec::new(),
            });
        if !region.objects.contains(&of) {
            region.objects.push(of.clone());
            region.objects.sort();
        }
        add_races(region, &races, conflict_pairs);
    }
}

/// The races of one object, each with those whose bytes overlap.
fn grouped<'r, 'k>(races: &'r [Race<'k>]) -> Vec<(Bytes, Vec<&'r Race<'k>>)> {
    let mut cores: Vec<Bytes> = races.iter().map(|r| r.core).collect();
    cores.sort_unstable();
    cores.dedup();
    // Constant ranges first, in order of offset: neighbours that overlap join.
    let mut ranges: Vec<(i64, i128)> = Vec::new();
    for (address, len) in &cores {
        let Some(start) = address.offset() else {
            continue;
        };
        let end = i128::from(start) + i128::from(*len);
        match ranges.last_mut() {
            Some((_, last)) if i128::from(start) < *last => *last = end.max(*last),
            _ => ranges.push((start, end)),
        }
    }
    let mut places: FxHashMap<Bytes, usize> = FxHashMap::default();
    let mut groups: Vec<(Bytes, Vec<&Race<'_>>)> = Vec::new();
    for race in races {
        let (address, len) = race.core;
        let place = match address.offset() {
            Some(offset) => {
                let n = ranges.partition_point(|(start, _)| *start <= offset);
                let (start, end) = ranges[n.saturating_sub(1)];
                let len = u64::try_from(end - i128::from(start)).unwrap_or(u64::MAX);
                (Address::at(address.object, start), len)
            }
            None => (address, len),
        };
        let n = *places.entry(place).or_insert(groups.len());
        if n == groups.len() {
            groups.push((place, Vec::new()));
        }
        groups[n].1.push(race);
    }
    groups
}

/// What part of an object those bytes are.
fn part(namer: &Namer, object: Option<ObjectId>, place: Address, races: &[&Race<'_>]) -> Part {
    // What only pointers write that may lead elsewhere, too, nobody may ever write.
    let mut accesses = races
        .iter()
        .flat_map(|r| r.first.accesses.iter().chain(r.second.accesses.iter()));
    let variable = namer.is_variable(object) && accesses.any(|a| namer.writes_to(object, *a));
    match (object, place.offset()) {
        (None, _) => Part::Anywhere,
        _ if variable => Part::Variable,
        (_, Some(_)) => Part::Bytes,
        (_, None) => Part::Elements,
    }
}

/// Adds the races to their region; `conflict_pairs`: access by access, too.
fn add_races(region: &mut PlannedRegion, races: &[&Race<'_>], conflict_pairs: bool) {
    let firsts = each_once(races.iter().map(|r| r.first).collect());
    let seconds = each_once(races.iter().map(|r| r.second).collect());
    region.sites_a.extend(firsts.iter().flat_map(|s| &s.own));
    region.sites_b.extend(seconds.iter().flat_map(|s| &s.own));
    if conflict_pairs {
        let side = |sites: &Sites, unmarked| Party {
            accesses: Arc::clone(&sites.accesses),
            unmarked,
        };
        for race in races {
            let pair = ConflictPair {
                first: side(race.first, race.unmarked[0]),
                second: side(race.second, race.unmarked[1]),
            };
            add_once_in_a_while(&mut region.conflict_pairs, pair);
        }
    }
}

/// Joins `x[0]` and `x` into `x[*]`, where there is one: an element is part of the array.
pub(super) fn join_elements(regions: &mut BTreeMap<Region, PlannedRegion>) {
    let single: Vec<Region> = regions.keys().cloned().collect();
    for name in single {
        let array = match name.starred() {
            starred if starred == name => Region::new(format!("{name}[*]")),
            starred => starred,
        };
        if !regions.contains_key(&array) {
            continue;
        }
        let Some(element) = regions.remove(&name) else {
            continue;
        };
        if let Some(whole) = regions.get_mut(&array) {
            whole.sites_a.extend(element.sites_a);
            whole.sites_b.extend(element.sites_b);
            whole.conflict_pairs.extend(element.conflict_pairs);
            whole.objects.extend(element.objects);
            whole.objects.sort();
            whole.objects.dedup();
        }
    }
}
