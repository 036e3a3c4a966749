//! What use cases share: the store of their worker thread and the values of the whole process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cardscape_engine::Date;
use cardscape_pictures::Fonts;
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use moka::future::Cache;
use uuid::Uuid;

use crate::app::effects::match_bodies::MatchedSentenceResponse;
use crate::app::problem::Problem;
use crate::app::words::with_near;
use crate::auth::keys::KeyRing;
use crate::auth::password::PasswordHasher;
use crate::auth::permission::{Acting, Granted, Identity, Permission};
use crate::auth::second_factor::SecondFactorDemand;
use crate::domain::accounts::attempts::AttemptLimits;
use crate::domain::clock::Clock;
use crate::domain::code::Code;
use crate::memory::card_effects::CardEffects;
use crate::memory::catalogue::card_cache::CardCache;
use crate::memory::catalogue::change_watch::ChangeWatch;
use crate::memory::catalogue::downloads::Downloads;
use crate::memory::catalogue::feed::Feed;
use crate::memory::catalogue::index::Catalogue;
use crate::memory::catalogue::kept_answers::KeptAnswers;
use crate::memory::deck_cards::DeckCards;
use crate::memory::event_watch::EventWatch;
use crate::memory::file_desk::FileDesk;
use crate::memory::identities::CredentialKey;
use crate::memory::kept::Weighed;
use crate::memory::listed_designs::ListedDesigns;
use crate::memory::pictures::{KeptPictures, PictureDrawer, room_for_pictures};
use crate::memory::rate_limiter::RateLimiter;
use crate::memory::recent::{Recent, Statistic};
use crate::memory::rendered::Rendered;
use crate::memory::shared_attempts::SharedAttempts;
use crate::search::index::Releases;
use crate::store::accounts::attempt_batches::AttemptBatches;
use crate::store::catalogue::cards;
use crate::store::catalogue::games::{GameCache, LoadedGame};
use crate::store::catalogue::sets::SetRow;
use crate::store::db::search_queue::SearchQueue;
use crate::store::effects::effect_texts::EffectCache;
use crate::store::printing::print_runs::{RunCounts, RunStatus};
use crate::store::serials::registration_groups::RegistrationGroups;
use crate::store::{AsStoreError, Connection, Store, StoreError, StoreResult};
use crate::work::BoundedWork;

/// Longest time that an answer waits for what is in memory.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// How many pieces of work with effect texts or files of admins wait for each that is done.
const WAITING: usize = 32;

/// The part of the memory for cards that answers about games and sets may take beside them, and totals of sets as much again: those of 1,600 sets take 6 MB.
const KEPT_ANSWERS: u64 = 4;
/// The part of the memory for cards that may be taken beside it for what cards do: some 30,000 cards.
const CARD_EFFECTS: u64 = 4;
/// The same for pages of the gallery: some 300 of 50 designs.
const GALLERY_PAGES: u64 = 4;
/// Memory for sentences with what makes them, in bytes: some 5,000.
const MATCHED_SENTENCES: u64 = 8 * 1024 * 1024;
/// Most toolkits that are kept: one of the largest game has some megabytes.
const TOOLKITS: u64 = 16;
/// Most facets of designs that are kept: of a large game they have some hundred kilobytes. Clients make up queries: those that are asked for often stay.
const DESIGN_FACETS: u64 = 100;
/// How long each is kept. Other versions have other keys: it need not end earlier.
const TOOLKIT_KEPT: Duration = Duration::from_hours(1);

/// The state that every handler can ask for.
#[derive(Clone)]
pub struct AppState {
    /// The pool of this worker thread.
    pub store: Store,
    /// Connections for searches that may read much of the catalogue; the worker threads share them.
    pub searches: SearchQueue,
    /// What the whole process shares.
    pub shared: Arc<Shared>,
}

impl AppState {
    /// All games, by code, as they are or were within the time of trust.
    pub async fn all_games(&self) -> StoreResult<Arc<[Arc<LoadedGame>]>> {
        match self.games.listed() {
            Some(games) => Ok(games),
            None => self.games.list(&mut *self.store.connection().await?).await,
        }
    }

