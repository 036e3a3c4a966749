//! The versions of a deck: the list, the differences between them, and the restore of an earlier version.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;
use uuid::Uuid;

use super::deck::answer_to;
use super::deck_path;
use super::formats::format_name;
use super::sheet::{CardView, ZoneView, zones};
use super::words as deck_words;
use crate::app::decks::deck_lists;
use crate::app::decks::deck_revisions::{self, DeckRevisionSummary};
use crate::app::decks::revision_overviews::{self, ChangedCard, RevisionChanges, RevisionOverview};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::ids::DeckId;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::catalogue::zone_name;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// Which page of the list.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct RevisionsQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/decks/revisions.html")]
struct RevisionsPage {
    frame: Frame,
    heading: String,
    deck: String,
    name: String,
    revisions: Vec<RevisionRow>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// A version in the list.
struct RevisionRow {
    heading: String,
    path: String,
    name: String,
    cards: String,
    /// The difference in the number of cards to the version before; `None`: that version is not on this page.
    change: Option<String>,
    /// Who could read the version; only for its owner.
    visibility: Option<String>,
    is_newest: bool,
    day: String,
    at: String,
}

/// Lists the versions of a deck that the reader may see, the newest first.
pub(in crate::web) async fn list_revisions(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    deck: web::Path<Uuid>,
    query: web::Query<RevisionsQuery>,
) -> Result<HttpResponse, Problem> {
    let (id, reads) = (DeckId(*deck), visitor.must::<ReadOwnDecks>().ok());
    let found = deck_lists::find(&state, (visitor.viewer(), reads.as_ref()), id).await?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let before = Cursor::key_of(query.cursor.as_ref())?;
    let listed = deck_revisions::list(&state, reads.as_ref(), id, before, limit).await?;
    let summary = found.deck.summary;
    let is_own = reads.is_some_and(|by| Some(by.account().0) == summary.account_id);
    let path = deck_path(summary.id);
    let list = format!("{path}/revisions");
    let counts: Vec<i64> = listed.data.iter().map(|revision| revision.card_count).collect();
    let row = |(at, revision): (usize, DeckRevisionSummary)| RevisionRow {
        heading: deck_words::revision(revision.revision),
        path: format!("{list}/{}", revision.revision),
        name: revision.name,
        cards: words::cards(revision.card_count),
        change: counts
            .get(at + 1)
            .map(|before| deck_words::more_cards(revision.card_count.saturating_sub(*before))),
        visibility: is_own.then(|| deck_words::visibility(&revision.visibility)),
        is_newest: revision.revision == summary.revision,
        day: words::day_of(revision.created_at),
        at: revision.created_at.to_rfc3339(),
    };
    let heading = deck_words::revisions_of(&summary.name);
    let page = RevisionsPage {
        frame: Frame::new(&heading).at(Place::Decks),
        heading,
        revisions: listed.data.into_iter().enumerate().map(row).collect(),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: listed.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        deck: path,
        name: summary.name,
    };
    answer_to(&req, &visitor, &page)
}

#[derive(Template)]
#[template(path = "web/decks/revision.html")]
struct RevisionPage {
    frame: Frame,
    faults: Faults,
    heading: String,
    deck: String,
    deck_name: String,
    name: String,
    format: String,
    cards: String,
    day: String,
    at: String,
    is_newest: bool,
    zones: Vec<ZoneView>,
    /// The changes since the version before.
    since: Option<ChangesView>,
    /// The changes up to the newest version.
    until: Option<ChangesView>,
    /// The button that restores the version, for the owner.
    restore: Option<RestoreView>,
}

/// The differences between two versions.
struct ChangesView {
    heading: String,
    /// `None`: the versions belong to different games.
    rows: Option<Vec<ChangeRow>>,
}

/// A card with different numbers of copies in two versions.
struct ChangeRow {
    card: CardView,
    what: &'static str,
    zones: Vec<String>,
}

/// The fields of the button that restores a version.
struct RestoreView {
    number: i64,
    /// The newest version, which is replaced.
    revision: String,
}

/// Shows a version of a deck, and the differences to the version before and to the newest version.
pub(in crate::web) async fn find_revision(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    path: web::Path<(Uuid, i64)>,
) -> Result<HttpResponse, Problem> {
    let (deck, number) = *path;
    let reads = visitor.must::<ReadOwnDecks>().ok();
    let readers = (&visitor, reads.as_ref(), network.0);
    let page = revision_page(&state, readers, (DeckId(deck), number), Faults::none()).await?;
    answer_to(&req, &visitor, &page)
}

async fn revision_page(
    app: &AppState,
    (visitor, reader, network): (&Visitor, Option<&Granted<ReadOwnDecks>>, Network),
    (id, number): (DeckId, i64),
    faults: Faults,
) -> Result<RevisionPage, Problem> {
    let requester = (visitor.viewer(), network);
    let found = revision_overviews::find(app, reader, requester, (id, number)).await?;
    let RevisionOverview { deck, game, name, format, sheet, .. } = found;
    let summary = deck.deck.summary;
    let is_own = reader.is_some_and(|by| Some(by.account().0) == summary.account_id);
    let is_newest = number == deck.version.revision.0;
    let changes = |changes: RevisionChanges, heading: fn(i64) -> String| ChangesView {
        heading: heading(changes.revision),
        rows: changes.cards.map(|cards| cards.iter().map(|card| change_row(&game, card)).collect()),
    };
    let heading = deck_words::revision(number);
    Ok(RevisionPage {
        frame: Frame::new(&format!("{heading}: {name}")).at(Place::Decks),
        faults,
        heading,
        deck: deck_path(id.0),
        deck_name: summary.name,
        format: format_name(&game, &format),
        cards: deck_words::card_count(found.card_count),
        day: words::day_of(found.created_at),
        at: found.created_at.to_rfc3339(),
        is_newest,
        zones: zones(game.code(), &sheet),
        since: found.since.map(|found| changes(found, deck_words::since_revision)),
        until: found.until.map(|found| changes(found, deck_words::until_revision)),
        restore: (is_own && !is_newest)
            .then(|| RestoreView { number, revision: deck.version.in_form() }),
        name,
    })
}

fn change_row(game: &Game, changed: &ChangedCard) -> ChangeRow {
    let counts: Vec<(u64, u64)> =
        changed.zones.iter().map(|zone| (zone.before, zone.after)).collect();
    let zones = changed
        .zones
        .iter()
        .map(|zone| deck_words::zone_change(&zone_name(game, &zone.zone), zone.before, zone.after));
    ChangeRow {
        card: CardView::new(game.code(), &changed.card, changed.rarity.as_deref()),
        what: deck_words::card_change(&counts),
        zones: zones.collect(),
    }
}

/// The version to restore, and the newest version when the page was loaded.
#[derive(Deserialize)]
pub(in crate::web) struct Restored {
    number: i64,
    revision: String,
}

/// Restores an earlier version of one of the visitor's own decks, if the deck is still at the version that the page was loaded with.
pub(in crate::web) async fn restore(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<WriteOwnDecks>,
    deck: web::Path<Uuid>,
    Form(restored): Form<Restored>,
) -> Result<HttpResponse, Problem> {
    let which = (DeckId(*deck), restored.number);
    let meant = IfMatch::of_form(&restored.revision);
    let requester = (by.visitor.viewer(), network.0);
    let done = deck_revisions::restore(&state, &by, requester, which, &meant).await;
    let problem = match done {
        Ok(_) => return Ok(see_other(&deck_path(*deck))),
        Err(problem) if problem.code() == ProblemCode::PreconditionFailed => problem,
        Err(problem) => return Err(problem),
    };
    // A double click, or a form that is sent again because its answer was lost.
    if deck_revisions::is_restored(&state, &by, requester, which).await.unwrap_or_default() {
        return Ok(see_other(&deck_path(*deck)));
    }
    let reads = by.visitor.must::<ReadOwnDecks>()?;
    let faults = Faults::one("", deck_words::CHANGED_BEFORE_RESTORING);
    let readers = (&by.visitor, Some(&reads), network.0);
    let page = revision_page(&state, readers, which, faults).await?;
    private(PageStatus::of(&problem), &page)
}
