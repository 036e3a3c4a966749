//! Measures the effect-text tools in comparison with a Python version of them: `make bench-paths`, or `cargo bench
//! --bench effects`.
//!
//! The Python version (`expand.py`) is what a person would write. Its results are compared with ours before anything is
//! measured. Both run alternately, each as a separate process, and the ratio is that of the medians. Without `python3`,
//! only our tools are measured, on the TTCG seed data. A slow result is not a failure: people read the table.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints a table"
)]

#[path = "../../tests/environment/mod.rs"]
mod environment;

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use cardscape_engine::effect_text::{
    Effects, Matcher, PhraseRules, Placeholders, Tagger, Template, finished, read_templates,
};
use clap::Parser;

/// Measures the release build.
#[derive(Parser)]
struct Options {
    /// Runs of each program
    #[arg(long, default_value = "15")]
    rounds: usize,
    /// The Python to compare with
    #[arg(long, default_value = "python3")]
    python: String,
    /// Folder with expand.py and catalogue.py
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/effects"))]
    scripts: PathBuf,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    if !options.bench {
        eprintln!("this is a benchmark: use `make bench-paths`, or `cargo bench --bench effects`");
        return Ok(ExitCode::SUCCESS);
    }
    let folder = tempfile::tempdir()?;
    measure(&options, folder.path()).map(|()| ExitCode::SUCCESS)
}

fn measure(options: &Options, folder: &Path) -> anyhow::Result<()> {
    // Processes are measured first: the peak memory of a child is at least that of this program at the time of the fork.
    let catalogue = options.scripts.join("catalogue.py");
    let made =
        Command::new(&options.python).arg(&catalogue).arg(folder).stderr(Stdio::null()).status();
    if made.is_ok_and(|status| status.success()) {
        compare(options, folder)?;
    } else {
        println!(
            "no {} here, or no {}: nothing to compare with",
            options.python,
            catalogue.display()
        );
        let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/ttcg");
        copy(&seed.join("effects"), &folder.join("effects"))?;
        copy(&seed.join("placeholders"), &folder.join("placeholders"))?;
    }
    many(folder)?;
    library(folder)
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// One run of a program.
struct Run {
    time: Duration,
    /// Peak memory, in KiB.
    peak: i64,
}

fn ours(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = environment::command(env!("CARGO_BIN_EXE_cardscape"));
    command.arg("effects").args(arguments).current_dir(folder).stderr(Stdio::null());
    command
}

fn theirs(options: &Options, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(&options.python);
    command
        .arg(options.scripts.join("expand.py"))
        .args(arguments)
        .current_dir(folder)
        .stderr(Stdio::null());
    command
}

/// Runs a program to its end, and measures its time and peak memory.
#[allow(unsafe_code)]
fn run(mut command: Command) -> anyhow::Result<Run> {
    let began = Instant::now();
    let child = command.stdin(Stdio::null()).spawn()?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    let process = i32::try_from(child.id())?;
    // SAFETY: both pointers are to local variables, and no other code waits for the child.
    let waited = unsafe { libc::wait4(process, &raw mut status, 0, usage.as_mut_ptr()) };
    let time = began.elapsed();
    ensure!(waited == process, "wait4: {}", std::io::Error::last_os_error());
    ensure!(ExitStatus::from_raw(status).success(), "{command:?} failed");
    // SAFETY: a zeroed value is valid for this type, and wait4 has overwritten it.
    let peak = unsafe { usage.assume_init() }.ru_maxrss;
    Ok(Run { time, peak })
}

fn median(mut runs: Vec<Run>) -> Run {
    let peak = runs.iter().map(|run| run.peak).max().unwrap_or(0);
    runs.sort_by_key(|run| run.time);
    Run { time: runs[runs.len() / 2].time, peak }
}

/// Compares both versions, including the start of the processes.
fn compare(options: &Options, folder: &Path) -> anyhow::Result<()> {
    let text = |path: &str| fs::read_to_string(folder.join(path));
    let of = |arguments: &[&str]| -> anyhow::Result<(Run, Run)> {
        let (mut our, mut their) = (Vec::new(), Vec::new());
        for round in 0..options.rounds {
            let null = || File::options().write(true).open("/dev/null");
            let mut command = ours(folder, arguments);
            command.stdout(null()?);
            our.push(run(command)?);
            // Python takes long, so a third of the rounds is enough.
            if round < options.rounds.div_ceil(3) {
                let mut command = theirs(options, folder, arguments);
                command.stdout(null()?);
                their.push(run(command)?);
            }
        }
        Ok((median(our), median(their)))
    };
    // The speed of Python differs by half between its builds, so its version is printed.
    let version = Command::new(&options.python).arg("--version").output()?.stdout;
    println!("{} is {}", options.python, String::from_utf8_lossy(&version).trim());
    println!(
        "{:44} {:>10} {:>10} {:>7} {:>9} {:>9}",
        "", "cardscape", "python", "ratio", "peak MiB", "python"
    );
    for (name, arguments, output) in [
        ("combine -t", &["combine", "-f", "-t"][..], None),
        (
            "combine into a file, on the disk for good",
            &["combine", "-f"],
            Some("effects/all_effects.txt"),
        ),
        ("generate: 50 columns", &["generate"], Some("effects/effects_with_placeholders.csv")),
    ] {
        let results = match output {
            Some(output) => {
                run(theirs(options, folder, arguments))?;
                let expected = text(output)?;
                run(ours(folder, arguments))?;
                ensure!(text(output)? == expected, "{name}: the results differ");
                expected.lines().count()
            }
            None => {
                let expected = theirs(options, folder, arguments).output()?.stdout;
                ensure!(
                    ours(folder, arguments).output()?.stdout == expected,
                    "{name}: the results differ"
                );
                expected.split(|&byte| byte == b'\n').count() - 2
            }
        };
        let (our, their) = of(arguments)?;
        println!(
            "{:44} {:>7.2} ms {:>7.0} ms {:>6.0}× {:>9.1} {:>9.1}",
            format!("{name}, {results} lines"),
            our.time.as_secs_f64() * 1e3,
            their.time.as_secs_f64() * 1e3,
            their.time.as_secs_f64() / our.time.as_secs_f64(),
            mib(our.peak),
            mib(their.peak),
        );
    }
    fs::write(folder.join("empty.txt"), "")?;
    let (our, _) = of(&["sort", "-i", "empty.txt", "-o", "sorted.txt"])?;
    println!("{:44} {:>7.2} ms", "of which process start", our.time.as_secs_f64() * 1e3);
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "for people")]
fn mib(kib: i64) -> f64 {
    kib as f64 / 1024.0
}

