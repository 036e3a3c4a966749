//! State that use cases share: the store of their worker thread, and values of the whole process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cardscape_engine::Date;
use cardscape_pictures::Fonts;
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use uuid::Uuid;

use crate::app::designs::alike::{AlikeResponse, CardsLike};
use crate::app::effects::match_bodies::MatchedSentenceResponse;
use crate::app::fault_reason::NoGame;
use crate::app::problem::Problem;
use crate::app::step_connection::StepConnection;
use crate::auth::keys::KeyRing;
use crate::auth::password::PasswordHasher;
use crate::auth::permission::{Acting, Granted, Permission};
use crate::auth::second_factor::SecondFactorDemand;
use crate::domain::accounts::attempts::AttemptLimits;
use crate::domain::clock::Clock;
use crate::domain::code::Code;
use crate::domain::printing::promise::RunPromise;
use crate::memory::caches::Weighed;
use crate::memory::card_effects::CardEffects;
use crate::memory::catalogue::cached_answers::CachedAnswers;
use crate::memory::catalogue::card_cache::CardCache;
use crate::memory::catalogue::change_watch::ChangeWatch;
use crate::memory::catalogue::clock::FeedClock;
use crate::memory::catalogue::derived::VersionedCache;
use crate::memory::catalogue::downloads::Downloads;
use crate::memory::catalogue::feed::Feed;
use crate::memory::catalogue::index::Catalogue;
use crate::memory::deck_cards::{DeckCards, memory_beside};
use crate::memory::event_watch::EventWatch;
use crate::memory::file_limiter::FileLimiter;
use crate::memory::gallery_designs::{self, GalleryDesigns};
use crate::memory::identities::Identities;
use crate::memory::listed_designs::ListedDesigns;
use crate::memory::pictures::{CachedPictures, CardPictures, PictureDrawer, room_for_pictures};
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

/// How long a response waits at most until the data in memory is up to date.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// How many jobs with effect texts or files of admins may wait for each one that runs.
const WAITING: usize = 32;
/// How many pictures a network may load for each request of another kind: a page of a list shows sixty pictures, most of them from the browser's
/// cache.
const PICTURES_A_REQUEST: u32 = 10;

/// Memory for cached responses about games and sets, as a fraction of the memory for cards (1/4); totals of sets may
/// take as much again. The totals of 1,600 sets take 6 MB.
const CACHED_ANSWERS: u64 = 4;
/// Memory for the effects of cards, as a fraction of the memory for cards (1/4): some 30,000 cards.
const CARD_EFFECTS: u64 = 4;
/// Memory for pages of the gallery, as a fraction of the memory for cards (1/4): some 300 pages of 50 designs.
const GALLERY_PAGES: u64 = 4;
/// Memory for sentences and the templates that make them, in bytes: some 5,000 sentences.
const MATCHED_SENTENCES: u64 = 8 * 1024 * 1024;
/// Size of the cache of common words, in bytes.
const COMMON_WORDS: u64 = 512 * 1024;
/// Memory for the cards that designs are like, by name and by effects each, in bytes: some 10,000 names.
const LIKENESSES: u64 = 4 * 1024 * 1024;
/// Size of a card that a design is like, in bytes, rounded up.
const LIKENESS_BYTES: usize = 400;
/// Most toolkits in the cache: that of the largest game has some megabytes.
const TOOLKITS: u64 = 16;
/// Most cached facets of designs: those of a large game take some hundred kilobytes. Clients can invent queries;
/// entries that are used often stay.
const DESIGN_FACETS: u64 = 100;
/// Most print runs whose promises are cached: each takes some hundred bytes.
const RUN_PROMISES: u64 = 2_000;
/// How long a toolkit is cached. The key contains the versions, so an entry cannot become wrong.
const TOOLKIT_LIFETIME: Duration = Duration::from_hours(1);

/// The state that every handler gets.
#[derive(Clone)]
pub struct AppState {
    /// The connection pool of this worker thread.
    pub store: Store,
    /// Connections for searches that may read much of the catalogue; the worker threads share them.
    pub searches: SearchQueue,
    /// State of the whole process.
    pub shared: Arc<Shared>,
}

impl AppState {
    /// All games by code, from a list that may be as old as [`ApiSettings::games_trust`].
    pub async fn all_games(&self) -> StoreResult<Arc<[Arc<LoadedGame>]>> {
        match self.games.listed() {
            Some(games) => Ok(games),
            None => self.games.list(&mut *self.store.connection().await?).await,
        }
    }

