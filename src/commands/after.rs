//! What comes after a check: showing, comparing, silencing.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use irkiss::bugs;
use irkiss::bugs::allow::{self, Allow};
use irkiss::bugs::baseline::Baseline;
use irkiss::bugs::policy::Policy;
use irkiss::config::Options;
use irkiss::error::InputError;
use irkiss::forms::Form;
use irkiss::report::diff::{self, Base};
use irkiss::report::read::Report;
use irkiss::report::snippet::{Disk, Sources};
use irkiss::report::{self, More, Trace};
use irkiss::verdict::Outcome;

use super::{formats, kept, records, tree};
use crate::cli::Format;
use crate::cli::after::{
    AllowArgs, BaselineArgs, BaselineCommand, DiffArgs, FailOn, ShowArgs, TraceWord, WhyArgs,
};
use crate::cli::format::ShowFormat;
use crate::{FINDINGS, OK, write_out};

/// What the user has said about findings: of the configuration and the baseline.
#[derive(Debug, Default)]
pub struct Said {
    allows: Vec<Allow>,
    baseline: Option<Baseline>,
}

impl Said {
    /// Reads it, before anything is checked.
    ///
    /// # Errors
    /// A file cannot be read, or is none.
    pub fn read(options: &Options, baseline: Option<&Path>) -> Result<Said, InputError> {
        let allows = options.config.as_deref().map(allow::read).transpose()?;
        Ok(Said {
            allows: allows.unwrap_or_default(),
            baseline: baseline.map(Baseline::read).transpose()?,
        })
    }

    /// What of an outcome is told.
    pub fn applied(&self, outcome: &Outcome, files: &[PathBuf]) -> Outcome {
        let sources = Disk::beside(files);
        let mut outcome = outcome.clone();
        let policy = Policy {
            allows: &self.allows,
            baseline: self.baseline.as_ref(),
            today: &today(),
            line: &|file, line| sources.line(file, line),
        };
        policy.apply(&mut outcome);
        outcome
    }
}

/// The options with the configuration that is found from the input upwards, unless one is named.
pub fn with_found_config(options: Options, input: Option<&Path>) -> Options {
    Options {
        config: options.config.clone().or_else(|| found_config(input)),
        ..options
    }
}

/// The configuration that is found from the input upwards, else from where one is.
fn found_config(input: Option<&Path>) -> Option<PathBuf> {
    let here = std::env::current_dir().ok().map(|d| d.join(allow::NAME));
    input
        .and_then(allow::found_from)
        .or_else(|| here.as_deref().and_then(allow::found_from))
}

/// `2027-01-31`.
pub fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now[..10].to_string()
}

/// How much of an interleaving a word asks for.
pub fn trace(word: TraceWord) -> Trace {
    match word {
        TraceWord::Short => Trace::Short,
        TraceWord::Full => Trace::Full,
    }
}

/// Columns of the terminal, or what `COLUMNS` says; 0: there is none.
pub fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let terminal = rustix::termios::tcgetwinsize(rustix::stdio::stdout());
    said.unwrap_or_else(|| terminal.map_or(0, |size| size.ws_col.into()))
}

/// Shows a bug, or all of a report; the exit code.
pub fn show(args: &ShowArgs) -> anyhow::Result<u8> {
    let folder = Path::new(&args.which);
    if let ShowFormat::Of(form) = args.format {
        return show_as(form, args);
    }
    if folder.is_dir() {
        return tree::show(folder, args.output.as_deref());
    }
    let (report, number) = asked(&args.which)?;
    let files: Vec<PathBuf> = report.input.iter().map(PathBuf::from).collect();
    let more = More {
        trace: trace(args.trace),
        all: true,
        width: width(),
        ..More::default()
    };
    let text = report::human::one_of(&report, number.as_ref(), &Disk::beside(&files), more);
    let mut text = text.ok_or_else(|| no_bug(args))?;
    let object = report.object.as_deref().map(Path::new);
    if let Some(remark) = object.and_then(kept::remark) {
        text.push_str(&format!("\nnote: {remark}\n"));
    }
    write_out(args.output.as_deref(), &text)?;
    Ok(OK)
}

fn no_bug(args: &ShowArgs) -> InputError {
    let what = format!("no bug {} in this report", args.which);
    InputError::new("irkiss show", what).advise("irkiss show FILE shows all of a file")
}

