//! Generated nets in the shapes of the benchmarks of coverability (mutual exclusion, manufacturing, meshes, buffers, threads that share
//! a state): the answer is what it must be, with and without pruning and reduction, and the search is small.
//!
//! `cargo test --test nets -- --nocapture` prints the counts; `IRKISS_NETS` is the largest number of transitions (default 200).

use irkiss::internals::analysis::coverability::backward::Answer;
use irkiss::internals::analysis::coverability::net::{Net, PlaceId, Transition, bag};
use irkiss::internals::analysis::coverability::pairs::Pairs;
use irkiss::internals::analysis::coverability::{Settings, decide, text};
use irkiss::internals::index::Idx;

/// Makes nets.
#[derive(Default)]
struct Maker(Net);

impl Maker {
    fn place(&mut self, name: &str) -> PlaceId {
        self.0.places.push(name.to_string())
    }
    fn places(&mut self, name: &str, n: usize) -> Vec<PlaceId> {
        (0..n).map(|k| self.place(&format!("{name}{k}"))).collect()
    }
    fn step(&mut self, pre: &[PlaceId], post: &[PlaceId]) {
        self.0.transitions.push(Transition {
            pre: bag(pre.iter().copied()),
            post: bag(post.iter().copied()),
            ..Transition::default()
        });
    }
}

/// Any number of threads take a lock, walk through a section of `length` statements and give it back. `leak`: one statement gives it
/// back too early. Two in the section at its last statement.
fn section(length: usize, leak: bool) -> Net {
    let mut m = Maker::default();
    let (idle, lock) = (m.place("idle"), m.place("lock"));
    let at = m.places("at", length);
    m.step(&[idle, lock], &[at[0]]);
    for k in 1..length {
        if leak && k == length / 2 {
            m.step(&[at[k - 1]], &[at[k], lock]);
        } else {
            m.step(&[at[k - 1]], &[at[k]]);
        }
    }
    m.step(&[at[length - 1]], &[idle, lock]);
    m.0.initial = bag([lock]);
    m.0.unbounded = vec![idle];
    m.0.targets = vec![bag([at[length - 1], at[length - 1]])];
    m.0
}

/// As many locks as kinds of threads; a thread takes two locks one after the other, in the order of their numbers. Two threads
/// of different kinds that share a lock, both in their sections.
fn locks(kinds: usize) -> Net {
    let mut m = Maker::default();
    let locks = m.places("lock", kinds + 1);
    let idle = m.places("idle", kinds);
    let mut inside = Vec::new();
    for k in 0..kinds {
        let (one, both) = (m.place(&format!("one{k}")), m.place(&format!("both{k}")));
        m.step(&[idle[k], locks[k]], &[one]);
        m.step(&[one, locks[k + 1]], &[both]);
        m.step(&[both], &[one, locks[k + 1]]);
        m.step(&[one], &[idle[k], locks[k]]);
        inside.push(both);
    }
    m.0.initial = bag(locks);
    m.0.unbounded = idle;
    let near = inside.windows(2).map(|w| bag([w[0], w[1]]));
    m.0.targets = near.collect();
    m.0
}

/// A line of manufacturing cells with `cards` cards each (kanban): a part enters a cell with a card, is worked on, may be worked on
/// again, and leaves when the next cell takes it. More parts in a cell than it has cards.
fn kanban(cells: usize, cards: u32) -> Net {
    let mut m = Maker::default();
    let mut initial = Vec::new();
    let mut before: Option<PlaceId> = None;
    let mut targets = Vec::new();
    let mut previous_card: Option<PlaceId> = None;
    for k in 0..cells {
        let [card, work, again, done] =
            ["card", "work", "again", "done"].map(|name| m.place(&format!("{name}{k}")));
        initial.extend((0..cards).map(|_| card));
        match (before, previous_card) {
            (Some(part), Some(freed)) => m.step(&[part, card], &[work, freed]),
            _ => m.step(&[card], &[work]),
        }
        m.step(&[work], &[done]);
        m.step(&[work], &[again]);
        m.step(&[again], &[work]);
        targets.push(bag((0..=cards).map(|_| done)));
        (before, previous_card) = (Some(done), Some(card));
    }
    if let (Some(part), Some(card)) = (before, previous_card) {
        m.step(&[part], &[card]);
    }
    m.0.initial = bag(initial);
    m.0.targets = targets;
    m.0
}