    /// The game that a request names, or a message about the unknown code.
    pub(crate) async fn named_game(
        &self,
        code: &str,
    ) -> Result<Result<Arc<LoadedGame>, NoGame>, Problem> {
        self.named_game_on(&mut StepConnection::new(&self.store), code).await
    }

    /// Like [`Self::named_game`], for a use case that has a connection for its steps.
    pub(crate) async fn named_game_on(
        &self,
        conn: &mut StepConnection<'_>,
        code: &str,
    ) -> Result<Result<Arc<LoadedGame>, NoGame>, Problem> {
        let listed = match self.games.listed() {
            Some(games) => games,
            None => self.games.list(conn.get().await?).await?,
        };
        let known = listed.iter().find(|loaded| loaded.game.code() == code);
        if let Some(loaded) = known {
            return Ok(Ok(loaded.clone()));
        }
        // Another instance may have imported the game since the list was read.
        let found = self.games.find(conn.get().await?, code).await?;
        Ok(found.ok_or_else(|| {
            let known = listed.iter().map(|loaded| loaded.game.code());
            NoGame::new(code, known)
        }))
    }

    /// Waits until the catalogue in memory is as new as the database, so that a client that changed the catalogue sees
    /// the change. The wait is short: if the memory falls behind, it is not used and the database is queried.
    pub(crate) async fn wait_until_current(&self) {
        let most = self.settings.card_cache_trust.min(MAX_WAIT);
        if let Some(clock) = clock_to_await(self.catalogue.clock(), self.card_cache.clock())
            && tokio::time::timeout(most, clock.catch_up()).await.is_err()
        {
            tracing::debug!("the cards in memory are behind the database");
        }
    }

    /// The same for a client that learns of the event of the change feed with this number, and then fetches what it names. Waits only for
    /// an event that this instance has not read yet.
    pub(crate) async fn wait_until_read(&self, seq: i64) {
        let is_indexed = is_index_ready(self.catalogue.clock(), self.feed.has_indexed(seq));
        if !(self.feed.has_read(seq) && is_indexed) {
            self.wait_until_current().await;
        }
    }

    /// Today, in UTC.
    pub fn today(&self) -> Result<Date, Problem> {
        self.clock.today().ok_or_else(|| Problem::internal("the clock shows no day"))
    }

    /// All sets, from memory if they are loaded.
    pub(crate) async fn sets(&self) -> StoreResult<Arc<Releases>> {
        if let Some(sets) = self.catalogue.sets() {
            return Ok(sets);
        }
        Ok(Arc::new(Self::read_sets(&mut *self.store.connection().await?).await?))
    }

    /// All sets, from the database.
    pub(crate) async fn read_sets(conn: &mut Connection) -> StoreResult<Releases> {
        let mut sets = Releases::default();
        for cards::Release { game_code, code, released_on } in
            cards::load_releases(conn, None).await?
        {
            sets.insert(game_code, code, released_on);
        }
        Ok(sets)
    }

    /// Runs `work` in a transaction that commits only if the credential behind `by` is still valid: see
    /// [`Store::transaction_by`].
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

    /// Like [`Self::write`], for feedback about designs, which is shown in cached pages of the gallery.
    pub async fn write_feedback<P: Permission, T, E>(
        &self,
        by: &Granted<P>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let done = self.write(by, work).await?;
        self.gallery_changed();
        Ok(done)
    }

    /// Like [`Self::write`], for work that changes the listed designs.
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

    /// Records that designs changed: cached lists of designs are dropped, and the database is queried until they are read
    /// again. Other instances notice within 0.3 s.
    pub(crate) fn designs_changed(&self) {
        // Before the task is signalled: a read that began earlier does not count.
        self.listed_designs.clock().invalidate();
        self.gallery_changed();
    }

    /// Records that lists show designs differently: cached lists are dropped, and the database is searched until the designs
    /// are read again.
    pub(crate) fn gallery_changed(&self) {
        // First, so that no page from the outdated memory is cached after the cached pages are dropped.
        self.gallery_designs.clock().invalidate();
        self.gallery_pages.forget();
        self.listed_designs.hurry();
    }

