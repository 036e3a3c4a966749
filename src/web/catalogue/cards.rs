//! The page of a card: its picture by rarity, its text beside it, and everything that is said of it. A hidden card has its back and how far it is.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::answers::{Card, card_path, game_path, printing_path, read, set_path};
use super::tiles::Progress;
use super::values::{Fact, facts, kind, kind_name, rarity_name, text};
use crate::app::answer_form::AnswerForm;
use crate::app::catalogue::card_legalities::LegalityResponse;
use crate::app::catalogue::card_migrations::{Located, NewPlace};
use crate::app::catalogue::card_neighbours::Neighbours;
use crate::app::catalogue::card_overview::{self, OpenCardOverview};
use crate::app::catalogue::cards::{self, CardRequest, PrintingResponse};
use crate::app::catalogue::history::HistoryEntryResponse;
use crate::app::catalogue::rulings::RulingResponse;
use crate::app::page::PageLimit;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::web::assets::Assets;
use crate::web::forms::private;
use crate::web::headers::protected;
use crate::web::page::{Frame, LIVE, Place, Preview, answer, write};
use crate::web::serials::picture_path;
use crate::web::session::Visitor;
use crate::web::words;

/// Entries of the history that are shown, the newest.
const HISTORY: u16 = 30;

/// In which rarity.
#[derive(Deserialize)]
pub(in crate::web) struct CardQuery {
    rarity: Option<String>,
}

#[derive(Template)]
#[template(path = "web/catalogue/card.html")]
struct CardPage {
    frame: Frame,
    place: Breadcrumbs,
    /// What the heading says.
    heading: String,
    picture: String,
    alt: String,
    /// How far it is; `None`: it is open.
    progress: Option<Progress>,
    /// When it was unlocked, and by how many submissions; `None`: it never was hidden, or still is.
    unlocked: Option<String>,
    /// All of it; `None`: it is hidden.
    open: Option<Open>,
}

/// Where the card is.
struct Breadcrumbs {
    game: String,
    game_path: String,
    set: String,
    set_path: String,
    number: String,
}

/// What a card says that is not hidden, and what is said of it.
struct Open {
    kind: String,
    facts: Vec<Fact>,
    effects: Vec<EffectText>,
    lore: Option<String>,
    designed_by: Option<String>,
    /// Names of the attributes that printings give themselves.
    columns: Vec<String>,
    printings: Vec<PrintingRow>,
    rulings: Vec<RulingText>,
    legalities: Vec<LegalityRow>,
    history: Vec<HistoryRow>,
    /// Whether there are older entries.
    has_more_history: bool,
}

/// An effect, with how it is activated.
struct EffectText {
    label: Option<String>,
    text: String,
}

/// A printing in the table of all.
struct PrintingRow {
    rarity: String,
    path: String,
    is_shown: bool,
    /// A value for each column.
    values: Vec<String>,
}

/// A ruling or an erratum.
struct RulingText {
    kind: &'static str,
    paragraphs: Vec<String>,
    day: String,
    at: String,
    source: Option<String>,
}

/// What a format says.
struct LegalityRow {
    format: String,
    status: &'static str,
    text: String,
    rule: Option<String>,
}

/// What happened to the card.
struct HistoryRow {
    day: String,
    at: String,
    what: String,
    changes: Vec<Change>,
}

/// A member that changed.
struct Change {
    member: String,
    before: String,
    after: String,
}

/// Shows a card.
pub(in crate::web) async fn find_card(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    path: web::Path<(Code, Code, Code)>,
    query: web::Query<CardQuery>,
) -> Result<HttpResponse, Problem> {
    let (game, set, number) = path.into_inner();
    let viewer = visitor.viewer();
    let request = CardRequest { viewer, form: AnswerForm::Json, legalities: false };
    let rarity = query.rarity.as_deref().filter(|rarity| !rarity.is_empty());
    let card: Card = match cards::find_by_number(&state, request, (&game, &set, &number)).await? {
        Located::Here(found) => read(&found)?,
        Located::Moved(to) => return moved(to, rarity),
    };
    let page = page(&state, viewer, card, rarity).await?;
    if !viewer.is_stranger() {
        return private(200, &page);
    }
    let mut answer = answer(&req, &write(&page, LIVE)?);
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Cookie"));
    Ok(answer)
}