/// A square of cells; each is free or holds one parcel, which moves to a free neighbour. Two parcels in one cell.
fn mesh(side: usize) -> Net {
    let mut m = Maker::default();
    let free = m.places("free", side * side);
    let full = m.places("full", side * side);
    for y in 0..side {
        for x in 0..side {
            let here = y * side + x;
            for (dx, dy) in [(0, 1), (1, 0), (0, side - 1), (side - 1, 0)] {
                let there = (y + dy) % side * side + (x + dx) % side;
                if there != here {
                    m.step(&[full[here], free[there]], &[free[here], full[there]]);
                }
            }
        }
    }
    let taken = side * side / 2;
    m.0.initial = bag(full[..taken].iter().chain(&free[taken..]).copied());
    m.0.targets = vec![bag([full[0], full[0]]), bag([full[0], free[0]])];
    m.0
}

/// Buffers in a line, without a bound; any number of producers. Three items in the last one.
fn buffers(n: usize) -> Net {
    let mut m = Maker::default();
    let source = m.place("source");
    let buffers = m.places("buffer", n);
    m.step(&[source], &[source, buffers[0]]);
    for w in buffers.windows(2) {
        m.step(&[w[0]], &[w[1]]);
    }
    m.0.initial = bag([source]);
    let last = buffers[n - 1];
    m.0.targets = vec![bag([last, last, last])];
    m.0
}

/// Any number of threads that share one variable: from the shared value and their own place they go on to others, as a random table says
/// (the shape of Boolean programs). Two threads at the last place.
fn threads(shared: usize, places: usize, steps: usize, seed: u64) -> Net {
    let mut state = seed;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut m = Maker::default();
    let value = m.places("value", shared);
    let at = m.places("at", places);
    for _ in 0..steps {
        let (s, t) = (below(shared), below(shared));
        let p = below(places);
        // Mostly a little further.
        let q = (p + 1 + below(3)).min(places - 1);
        let q = if below(5) == 0 { below(places) } else { q };
        m.step(&[value[s], at[p]], &[value[t], at[q]]);
    }
    m.0.initial = bag([value[0]]);
    m.0.unbounded = vec![at[0]];
    m.0.targets = vec![bag([at[places - 1], at[places - 1]])];
    m.0
}

/// Stations in a ring; who has the token may be inside. Two stations inside.
fn ring(n: usize) -> Net {
    let mut m = Maker::default();
    let token = m.places("token", n);
    let outside = m.places("outside", n);
    let inside = m.places("inside", n);
    for k in 0..n {
        m.step(&[token[k], outside[k]], &[inside[k]]);
        m.step(&[inside[k]], &[outside[k], token[(k + 1) % n]]);
        m.step(&[token[k]], &[token[(k + 1) % n]]);
    }
    m.0.initial = bag(outside.into_iter().chain([token[0]]));
    m.0.targets = vec![bag([inside[0], inside[n / 2]]), bag([inside[0], token[1]])];
    m.0
}

/// Whether a firing sequence covers a target of the net.
fn replays(
    net: &Net,
    path: &[irkiss::internals::analysis::coverability::net::TransitionId],
) -> bool {
    let mut marking: Vec<u64> = net
        .places
        .ids()
        .map(|p| u64::from(net.initially(p)))
        .collect();
    let many = u64::from(u32::MAX);
    for t in path {
        let t = &net.transitions[*t];
        for (p, n) in &t.pre {
            let here = &mut marking[p.index()];
            if *here < u64::from(*n) {
                return false;
            }
            if *here < many {
                *here -= u64::from(*n);
            }
        }
        for p in &t.empties {
            marking[p.index()] = 0;
        }
        for (p, n) in &t.post {
            if marking[p.index()] < many {
                marking[p.index()] += u64::from(*n);
            }
        }
    }
    let mut targets = net.targets.iter();
    targets.any(|t| t.iter().all(|(p, n)| marking[p.index()] >= u64::from(*n)))
}

