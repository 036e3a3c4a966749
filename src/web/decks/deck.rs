//! The page of a deck: its cards, its legality in each format, and its actions.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::{DeckDialect, Game};
use serde::Deserialize;
use uuid::Uuid;

use super::availability::{AvailabilityView, find_availability};
use super::deck_path;
use super::feedback::{Switch, switches};
use super::files::by_cookie;
use super::formats::format_name;
use super::public::DeckRow;
use super::qr::shared_address;
use super::report::ReportView;
use super::sheet::{CurveView, ZoneView, curves, zones};
use super::words as deck_words;
use crate::app::catalogue::image_uris::ImageUris;
use crate::app::decks::deck_exports::useful_dialects;
use crate::app::decks::deck_legalities::{DeckLegalitiesResponse, DeckLegalityResponse};
use crate::app::decks::deck_overviews::{self, DeckOverview};
use crate::app::decks::deck_responses::DeckResponse;
use crate::app::decks::deck_sheets::{DeckSheet, SheetCard};
use crate::app::decks::opened_decks::{OpenedDeck, open};
use crate::app::decks::{own_feedback, public_decks};
use crate::app::feedback::takedowns::TakedownResponse;
use crate::app::page::Cursor;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::designs::markup::to_text;
use crate::domain::ids::{AccountId, DeckId};
use crate::domain::network::Network;
use crate::http::extract::ClientNetwork;
use crate::memory::rendered::Freshness;
use crate::web::catalogue::game_path;
use crate::web::feedback::comments::{
    self, CommentChoice, CommentReader, Comments, RefusedComment,
};
use crate::web::feedback::hidden_comments;
use crate::web::feedback::words as feedback_words;
use crate::web::forms::{Faults, private};
use crate::web::markup::Markup;
use crate::web::page::{Frame, Place, Preview, answer, write};
use crate::web::page_status::PageStatus;
use crate::web::rules::unread;
use crate::web::session::{Visitor, log_in_path};
use crate::web::words;

/// Number of similar decks that are shown.
const SIMILAR: i64 = 6;
/// Most characters of the description in previews of other sites.
const PREVIEW: usize = 200;

#[derive(Template)]
#[template(path = "web/decks/deck.html")]
struct DeckPage {
    frame: Frame,
    faults: Faults,
    name: String,
    path: String,
    is_own: bool,
    is_logged_in: bool,
    /// Whether the reader can report it.
    may_be_reported: bool,
    /// The page that reports its author.
    report_author: Option<String>,
    /// What a moderator decided, if the deck is taken down.
    takedown: Option<TakedownView>,
    log_in: String,
    /// What the reader can do with the deck by a click.
    switches: Vec<Switch>,
    /// `None`: only its owner can read the deck.
    likes: Option<String>,
    /// The version that a form of the owner names.
    revision: String,
    /// Only of public decks.
    author: Option<String>,
    game: String,
    game_path: String,
    format: String,
    visibility: String,
    cards: String,
    changed: String,
    changed_at: String,
    tags: Vec<String>,
    description: Option<Markup>,
    zones: Vec<ZoneView>,
    curves: Vec<CurveView>,
    /// `None`: the format of the deck no longer exists.
    report: Option<ReportView>,
    legalities: Vec<LegalityRow>,
    /// Lines of its list that could not be read: number, text, and reason.
    unread: Vec<(usize, String, String)>,
    availability: Option<AvailabilityView>,
    share_code: String,
    /// The public address of the deck, which the QR code contains, too.
    address: Option<String>,
    /// Names of the dialects that can express something of the deck, and the path of the deck in each.
    exports: Vec<(String, String)>,
    similar: Vec<(DeckRow, String)>,
    /// `None`: the deck cannot have comments.
    comments: Option<Comments>,
    /// A comment that was not stored, if the deck cannot have comments any more.
    unsent_comment: String,
    /// The text of the link to hidden comments that the reader may read; empty: there are none.
    hidden_comments: &'static str,
}

/// A takedown, as the owner of the deck sees it.
struct TakedownView {
    note: String,
    day: String,
    at: String,
}

