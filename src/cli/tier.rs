//! Which analyses run, and what bounds them.

use clap::ValueEnum;
use irkiss::config::{Tiers, Track};
use irkiss::error::InputError;
use irkiss::property::{Properties, Property};

use super::{CheckArgs, ExploreArg, RaceCheckArg, RoundsArg, Search};

/// `--tier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierArg {
    /// All there are, contexts if --contexts is given.
    Auto,
    /// Locksets: proofs for any number of threads, and candidates.
    Lockset,
    /// Coverability in Petri nets: proofs for any number of threads. Of drivers only if asked for by name, or by `irkiss prove`.
    Coverability,
    /// Concrete runs: races that are made to happen, of drivers and programs.
    Runs,
    /// KISS's sequentialization: balanced executions.
    Kiss,
    /// Executions in rounds: K contexts for each thread (--contexts; 2 if not given).
    Contexts,
}

/// `--track`.
pub(super) fn parse_track(text: &str) -> Result<Track, String> {
    Ok(match text {
        "off" => Track::All,
        "auto" => Track::Auto,
        "none" => Track::Fields(Vec::new()),
        names => {
            let names: Vec<String> = names.split(',').map(|n| n.trim().to_string()).collect();
            let word = |n: &&String| ["", "off", "auto", "none"].contains(&n.as_str());
            if let Some(word) = names.iter().find(word) {
                return Err(format!(
                    "`{word}` is no field (off, auto and none stand alone)"
                ));
            }
            Track::Fields(names)
        }
    })
}

impl Search {
    /// The analyses asked for.
    pub(super) fn tiers(&self) -> Tiers {
        let auto = self.tier.contains(&TierArg::Auto);
        let asked = |tier| auto || self.tier.contains(&tier);
        Tiers {
            lockset: asked(TierArg::Lockset),
            coverability: asked(TierArg::Coverability),
            driver_nets: self.tier.contains(&TierArg::Coverability),
            runs: asked(TierArg::Runs),
            kiss: asked(TierArg::Kiss),
            contexts: self.tier.contains(&TierArg::Contexts) || auto && self.contexts.is_some(),
        }
    }

    /// Errors: a bound of a search that does not take place, or one that cannot be.
    pub(super) fn expect_rounds(&self) -> Result<(), InputError> {
        let mut bounds = [
            (self.contexts.is_some(), "--contexts"),
            (self.switches.is_some(), "--switches"),
        ]
        .into_iter();
        let rounds = self.tiers().contexts;
        if let (false, Some((_, option))) = (rounds, bounds.find(|(given, _)| *given)) {
            let what = "bounds executions in rounds, and none are searched";
            let advice = "give --contexts K without --tier, or add contexts to --tier";
            return Err(InputError::new(option, what).advise(advice));
        }
        if !rounds && self.track != Track::All {
            let what = "is about executions in rounds, and none are searched";
            let advice = "give --contexts K without --tier, or add contexts to --tier";
            return Err(InputError::new("--track", what).advise(advice));
        }
        if self.switch_points < 100 && !self.tiers().searches() {
            let what = "bounds executions, and none are searched";
            let advice = "add kiss or contexts to --tier";
            return Err(InputError::new("--switch-points", what).advise(advice));
        }
        if rounds && self.explore == ExploreArg::Paths {
            let what = "executions in rounds are merged: there is no search of them by paths";
            return Err(InputError::new("--explore", what).advise("leave it out, or the contexts"));
        }
        self.expect_eager()
    }

    /// Errors: what executions on guessed stores are not searched for, or with.
    fn expect_eager(&self) -> Result<(), InputError> {
        let tiers = self.tiers();
        let others = tiers.kiss || tiers.coverability || !tiers.contexts;
        let searched = Properties::of(&[Property::Race, Property::Assert]);
        let asked = self.properties();
        let what = match self.rounds {
            RoundsArg::Lazy => return Ok(()),
            RoundsArg::Eager if others => "stores are guessed in the tier of contexts alone",
            RoundsArg::Eager if self.switches.is_some() => "switches are not counted there",
            RoundsArg::Eager if self.track != Track::All => "all fields are followed there",
            RoundsArg::Eager if asked != asked.among(searched) => {
                "only races and assertions are checked there"
            }
            RoundsArg::Eager if self.race_check == RaceCheckArg::Value => {
                "what is written is not compared there"
            }
            RoundsArg::Eager => return Ok(()),
        };
        let advice = match others {
            true => "give --tier contexts, or lockset,contexts",
            false => "leave the other option out",
        };
        Err(InputError::new("--rounds", what).advise(advice))
    }
}

impl CheckArgs {
    /// As `irkiss prove` has them: only what proves.
    ///
    /// Errors: a tier that proves nothing.
    pub fn proving(mut self) -> Result<CheckArgs, InputError> {
        let asked = &mut self.search.tier;
        if let Some(tier) = [TierArg::Kiss, TierArg::Contexts]
            .into_iter()
            .find(|t| asked.contains(t))
        {
            let name = tier.to_possible_value();
            let name = name.as_ref().map_or("it", |v| v.get_name());
            let what = format!("{name} searches and proves nothing");
            return Err(
                InputError::new("--tier", what).advise("leave it out, or use `irkiss check`")
            );
        }
        if asked.contains(&TierArg::Auto) {
            *asked = vec![TierArg::Lockset, TierArg::Coverability];
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::tests::args;

    #[test]
    fn options_without_effect_are_refused() {
        for (line, word) in [
            ("--switches 3", "--switches: "),
            ("--contexts 2 --tier kiss", "--contexts: "),
            ("--contexts 2 --explore paths", "--explore: "),
            ("--track auto", "--track: "),
            ("--rounds eager", "--rounds: "),
            ("--rounds eager --contexts 2", "--rounds: "),
            ("--rounds eager --tier contexts --switches 3", "--rounds: "),
            (
                "--rounds eager --tier contexts --property uaf",
                "--rounds: ",
            ),
            ("--rounds eager --tier contexts --track auto", "--rounds: "),
            ("--switch-points 20 --tier lockset", "--switch-points: "),
            ("--format json --emit program", "--format: "),
            ("--format json --emit smt2", "--format: "),
        ] {
            let cli = args(&format!("irkiss {line} a.bc")).expect("parses");
            let error = cli.check.expect_effect().expect_err(line).to_string();
            assert!(error.starts_with(word) && error.ends_with(')'), "{error}");
        }
        for line in [
            "--race-check adjacent",
            "--race-check value",
            "--format json --emit schedule",
            "--contexts 2 --switches 3 --track a.b,c",
            "--tier contexts --switches 3",
            "--tier contexts --switch-points 20 --rounds eager",
            "--tier lockset,contexts --contexts 5",
            "--tier lockset,contexts --contexts 5 --rounds eager",
        ] {
            let cli = args(&format!("irkiss {line} a.bc")).expect("parses");
            assert_eq!(cli.check.expect_effect(), Ok(()), "{line}");
        }
    }
}
