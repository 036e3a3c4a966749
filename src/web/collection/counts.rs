//! The counted collection: what there is, one more or less of it, and cards that are added.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::counted::{Counted, whole};
use super::words as collection_words;
use crate::app::catalogue::codes::Codes;
use crate::app::collection::counts::{
    self, Change, ChangedEntry, CollectionEntryResponse, EntrySelection,
};
use crate::app::page::{Cursor, MAX_LIMIT, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::code::Code;
use crate::domain::collection::table::WantedPrinting;
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::ids::{CardId, PrintingId};
use crate::http::extract::{Form, claim_of_form};
use crate::web::copies::words as copy_words;
use crate::web::copies::{CardCell, Choice, Games, NarrowForm, Narrowing, Section, TypedCard};
use crate::web::forms::{Faults, Fields, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::session::Player;
use crate::web::words;

/// The page.
const PATH: &str = "/my/collection";

#[derive(Template)]
#[template(path = "web/collection/counts.html")]
struct CountsPage {
    frame: Frame,
    section: Section,
    faults: Faults,
    /// What the form has changed.
    counted: Option<Counted>,
    /// Printings that may be meant by what was typed.
    choices: Vec<MeantPrinting>,
    narrow: NarrowForm,
    is_narrowed: bool,
    asked: Narrowing,
    /// Where this page of the list begins.
    at: String,
    total: String,
    rows: Vec<CountRow>,
    card: TypedCard,
    card_games: Vec<Choice>,
    conditions: Vec<Choice>,
    add: String,
    key: String,
    most: i32,
    export_path: String,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An entry of the collection.
struct CountRow {
    printing: Uuid,
    card_id: Uuid,
    card: CardCell,
    condition: &'static str,
    condition_name: String,
    quantity: i32,
    /// By which one change that is sent twice is one.
    key: String,
    label: String,
    set: String,
    less: String,
    more: String,
}

impl CountRow {
    fn new(games: &Games, entry: &CollectionEntryResponse) -> Self {
        let name = whole(games, entry);
        Self {
            printing: entry.printing,
            card_id: entry.card.id,
            card: CardCell::of_line(games, &entry.card, entry.rarity.as_deref()),
            condition: entry.condition,
            condition_name: collection_words::condition(entry.condition),
            quantity: entry.quantity,
            key: Uuid::now_v7().to_string(),
            label: collection_words::count_of(&name),
            set: collection_words::set_of(&name),
            less: collection_words::one_less(&name),
            more: collection_words::one_more(&name),
        }
    }
}

/// A printing that may be meant by what was typed.
struct MeantPrinting {
    printing: Uuid,
    name: String,
    key: String,
}

/// What stands in the form that adds cards.
struct TypedCount {
    card: TypedCard,
    condition: String,
    add: String,
}

impl TypedCount {
    fn nothing() -> Self {
        let condition = Condition::default().as_str().to_owned();
        Self { card: TypedCard::default(), condition, add: "1".to_owned() }
    }
}

/// Shows the collection, as far as it is asked for.
pub(in crate::web) async fn list_counts(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    query: web::Query<Narrowing>,
) -> Result<HttpResponse, Problem> {
    let viewer = by.visitor.viewer();
    show(&state, (&by, viewer), query.into_inner(), Shown::plain()).await
}

/// What stands on the page beside the list.
struct Shown {
    status: u16,
    faults: Faults,
    counted: Option<Counted>,
    choices: Vec<MeantPrinting>,
    typed: TypedCount,
}

impl Shown {
    fn plain() -> Self {
        let (faults, typed) = (Faults::none(), TypedCount::nothing());
        Self { status: 200, faults, counted: None, choices: Vec::new(), typed }
    }
}

async fn show(
    app: &AppState,
    (by, viewer): (&Granted<ReadOwnCollection>, Viewer),
    asked: Narrowing,
    Shown { mut status, mut faults, counted, choices, typed }: Shown,
) -> Result<HttpResponse, Problem> {
    let after = Cursor::key_of(asked.cursor.as_ref())?;
    let games = Games::read(app).await?;
    let found = match asked.codes(app).await? {
        Ok(codes) => {
            let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
            let selection = EntrySelection { codes, card: None, with_total: true };
            counts::list(app, by, viewer, &selection, after, limit).await?
        }
        Err(wrong) => {
            (status, faults) = (400, wrong);
            Page { data: Vec::new(), next_cursor: None, total: None }
        }
    };
    let next_path = found.next_cursor.as_deref().map(|cursor| asked.path_at(PATH, Some(cursor)));
    let mut frame = Frame::new(collection_words::COLLECTION).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let condition = |one: Condition| {
        let name = collection_words::condition(one.as_str());
        Choice::new(one.as_str(), &name, &typed.condition)
    };
    let only_game = Narrowing { game: asked.game.clone(), ..Narrowing::default() };
    let page = CountsPage {
        frame,
        section: Section::Counts,
        faults,
        counted,
        choices,
        narrow: NarrowForm::new(PATH, &games, &asked),
        is_narrowed: asked.is_narrowed(),
        at: asked.cursor.as_ref().map(|cursor| cursor.as_str().to_owned()).unwrap_or_default(),
        total: found.total.map(collection_words::entries).unwrap_or_default(),
        rows: found.data.iter().map(|entry| CountRow::new(&games, entry)).collect(),
        conditions: Condition::ALL.into_iter().map(condition).collect(),
        card_games: games.choices(&typed.card.game),
        card: typed.card,
        add: typed.add,
        key: Uuid::now_v7().to_string(),
        most: MAX_QUANTITY,
        export_path: only_game.path_at("/my/collection/export", None),
        first_path: asked.first_path(PATH),
        next_path,
        asked,
    };
    private(status, &page)
}

/// What a form wants to be changed.
enum Wanted {
    /// A count becomes so much.
    Set(PrintingId, Condition, i32),
    /// So much is added to one.
    Add(Box<Change>),
}

/// Changes a count, says what it was and is, and offers to undo it.
pub(in crate::web) async fn change_count(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let reads = by.visitor.must::<ReadOwnCollection>()?;
    let asked = Narrowing {
        game: fields.one("game").to_owned(),
        set: fields.one("set").to_owned(),
        rarity: fields.one("rarity").to_owned(),
        cursor: Cursor::sent(fields.one("cursor")),
    };
    let viewer = by.visitor.viewer();
    let typed = typed(&fields);
    let mut shown = Shown { typed, ..Shown::plain() };
    match wanted(&fields, &shown.typed) {
        Err(faults) => (shown.status, shown.faults) = (422, faults),
        Ok(wanted) => match change(&state, (&by, &reads), viewer, &fields, wanted).await {
            Ok(counted) => shown = Shown { counted, ..Shown::plain() },
            Err(problem) => {
                let Some(faults) = faults_of(&problem) else { return Err(problem) };
                (shown.status, shown.faults) = (problem.code().status(), faults);
                shown.choices = choices_of(&Games::read(&state).await?, &problem);
            }
        },
    }
    show(&state, (&reads, viewer), asked, shown).await
}

/// What stood in the form that adds cards, if it was sent.
fn typed(fields: &Fields) -> TypedCount {
    if fields.one("step") != "new" {
        return TypedCount::nothing();
    }
    TypedCount {
        card: TypedCard::read(fields),
        condition: fields.one("condition").to_owned(),
        add: fields.one("add").trim().to_owned(),
    }
}

fn wanted(fields: &Fields, typed: &TypedCount) -> Result<Wanted, Faults> {
    let unreadable = || Faults::one("", words::failure(ProblemCode::InvalidBody).1);
    let condition = Condition::parse(fields.one("condition")).ok_or_else(unreadable)?;
    let number = |field: &str| fields.one(field).trim().parse::<i32>().ok();
    let printing = fields.one("printing").parse().ok().map(PrintingId);
    let add = |printing, add| {
        let wanted = WantedPrinting { printing: Some(printing), ..nothing_named() };
        Wanted::Add(Box::new(Change { wanted, condition, add }))
    };
    let in_range = |number: &i32| (-MAX_QUANTITY..=MAX_QUANTITY).contains(number) && *number != 0;
    match (fields.one("step"), printing) {
        ("set", Some(printing)) => {
            let quantity = number("quantity").filter(|one| (0..=MAX_QUANTITY).contains(one));
            let fault = || Faults::one("", collection_words::NUMBER_FAULT);
            Ok(Wanted::Set(printing, condition, quantity.ok_or_else(fault)?))
        }
        ("less", Some(printing)) => Ok(add(printing, -1)),
        ("more", Some(printing)) => Ok(add(printing, 1)),
        ("add", Some(printing)) => {
            Ok(add(printing, number("add").filter(in_range).ok_or_else(unreadable)?))
        }
        ("new", _) => new_card(typed, condition),
        _ => Err(unreadable()),
    }
}

fn nothing_named() -> WantedPrinting {
    WantedPrinting {
        printing: None,
        game: None,
        sets: Vec::new(),
        number: None,
        name: None,
        rarity: None,
        finish: None,
    }
}

/// Cards that are named by what was typed.
fn new_card(typed: &TypedCount, condition: Condition) -> Result<Wanted, Faults> {
    let mut faults = Faults::none();
    let TypedCard { game, name, set, number, rarity } = &typed.card;
    let add = typed.add.parse().ok().filter(|add| (1..=MAX_QUANTITY).contains(add));
    if add.is_none() {
        faults.add("add", collection_words::ADD_FAULT);
    }
    let by_number = !set.is_empty() && !number.is_empty();
    let name = TypedCard::given(name).map(|name| TypedName::parse(&name)).transpose();
    if let Err(error) = &name {
        faults.add("card_name", words::sentence(&error.to_string()));
    }
    if matches!(name, Ok(None)) && !by_number {
        faults.add("card_name", copy_words::NAME_OR_NUMBER);
    }
    for (field, text) in [("card_set", set), ("card_number", number), ("card_rarity", rarity)] {
        if !text.is_empty() && Code::try_from(text.as_str()).is_err() {
            faults.add(field, copy_words::CODE_FAULT);
        }
    }
    let (Ok(name), Some(add), true) = (name, add, faults.is_empty()) else { return Err(faults) };
    let wanted = WantedPrinting {
        game: TypedCard::given(game),
        sets: TypedCard::given(set).into_iter().collect(),
        number: TypedCard::given(number),
        name,
        rarity: TypedCard::given(rarity),
        ..nothing_named()
    };
    Ok(Wanted::Add(Box::new(Change { wanted, condition, add })))
}

async fn change(
    app: &AppState,
    (by, reads): (&Granted<WriteOwnCollection>, &Granted<ReadOwnCollection>),
    viewer: Viewer,
    fields: &Fields,
    wanted: Wanted,
) -> Result<Option<Counted>, Problem> {
    let games = Games::read(app).await?;
    let card = fields.one("card").parse().ok().map(CardId);
    match wanted {
        Wanted::Set(printing, condition, quantity) => {
            let before = find_entry(app, reads, viewer, card, (printing, condition)).await?;
            let key = (printing, condition);
            let after = counts::set(app, by, viewer, key, quantity).await?;
            let had = before.as_ref().map_or(0, |entry| entry.quantity);
            let entry = after.or(before);
            Ok(entry.map(|entry| Counted::new(&games, &entry, had, quantity)))
        }
        Wanted::Add(wanted) => {
            let (condition, add) = (wanted.condition, wanted.add);
            let before = match wanted.wanted.printing {
                Some(printing) => {
                    find_entry(app, reads, viewer, card, (printing, condition)).await?
                }
                None => None,
            };
            let names = ["step", "printing", "condition", "add", "card_game", "card_name"];
            let more = ["card_set", "card_number", "card_rarity"];
            let contents: Vec<&str> =
                names.into_iter().chain(more).map(|name| fields.one(name)).collect();
            let key = fields.one("key");
            let key = claim_of_form(app, by.account(), "page_change_count", key, &contents);
            let wanted = std::slice::from_ref(&*wanted);
            let changed = counts::change_entries(app, by, viewer, wanted, key.as_ref()).await?;
            let changed = changed.into_iter().next();
            Ok(changed.and_then(|changed| counted(&games, before, changed, add)))
        }
    }
}

/// `None`: it is not known of which card all is gone.
fn counted(
    games: &Games,
    before: Option<CollectionEntryResponse>,
    ChangedEntry { count, entry }: ChangedEntry,
    add: i32,
) -> Option<Counted> {
    let entry = entry.or(before)?;
    Some(Counted::new(games, &entry, count.quantity - add, count.quantity))
}

/// The entry as it is, among those of its card.
async fn find_entry(
    app: &AppState,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    card: Option<CardId>,
    (printing, condition): (PrintingId, Condition),
) -> Result<Option<CollectionEntryResponse>, Problem> {
    let Some(card) = card else { return Ok(None) };
    let all = EntrySelection { codes: Codes::default(), card: Some(card), with_total: false };
    let limit = PageLimit::try_from(MAX_LIMIT).map_err(Problem::internal)?;
    let found = counts::list(app, by, viewer, &all, None, limit).await?;
    let is_it = |entry: &CollectionEntryResponse| {
        entry.printing == printing.0 && entry.condition == condition.as_str()
    };
    Ok(found.data.into_iter().find(is_it))
}

/// What a problem says of the forms. `None`: it is a page of its own.
fn faults_of(problem: &Problem) -> Option<Faults> {
    let said = collection_words::count_fault(problem.code())?;
    if problem.code() == ProblemCode::UnclearPrinting {
        let detail = |fault: &InputFault| words::sentence(&fault.detail);
        let text = problem.faults().first().map_or_else(|| said.to_owned(), detail);
        return Some(Faults::one("card_name", text));
    }
    Some(Faults::one("", said))
}

/// What a problem lists of printings that may be meant.
#[derive(Deserialize)]
struct Candidates {
    choices: Vec<Candidate>,
}

#[derive(Deserialize)]
struct Candidate {
    game: String,
    set: String,
    number: String,
    name: Option<String>,
    rarity: Option<String>,
    printing: Option<Uuid>,
}

fn choices_of(games: &Games, problem: &Problem) -> Vec<MeantPrinting> {
    let candidates = problem.members().get("candidates").cloned().unwrap_or_default();
    let candidates: Vec<Candidates> = serde_json::from_value(candidates).unwrap_or_default();
    let meant = |candidate: Candidate| {
        let Candidate { game, set, number, name, rarity, printing } = candidate;
        let place = words::place(&set, &number);
        let place = match rarity {
            Some(rarity) => words::printing_at(&place, &games.rarity(&game, &rarity)),
            None => place,
        };
        Some(MeantPrinting {
            printing: printing?,
            name: match name {
                Some(name) => words::printing_at(&name, &place),
                None => place,
            },
            key: Uuid::now_v7().to_string(),
        })
    };
    candidates.into_iter().flat_map(|one| one.choices).filter_map(meant).collect()
}
