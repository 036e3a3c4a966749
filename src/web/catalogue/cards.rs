//! The page of a card: its picture by rarity, its text, rulings, legality and history. A hidden card shows the card back and its progress.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use cardscape_engine::Game;
use serde::Deserialize;

use super::answers::{Card, card_path, game_path, printing_path, read, set_path};
use super::card_text::CardText;
use super::history::{self, History};
use super::policy_words::conditions;
use super::tiles::Progress;
use super::values::{kind, rarity_name, text};
use crate::app::answer_form::AnswerForm;
use crate::app::catalogue::card_legalities::LegalityResponse;
use crate::app::catalogue::card_migrations::{Located, NewPlace};
use crate::app::catalogue::card_neighbours::Neighbours;
use crate::app::catalogue::card_overview::{self, OpenCardOverview};
use crate::app::catalogue::cards::{self, CardRequest, PrintingResponse};
use crate::app::catalogue::rulings::RulingResponse;
use crate::app::page::Cursor;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::web::assets::Assets;
use crate::web::forms::private;
use crate::web::headers::protected;
use crate::web::page::{Frame, LIVE, Place, Preview, answer, write};
use crate::web::page_status::PageStatus;
use crate::web::serials::picture_path;
use crate::web::session::Visitor;
use crate::web::words;

/// The rarity to show, and the page of the history.
#[derive(Deserialize)]
pub(in crate::web) struct CardQuery {
    rarity: Option<String>,
    cursor: Option<Cursor>,
}

impl CardQuery {
    /// The rarity of the query.
    pub(super) fn rarity(&self) -> Option<&str> {
        self.rarity.as_deref().filter(|rarity| !rarity.is_empty())
    }

    /// Whether the page shows entries of the history that are not the newest.
    pub(super) fn is_further_page(&self) -> bool {
        self.cursor.is_some()
    }
}

#[derive(Template)]
#[template(path = "web/catalogue/card.html")]
struct CardPage {
    frame: Frame,
    place: Breadcrumbs,
    heading: String,
    picture: String,
    alt: String,
    /// The progress of a hidden card; `None`: the card is not hidden.
    progress: Option<Progress>,
    /// What unlocks a hidden card beside the number of submissions, if there is anything.
    conditions: Option<String>,
    /// When it was unlocked, and by how many submissions; `None`: it was never hidden, or is still hidden.
    unlocked: Option<String>,
    /// The content of the card; `None`: the card is hidden.
    open: Option<Open>,
}

/// The game and the set of the card.
struct Breadcrumbs {
    game: String,
    game_path: String,
    set: String,
    set_path: String,
    number: String,
}