/// A template with 10⁸ combinations, to show whether rate and memory stay constant.
fn many(folder: &Path) -> anyhow::Result<()> {
    let digits: String = (0..10).map(|digit| format!("{digit}\n")).collect();
    for name in 0..8 {
        fs::write(folder.join(format!("placeholders/digit{name}.txt")), &digits)?;
    }
    let places: Vec<String> = (0..8).map(|name| format!("<digit{name}>")).collect();
    let sentence = format!("Reveal {} cards of one red cards.", places.join(""));
    println!("\nA template with 100,000,000 combinations");
    for (name, more) in [
        ("count", &["--count"][..]),
        ("10,000 drawn, sorted", &["--sample", "10000"]),
        ("the first 1,000,000, unsorted", &["--unsorted", "--limit", "1000000"]),
        ("the first 10,000,000, unsorted", &["--unsorted", "--limit", "10000000"]),
        ("the first 2,000,000, sorted within 64 MiB", &["--limit", "2000000", "--memory", "48M"]),
    ] {
        let arguments = [&["combine", "-s", &sentence, "-o", "many.txt", "-q"][..], more].concat();
        let mut command = ours(folder, &arguments);
        command.stdout(Stdio::null());
        let Run { time, peak } = run(command)?;
        println!("{name:44} {:>7.2} s {:>9.1} MiB", time.as_secs_f64(), mib(peak));
    }
    fs::remove_file(folder.join("many.txt"))?;
    Ok(())
}

/// Measures tagging and matching as library calls, without processes.
fn library(folder: &Path) -> anyhow::Result<()> {
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap_or_default();
    let templates = read_templates(&read("effects/all_effect_templates.txt"))
        .map_err(|faults| anyhow::anyhow!("{faults:?}"))?;
    let file = |name: &str| -> anyhow::Result<Option<String>> {
        Ok(fs::read_to_string(folder.join(format!("placeholders/{name}.txt"))).ok())
    };
    let placeholders = Placeholders::load(&templates, file)?;
    let effects = std::sync::Arc::new(Effects::new(templates, &placeholders)?);
    let rules = std::sync::Arc::new(PhraseRules::parse(
        &read("placeholders/combinations_to_remove.txt"),
        &read("placeholders/phrase_replacements.txt"),
    ));
    let sentences: Vec<String> = finished(&effects, &rules).into_iter().take(10_000).collect();
    println!("\nIn the library");

    let rules_file: toml::Table = read("effects/categories.toml").parse()?;
    let categories = rules_file["category"].as_array().context("categories")?;
    let began = Instant::now();
    let mut phrases = Vec::new();
    for category in categories {
        let list = |key: &str| -> Vec<String> {
            let listed = category.get(key).and_then(|list| list.as_array());
            let texts = listed.into_iter().flatten().filter_map(|text| text.as_str());
            texts.map(str::to_owned).collect()
        };
        let patterns: Result<Vec<Template>, _> =
            list("text").iter().map(|pattern| Template::parse_whole(pattern)).collect();
        let patterns = patterns?;
        let placeholders = Placeholders::load(&patterns, file)?;
        let expanded = Effects::new(patterns, &placeholders)?;
        phrases
            .push(expanded.expand().map(|one| one.text).chain(list("exact")).collect::<Vec<_>>());
    }
    let tagger = Tagger::new(phrases)?;
    let built = began.elapsed();
    let (mut tags, mut found) = (vec![false; categories.len()], 0);
    for sentence in &sentences {
        tagger.tag(sentence, &mut tags);
        found += tags.iter().filter(|&&tag| tag).count();
    }
    let all = began.elapsed();
    println!(
        "tag {} effects by {} categories: {:.2} ms, of which {:.2} ms reading and expanding patterns ({found} marks)",
        sentences.len(),
        categories.len(),
        all.as_secs_f64() * 1e3,
        built.as_secs_f64() * 1e3
    );

    for (name, index_max) in [("from the index", 1_000_000), ("by search", 0)] {
        let began = Instant::now();
        let matcher = Matcher::new(effects.clone(), rules.clone(), index_max);
        let built = began.elapsed();
        let began = Instant::now();
        let mut slowest = Duration::ZERO;
        for sentence in &sentences {
            let one = Instant::now();
            ensure!(!matcher.find(sentence, 10).matches.is_empty(), "{sentence} has no template");
            slowest = slowest.max(one.elapsed());
        }
        let each = began.elapsed().as_secs_f64() / f64::from(u32::try_from(sentences.len())?);
        println!(
            "match {} effects {name}: {:.1} µs each, the slowest {:.0} µs, built in {:.1} ms",
            sentences.len(),
            each * 1e6,
            slowest.as_secs_f64() * 1e6,
            built.as_secs_f64() * 1e3
        );
    }
    Ok(())
}
