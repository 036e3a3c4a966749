//! Measures pages beside the answers of the API that they are made of: medians of single requests, on one connection.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cardscape::auth::keys::KeyRing;
use tokio_postgres::Client;

use crate::Options;
use crate::browser_sessions;
use crate::catalogue::connect;
use crate::cost_table;
use crate::costs::not_measured;
use crate::fill::{self, Sizes};
use crate::load::{Connection, Outcome, REQUEST_TIMEOUT};
use crate::page::Machine;
use crate::page_table::{self, Medians, PageTime};
use crate::recipes::{self, Caller, PageRecipe, Recipe, Row};
use crate::requests::Requests;
use crate::rows;
use crate::service::{Database, Home, Service, ServiceOptions};

/// Highest number of rows of a page.
const ROWS: u32 = 40;
/// Rounds before the measured ones: plans are made, and caches are filled.
const WARM_UP: usize = 2;
/// A page with few rows is requested for more rounds, until there are this many latencies.
const LEAST: usize = 200;

/// Headers of clients of the API, of browsers, and of browsers with a session.
const OF_CLIENTS: &[&str] = &["accept-encoding: gzip"];
const OF_STRANGERS: &[&str] = &["accept-encoding: gzip", "accept: text/html"];
/// The service has no public URL, so its cookie has the short name.
const OF_BROWSERS: &[&str] =
    &["accept-encoding: gzip", "accept: text/html", "cookie: cardscape=<cookie>"];

/// Measures all pages, and writes their table. Pages that `--only` chooses are only printed.
pub(crate) async fn measure(options: &Options) -> anyhow::Result<()> {
    let wanted: Vec<&PageRecipe> =
        recipes::pages().filter(|recipe| is_wanted(options, recipe)).collect();
    let machine = Machine::look()?;
    let mut of_sizes = Vec::new();
    for &cards in &options.cards {
        of_sizes.push((cards, measure_size(options, cards, &wanted).await?));
    }
    if options.only.is_none() {
        page_table::write(&machine, of_sizes)?;
    }
    Ok(())
}

fn is_wanted(options: &Options, recipe: &PageRecipe) -> bool {
    let Recipe { title, path, .. } = recipe.page;
    options.only.as_ref().is_none_or(|only| title.contains(&**only) || path.contains(&**only))
}