/// The content of a card that is not hidden for the reader, with its rulings and legality.
struct Open {
    text: CardText,
    /// Names of the attributes that printings override.
    columns: Vec<String>,
    printings: Vec<PrintingRow>,
    rulings: Vec<RulingText>,
    legalities: Vec<LegalityRow>,
    history: History,
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

/// The legality of the card in a format.
struct LegalityRow {
    format: String,
    status: &'static str,
    text: String,
    rule: Option<String>,
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
    let card: Card = match cards::find_by_number(&state, request, (&game, &set, &number)).await? {
        Located::Here(found) => read(&found)?,
        Located::Moved(to) => return moved(to, query.rarity()),
    };
    let page = page(&state, viewer, card, &query).await?;
    if !viewer.is_stranger() {
        return private(PageStatus::OK, &page);
    }
    let mut answer = answer(&req, &write(&page, LIVE)?);
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Cookie"));
    Ok(answer)
}

/// Redirects to the present place of the card, as the API does, in the rarity of the query.
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
    query: &CardQuery,
) -> Result<CardPage, Problem> {
    let (game, set) = (code(&card.game)?, code(&card.set)?);
    let loaded = app.named_game(&game).await?.map_err(|_| Problem::not_found())?;
    let id = CardId(card.id.parse().map_err(Problem::internal)?);
    let history = history::part(query.cursor.as_ref())?;
    let place = (&game, &set, card.number.as_str());
    let found = card_overview::find(app, viewer, id, place, history).await?;
    let path = card_path(&card.game, &card.set, &card.number);
    let place = Breadcrumbs {
        game: loaded.game.name().to_owned(),
        game_path: game_path(&card.game),
        set: found.set.name,
        set_path: set_path(&card.game, &card.set),
        number: card.number.clone(),
    };
    let mut frame = frame(app, &card, &path, &found.neighbours);
    let progress = Progress::of(&card);
    let conditions = found.policy.as_ref().and_then(conditions);
    frame.script = progress.is_some().then_some(&*frame.assets.live_script);
    let (Some(overview), Some(name)) = (found.open, card.name.clone()) else {
        return Ok(CardPage {
            heading: words::hidden_at(&place.set, &card.number),
            picture: Assets::of_this_version().back.clone(),
            alt: words::HIDDEN_CARD.to_owned(),
            progress,
            conditions,
            unlocked: None,
            open: None,
            frame,
            place,
        });
    };
    let shown = match query.rarity() {
        None => overview.printings.first(),
        Some(rarity) => {
            let is_meant =
                |printing: &&PrintingResponse| printing.rarity.eq_ignore_ascii_case(rarity);
            Some(overview.printings.iter().find(is_meant).ok_or_else(Problem::not_found)?)
        }
    };
    let rarity = shown.map(|printing| printing.rarity.clone());
    let in_set = (&*path, words::place(&place.set, &place.number));
    let rarity_name = rarity.as_deref().map(|rarity| rarity_name(&loaded.game, rarity));
    Ok(CardPage {
        picture: match (card.hidden, shown) {
            // Only this reader and other owners of a copy may see the picture.
            (true, Some(shown)) => picture_path(id.0, &shown.rarity),
            (_, Some(shown)) => shown.image_uris.svg.clone(),
            (_, None) => card.image_uris.svg.clone(),
        },
        alt: words::picture_of(&name, rarity_name.as_deref()),
        progress,
        conditions,
        unlocked: card.unlock.and_then(|unlock| {
            let at = unlock.unlocked_at?;
            Some(words::unlocked_at(at, unlock.submissions, unlock.threshold))
        }),
        open: Some(open(&loaded.game, &card, in_set, overview, rarity.as_deref(), query)),
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
    // Previews of other sites show hidden cards, too. All hidden cards have the same picture.
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

fn open(
    game: &Game,
    card: &Card,
    (path, place): (&str, String),
    overview: OpenCardOverview,
    shown: Option<&str>,
    query: &CardQuery,
) -> Open {
    let own_kind = kind(game, card.kind.as_deref().unwrap_or_default());
    let printing =
        overview.printings.iter().find(|printing| Some(printing.rarity.as_str()) == shown);
    let mut columns: Vec<&String> =
        overview.printings.iter().flat_map(|printing| printing.attributes.keys()).collect();
    columns.sort_unstable();
    columns.dedup();
    let attribute = |code: &str| own_kind.and_then(|kind| kind.attributes.get(code));
    let printings = overview.printings.iter().map(|printing| PrintingRow {
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
    Open {
        text: CardText::new(Some(game), card, place, printing.map(|printing| &printing.attributes)),
        printings: printings.collect(),
        columns: columns.iter().map(|code| super::values::label(attribute(code), code)).collect(),
        rulings: overview.rulings.into_iter().map(RulingText::from).collect(),
        legalities: overview
            .legalities
            .iter()
            .map(|legality| LegalityRow::new(game, legality))
            .collect(),
        history: History::new(game, overview.history, path, query),
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
    fn new(game: &Game, legality: &LegalityResponse) -> Self {
        let format = game.format(&legality.format);
        Self {
            format: format
                .map_or_else(|| words::titled(&legality.format), |found| found.name.clone()),
            status: legality.status,
            text: words::legality(legality.status, legality.max_copies),
            rule: legality.rule.clone(),
        }
    }
}