    /// A game that a request names, or what is said of its code when there is none.
    pub(crate) async fn named_game(
        &self,
        code: &str,
    ) -> Result<Result<Arc<LoadedGame>, String>, Problem> {
        let listed = self.all_games().await?;
        let known = listed.iter().find(|loaded| loaded.game.code() == code);
        if let Some(loaded) = known {
            return Ok(Ok(loaded.clone()));
        }
        // Perhaps another instance has imported it just now.
        let found = self.games.find(&mut *self.store.connection().await?, code).await?;
        Ok(found.ok_or_else(|| {
            let known = listed.iter().map(|loaded| loaded.game.code());
            with_near(&format!("There is no game {code}."), code, known)
        }))
    }

    /// Waits until what this instance has of the catalogue in memory is as new as the database is now, so that whoever changed it sees the change.
    /// Not for long: what falls behind is not believed, and the database is asked.
    pub(crate) async fn keep_up(&self) {
        let clock = self.catalogue.clock();
        let most = self.settings.card_cache_trust.min(MAX_WAIT);
        if clock.is_current() && tokio::time::timeout(most, clock.catch_up()).await.is_err() {
            tracing::debug!("the cards in memory are behind the database");
        }
    }

    /// Today, in UTC.
    pub fn today(&self) -> Result<Date, Problem> {
        self.clock.today().ok_or_else(|| Problem::internal("the clock shows no day"))
    }

    /// All sets, from memory where they are there.
    pub(crate) async fn sets(&self) -> StoreResult<Arc<Releases>> {
        if let Some(sets) = self.catalogue.sets() {
            return Ok(sets);
        }
        Ok(Arc::new(Self::read_sets(&mut *self.store.connection().await?).await?))
    }

    /// All sets, as they are.
    pub(crate) async fn read_sets(conn: &mut Connection) -> StoreResult<Releases> {
        let mut sets = Releases::default();
        for cards::Release { game_code, code, released_on } in
            cards::load_releases(conn, None).await?
        {
            sets.insert(game_code, code, released_on);
        }
        Ok(sets)
    }

    /// Runs `work` in a transaction that commits only if the credential behind `by` is still alive: see [`Store::transaction_by`].
    pub async fn write<P: Permission, T, E>(
        &self,
        by: &Granted<P>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        self.store.transaction_by(by, self.clock.now(), work).await
    }

    /// Like [`Self::write`], for feedback about designs, which pages of the gallery show.
    pub async fn write_feedback<P: Permission, T, E>(
        &self,
        by: &Granted<P>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let done = self.write(by, work).await?;
        self.gallery_pages.forget();
        Ok(done)
    }

    /// Like [`Self::write`], for work that changes what is listed of designs.
    pub async fn write_design<P: Permission, T, E>(
        &self,
        by: &Granted<P>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let done = self.write(by, work).await?;
        self.designs_changed();
        Ok(done)
    }

    /// Notes that designs changed just now: what is kept of them is old, and the database is asked until it was read again. Other instances notice within 0.3 s.
    pub(crate) fn designs_changed(&self) {
        self.gallery_pages.forget();
        self.listed_designs.clock().doubt();
        self.listed_designs.hurry();
    }

    /// Like [`Self::write`], for work whose statements may each take as long as `limit` ([`Store::with_deadline`]).
    pub async fn write_within<P: Permission, T, E>(
        &self,
        limit: Duration,
        by: &Granted<P>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        self.store.with_deadline(limit).transaction_by(by, self.clock.now(), work).await
    }
}

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// How the service behaves; fields without a configuration option of the same meaning are for tests.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Requests per second and network, and how many may come at once.
    pub requests_per_second: u32,
    /// Requests that may come at once.
    pub request_burst: u32,
    /// Limits on attempts at secrets.
    pub attempt_limits: AttemptLimits,
    /// Whose accounts must have a second factor.
    pub second_factor_demand: SecondFactorDemand,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Networks that may read `/metrics`, beside this machine itself.
    pub metrics_networks: Vec<IpNet>,
    /// Origins that browsers may send credentials from.
    pub cors_origins: Vec<String>,
    /// Where browsers find the service: scheme, host and port, without a slash at the end. `None`: nobody said so, and pages name no whole address.
    pub public_url: Option<String>,
    /// Longest time for one request.
    pub request_timeout: Duration,
    /// Most cards that a regular expression, or another test that no index answers, is tried on.
    pub search_candidates: u32,
    /// Memory for answers about open cards, in bytes, and as much for the cards of decks; 0: none is kept.
    pub card_cache_bytes: u64,
    /// Whether all cards are kept in memory for searches.
    pub card_index: bool,
    /// How long kept answers are believed after the change feed was last read to its end: at most 1 s.
    pub card_cache_trust: Duration,
    /// How long the list of games is believed: at most 1 s.
    pub games_trust: Duration,
    /// Networks that webhooks may post to, beside the public internet, and without TLS.
    pub webhook_networks: Vec<IpNet>,
    /// How long near names are looked for to the unknown names of one request; the rest are left out: an answer without suggestions
    /// beats a late one.
    pub suggestion_time: Duration,
    /// How long community statistics, counts of registered copies and facets of designs are kept: at most 20 s.
    pub statistics_ttl: Duration,
    /// Fonts of pictures that are drawn as PNG.
    pub picture_fonts: Fonts,
    /// How long a checked credential is believed before it is looked up again: at most 5 s.
    pub identity_ttl: Duration,
}

