//! Measures the cost table: every recipe at every catalogue size.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::Options;
use crate::catalogue::connect;
use crate::costs::{Bench, Cost};
use crate::cpu;
use crate::fill::{self, Sizes};
use crate::page::{self, Machine};
use crate::recipes::{self, Recipe};
use crate::service::{Database, Home, Service, ServiceOptions};
use crate::thin::ThinServer;
use crate::wire::Relay;
use crate::{searches, special};

/// A catalogue has one hidden set for each so many cards.
const CARDS_PER_HIDDEN_SET: u32 = 6_000;

/// The folder of homes and of the figures of earlier runs.
pub(crate) fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target"));
    target.join("bench")
}

/// Measures all rows, prints a summary, and writes the page.
pub(crate) async fn measure(options: &Options) -> anyhow::Result<()> {
    let wanted: Vec<&Recipe> = recipes::all().filter(|recipe| is_wanted(options, recipe)).collect();
    let machine = Machine::look()?;
    let mut costs = Vec::new();
    for &cards in &options.import {
        let cost = special::measure_import(cards)?;
        println!("{}", page::line(&cost));
        costs.push(cost);
    }
    if !options.import.is_empty() && options.only.is_none() {
        return page::StoredCosts::store(&folder(), &costs);
    }
    let mut kept = page::StoredCosts::load(&folder())?;
    let is_written = options.only.is_none() && !options.fill;
    let mut ended = Ok(());
    for &cards in &options.cards {
        match measure_size(options, cards, &wanted).await {
            Ok(mut of_size) => costs.append(&mut of_size),
            // The rows of the other sizes are still valid.
            Err(error) => ended = Err(error.context(format!("{cards} cards"))),
        }
        if is_written {
            page::write(&kept, &costs, &machine)?;
        }
    }
    page::print(&costs);
    page::print_slower(&kept, &costs);
    if is_written {
        kept.replace(&costs);
        kept.save(&folder())?;
    }
    ended
}

fn is_wanted(options: &Options, recipe: &Recipe) -> bool {
    options
        .only
        .as_ref()
        .is_none_or(|only| recipe.operation == only || recipe.title.contains(only.as_str()))
}

/// Opens the home of a size, and starts its database. A home that does not exist is made.
pub(crate) fn open(options: &Options, cards: u32) -> anyhow::Result<(Home, Database)> {
    let keep = options.keep.clone().unwrap_or_else(folder);
    let home = Home::new(Some(&keep), &format!("cards-{cards}-{}", fill::version()?))?;
    let seeded = home.seed(cards, (cards / CARDS_PER_HIDDEN_SET).max(1))?;
    println!("{cards} cards: {seeded}");
    let database = Database::start(&home)?;
    Ok((home, database))
}

/// Measures all rows of one size.
async fn measure_size(
    options: &Options,
    cards: u32,
    wanted: &[&Recipe],
) -> anyhow::Result<Vec<Cost>> {
    let began = Instant::now();
    let sizes = Sizes::of(cards);
    let (home, database) = open(options, cards)?;
    let found = measure_home(options, &home, &database, sizes, wanted, began).await;
    database.stop()?;
    found
}

async fn measure_home(
    options: &Options,
    home: &Home,
    database: &Database,
    sizes: Sizes,
    wanted: &[&Recipe],
    began: Instant,
) -> anyhow::Result<Vec<Cost>> {
    let keys = fill::fill(home, database, sizes).await?;
    let service_options =
        |url| ServiceOptions { cached: true, log_statements: false, database: Some(url) };
    let service = Service::start(home, &service_options(database.url())).await?;
    let socket = socket(home)?;
    let relay = Relay::start(&socket.join(".s.PGSQL.5432"))?;
    let watched = Service::start(home, &service_options(relay.url())).await?;
    println!("{} cards: ready after {:.1} s", sizes.cards, began.elapsed().as_secs_f64());
    if options.fill {
        watched.stop()?;
        service.stop()?;
        return Ok(Vec::new());
    }
    let bench = Bench {
        home,
        cards: sizes.cards,
        keys: &keys,
        client: connect(&database.url()).await?,
        service: &service,
        watched: Some((&watched, &relay)),
        thin: &ThinServer::start()?,
        pgbench: home.pgbench()?.map(|program| program.0),
        socket,
        connections: options.connections,
        time: Duration::from_secs(options.seconds),
        rounds: options.rounds.unwrap_or(2),
    };
    let mut costs = Vec::new();
    for recipe in wanted {
        let cost = bench.measure(recipe).await;
        println!("{}", page::line(&cost));
        costs.push(cost);
    }
    let (is_wanted, time) = (
        |title: &str| options.only.as_ref().is_none_or(|only| title.contains(only.as_str())),
        bench.time / 4,
    );
    if is_wanted(special::FRAME) {
        costs.push(special::measure_frame(&bench).await?);
        costs.last().into_iter().for_each(|cost| println!("{}", page::line(cost)));
    }
    if is_wanted(special::OVERLOAD) {
        costs.push(special::measure_overload(&bench).await?);
        costs.last().into_iter().for_each(|cost| println!("{}", page::line(cost)));
    }
    if searches::titles().any(|title| is_wanted(&title)) {
        costs.append(&mut searches::measure(&bench, time).await?);
    }
    let memory = service.memory()?;
    println!(
        "{} cards: memory of the service {:.0} MiB, at most {:.0}",
        sizes.cards, memory.resident_mib, memory.peak_mib
    );
    watched.stop()?;
    service.stop()?;
    Ok(costs)
}

/// The folder of the socket, from the pid file of the server.
fn socket(home: &Home) -> anyhow::Result<PathBuf> {
    // Fails if no server is running.
    cpu::postmaster(&home.data)?;
    let noted = std::fs::read_to_string(home.data.join("postgres/postmaster.pid"))?;
    Ok(PathBuf::from(noted.lines().nth(4).context("the folder of the socket")?))
}