/// A shape, a net of it for a number of transitions, and whether it is safe (`None`: whatever comes out).
type Shape = (&'static str, fn(usize) -> Net, Option<bool>);

const SHAPES: &[Shape] = &[
    ("section", |t| section(t.max(4) - 1, false), Some(true)),
    (
        "section that leaks",
        |t| section(t.max(8) - 1, true),
        Some(false),
    ),
    ("locks", |t| locks((t / 4).max(2)), Some(true)),
    ("kanban", |t| kanban((t / 4).max(2), 1), Some(true)),
    (
        "mesh",
        |t| mesh(((t / 4) as f64).sqrt() as usize),
        Some(true),
    ),
    ("ring", |t| ring((t / 3).max(4)), Some(true)),
    ("buffers", |t| buffers(t.max(2)), Some(false)),
    ("threads, sparse", |t| threads(8, t, t, 7), None),
    (
        "threads, dense",
        |t| threads(4, (t / 16).max(2), t, 11),
        None,
    ),
];

/// With nothing, with reduction, with the invariant, with both.
const WAYS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

#[test]
fn generated_nets() {
    let largest = std::env::var("IRKISS_NETS")
        .ok()
        .and_then(|v| v.parse().ok());
    let largest: usize = largest.unwrap_or(200);
    let mut undecided = Vec::new();
    println!(
        "| net | transitions | safe | markings met: plain | reduced | invariant | both | transitions searched |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, make, safe) in SHAPES {
        for size in [40, 200, 1_000, 10_000] {
            if size > largest {
                continue;
            }
            let net = make(size);
            let pairs = Pairs::solve(&net);
            let mut met = Vec::new();
            let mut known = *safe;
            let mut searched = 0;
            for (reduce, invariant) in WAYS {
                let settings = Settings {
                    markings: 60_000,
                    invariant,
                    reduce,
                    ..Settings::default()
                };
                let (answer, counts) = decide(&net, &pairs, &settings);
                searched = counts.transitions;
                let found = match &answer {
                    Answer::Safe => Some(true),
                    Answer::Covered(path) => {
                        assert!(replays(&net, path), "{name} {size}: {path:?}");
                        Some(false)
                    }
                    Answer::Unknown(_) => None,
                };
                if let Some(found) = found {
                    assert_eq!(*known.get_or_insert(found), found, "{name} {size}");
                }
                if reduce && invariant && found.is_none() {
                    undecided.push(format!("{name} {size}"));
                }
                met.push(match found {
                    Some(_) => counts.met.to_string(),
                    None => "–".to_string(),
                });
            }
            let safe = match known {
                Some(true) => "yes",
                Some(false) => "no",
                None => "?",
            };
            let met = met.join(" | ");
            println!(
                "| {name} | {} | {safe} | {met} | {searched} |",
                net.transitions.len()
            );
        }
    }
    assert!(undecided.is_empty(), "not decided: {undecided:?}");
}

/// Random small nets: reduction and invariant change no answer.
#[test]
fn reduction_and_invariant_change_no_answer() {
    let (mut safe, mut covered) = (0, 0);
    for seed in 0..800 {
        let net = match seed % 2 {
            0 => threads(1 + seed as usize % 3, 6, 4 + seed as usize % 9, seed),
            _ => random(seed),
        };
        let pairs = Pairs::solve(&net);
        let mut first = None;
        for (reduce, invariant) in WAYS {
            let settings = Settings {
                markings: 3_000,
                invariant,
                reduce,
                ..Settings::default()
            };
            let (answer, _) = decide(&net, &pairs, &settings);
            let found = match answer {
                Answer::Safe => true,
                Answer::Covered(path) => {
                    assert!(replays(&net, &path), "seed {seed}");
                    false
                }
                Answer::Unknown(_) => continue,
            };
            assert_eq!(*first.get_or_insert(found), found, "seed {seed}: {net:#?}");
        }
        safe += u32::from(first == Some(true));
        covered += u32::from(first == Some(false));
    }
    println!("{safe} safe, {covered} covered");
    assert!(
        safe > 100 && covered > 100,
        "{safe} safe, {covered} covered"
    );
}

fn random(seed: u64) -> Net {
    let mut state = seed ^ 0x5eed;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut m = Maker::default();
    let places = m.places("p", 4);
    for _ in 0..4 + below(6) {
        let some = |k: usize, below: &mut dyn FnMut(usize) -> usize| -> Vec<PlaceId> {
            (0..k).map(|_| places[below(4)]).collect()
        };
        let (a, b) = (1 + below(2), below(4));
        let (pre, post) = (some(a, &mut below), some(b, &mut below));
        m.step(&pre, &post);
    }
    m.0.initial = bag((0..1 + below(3)).map(|_| places[below(4)]));
    m.0.targets = vec![bag((0..1 + below(3)).map(|_| places[below(4)]))];
    m.0
}

/// A small net of any shape, in which some transitions empty places.
fn any(seed: u64) -> Net {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    let mut m = Maker::default();
    let all = m.places("p", 5);
    for _ in 0..7 {
        let pre: Vec<PlaceId> = (0..1 + below(2)).map(|_| all[below(5)]).collect();
        let post: Vec<PlaceId> = (0..below(3)).map(|_| all[below(5)]).collect();
        let emptied = (below(3) == 0).then(|| all[below(5)]);
        m.0.transitions.push(Transition {
            pre: bag(pre),
            post: bag(post),
            empties: emptied.into_iter().collect(),
        });
    }
    m.0.initial = bag((0..3).map(|_| all[below(5)]));
    m.0.targets = vec![bag([all[below(5)], all[below(5)], all[below(5)]])];
    m.0
}

/// Whether a target is covered within so many tokens a place, by going forward.
fn forward(net: &Net, most: u32) -> bool {
    let first: Vec<u32> = net.places.ids().map(|p| net.initially(p)).collect();
    let mut seen = std::collections::BTreeSet::from([first.clone()]);
    let mut work = vec![first];
    while let Some(marking) = work.pop() {
        let holds = |bag: &[(PlaceId, u32)]| bag.iter().all(|(p, n)| marking[p.index()] >= *n);
        if net.targets.iter().any(|t| holds(t)) {
            return true;
        }
        for t in net.transitions.iter().filter(|t| holds(&t.pre)) {
            let mut next = marking.clone();
            t.pre.iter().for_each(|(p, n)| next[p.index()] -= n);
            t.empties.iter().for_each(|p| next[p.index()] = 0);
            t.post.iter().for_each(|(p, n)| next[p.index()] += n);
            // Fewer tokens do no more: what is found is there.
            next.iter_mut().for_each(|n| *n = (*n).min(most));
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    false
}

/// What is found going forward is found going backward, and the other way round, in nets in which places are emptied.
#[test]
fn small_nets_that_empty_places() {
    let (mut covered, mut safe) = (0, 0);
    for seed in 0..3_000 {
        let net = any(seed);
        let found = forward(&net, 5);
        let pairs = Pairs::solve(&net);
        for (reduce, invariant) in WAYS {
            let settings = Settings {
                markings: 5_000,
                invariant,
                reduce,
                ..Settings::default()
            };
            match decide(&net, &pairs, &settings).0 {
                Answer::Safe => assert!(!found, "{seed} {reduce} {invariant}"),
                Answer::Covered(path) => assert!(replays(&net, &path), "{seed}: {path:?}"),
                Answer::Unknown(_) => continue,
            }
        }
        covered += u32::from(found);
        safe += u32::from(!found);
    }
    assert!(covered > 300 && safe > 300, "{covered} {safe}");
}

/// The value of an attribute of an XML element.
fn attribute<'t>(element: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// What a PNML document must be (ISO/IEC 15909-2): elements nest, identifiers are unique, an arc leads from a place to a transition or back,
/// and nothing of the net is missing.
fn check_pnml(document: &str, nets: &[(String, Net)]) {
    let mut open: Vec<&str> = Vec::new();
    let mut kinds = std::collections::BTreeMap::new();
    let mut arcs = Vec::new();
    let mut counts = [0; 3];
    for part in document.split('<').skip(1) {
        let (element, _) = part.split_once('>').expect("an element ends");
        if element.starts_with('?') {
            continue;
        }
        if let Some(name) = element.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "nested");
            continue;
        }
        let name = element.split([' ', '/']).next().expect("a name");
        if let Some(id) = attribute(element, "id") {
            assert!(kinds.insert(id, name).is_none(), "{id} twice");
        }
        match name {
            "place" => counts[0] += 1,
            "transition" => counts[1] += 1,
            "arc" => {
                counts[2] += 1;
                let end = |which| attribute(element, which).expect("an arc has ends");
                arcs.push((end("source"), end("target"), open.clone()));
            }
            _ => {}
        }
        if !element.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    for (source, target, within) in arcs {
        let ends = [kinds[source], kinds[target]];
        assert!(
            ends == ["place", "transition"] || ends == ["transition", "place"],
            "{source} {target}"
        );
        assert_eq!(within, ["pnml", "net", "page"]);
    }
    let all = |f: &dyn Fn(&Net) -> usize| nets.iter().map(|(_, net)| f(net)).sum::<usize>();
    let arcs = |net: &Net| {
        let ends = net.transitions.iter().map(|t| t.pre.len() + t.post.len());
        ends.sum::<usize>() + net.unbounded.len()
    };
    let wanted = [
        all(&|net| net.places.len()),
        all(&|net| net.transitions.len() + net.unbounded.len()),
        all(&arcs),
    ];
    assert_eq!(counts, wanted);
}

#[test]
fn pnml_is_what_the_standard_says() {
    let mut nets: Vec<(String, Net)> = Vec::new();
    for (name, make, _) in SHAPES {
        nets.push((format!("{name} <&\"> 1"), make(40)));
    }
    nets.extend((0..20).map(|seed| (format!("any {seed}"), any(seed))));
    check_pnml(&text::pnml(&nets), &nets);
}