    /// Like [`Self::write`], for work with statements that may each take as long as `limit` ([`Store::with_deadline`]).
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

/// Settings of the service. Fields without a configuration option are set only by tests.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// Requests per second that each network may send on average.
    pub requests_per_second: u32,
    /// Requests that a network may send at once.
    pub request_burst: u32,
    /// Limits on attempts at secrets.
    pub attempt_limits: AttemptLimits,
    /// Which accounts must have a second factor.
    pub second_factor_demand: SecondFactorDemand,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Networks that may read `/metrics`, besides this machine.
    pub metrics_networks: Vec<IpNet>,
    /// Origins that browsers may send credentials from.
    pub cors_origins: Vec<String>,
    /// The address of the service for browsers: scheme, host and port, without a trailing slash. `None`: not
    /// configured, and pages contain no absolute addresses.
    pub public_url: Option<String>,
    /// Longest time for one request.
    pub request_timeout: Duration,
    /// Most cards that a regular expression, or another test without an index, is tried on.
    pub search_candidates: u32,
    /// Memory for cached responses about open cards, in bytes, and one and a half times as much for the cards of decks; 0 switches
    /// these caches off.
    pub card_cache_bytes: u64,
    /// Whether all cards are in memory for searches.
    pub card_index: bool,
    /// Most memory for what the gallery shows of listed designs, in bytes.
    pub gallery_bytes: usize,
    /// How long cached responses may be used after the change feed was last read to its end: at most 1 s.
    pub card_cache_trust: Duration,
    /// How long the list of games may be used before it is read again: at most 1 s.
    pub games_trust: Duration,
    /// Networks outside the public internet that webhooks may post to, without TLS.
    pub webhook_networks: Vec<IpNet>,
    /// How long one request may search for names similar to its unknown names. Suggestions that are not found in time
    /// are left out.
    pub suggestion_time: Duration,
    /// How long one request may search for the templates of sentences, and for similar sentences.
    pub effect_match_time: Duration,
    /// How long community statistics, counts of registered copies and facets of designs are cached: at most 20 s.
    pub statistics_ttl: Duration,
    /// Fonts for pictures that are drawn as PNG.
    pub picture_fonts: Fonts,
    /// How long a checked credential is trusted before it is read again: at most 5 s.
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
            gallery_bytes: gallery_designs::MAX_BYTES,
            card_cache_trust: Duration::from_secs(1),
            games_trust: Duration::from_millis(500),
            webhook_networks: Vec::new(),
            suggestion_time: Duration::from_millis(800),
            effect_match_time: Duration::from_secs(4),
            statistics_ttl: Duration::from_secs(20),
            picture_fonts: Fonts::bundled(),
            identity_ttl: Duration::from_secs(2),
        }
    }
}