impl Default for ApiSettings {
    fn default() -> Self {
        Self {
            requests_per_second: 50,
            request_burst: 200,
            attempt_limits: AttemptLimits::default(),
            second_factor_demand: SecondFactorDemand::default(),
            trusted_proxies: Vec::new(),
            metrics_networks: Vec::new(),
            cors_origins: Vec::new(),
            public_url: None,
            request_timeout: Duration::from_secs(10),
            search_candidates: 10_000,
            card_cache_bytes: 32 * 1024 * 1024,
            card_index: true,
            card_cache_trust: Duration::from_secs(1),
            games_trust: Duration::from_millis(500),
            webhook_networks: Vec::new(),
            suggestion_time: Duration::from_millis(800),
            statistics_ttl: Duration::from_secs(20),
            picture_fonts: Fonts::bundled(),
            identity_ttl: Duration::from_secs(2),
        }
    }
}

/// What the whole process shares.
pub struct Shared {
    /// Secrets to sign and hash with.
    pub keys: KeyRing,
    /// The time.
    pub clock: Clock,
    /// Hashes passwords, a bounded number at once.
    pub passwords: PasswordHasher,
    /// Credentials checked within the last moments.
    pub identities: Cache<CredentialKey, Identity>,
    /// Answers to strangers about open cards.
    pub card_cache: CardCache,
    /// Answers about games and sets.
    pub kept_answers: KeptAnswers,
    /// All cards, for searches.
    pub catalogue: Catalogue,
    /// Open cards as decks are judged by them.
    pub deck_cards: DeckCards,
    /// Pages of the gallery.
    pub gallery_pages: KeptAnswers,
    /// What open cards do, for designs that do the same.
    pub card_effects: CardEffects,
    /// Listed designs, for those that are like another.
    pub listed_designs: ListedDesigns,
    /// Where names are looked for that are near to those which decks misspell.
    pub near_names: BoundedWork,
    /// Who follows the change feed for these.
    pub feed: Feed,
    /// Community statistics of the last moments: to count reads every submission of those who are named, and strangers may ask.
    pub statistics: Recent<(Statistic, Option<Code>, Option<Code>), Rendered>,
    /// Facets of designs of the last moments, by game, revisions of all games and query: to count reads every design that fits, and strangers may ask.
    pub design_facets: Recent<(Code, Vec<i64>, String), Rendered>,
    /// What became of print runs, by run and status: a run that was broken off holds nothing, and must not be told with what it held. To count goes through
    /// every registered copy of a run, which may be millions.
    pub counted_runs: Recent<(Uuid, RunStatus), Arc<RunCounts>>,
    /// What is registered of sets, by game, set and whether the reader sees all cards. To count goes through every card of the set and its registered copies.
    pub counted_printings: Recent<(Code, Code, bool), Rendered>,
    /// The first sets with hidden cards, by the version of the cards in memory: to find them counts the cards of all sets, and strangers may ask.
    pub hidden_sets: Recent<u64, Arc<[SetRow]>>,
    /// Games whose manifests are loaded.
    pub games: GameCache,
    /// Effect texts that are loaded.
    pub effects: EffectCache,
    /// Sentences that templates make, with what makes them, by game, revision of its effect texts and sentence.
    pub matched_sentences: Weighed<(String, i64, String), MatchedSentenceResponse>,
    /// Toolkits for designers, by game, revision of its manifest and revision of its effect texts.
    pub toolkits: Recent<(Code, i64, Option<i64>), Rendered>,
    /// Where effect texts are put together, and files of admins are checked.
    pub work: BoundedWork,
    /// Who has a file of a collection read.
    pub import_desk: FileDesk,
    /// Who has a picture read.
    pub artwork_desk: FileDesk,
    /// Requests per network.
    pub rate_limiter: RateLimiter,
    /// Who waits for changes of the catalogue.
    pub changes: ChangeWatch,
    /// Who listens to what happens to the own account.
    pub account_events: EventWatch,
    /// Who downloads bulk files.
    pub downloads: Downloads,
    /// Draws pictures as PNG.
    pub pictures: PictureDrawer,
    /// Pictures of designs.
    pub design_pictures: KeptPictures,
    /// Attempts at serial codes that several requests share.
    pub shared_attempts: SharedAttempts,
    /// Where attempts at serial codes are taken and given back, those of many requests together.
    pub attempt_batches: AttemptBatches,
    /// Submissions that are decided together.
    pub registration_groups: RegistrationGroups,
    /// Renders `/metrics`.
    pub metrics: PrometheusHandle,
    /// How the service behaves.
    pub settings: ApiSettings,
    draining: AtomicBool,
}