/// Leads to where the card is now, as the API does, in the rarity that was asked for.
fn moved(to: NewPlace, rarity: Option<&str>) -> Result<HttpResponse, Problem> {
    let NewPlace::Number(place) = to else {
        return Err(Problem::internal("a number leads to an id"));
    };
    let mut path = card_path(&place.game, &place.set, &place.number);
    if let Some(rarity) = rarity {
        let rarity: String = form_urlencoded::byte_serialize(rarity.as_bytes()).collect();
        path = printing_path(&path, &rarity);
    }
    let answer = HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, path))
        .insert_header((header::CACHE_CONTROL, "public, max-age=300"))
        .finish();
    Ok(protected(answer))
}

async fn page(
    app: &AppState,
    viewer: Viewer,
    card: Card,
    rarity: Option<&str>,
) -> Result<CardPage, Problem> {
    let (game, set) = (code(&card.game)?, code(&card.set)?);
    let loaded = app.named_game(&game).await?.map_err(|_| Problem::not_found())?;
    let id = CardId(card.id.parse().map_err(Problem::internal)?);
    let limit = PageLimit::try_from(HISTORY).map_err(Problem::internal)?;
    let place = (&game, &set, card.number.as_str());
    let found = card_overview::find(app, viewer, id, place, limit).await?;
    let path = card_path(&card.game, &card.set, &card.number);
    let place = Breadcrumbs {
        game: loaded.game.name().to_owned(),
        game_path: game_path(&card.game),
        set: found.set.name,
        set_path: set_path(&card.game, &card.set),
        number: card.number.clone(),
    };
    let frame = frame(app, &card, &path, &found.neighbours);
    let (Some(said), Some(name)) = (found.open, card.name.clone()) else {
        return Ok(CardPage {
            heading: words::hidden_at(&place.set, &card.number),
            picture: Assets::of_this_version().back.clone(),
            alt: words::HIDDEN_CARD.to_owned(),
            progress: Progress::of(&card),
            unlocked: None,
            open: None,
            frame,
            place,
        });
    };
    let shown = match rarity {
        None => said.printings.first(),
        Some(rarity) => {
            let is_meant =
                |printing: &&PrintingResponse| printing.rarity.eq_ignore_ascii_case(rarity);
            Some(said.printings.iter().find(is_meant).ok_or_else(Problem::not_found)?)
        }
    };
    let rarity = shown.map(|printing| printing.rarity.clone());
    let rarity_name = rarity.as_deref().map(|rarity| rarity_name(&loaded.game, rarity));
    Ok(CardPage {
        picture: match (card.hidden, shown) {
            // Only this reader and others who have a copy may see it.
            (true, Some(shown)) => picture_path(id.0, &shown.rarity),
            (_, Some(shown)) => shown.image_uris.svg.clone(),
            (_, None) => card.image_uris.svg.clone(),
        },
        alt: words::picture_of(&name, rarity_name.as_deref()),
        progress: Progress::of(&card),
        unlocked: card.unlock.and_then(|unlock| {
            let at = unlock.unlocked_at?;
            Some(words::unlocked_at(at, unlock.submissions, unlock.threshold))
        }),
        open: Some(open(&loaded.game, &card, &path, said, rarity.as_deref())),
        heading: name,
        frame,
        place,
    })
}

fn code(text: &str) -> Result<Code, Problem> {
    Code::try_from(text).map_err(Problem::internal)
}

fn frame(app: &AppState, card: &Card, path: &str, beside: &Neighbours) -> Frame {
    let public = app.settings.public_url.as_deref();
    let heading = match &card.name {
        Some(name) => name.clone(),
        None => words::hidden_at(&card.set, &card.number),
    };
    // Of hidden cards other sites show all the same: the picture is one for all of them.
    let (title, text) = match (&card.name, &card.effects[..]) {
        (None, _) => (words::HIDDEN_CARD.to_owned(), words::HIDDEN_PREVIEW.to_owned()),
        (Some(name), []) => (name.clone(), card.lore.clone().unwrap_or_else(|| name.clone())),
        (Some(name), effects) => {
            let texts: Vec<&str> = effects.iter().map(|effect| effect.text.as_str()).collect();
            (name.clone(), texts.join(" "))
        }
    };
    let mut frame = Frame::new(&heading).of_address(public, path);
    let beside_path = |number: &String| card_path(&card.game, &card.set, number);
    frame.previous = beside.previous.as_ref().map(beside_path);
    frame.next = beside.next.as_ref().map(beside_path);
    let picture = public.map(|public| format!("{public}{}", card.image_uris.png));
    frame.preview = Some(Preview { title, text, picture });
    frame
}

