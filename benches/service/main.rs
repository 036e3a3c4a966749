//! Measures the costs of the service as ratios: `make bench`, or `cargo bench --features jemalloc --bench service -- --help`.
//!
//! Each line compares the service with a yardstick on the same machine, alternately and in short rounds, so that other
//! programs slow both. The ratio is the median of the rounds. A slow result is not a failure: people read the table.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints a table"
)]

mod bare;
mod browser_sessions;
mod catalogue;
mod codes;
mod compare;
mod cost_table;
mod costs;
mod cpu;
#[path = "../../tests/environment/mod.rs"]
mod environment;
mod fill;
mod http;
mod load;
mod page;
mod page_table;
mod page_times;
mod pgbench;
mod recipes;
mod requests;
mod rows;
mod searches;
mod second_factors;
mod service;
mod special;
mod statements;
mod table;
mod thin;
mod wire;
mod yardsticks;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::bare::BareServer;
use crate::catalogue::Sample;
use crate::compare::{Comparison, Load};
use crate::http::Target;
use crate::service::{Home, Service, ServiceOptions};
use crate::statements::Recorded;
use crate::table::Table;

/// Measures the release build against yardsticks on the same machine.
#[derive(Parser)]
#[allow(clippy::struct_excessive_bools, reason = "options of a command line")]
struct Options {
    /// Cards in the synthetic catalogue; several sizes, separated by commas, are compared with each other
    #[arg(long, default_value = "20000", value_delimiter = ',')]
    cards: Vec<u32>,
    /// Where the databases are made, one folder for each size and content, and kept for the next time
    /// [default: target/bench; of --paths: a temporary folder, deleted]
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Instead of the cost table: the paths of the main job beside their own recorded statements
    #[arg(long)]
    paths: bool,
    /// Instead of the cost table: compare pages with the answers of the API that they show
    #[arg(long)]
    pages: bool,
    /// Connections of the load generator
    #[arg(long, default_value = "16")]
    connections: usize,
    /// Rounds of each comparison [default: 2; of --paths and --pages: 5]
    #[arg(long)]
    rounds: Option<usize>,
    /// Length of one half of a round, in seconds
    #[arg(long, default_value = "2")]
    seconds: u64,
    /// Only the rows whose name, or whose operation, contains this, or the pages whose name or path does: printed, and not
    /// written into docs/PERFORMANCE.md
    #[arg(long)]
    only: Option<String>,
    /// Instead of the table: imports of so many cards, each into an empty database
    #[arg(long, value_name = "CARDS", value_delimiter = ',')]
    import: Vec<u32>,
    /// Only makes the databases
    #[arg(long)]
    fill: bool,
    /// Given by cargo
    #[arg(long, hide = true)]
    bench: bool,
    /// Serves recorded statements without Cardscape: the database and the file with the statements
    #[arg(long, hide = true, num_args = 2, value_names = ["URL", "FILE"])]
    bare: Option<Vec<String>>,
    /// Serves the static route that rows are compared with
    #[arg(long, hide = true)]
    thin: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let options = Options::parse();
    if let Some([url, file]) = options.bare.as_deref() {
        bare::serve(url, file.as_ref())?;
        return Ok(ExitCode::SUCCESS);
    }
    if options.thin {
        thin::serve()?;
        return Ok(ExitCode::SUCCESS);
    }
    if !options.bench {
        eprintln!(
            "this is a benchmark: use `make bench`, or `cargo bench --features jemalloc --bench service`"
        );
        return Ok(ExitCode::SUCCESS);
    }
    if cfg!(not(feature = "jemalloc")) {
        eprintln!(
            "warning: this measures a program without the allocator of the shipped one; add `--features jemalloc`"
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if options.paths {
        runtime.block_on(measure(&options))?;
    } else if options.pages {
        runtime.block_on(page_times::measure(&options))?;
    } else {
        runtime.block_on(cost_table::measure(&options))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn measure(options: &Options) -> anyhow::Result<()> {
    let mut sizes = Vec::new();
    for &cards in &options.cards {
        let home = Home::new(options.keep.as_deref(), &format!("cards-{cards}"))?;
        sizes.push((cards, measure_size(options, &home, cards).await?));
    }
    if let [(small, first), rest @ ..] = &sizes[..] {
        for (large, last) in rest {
            println!("\nGrowth from {small} to {large} cards (median time of one request)");
            table::growth(first, last);
        }
    }
    Ok(())
}

/// Median latency of a request in seconds, by the name of its line.
type Medians = Vec<(&'static str, f64)>;

async fn measure_size(options: &Options, home: &Home, cards: u32) -> anyhow::Result<Medians> {
    let began = Instant::now();
    let seeded = home.seed(cards, 0)?;
    println!("\n{cards} cards: {seeded} ({:.1} s)", began.elapsed().as_secs_f64());

    // First with every statement in the log, to record the statements of the service; then without.
    let service = Service::start(
        home,
        &ServiceOptions { cached: false, log_statements: true, database: None },
    )
    .await?;
    let sample = Sample::draw(service.database()).await?;
    let statements = statements::Recorder::new(home, &service);
    let by_id = statements.record(&sample.cards).await?;
    let pages = statements.record(&sample.pages).await?;
    let words = statements.record(&sample.words).await?;
    let texts = statements.record(&sample.texts).await?;
    service.stop()?;

    let load = Load {
        connections: options.connections,
        rounds: options.rounds.unwrap_or(5),
        time: Duration::from_secs(options.seconds),
    };
    let wanted = |name: &str| options.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let mut table = Table::default();

    let service = Service::start(
        home,
        &ServiceOptions { cached: true, log_statements: false, database: None },
    )
    .await?;
    let started = service.started_in;
    if wanted("from the cache") {
        let hot = Target::new(service.address, &sample.cards[..32]);
        let fixed = Target::new(service.address, &["/healthz".to_owned()]);
        let found = load.compare(&hot, &fixed).await?;
        table.add("card by id, from the cache", "a static route of the service", 0.8, found);
    }
    if wanted("picture of a card, from the cache") {
        let pictures: Vec<String> =
            sample.cards[..32].iter().map(|card| format!("{card}/picture")).collect();
        let hot = Target::new(service.address, &pictures);
        let fixed = Target::new(service.address, &["/healthz".to_owned()]);
        let found = load.compare(&hot, &fixed).await?;
        table.add("picture of a card, from the cache", "a static route of the service", 0.7, found);
    }
    service.stop()?;

    let service = Service::start(
        home,
        &ServiceOptions { cached: false, log_statements: false, database: None },
    )
    .await?;
    let lines: [(&str, f64, &Recorded, &[String]); 2] = [
        ("card by id, from the database", 0.7, &by_id, &sample.cards),
        ("filtered page of 50", 0.7, &pages, &sample.pages),
    ];
    for (name, goal, recorded, paths) in lines {
        if wanted(name) {
            let bare = BareServer::start(home, service.database(), recorded).await?;
            let asked = Target::new(service.address, paths);
            let found = load.compare(&asked, &Target::new(bare.address, &bare.paths)).await?;
            table.add(name, "its statement, bare actix", goal, found);
        }
    }
    let searches = [
        ("text search", 0.7, &texts, &sample.texts),
        ("search for a rare word", 0.0, &words, &sample.words),
    ];
    for (name, goal, recorded, paths) in searches {
        if wanted(name) {
            let asked = Target::new(service.address, paths);
            let found = match home.pgbench()? {
                Some(program) => load.compare(&asked, &program.script(home, recorded)?).await?,
                None => Comparison::without_yardstick(&load, &asked).await?,
            };
            table.add(name, "its statement, pgbench", goal, found);
        }
    }
    if wanted("beside regular expressions") {
        let asked = Target::new(service.address, &sample.cards);
        let found =
            load.beside(&asked, &Target::refusable(service.address, &sample.regexes)).await?;
        table.add("card by id, beside regular expressions", "the same, alone", 0.0, found);
    }
    let memory = service.memory()?;
    service.stop()?;

    println!("{table}");
    println!("ready after {:.2} s (goal: at most 5)", started.as_secs_f64());
    println!("memory of the service {:.0} MiB after this (goal: at most 150)", memory.resident_mib);
    println!("peak memory {:.0} MiB", memory.peak_mib);
    Ok(table.medians())
}