/// Shows it in the form of others; the exit code.
fn show_as(form: Form, args: &ShowArgs) -> anyhow::Result<u8> {
    let folder = Path::new(&args.which);
    let text = match folder.is_dir() {
        true => {
            let kept = kept::reports_below(folder);
            let reports: Vec<Report> = match kept.is_empty() {
                true => named(&[folder.to_path_buf()])?.into_values().collect(),
                false => kept
                    .iter()
                    .map(|f| records::of(f))
                    .collect::<Result<_, _>>()?,
            };
            formats::of_stored(form, reports, None)
        }
        false => {
            let (report, which) = asked(&args.which)?;
            formats::of_stored(form, vec![report], which.as_ref())
        }
    };
    let text = text.ok_or_else(|| no_bug(args))?;
    write_out(args.output.as_deref(), &text)?;
    Ok(OK)
}

/// The report and the bug that are meant: `3`, `FILE`, `FILE:3`, or a name.
fn asked(which: &str) -> Result<(Report, Option<report::human::Which>), InputError> {
    use report::human::Which;
    let is_number = |text: &str| text.parse::<usize>().ok();
    if let Some(n) = is_number(which) {
        return Ok((records::last()?, Some(Which::Number(n))));
    }
    if let Some((file, n)) = which.rsplit_once(':')
        && let Some(n) = is_number(n)
    {
        return Ok((records::of(Path::new(file))?, Some(Which::Number(n))));
    }
    match is_name(which) {
        true => Ok((
            records::with_bug(which)?,
            Some(Which::Name(which.to_string())),
        )),
        false => Ok((records::of(Path::new(which))?, None)),
    }
}

/// Whether it is a name as bugs have them: `9c41-02fea1b2`.
fn is_name(text: &str) -> bool {
    let hex =
        |part: &str, len: usize| part.len() == len && part.bytes().all(|b| b.is_ascii_hexdigit());
    text.split_once('-')
        .is_some_and(|(a, b)| hex(a, 4) && hex(b, 8))
}

/// Says what is open, and what to type; the exit code.
pub fn why(args: &WhyArgs) -> anyhow::Result<u8> {
    let report = match &args.file {
        Some(file) => records::of(file)?,
        None => records::last()?,
    };
    write_out(None, &report::open::render(&report, width()))?;
    Ok(OK)
}

/// That it is no name of a bug, and which the last report has.
fn no_such_name(which: &str) -> InputError {
    let report = records::last().ok();
    let bugs = report
        .iter()
        .flat_map(|r| bugs::of(&r.findings, &r.sources));
    let names: Vec<String> = bugs.map(|b| b.id).collect();
    let advice = match names.as_slice() {
        [] => "reports print the name at the end of each bug: id 9c41-02fea1b2".to_string(),
        names => format!("the last report has {}", names.join(", ")),
    };
    InputError::new(which, "no name or number of a bug").advise(advice)
}

/// The name of the bug that is meant: itself, the number of one in the last report, or FILE:N; and what was checked, where that is known.
fn named_bug(which: &str) -> Result<(String, Option<PathBuf>), InputError> {
    let input = |report: &Report| report.input.first().map(PathBuf::from);
    if is_name(which) {
        return match records::with_bug(which) {
            Ok(report) => Ok((which.to_string(), input(&report))),
            // Where no report is kept nobody knows better.
            Err(_) if records::last().is_err() => Ok((which.to_string(), None)),
            Err(_) => Err(
                InputError::new(which, "no bug of that name in any report that is kept")
                    .advise("check the file first, or write the [[allow]] by hand"),
            ),
        };
    }
    let is_file = Path::new(which).exists() || which.contains([':', '/', '.']);
    if !is_file && which.parse::<usize>().is_err() {
        return Err(no_such_name(which));
    }
    let (report, number) = asked(which)?;
    let told = bugs::told(&report.findings, &report.sources);
    let meant = match number {
        Some(report::human::Which::Number(n)) => n.checked_sub(1).and_then(|n| told.get(n)),
        _ => None,
    };
    match meant {
        Some(bug) => Ok((bug.id.clone(), input(&report))),
        None => Err(InputError::new(which, "no name or number of a bug")
            .advise("reports print the name at the end of each bug: id 9c41-02fea1b2")),
    }
}