/// Connections for work of many requests that is done at once: attempts are taken and given back, while submissions are decided.
pub const TOGETHER: usize = 3;

impl Shared {
    /// Puts the shared state together. `together` is for work of many requests that is done at once, which takes up to [`TOGETHER`] connections; it is done in
    /// the runtime where this is called.
    pub fn new(
        keys: KeyRing,
        clock: Clock,
        passwords: PasswordHasher,
        metrics: PrometheusHandle,
        settings: ApiSettings,
        together: &Store,
    ) -> Self {
        let attempt_batches = AttemptBatches::new(together.clone());
        Self {
            keys,
            clock,
            passwords,
            identities: Cache::builder()
                .max_capacity(50_000)
                .time_to_live(settings.identity_ttl)
                .build(),
            card_cache: CardCache::new(settings.card_cache_bytes, settings.card_cache_trust),
            kept_answers: KeptAnswers::new(
                settings.card_cache_bytes / KEPT_ANSWERS,
                settings.card_cache_trust,
            ),
            catalogue: Catalogue::new(settings.card_cache_trust),
            deck_cards: DeckCards::new(settings.card_cache_bytes),
            gallery_pages: KeptAnswers::new(
                settings.card_cache_bytes / GALLERY_PAGES,
                settings.card_cache_trust,
            ),
            card_effects: CardEffects::new(settings.card_cache_bytes / CARD_EFFECTS),
            listed_designs: ListedDesigns::new(settings.card_cache_trust),
            near_names: BoundedWork::on_half_the_cores(WAITING),
            feed: Feed::default(),
            statistics: Recent::new(1_000, settings.statistics_ttl),
            design_facets: Recent::new(DESIGN_FACETS, settings.statistics_ttl),
            counted_runs: Recent::new(10_000, settings.statistics_ttl),
            counted_printings: Recent::new(1_000, settings.statistics_ttl),
            hidden_sets: Recent::new(1, settings.statistics_ttl),
            games: GameCache::new(settings.games_trust),
            effects: EffectCache::default(),
            matched_sentences: Weighed::new(
                MATCHED_SENTENCES,
                |(game, _, sentence): &(String, i64, String), matched: &MatchedSentenceResponse| {
                    game.len() + sentence.len() + matched.weight()
                },
            ),
            toolkits: Recent::new(TOOLKITS, TOOLKIT_KEPT),
            work: BoundedWork::on_half_the_cores(WAITING),
            import_desk: FileDesk::for_collections(),
            artwork_desk: FileDesk::for_artworks(),
            rate_limiter: RateLimiter::new(settings.requests_per_second, settings.request_burst),
            changes: ChangeWatch::default(),
            account_events: EventWatch::default(),
            downloads: Downloads::default(),
            pictures: PictureDrawer::new(settings.picture_fonts.clone()),
            design_pictures: room_for_pictures(),
            shared_attempts: SharedAttempts::default(),
            registration_groups: RegistrationGroups::new(together.clone(), attempt_batches.clone()),
            attempt_batches,
            metrics,
            settings,
            draining: AtomicBool::new(false),
        }
    }

    /// From now on `/readyz` says no, and streams end: the instance is about to stop.
    pub fn start_draining(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.changes.wake();
        self.account_events.shut_down();
    }

    /// Whether the instance is about to stop.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}