/// State of the whole process.
pub struct Shared {
    /// Keys for signatures and hashes.
    pub keys: KeyRing,
    /// The source of the current time.
    pub clock: Clock,
    /// Hashes passwords, a limited number at a time.
    pub passwords: PasswordHasher,
    /// Recently checked credentials.
    pub identities: Identities,
    /// Cached public responses about open cards.
    pub card_cache: CardCache,
    /// Cached responses about games and sets.
    pub cached_answers: CachedAnswers,
    /// All cards in memory, for searches.
    pub catalogue: Catalogue,
    /// Open cards, in the form that decks are judged by.
    pub deck_cards: DeckCards,
    /// Cached pages of the gallery.
    pub gallery_pages: CachedAnswers,
    /// The effects of open cards, to find designs that do the same.
    pub card_effects: CardEffects,
    /// Open cards whose names are like a design's, by game and name.
    pub(crate) like_names: VersionedCache<(String, String), CardsLike>,
    /// Open cards with the effects of a design, by game and hash of kind and effects.
    pub(crate) same_effects: VersionedCache<(String, [u8; 16]), Arc<[AlikeResponse]>>,
    /// The listed designs, to find similar ones.
    pub listed_designs: ListedDesigns,
    /// The listed designs as the gallery shows them, for searches for words.
    pub gallery_designs: GalleryDesigns,
    /// Runs searches for names that are similar to misspelt names in decks.
    pub near_names: BoundedWork,
    /// Channel from the reader of the change feed to its subscriber.
    pub feed: Feed,
    /// Cached community statistics: counting reads every submission of the listed players, and anonymous clients may
    /// ask.
    pub statistics: Recent<(Statistic, Option<Code>, Option<Code>), Rendered>,
    /// Cached facets of designs, by game, revisions of all games, and query: counting reads every matching design, and
    /// anonymous clients may ask.
    pub design_facets: Recent<(Code, Vec<i64>, String), Rendered>,
    /// Cached counts of print runs, by run and status. The status is in the key because a discarded run has no copies,
    /// and must not be shown with its former counts. Counting reads every registered copy of a run, which may be
    /// millions.
    pub counted_runs: Recent<(Uuid, RunStatus), Arc<RunCounts>>,
    /// Cached counts of registered copies, by game, set and whether the reader sees all cards. Counting reads every
    /// card of the set and its registered copies.
    pub counted_printings: Recent<(Code, Code, bool), Rendered>,
    /// Promises of revealed print runs, by announcement; `None`: the revealed plan cannot be read.
    pub run_promises: Weighed<Uuid, Option<Arc<RunPromise>>>,
    /// The first sets with hidden cards, by the version of the cards in memory: finding them counts the cards of all
    /// sets, and anonymous clients may ask.
    pub hidden_sets: Recent<u64, Arc<[SetRow]>>,
    /// Cache of loaded games.
    pub games: GameCache,
    /// Cache of loaded effect texts.
    pub effects: EffectCache,
    /// Cached templates for sentences, by game, revision of its effect texts, and sentence.
    pub matched_sentences: Weighed<(String, i64, String), MatchedSentenceResponse>,
    /// Words, as `tsquery`, that many designs had: a search for them reads the designs in the order of the list at once.
    /// Which statement finds a page does not change the page, so this need not be current.
    pub common_words: Weighed<String, ()>,
    /// Cached toolkits for designers, by game, revision of its manifest, and revision of its effect texts.
    pub toolkits: Recent<(Code, i64, Option<i64>), Rendered>,
    /// Runs work on effect texts and checks of admins' files.
    pub work: BoundedWork,
    /// Limits how many collection files are read at once.
    pub import_limiter: FileLimiter,
    /// Limits how many catalogue files from pages are checked at once.
    pub catalogue_limiter: FileLimiter,
    /// Limits how many uploaded pictures are read at once.
    pub artwork_limiter: FileLimiter,
    /// Limits requests by network.
    pub rate_limiter: RateLimiter,
    /// Limits requests for pictures by network, beside the others.
    pub picture_rate_limiter: RateLimiter,
    /// Streams of changes of the catalogue.
    pub changes: ChangeWatch,
    /// Streams of account events.
    pub account_events: EventWatch,
    /// Limits downloads of bulk files.
    pub downloads: Downloads,
    /// Draws pictures as PNG.
    pub pictures: PictureDrawer,
    /// Cached pictures of designs.
    pub design_pictures: CachedPictures,
    /// Cached pictures of open cards.
    pub(crate) card_pictures: CardPictures,
    /// Serial code attempts that concurrent requests share.
    pub shared_attempts: SharedAttempts<Problem>,
    /// Takes and returns serial code attempts, for many requests in one statement.
    pub attempt_batches: AttemptBatches,
    /// Decides submissions in groups.
    pub registration_groups: RegistrationGroups,
    /// Renders `/metrics`.
    pub metrics: PrometheusHandle,
    pub settings: ApiSettings,
    draining: AtomicBool,
}

/// Connections for work that joins many requests: two for attempts at serial codes, which are taken and returned at the
/// same time, one for deciding submissions, and one for returning attempts at other secrets.
pub const TOGETHER: usize = 4;