impl From<TakedownResponse> for TakedownView {
    fn from(TakedownResponse { note, taken_down_at }: TakedownResponse) -> Self {
        Self { note, day: words::day_of(taken_down_at), at: taken_down_at.to_rfc3339() }
    }
}

/// The legality of the deck in a format.
struct LegalityRow {
    format: String,
    status: &'static str,
    text: &'static str,
}

/// The query of the page.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct DeckQuery {
    /// The page of the comments.
    comments: Option<Cursor>,
}

/// The faults and the input of a refused form, and the page of the comments.
#[derive(Default)]
struct Shown {
    faults: Faults,
    refused: RefusedComment,
    from: Option<Cursor>,
}

/// Shows a deck as its reader may see it. A private deck of another owner answers 404.
pub(in crate::web) async fn find_deck(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: web::Query<DeckQuery>,
) -> Result<HttpResponse, Problem> {
    let shown = Shown { from: query.into_inner().comments, ..Shown::default() };
    let page = page(&state, (&visitor, network.0), DeckId(*deck), shown).await?;
    answer_to(&req, &visitor, &page)
}

/// The page with the faults of a form on it.
pub(super) async fn show(
    app: &AppState,
    requester: (&Visitor, Network),
    deck: DeckId,
    (status, faults, refused): (PageStatus, Faults, RefusedComment),
) -> Result<HttpResponse, Problem> {
    let shown = Shown { faults, refused, from: None };
    private(status, &page(app, requester, deck, shown).await?)
}

/// The response with a page about a deck. Caches must not give it to another reader.
pub(super) fn answer_to(
    req: &HttpRequest,
    visitor: &Visitor,
    page: &impl Template,
) -> Result<HttpResponse, Problem> {
    if !visitor.is_stranger() {
        return private(PageStatus::OK, page);
    }
    // Caches must revalidate each time: a public deck may become private at any moment.
    Ok(by_cookie(answer(req, &write(page, Freshness::Private)?)))
}