async fn measure_size(
    options: &Options,
    cards: u32,
    wanted: &[&'static PageRecipe],
) -> anyhow::Result<Vec<PageTime>> {
    let (home, database) = cost_table::open(options, cards)?;
    let found = measure_home(options, &home, &database, Sizes::of(cards), wanted).await;
    database.stop()?;
    found
}

async fn measure_home(
    options: &Options,
    home: &Home,
    database: &Database,
    sizes: Sizes,
    wanted: &[&'static PageRecipe],
) -> anyhow::Result<Vec<PageTime>> {
    let keys = fill::fill(home, database, sizes).await?;
    let database = database.url();
    let client = connect(&database).await?;
    let service_options =
        ServiceOptions { cached: true, log_statements: false, database: Some(database) };
    let service = Service::start(home, &service_options).await?;
    let bench = PageBench {
        client,
        keys: &keys,
        address: service.address,
        rounds: options.rounds.unwrap_or(5),
    };
    let mut times = Vec::new();
    for recipe in wanted {
        let time = bench.measure(recipe).await;
        println!("{}", page_table::line(&time));
        times.push(time);
    }
    service.stop()?;
    Ok(times)
}

/// The data that all pages of one size share.
struct PageBench<'a> {
    client: Client,
    keys: &'a KeyRing,
    address: SocketAddr,
    /// Lowest number of rounds.
    rounds: usize,
}

/// A page or an answer, with a request for each row.
struct TimedPath {
    path: &'static str,
    requests: Requests,
    latencies: Vec<Duration>,
}

impl TimedPath {
    fn new(recipe: &Recipe, rows: &[Row], keys: &KeyRing) -> anyhow::Result<Self> {
        let requests = Requests::new(recipe, rows, keys)?;
        Ok(Self { path: recipe.path, requests, latencies: Vec::new() })
    }

    /// The median latency, in milliseconds.
    fn median(self) -> f64 {
        let found = Outcome { latencies: self.latencies, ..Outcome::default() };
        found.percentile(50).as_secs_f64() * 1e3
    }
}

impl PageBench<'_> {
    /// Measures one page. A failure is reported in its note.
    async fn measure(&self, recipe: &'static PageRecipe) -> PageTime {
        let (medians, mut note) = match self.medians(recipe).await {
            Ok(medians) => (Some(medians), recipe.page.why.to_owned()),
            Err(error) => (None, not_measured(&error)),
        };
        if let Err(error) = browser_sessions::close_all(&self.client).await {
            note += &format!("; sessions could not be deleted: {error:#}");
        }
        note += &rows::restore(&self.client, &recipe.page).await;
        PageTime { recipe, medians, note }
    }

    async fn medians(&self, recipe: &PageRecipe) -> anyhow::Result<Medians> {
        let page = Recipe { many: ROWS, ..recipe.page };
        let mut rows = rows::draw(&self.client, &page).await?;
        rows.truncate(usize::try_from(ROWS)?);
        anyhow::ensure!(!rows.is_empty(), "no row to ask with: {}", page.rows);
        let headers = if page.by == Caller::Row {
            browser_sessions::open(&self.client, &mut rows).await?;
            OF_BROWSERS
        } else {
            OF_STRANGERS
        };
        // A page is requested without an access token.
        let of_browser = Recipe { by: Caller::Stranger, headers, ..page };
        let mut page_timed = TimedPath::new(&of_browser, &rows, self.keys)?;
        let mut answers = Vec::new();
        for answer in recipe.answers {
            let of_client = Recipe { by: page.by, headers: OF_CLIENTS, ..*answer };
            answers.push(TimedPath::new(&of_client, &rows, self.keys)?);
        }
        let mut line = Line { address: self.address, connection: None, message: Vec::new() };
        let rounds = self.rounds.max(LEAST.div_ceil(rows.len()));
        for round in 0..WARM_UP + rounds {
            for at in 0..rows.len() {
                // In turns the page or its answers come first, because the first one fills what the others find in the cache.
                if round % 2 == 0 {
                    line.ask(&mut page_timed, at).await?;
                }
                for answer in &mut answers {
                    line.ask(answer, at).await?;
                }
                if round % 2 == 1 {
                    line.ask(&mut page_timed, at).await?;
                }
            }
            if round + 1 == WARM_UP {
                page_timed.latencies.clear();
                for answer in &mut answers {
                    answer.latencies.clear();
                }
            }
        }
        let answers = answers.into_iter().map(TimedPath::median).collect();
        Ok(Medians { page: page_timed.median(), answers })
    }
}

/// The connection on which everything is requested.
struct Line {
    address: SocketAddr,
    /// `None`: the service has closed it, or it is not yet open.
    connection: Option<Connection>,
    message: Vec<u8>,
}

impl Line {
    /// Sends the request of a row, and notes its latency. Fails if the answer is no 200.
    async fn ask(&mut self, timed: &mut TimedPath, at: usize) -> anyhow::Result<()> {
        let mut open = match self.connection.take() {
            Some(open) => open,
            None => Connection::open(self.address).await?,
        };
        // No request has a part that is different each time.
        timed.requests.write(at, 0, &mut self.message);
        let began = Instant::now();
        let answer = tokio::time::timeout(REQUEST_TIMEOUT, open.ask(&self.message, false)).await;
        let answer = answer.with_context(|| format!("no answer in time from {}", timed.path))?;
        let answer = answer.with_context(|| timed.path.to_owned())?;
        let latency = began.elapsed();
        anyhow::ensure!(answer.status == 200, "{} from {}", answer.status, timed.path);
        timed.latencies.push(latency);
        if answer.is_reusable() {
            self.connection = Some(open);
        }
        Ok(())
    }
}
