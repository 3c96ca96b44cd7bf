//! Runs that the queue of a cluster carries out. The commands of the queue are stand-ins here, which start the shards on this machine:
//! a real Slurm and a real HyperQueue are what `make campaign-engines` is for.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::bench::{Bench, text};

/// Starts the shards at once. `HARM`: in the first array the first shard is killed as soon as it has begun with something.
const SBATCH: &str = r#"#!/bin/sh
for word; do
  case $word in --array=0-*) last=${word#--array=0-};; esac
  script=$word
done
here=${0%/*}
job=$(ls -d "$here"/job-* 2>/dev/null | wc -l)
mkdir "$here/job-$job"
n=0
while [ $n -le $last ]; do
  SLURM_ARRAY_TASK_ID=$n setsid "$script" > /dev/null 2>&1 < /dev/null &
  echo $! > "$here/job-$job/$n"
  if [ "$HARM" ] && [ $n = 0 ] && [ $job = 0 ]; then
    while ! ls "${script%/*}"/0/*.begun > /dev/null 2>&1; do sleep 0.01; done
    kill -9 $!
  fi
  n=$((n + 1))
done
echo "$job"
"#;

const SQUEUE: &str = r#"#!/bin/sh
for word; do job=$word; done
for file in "${0%/*}/job-$job"/*; do
  state=COMPLETED
  kill -0 "$(cat "$file")" 2> /dev/null && state=RUNNING
  echo "${file##*/}|$state|None"
done
"#;

const SCANCEL: &str = "#!/bin/sh\nkill $(cat \"${0%/*}/job-$1\"/*) 2> /dev/null\nexit 0\n";

fn with_commands(bench: &Bench) {
    for (name, text) in [("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL)] {
        let path = format!("bin/{name}");
        bench.write(&path, text);
        let mode = PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(bench.path(&path), mode).expect("executable");
    }
}

fn command(bench: &Bench, words: &str) -> Command {
    let words: Vec<&str> = words.split(' ').collect();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = bench.command(&words);
    command.env("PATH", format!("{}:{path}", bench.path("bin").display()));
    command
}

fn run(bench: &Bench, words: &str, harm: bool) -> Output {
    let mut command = command(bench, words);
    if harm {
        command.env("HARM", "1");
    }
    command.output().expect("irkiss runs")
}

#[test]
fn a_queue_brings_what_this_machine_brings_whatever_it_loses() {
    let bench = Bench::new();
    bench.bitcode(6);
    with_commands(&bench);
    bench.sweep("plan whole bc");
    bench.sweep("run whole --jobs 1");
    for (store, harm) in [("plain", false), ("harmed", true)] {
        bench.sweep(&format!("plan {store} bc"));
        let words = format!("run {store} --engine slurm --shard-time 1s --shared shared");
        let output = run(&bench, &words, harm);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{out}{err}");
        assert_eq!(out.contains("1 begun in vain"), harm, "{out}{err}");
        assert_eq!(err.contains("was lost, it begins again"), harm, "{err}");
        assert!(out.contains("6 checked"), "{out}");
        assert_eq!(bench.content("whole"), bench.content(store));
        // Nothing is left but the logs.
        let left = bench.path("shared").read_dir().expect("a folder");
        assert_eq!(left.count(), 0);
        let log = std::fs::read_to_string(bench.path(&format!("{store}/logs/0-0.log")));
        assert!(log.is_ok_and(|l| l.contains("begins p")), "no log");
        let _ = std::fs::remove_dir_all(bench.path("bin/job-0"));
        let _ = std::fs::remove_dir_all(bench.path("bin/job-1"));
    }
}

#[test]
fn a_sweep_that_is_killed_goes_on_with_what_is_in_the_queue() {
    let bench = Bench::new();
    bench.bitcode(6);
    with_commands(&bench);
    bench.sweep("plan whole bc");
    bench.sweep("run whole --jobs 1");
    bench.sweep("plan killed bc");
    let words = "run killed --engine slurm --shard-time 1s";
    let mut sweep = command(&bench, words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("irkiss runs");
    let note = || std::fs::read_to_string(bench.path("killed/elsewhere.json"));
    while !note().is_ok_and(|n| n.contains("\"job\":\"0\"")) {
        std::thread::sleep(Duration::from_millis(5));
    }
    sweep.kill().expect("it can be killed");
    sweep.wait().expect("it ends");
    let status = bench.sweep("status killed");
    assert!(status.contains("on Slurm, job 0: "), "{status}");
    let output = run(&bench, words, false);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(bench.content("whole"), bench.content("killed"));
    // Nothing was handed in twice.
    assert!(!bench.path("bin/job-1").exists());
    assert!(!bench.path("killed/elsewhere.json").exists());
}

#[test]
fn what_is_wrong_with_a_queue_is_a_line() {
    let bench = Bench::new();
    bench.bitcode(1);
    bench.sweep("plan store bc");
    let line = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = bench.command(&words);
        let output = command.env("PATH", bench.path("bin")).output();
        let output = output.expect("irkiss runs");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let err = text(&output.stderr);
        assert_eq!(err.lines().count(), 1, "{err}");
        err
    };
    let none = "there is no such command (it belongs to the cluster";
    assert!(line("run store --engine slurm").contains(&format!("sbatch: {none}")));
    assert!(line("run store --engine hq").contains(&format!("hq: {none}")));
    assert!(line("run store --shared x").contains("--engine slurm"));
    bench.write(
        "bin/sbatch",
        "#!/bin/sh\necho 'sbatch: error: invalid partition specified: x' >&2\nexit 1\n",
    );
    let mode = PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bench.path("bin/sbatch"), mode).expect("executable");
    let said = line("run store --engine slurm --engine-option=--partition=x");
    assert!(
        said.contains("sbatch: invalid partition specified: x"),
        "{said}"
    );
    // What could not be handed in leaves nothing behind.
    assert!(!bench.path("store/elsewhere.json").exists());
    bench.sweep("run store");
}
