use fixedbitset::FixedBitSet;
use irkiss::{
    config::*,
    frontend::text::close_text,
    symex::{exec::*, state::State},
};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let o = Options {
        unwind: a[3].parse().unwrap(),
        ..Options::default()
    };
    let c = close_text(&text, &o).unwrap();
    let n = c.concurrent.sites.len();
    let mut all = FixedBitSet::with_capacity(n);
    all.insert_range(..);
    let t = std::time::Instant::now();
    let mut r = Executor::new(
        &c.sequential,
        Mode::Merge,
        Limits {
            unwind: o.unwind,
            recursion: 3,
            instructions: a[4].parse().unwrap(),
        },
        CheckInputs {
            pair: [0; 3],
            enabled: all.clone(),
            checked: all,
            ts_max: a[2].parse().unwrap(),
        },
    );
    let x = r.run("__kiss_main", State::default());
    println!(
        "{:?} instr {} merges {} terms {} fails {} ends {} {:?}",
        t.elapsed(),
        r.instructions,
        r.merges,
        r.terms.len(),
        r.failures.len(),
        r.ends.len(),
        x.map(|s| s.is_some())
    );
    let mut k = std::collections::BTreeMap::new();
    for e in &r.ends {
        *k.entry(e.kind.name()).or_insert(0) += 1;
    }
    println!("{k:?}");
}
