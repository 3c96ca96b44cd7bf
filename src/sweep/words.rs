//! Options as words of the command line: what `irkiss check` must be told to do what a task did, and in what two nights differ.

use crate::config::{
    Backend, Explore, Instrument, Marked, Options, RaceCheck, Reduction, RoundsBy, Scenario, Tiers,
    Track,
};
use crate::property::Property;

/// The words, an option with its value each; quoted for a shell.
pub fn of(options: &Options) -> Vec<String> {
    let usual = Options::default();
    let mut words = Words(Vec::new());
    words.what(options, &usual);
    words.bounds(options, &usual);
    words.how(options);
    words.0
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:=+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        // A name with a zero byte is none of a file.
        false => shlex::try_quote(word).map_or_else(|_| word.to_string(), |q| q.into_owned()),
    }
}

/// A number of units as people write it: `20M`.
fn units(number: u64) -> String {
    let suffixes = [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    let fits = |(size, _): &&(u64, &str)| number >= *size && number % size == 0;
    match suffixes.iter().find(fits) {
        Some((size, suffix)) => format!("{}{suffix}", number / size),
        None => number.to_string(),
    }
}

struct Words(Vec<String>);

impl Words {
    fn flag(&mut self, set: bool, option: &str) {
        if set {
            self.0.push(option.to_string());
        }
    }

    fn value(&mut self, option: &str, value: &str) {
        self.0.push(format!("{option} {}", quoted(value)));
    }

    fn number<N: Copy + PartialEq + ToString>(&mut self, option: &str, number: N, usual: N) {
        if number != usual {
            self.value(option, &number.to_string());
        }
    }

    /// What is checked.
    fn what(&mut self, options: &Options, usual: &Options) {
        let of = |o: &Options| {
            let asked = o.properties;
            // Who asks for the one asks for the other.
            let told = asked
                .iter()
                .filter(|p| *p != Property::Assert || !asked.has(Property::Bug));
            let told: Vec<&str> = told.map(Property::word).collect();
            told.join(",")
        };
        if of(options) != of(usual) {
            self.value("--property", &of(options));
        }
        if let Some(pair) = &options.pair {
            self.value("--pair", &pair.join(","));
        }
        self.flag(options.triples, "--triples");
        for name in &options.entries {
            self.value("--entry", name);
        }
        for name in &options.fields {
            self.value("--field", name);
        }
        self.flag(
            options.scenario == Scenario::Lifecycle,
            "--scenario lifecycle",
        );
        match options.marked {
            Some(Marked::Kcsan) => self.value("--marked", "kcsan"),
            Some(Marked::KcsanDefault) => self.value("--marked", "kcsan-default"),
            Some(Marked::C11) => self.value("--marked", "c11"),
            None => {}
        }
        self.flag(options.race_check == RaceCheck::Value, "--race-check value");
        for file in &options.models {
            self.value("--model", &file.display().to_string());
        }
        if let Some(file) = &options.config {
            self.value("--config", &file.display().to_string());
        }
        self.flag(options.runs, "--runs");
        self.flag(options.guarded_by, "--guarded-by");
    }

    fn bounds(&mut self, options: &Options, usual: &Options) {
        if options.tiers.contexts {
            self.value("--contexts", &options.contexts.to_string());
        }
        if let Some(switches) = options.switches {
            self.value("--switches", &switches.to_string());
        }
        let (points, most) = (options.switch_points, usual.switch_points);
        self.number("--switch-points", points, most);
        // It says that nothing is searched beyond it.
        if !options.deepen {
            self.value("--ts", &options.ts.to_string());
        }
        self.number("--unwind", options.unwind, usual.unwind);
        self.number("--recursion", options.recursion, usual.recursion);
        match options.solver {
            Backend::Auto => {}
            Backend::Bits => self.value("--solver", "bits"),
            Backend::Z3 => self.value("--solver", "z3"),
            Backend::Both => self.value("--solver", "both"),
        }
        self.number("--rlimit", options.rlimit, usual.rlimit);
        let (total, most) = (options.total_rlimit, usual.total_rlimit);
        self.number("--total-rlimit", total, most);
        let (instructions, most) = (options.max_instructions, usual.max_instructions);
        self.number("--max-instructions", instructions, most);
        if let Some(work) = options.work {
            self.value("--work", &units(work));
        }
        if let Some(seconds) = options.timeout {
            self.value("--timeout", &seconds.to_string());
        }
        if let Some(bytes) = options.memory {
            self.value("--memory", &bytes.to_string());
        }
    }

    fn how(&mut self, options: &Options) {
        self.flag(options.rounds_by == RoundsBy::Eager, "--rounds eager");
        match &options.track {
            Track::All => {}
            Track::Auto => self.value("--track", "auto"),
            Track::Fields(none) if none.is_empty() => self.value("--track", "none"),
            Track::Fields(names) => self.value("--track", &names.join(",")),
        }
        let Tiers {
            lockset,
            coverability,
            driver_nets,
            runs,
            kiss,
            contexts,
        } = options.tiers;
        let auto = lockset && coverability && runs && kiss && !driver_nets;
        if !auto {
            let all = [
                (lockset, "lockset"),
                (coverability, "coverability"),
                (runs, "runs"),
                (kiss, "kiss"),
                (contexts, "contexts"),
            ];
            let asked: Vec<&str> = all.iter().filter(|(on, _)| *on).map(|(_, n)| *n).collect();
            self.value("--tier", &asked.join(","));
        }
        match options.reduction {
            Reduction::All => self.value("--reduction", "all"),
            Reduction::EntryPointPair => self.value("--reduction", "epp"),
            Reduction::MemoryRegion => {}
        }
        self.flag(options.strict, "--strict");
        self.flag(
            options.instrument == Instrument::Every,
            "--instrument every",
        );
        self.flag(options.explore == Explore::Paths, "--explore paths");
        // Without it there are as many as there are processors, and what a budget leaves may differ.
        self.value("--jobs", &options.jobs.to_string());
    }
}

/// In what the words of one differ from those of another: `--ts 2 (was --ts 1)`; none: in nothing.
pub fn difference(now: &Options, before: &Options) -> Option<String> {
    // How many at once is no part of a result.
    let plain = |o: &Options| {
        of(&Options {
            jobs: 1,
            ..o.clone()
        })
    };
    let (now, before) = (plain(now), plain(before));
    let only = |a: &[String], b: &[String]| {
        let own: Vec<&str> = a
            .iter()
            .filter(|w| !b.contains(w))
            .map(String::as_str)
            .collect();
        match own.is_empty() {
            true => "without".to_string(),
            false => own.join(" "),
        }
    };
    (now != before).then(|| format!("{} (was: {})", only(&now, &before), only(&before, &now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_where_they_are_round() {
        assert_eq!(units(20_000_000), "20M");
        assert_eq!(units(1_500), "1500");
        assert_eq!(units(0), "0");
    }

    #[test]
    fn what_differs_is_told() {
        let usual = Options::default();
        let other = Options {
            ts: 2,
            ..usual.clone()
        };
        assert_eq!(difference(&usual, &usual), None);
        assert_eq!(
            difference(&other, &usual).as_deref(),
            Some("--ts 2 (was: --ts 1)")
        );
        let jobs = Options {
            jobs: 9,
            ..usual.clone()
        };
        assert_eq!(difference(&jobs, &usual), None);
    }
}