fn open(game: &Game, card: &Card, path: &str, said: OpenCardOverview, shown: Option<&str>) -> Open {
    let kind_code = card.kind.as_deref().unwrap_or_default();
    let own_kind = kind(game, kind_code);
    let mut attributes = card.attributes.clone();
    let printing = said.printings.iter().find(|printing| Some(printing.rarity.as_str()) == shown);
    if let Some(printing) = printing {
        attributes.extend(printing.attributes.clone());
    }
    let mut columns: Vec<&String> =
        said.printings.iter().flat_map(|printing| printing.attributes.keys()).collect();
    columns.sort_unstable();
    columns.dedup();
    let attribute = |code: &str| own_kind.and_then(|kind| kind.attributes.get(code));
    let printings = said.printings.iter().map(|printing| PrintingRow {
        rarity: rarity_name(game, &printing.rarity),
        path: printing_path(path, &printing.rarity),
        is_shown: Some(printing.rarity.as_str()) == shown,
        values: columns
            .iter()
            .map(|code| {
                let value = printing.attributes.get(*code).or_else(|| card.attributes.get(*code));
                let value = value.and_then(|value| text(attribute(code), value));
                value.unwrap_or_else(|| words::NOTHING.to_owned())
            })
            .collect(),
    });
    let effects = card.effects.iter().map(|effect| {
        let labels: Vec<String> =
            effect.slot.iter().chain(&effect.style).map(|code| words::titled(code)).collect();
        let label = (!labels.is_empty()).then(|| labels.join(words::BETWEEN_LABELS));
        EffectText { label, text: effect.text.clone() }
    });
    Open {
        kind: kind_name(game, kind_code),
        facts: facts(own_kind, &attributes),
        effects: effects.collect(),
        lore: card.lore.clone(),
        designed_by: card.designed_by.as_ref().map(|credit| credit.author.clone()),
        printings: printings.collect(),
        columns: columns.iter().map(|code| super::values::label(attribute(code), code)).collect(),
        rulings: said.rulings.into_iter().map(RulingText::from).collect(),
        legalities: said.legalities.iter().map(|said| LegalityRow::new(game, said)).collect(),
        has_more_history: said.history.next_cursor.is_some(),
        history: said.history.data.into_iter().map(HistoryRow::from).collect(),
    }
}

impl From<RulingResponse> for RulingText {
    fn from(ruling: RulingResponse) -> Self {
        Self {
            kind: words::ruling(&ruling.kind),
            paragraphs: ruling.text.split('\n').map(str::to_owned).collect(),
            day: words::day(ruling.published_on),
            at: ruling.published_on.to_string(),
            source: ruling.source,
        }
    }
}

impl LegalityRow {
    fn new(game: &Game, said: &LegalityResponse) -> Self {
        let format = game.format(&said.format);
        Self {
            format: format.map_or_else(|| words::titled(&said.format), |found| found.name.clone()),
            status: said.status,
            text: words::legality(said.status, said.max_copies),
            rule: said.rule.clone(),
        }
    }
}

impl From<HistoryEntryResponse> for HistoryRow {
    fn from(entry: HistoryEntryResponse) -> Self {
        let changes = entry.changes.into_iter().map(|change| Change {
            before: plain(change.before.as_ref()),
            after: plain(change.after.as_ref()),
            member: change.member,
        });
        Self {
            day: words::day_of(entry.at),
            at: entry.at.to_rfc3339(),
            what: words::change(&entry.change),
            changes: changes.collect(),
        }
    }
}

/// A value of a member of any form: text as it is, all else as JSON.
fn plain(value: Option<&serde_json::Value>) -> String {
    match value {
        None => words::NOTHING.to_owned(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
