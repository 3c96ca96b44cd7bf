//! Slurm: job arrays (`sbatch --array`), followed with `squeue`, and with `sacct` where the controller has forgotten them.

use super::batch::{Array, Queue, State, States, said};
use crate::error::InputError;

/// Slurm.
#[derive(Clone, Copy, Debug)]
pub struct Slurm;

impl Queue for Slurm {
    fn submit(&self, array: &Array<'_>) -> Result<String, InputError> {
        let id = said("sbatch", &submitted(array))?;
        // With several clusters: `ID;CLUSTER`.
        let id = id.trim().split(';').next().unwrap_or_default();
        match !id.is_empty() && id.chars().all(|c| c.is_ascii_digit()) {
            true => Ok(id.to_string()),
            false => Err(InputError::new(
                "sbatch",
                format!("tells no number of a job: {id}"),
            )),
        }
    }

    fn states(&self, job: &str) -> Result<States, InputError> {
        let words = [
            "--noheader",
            "--array",
            "--states=all",
            "--format=%K|%T|%r",
            "--jobs",
            job,
        ];
        match said("squeue", &words.map(Into::into)) {
            Ok(text) => Ok(of_squeue(&text)),
            // A job that ended some minutes ago is none any more.
            Err(error) if error.what.contains("Invalid job id") => Ok(accounted(job)),
            Err(error) => Err(error),
        }
    }

    fn cancel(&self, job: &str) -> Result<(), InputError> {
        said("scancel", &[job.to_string()]).map(|_| ())
    }
}

/// The words for sbatch. Those of the user come last: they hold.
fn submitted(array: &Array<'_>) -> Vec<String> {
    let mut words = vec![
        "--parsable".to_string(),
        format!("--array=0-{}", array.shards.saturating_sub(1)),
        format!("--job-name={}", array.name),
        format!("--cpus-per-task={}", array.jobs),
        "--nodes=1".to_string(),
        "--ntasks=1".to_string(),
        // A shard whose node dies begins where it was.
        "--requeue".to_string(),
        // Each has its own log.
        "--output=/dev/null".to_string(),
        "--error=/dev/null".to_string(),
    ];
    words.extend(array.options.iter().cloned());
    words.push(array.start.display().to_string());
    words
}

/// A state of Slurm.
fn state(word: &str, reason: &str) -> State {
    match word {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
        | "RESV_DEL_HOLD" => {
            let plain = ["None", "Priority", "Resources", ""];
            State::Waiting(match plain.contains(&reason) {
                true => String::new(),
                false => reason.to_string(),
            })
        }
        "RUNNING" | "CONFIGURING" | "COMPLETING" | "STAGE_OUT" | "SIGNALING" | "STOPPED"
        | "SUSPENDED" | "RESIZING" => State::Running,
        // COMPLETED, FAILED, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY, CANCELLED, PREEMPTED, …
        other => State::Ended(other.to_string()),
    }
}

/// What squeue says: `INDEX|STATE|REASON` lines.
fn of_squeue(text: &str) -> States {
    let mut states = States::default();
    for line in text.lines() {
        let mut parts = line.trim().splitn(3, '|');
        let (index, word, reason) = (parts.next(), parts.next(), parts.next());
        if let (Some(Ok(index)), Some(word)) = (index.map(str::parse), word) {
            states
                .0
                .insert(index, state(word, reason.unwrap_or_default()));
        }
    }
    states
}

/// What is known of a job that the controller has forgotten; nothing where nobody keeps accounts.
fn accounted(job: &str) -> States {
    let words = [
        "--noheader",
        "--parsable2",
        "--allocations",
        "--format=JobID,State",
        "--jobs",
        job,
    ];
    let text = said("sacct", &words.map(Into::into)).unwrap_or_default();
    of_sacct(&text)
}

/// What sacct says: `JOB_INDEX|STATE` lines.
fn of_sacct(text: &str) -> States {
    let mut states = States::default();
    for line in text.lines() {
        let Some((job, word)) = line.trim().split_once('|') else {
            continue;
        };
        let index = job.split_once('_').and_then(|(_, i)| i.parse().ok());
        // `CANCELLED by 0`
        let word = word.split(' ').next().unwrap_or_default();
        if let Some(index) = index {
            states.0.insert(index, state(word, ""));
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sbatch_is_told() {
        let options = ["--partition=long".to_string(), "--account=me".to_string()];
        let array = Array {
            name: "irkiss-night-3".to_string(),
            shards: 12,
            jobs: 2,
            start: "/s/start.sh".into(),
            options: &options,
        };
        assert_eq!(
            submitted(&array).join(" "),
            "--parsable --array=0-11 --job-name=irkiss-night-3 --cpus-per-task=2 --nodes=1 --ntasks=1 --requeue \
             --output=/dev/null --error=/dev/null --partition=long --account=me /s/start.sh"
        );
    }

    #[test]
    fn what_squeue_and_sacct_say() {
        let states = of_squeue(
            "0|COMPLETED|None\n1|RUNNING|None\n2|PENDING|Resources\n3|PENDING|PartitionNodeLimit\n4|NODE_FAIL|NodeDown\n",
        );
        let expected = [
            State::Ended("COMPLETED".to_string()),
            State::Running,
            State::Waiting(String::new()),
            State::Waiting("PartitionNodeLimit".to_string()),
            State::Ended("NODE_FAIL".to_string()),
        ];
        assert_eq!(states.0.into_values().collect::<Vec<_>>(), expected);
        let states = of_sacct("7_0|COMPLETED\n7_1|CANCELLED by 0\n7_[2-9]|PENDING\n");
        assert!(!states.are_active());
        assert_eq!(states.0[&1], State::Ended("CANCELLED".to_string()));
        assert_eq!(of_squeue(""), States::default());
    }
}
