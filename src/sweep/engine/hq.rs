//! HyperQueue: task arrays (`hq submit --array`), followed with `hq job info`.

use serde::Deserialize;

use super::batch::{Array, Queue, State, States, said};
use crate::error::InputError;

/// HyperQueue.
#[derive(Clone, Copy, Debug)]
pub struct HyperQueue;

/// What `hq submit` says.
#[derive(Deserialize)]
struct Submitted {
    id: u64,
}

/// What `hq job info` says of a job.
#[derive(Deserialize)]
struct Job {
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    id: usize,
    state: String,
    error: Option<String>,
}

impl Queue for HyperQueue {
    fn submit(&self, array: &Array<'_>) -> Result<String, InputError> {
        let text = said("hq", &submitted(array)).map_err(advised)?;
        let job: Submitted = serde_json::from_str(&text)
            .map_err(|e| InputError::new("hq submit", format!("tells no number of a job: {e}")))?;
        Ok(job.id.to_string())
    }

    fn states(&self, job: &str) -> Result<States, InputError> {
        let words = ["--output-mode=json", "job", "info", job];
        let text = said("hq", &words.map(Into::into)).map_err(advised)?;
        of_info(&text)
    }

    fn cancel(&self, job: &str) -> Result<(), InputError> {
        let words = ["--output-mode=json", "job", "cancel", job];
        said("hq", &words.map(Into::into)).map(|_| ())
    }
}

fn advised(error: InputError) -> InputError {
    match error.advice.is_empty() {
        true => error.advise("is its server there? hq server start, hq worker start"),
        false => error,
    }
}

/// The words for hq. Those of the user come last: they hold.
fn submitted(array: &Array<'_>) -> Vec<String> {
    let mut words: Vec<String> = ["--output-mode=json", "submit"].map(Into::into).into();
    words.extend([
        format!("--array=0-{}", array.shards.saturating_sub(1)),
        format!("--name={}", array.name),
        format!("--cpus={}", array.jobs),
        // Each has its own log.
        "--stdout=none".to_string(),
        "--stderr=none".to_string(),
        // The script is ours: there is nothing for hq in it.
        "--directives=off".to_string(),
    ]);
    words.extend(array.options.iter().cloned());
    words.push("--".to_string());
    words.push(array.start.display().to_string());
    words
}

/// What `hq job info` says: a list with one job.
fn of_info(text: &str) -> Result<States, InputError> {
    let jobs: Vec<Job> = serde_json::from_str(text)
        .map_err(|e| InputError::new("hq job info", format!("says something else: {e}")))?;
    let tasks = jobs.into_iter().flat_map(|j| j.tasks);
    let state = |task: Task| {
        let state = match task.state.as_str() {
            "waiting" => State::Waiting(String::new()),
            "running" => State::Running,
            // finished, failed, canceled, aborted
            other => State::Ended(match task.error {
                Some(error) => format!("{other} ({error})"),
                None => other.to_string(),
            }),
        };
        (task.id, state)
    };
    Ok(States(tasks.map(state).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hq_is_told() {
        let options = ["--time-limit=2h".to_string()];
        let array = Array {
            name: "irkiss-night-3".to_string(),
            shards: 12,
            jobs: 2,
            start: "/s/start.sh".into(),
            options: &options,
        };
        assert_eq!(
            submitted(&array).join(" "),
            "--output-mode=json submit --array=0-11 --name=irkiss-night-3 --cpus=2 --stdout=none --stderr=none \
             --directives=off --time-limit=2h -- /s/start.sh"
        );
    }

    #[test]
    fn what_hq_says() {
        let said = r#"[{"finished_at": null, "info": {"id": 1, "name": "x", "task_count": 4, "task_stats": {"running": 1}},
            "max_fails": null, "task-desc": {"array": {}}, "tasks": [
            {"id": 0, "state": "finished", "worker": 1, "started_at": "x", "finished_at": "y"}, {"id": 1, "state": "running", "worker": 1},
            {"id": 2, "state": "waiting"}, {"id": 3, "state": "failed", "error": "Error: Program terminated with exit code 2"}]}]"#;
        let states = of_info(said).expect("a list");
        assert!(states.are_active());
        let expected = [
            State::Ended("finished".to_string()),
            State::Running,
            State::Waiting(String::new()),
            State::Ended("failed (Error: Program terminated with exit code 2)".to_string()),
        ];
        assert_eq!(states.0.into_values().collect::<Vec<_>>(), expected);
        assert!(of_info("No server").is_err());
    }
}