async fn page(
    app: &AppState,
    (visitor, network): (&Visitor, Network),
    id: DeckId,
    Shown { faults, refused, from }: Shown,
) -> Result<DeckPage, Problem> {
    let reads: Option<Granted<ReadOwnDecks>> = visitor.must().ok();
    let (reader, requester) = (reads.as_ref(), (visitor.viewer(), network));
    let opened = open(app, reader, requester, id).await?;
    let DeckOverview { sheet, statistics, report, share_code, legalities, author } =
        deck_overviews::find(app, &opened).await?;
    let availability = find_availability(app, visitor, reader, &opened).await?;
    let games = app.all_games().await?;
    let games: BTreeMap<&str, &Game> =
        games.iter().map(|loaded| (loaded.game.code(), &loaded.game)).collect();
    let similar = find_similar(app, reader, network, &games, &opened).await;
    let dialects = useful_dialects(&opened);
    let deck = opened.into_answer();
    let revision = deck.version.in_form();
    let DeckResponse { summary, description, description_html: _, unread_lines, .. } = deck.deck;
    let game = games.get(summary.game.as_str()).copied().ok_or_else(Problem::not_found)?;
    let path = deck_path(summary.id);
    let account = reader.map(Granted::account);
    let is_own = account.is_some_and(|account| Some(account.0) == summary.account_id);
    let (on, reads_comments) =
        ((id.into(), path.as_str()), CommentReader { account, is_owner: is_own });
    let unsent = refused.text().to_owned();
    let comments = comments::list(app, on, reads_comments, from.as_ref(), refused).await?;
    let hidden_comments = hidden_comments::link(app, visitor, on.0, reads_comments).await?;
    // Other players can read the deck, and its author is not banned.
    let is_open = comments.is_some();
    let may_be_reported = !is_own && is_open && account.is_some();
    let switches = match reader {
        Some(by) if is_own || is_open => {
            let own = own_feedback::find(app, by, id, summary.account_id.map(AccountId)).await?;
            switches(own, author.as_deref(), is_own)
        }
        _ => Vec::new(),
    };
    let (format, today) = (format_name(game, &summary.format), app.today()?);
    let mut frame = Frame::new(&summary.name).at(Place::Decks);
    if summary.visibility == "public" {
        let public = app.settings.public_url.as_deref();
        frame = frame.of_address(public, &path);
        let format_name = deck_words::format_of(&format, game.name());
        let count = statistics.cards;
        let text = match to_text(&description) {
            text if text.is_empty() => deck_words::preview(&format_name, count, author.as_deref()),
            text => shortened(&text),
        };
        // Other sites load previews as a stranger. A logged-in reader may see cards that are hidden from others, so that page has no preview picture.
        let picture = public.filter(|_| visitor.is_stranger());
        let picture =
            picture.and_then(|public| Some(format!("{public}{}", first_picture(&sheet)?)));
        frame.preview = Some(Preview { title: summary.name.clone(), text, picture });
    }
    let export = |dialect: DeckDialect| {
        let code = dialect.code();
        (deck_words::dialect(code), format!("{path}/export?dialect={code}"))
    };
    Ok(DeckPage {
        frame,
        faults,
        is_own,
        is_logged_in: account.is_some(),
        may_be_reported,
        report_author: summary
            .account_id
            .filter(|_| may_be_reported && author.is_some())
            .map(|author| format!("{path}/report?author={author}")),
        takedown: summary.takedown.map(Into::into),
        log_in: log_in_path(&path),
        switches,
        likes: is_open.then(|| words::grouped(summary.likes)),
        unsent_comment: if is_open { String::new() } else { unsent },
        comments,
        hidden_comments,
        revision,
        author,
        game: game.name().to_owned(),
        game_path: game_path(game.code()),
        format,
        visibility: deck_words::visibility(summary.visibility),
        cards: words::cards(summary.card_count),
        changed: words::day_of(summary.updated_at),
        changed_at: summary.updated_at.to_rfc3339(),
        tags: summary.tags,
        description: (!description.is_empty()).then(|| Markup::new(&description)),
        zones: zones(game.code(), &sheet),
        curves: curves(game, &statistics, Some(&summary.id.to_string())),
        report: report.as_ref().map(|report| ReportView::new(game, today, report)),
        legalities: legality_rows(game, &legalities),
        unread: unread_lines
            .into_iter()
            .map(|line| (line.line, line.text, unread(&line.detail)))
            .collect(),
        availability,
        share_code: share_code.trim().to_owned(),
        address: shared_address(app, summary.id, summary.visibility),
        exports: dialects.into_iter().map(export).collect(),
        similar,
        name: summary.name,
        path,
    })
}

/// Finds similar decks. If they cannot be found in time, the page is shown without them.
async fn find_similar(
    app: &AppState,
    reader: Option<&Granted<ReadOwnDecks>>,
    network: Network,
    games: &BTreeMap<&str, &Game>,
    opened: &OpenedDeck,
) -> Vec<(DeckRow, String)> {
    match public_decks::find_similar_to(app, (reader, network), opened, SIMILAR).await {
        Ok(found) => {
            let row = |similar: public_decks::SimilarDeckResponse| {
                let shared = deck_words::shared_cards(similar.shared_cards);
                (DeckRow::new(games, similar.deck), shared)
            };
            found.data.into_iter().map(row).collect()
        }
        Err(problem) => {
            tracing::warn!(%problem, deck = %opened.id(), "the page of a deck is shown without similar decks");
            Vec::new()
        }
    }
}

fn legality_rows(game: &Game, legalities: &DeckLegalitiesResponse) -> Vec<LegalityRow> {
    let row = |judged: &DeckLegalityResponse| LegalityRow {
        format: format_name(game, &judged.format),
        status: judged.status,
        text: deck_words::status(judged.status),
    };
    legalities.formats.iter().map(row).collect()
}

/// The path of the picture of the first card that the reader may see.
fn first_picture(sheet: &DeckSheet) -> Option<String> {
    let kinds = sheet.zones.iter().flat_map(|zone| &zone.kinds);
    let mut entries = kinds.flat_map(|kind| &kind.entries);
    entries.find_map(|entry| match entry.card {
        SheetCard::Known { id: Some(id), .. } => Some(ImageUris::of_any_card(id).png),
        _ => None,
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