impl Shared {
    /// Creates the shared state. `together` is the store for work that joins many requests; it takes up to [`TOGETHER`]
    /// connections. That work runs in the async runtime in which this function is called.
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
            identities: Identities::new(settings.identity_ttl),
            card_cache: CardCache::new(settings.card_cache_bytes, settings.card_cache_trust),
            cached_answers: CachedAnswers::new(
                settings.card_cache_bytes / CACHED_ANSWERS,
                settings.card_cache_trust,
            ),
            catalogue: Catalogue::new(settings.card_cache_trust),
            deck_cards: DeckCards::new(memory_beside(settings.card_cache_bytes)),
            gallery_pages: CachedAnswers::new(
                settings.card_cache_bytes / GALLERY_PAGES,
                settings.card_cache_trust,
            ),
            card_effects: CardEffects::new(settings.card_cache_bytes / CARD_EFFECTS),
            like_names: VersionedCache::new(
                LIKENESSES,
                |(game, name): &(String, String), cards: &CardsLike| {
                    game.len() + name.len() + LIKENESS_BYTES * (1 + cards.len())
                },
            ),
            same_effects: VersionedCache::new(LIKENESSES, |_, cards: &Arc<[AlikeResponse]>| {
                LIKENESS_BYTES * (1 + cards.len())
            }),
            listed_designs: ListedDesigns::new(settings.card_cache_trust),
            gallery_designs: GalleryDesigns::new(settings.gallery_bytes, settings.card_cache_trust),
            near_names: BoundedWork::on_half_the_cores(WAITING),
            feed: Feed::default(),
            statistics: Recent::new(1_000, settings.statistics_ttl),
            design_facets: Recent::new(DESIGN_FACETS, settings.statistics_ttl),
            counted_runs: Recent::new(10_000, settings.statistics_ttl),
            counted_printings: Recent::new(1_000, settings.statistics_ttl),
            run_promises: Weighed::new(RUN_PROMISES, |_, _| 1),
            hidden_sets: Recent::new(1, settings.statistics_ttl),
            games: GameCache::new(settings.games_trust),
            effects: EffectCache::default(),
            matched_sentences: Weighed::new(
                MATCHED_SENTENCES,
                |(game, _, sentence): &(String, i64, String), matched: &MatchedSentenceResponse| {
                    game.len() + sentence.len() + matched.weight()
                },
            ),
            common_words: Weighed::new(COMMON_WORDS, |words: &String, ()| words.len() + 100),
            toolkits: Recent::new(TOOLKITS, TOOLKIT_LIFETIME),
            work: BoundedWork::on_half_the_cores(WAITING),
            import_limiter: FileLimiter::for_collections(),
            catalogue_limiter: FileLimiter::for_catalogue(),
            artwork_limiter: FileLimiter::for_artworks(),
            rate_limiter: RateLimiter::new(
                "default",
                settings.requests_per_second,
                settings.request_burst,
            ),
            picture_rate_limiter: RateLimiter::new(
                "pictures",
                settings.requests_per_second.saturating_mul(PICTURES_A_REQUEST),
                settings.request_burst.saturating_mul(PICTURES_A_REQUEST),
            ),
            changes: ChangeWatch::default(),
            account_events: EventWatch::default(),
            downloads: Downloads::default(),
            pictures: PictureDrawer::new(settings.picture_fonts.clone()),
            design_pictures: room_for_pictures(),
            card_pictures: CardPictures::new(settings.card_cache_bytes),
            shared_attempts: SharedAttempts::default(),
            registration_groups: RegistrationGroups::new(together.clone(), attempt_batches.clone()),
            attempt_batches,
            metrics,
            settings,
            draining: AtomicBool::new(false),
        }
    }

    /// Makes `/readyz` report that the instance is stopping, and ends all streams.
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

/// Whether nobody needs to wait for the index because of an event of the change feed: it has read the event
/// (`has_indexed`), or it is absent, and does not become current without the event. One that is behind must be waited
/// for: it may be used again before it has read the event.
fn is_index_ready(index: &FeedClock, has_indexed: bool) -> bool {
    if has_indexed {
        return true;
    }
    let is_absent = index.lag().is_none();
    if is_absent {
        // One that is being built may have read its cards before the event.
        index.invalidate();
    }
    is_absent
}

/// The clock to wait for, so that neither the index nor the cached cards count as current afterwards without what was committed before this call. `None`: nothing
/// follows the feed.
fn clock_to_await<'a>(index: &'a FeedClock, cached: &'a FeedClock) -> Option<&'a FeedClock> {
    // The index is corrected after the cached cards. Even if it is behind at the moment, it may count as current a moment later, and still lack the change.
    if index.lag().is_some() {
        return Some(index);
    }
    // An index that is being built may have read its cards before the change; nobody waits for it, because that takes longer.
    index.invalidate();
    cached.lag().is_some().then_some(cached)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn an_index_that_lacks_a_change_is_waited_for_or_does_not_become_current() {
        let trust = Duration::from_hours(1);
        let (index, cached) = (FeedClock::new(trust), FeedClock::new(trust));
        let is_awaited = |index: &FeedClock, clock: &FeedClock| {
            clock_to_await(index, &cached).is_some_and(|found| std::ptr::eq(found, clock))
        };
        assert!(!is_awaited(&index, &index) && !is_awaited(&index, &cached));
        cached.advance_to(Instant::now());
        let before = Instant::now();
        assert!(is_awaited(&index, &cached), "the index is absent");
        index.advance_to(before);
        assert!(!index.is_current(), "its cards were read before the call");
        index.advance_to(Instant::now() + Duration::from_secs(1));
        assert!(index.is_current() && is_awaited(&index, &index));

        let behind = FeedClock::new(Duration::ZERO);
        behind.advance_to(Instant::now());
        assert!(!behind.is_current() && is_awaited(&behind, &behind));
    }

    #[test]
    fn an_index_that_is_being_built_does_not_become_current_without_an_announced_event() {
        let index = FeedClock::new(Duration::from_hours(1));
        let before = Instant::now();
        assert!(is_index_ready(&index, false), "searches go to the database");
        index.advance_to(before);
        assert!(!index.is_current(), "its cards were read before the call");
        index.advance_to(Instant::now() + Duration::from_secs(1));
        assert!(index.is_current());
        assert!(!is_index_ready(&index, false) && is_index_ready(&index, true));
        assert!(index.is_current());
    }
}