/// Adds an entry to the configuration; the exit code.
pub fn allow_id(args: &AllowArgs) -> anyhow::Result<u8> {
    let (id, input) = named_bug(&args.id)?;
    let here = std::env::current_dir()?.join(allow::NAME);
    let path = match &args.config {
        Some(path) => path.clone(),
        // Where the next check looks for it.
        None => found_config(input.as_deref()).unwrap_or(here),
    };
    let entry = allow::entry(&id, &args.reason, args.until.as_deref());
    // It is refused before it is written.
    allow::parse(&entry, "the new entry")?;
    let before = match path.is_file() {
        true => {
            allow::read(&path)?;
            std::fs::read_to_string(&path).map_err(|e| InputError::new(path.display(), e))?
        }
        false => String::new(),
    };
    let gap = match before.as_str() {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let write = || {
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)?;
        file.write_all(format!("{gap}{entry}").as_bytes())
    };
    write().map_err(|e| InputError::new(path.display(), e))?;
    write_out(None, &format!("{}: {id} is allowed\n", path.display()))?;
    Ok(OK)
}

/// Writes a baseline; the exit code.
pub fn baseline(args: &BaselineArgs) -> anyhow::Result<u8> {
    let BaselineCommand::Write { file, reports } = &args.command;
    let reports: Vec<Report> = match reports.as_slice() {
        [] => vec![records::last()?],
        files => named(files)?.into_values().collect(),
    };
    let outcomes: Vec<Outcome> = reports.iter().map(Report::outcome).collect();
    let baseline = Baseline::of(&outcomes);
    std::fs::write(file, baseline.text()).map_err(|e| InputError::new(file.display(), e))?;
    let text = format!(
        "{}: {} known\n",
        file.display(),
        report::count(baseline.bugs.len(), "bug")
    );
    write_out(None, &text)?;
    Ok(OK)
}

/// Compares two sets of reports; the exit code.
pub fn compare(args: &DiffArgs) -> anyhow::Result<u8> {
    let base = match Baseline::read(&args.base) {
        Ok(known) => Base {
            known,
            reports: BTreeMap::new(),
        },
        Err(_) => {
            let reports = named(std::slice::from_ref(&args.base))?;
            let outcomes: Vec<Outcome> = reports.values().map(Report::outcome).collect();
            Base {
                known: Baseline::of(&outcomes),
                reports,
            }
        }
    };
    let head = named(std::slice::from_ref(&args.head))?;
    let diff = diff::of(&base, &head);
    let text = match args.format {
        Format::Human => diff::render(&diff),
        Format::Json => diff::render_json(&diff),
    };
    write_out(None, &text)?;
    let new = !diff.new.is_empty() || !diff.grown.is_empty();
    let failed = match args.fail_on {
        FailOn::Never => false,
        FailOn::New => new,
        FailOn::Race => new || !diff.same.is_empty(),
        FailOn::Unknown => new || !diff.same.is_empty() || !diff.no_longer_decided.is_empty(),
    };
    Ok(if failed { FINDINGS } else { OK })
}

/// Reports by the files that they are about; those of a folder are what a build keeps below it, by their places there; else its files
/// that end in `.json`.
///
/// # Errors
/// One cannot be read; a folder has none.
fn named(paths: &[PathBuf]) -> Result<BTreeMap<String, Report>, InputError> {
    let mut all = BTreeMap::new();
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let built = kept::reports_below(path);
        for file in &built {
            let place = file.strip_prefix(path).unwrap_or(file);
            all.insert(place.display().to_string(), records::of(file)?);
        }
        if !built.is_empty() {
            // A build has files of that ending that are none.
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|e| InputError::new(path.display(), e))?;
        let inside = entries.filter_map(|e| Some(e.ok()?.path()));
        let before = files.len();
        files.extend(inside.filter(|p| p.extension().is_some_and(|e| e == "json")));
        if files.len() == before {
            return Err(InputError::new(path.display(), "no reports in it").advise(
                "irkiss --format json -o FOLDER FILE… writes some; so does make C=2 CHECK=\"irkiss kbuild\"",
            ));
        }
    }
    for file in files {
        let report = records::of(&file)?;
        let base = |f: &String| {
            let name = Path::new(f).file_name();
            name.map_or(f.clone(), |n| n.to_string_lossy().into_owned())
        };
        let name: Vec<String> = report.input.iter().map(base).collect();
        all.insert(name.join(" "), report);
    }
    Ok(all)
}
