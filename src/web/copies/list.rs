//! One of the two lists in a form: numbers are changed, cards are added, and it is said who reads it.

use std::collections::BTreeMap;

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::choices::{Choice, Games, TypedCard};
use super::item::{ItemRow, id_of, part_of};
use super::section::Section;
use super::words as copy_words;
use crate::app::catalogue::card_lookups::CardIdentifierBody;
use crate::app::copies::trade_lists::{
    self, NamedItem, TradeItemResponse, TradeListContent, VersionedTradeList, WantedItem,
};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::{ReadOwnCollection, WriteOwnCollection};
use crate::domain::code::Code;
use crate::domain::collection::{MAX_QUANTITY, MAX_TRADE_ITEMS, TradeListKind};
use crate::domain::decks::deck::Visibility;
use crate::domain::ids::PrintingId;
use crate::http::extract::Form;
use crate::web::forms::{Faults, Fields, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// Which list, as addresses call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::web) enum Kind {
    Wants,
    Haves,
}

impl Kind {
    pub(super) fn of_api(self) -> TradeListKind {
        match self {
            Self::Wants => TradeListKind::Want,
            Self::Haves => TradeListKind::Have,
        }
    }

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Wants => "wants",
            Self::Haves => "haves",
        }
    }

    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Wants => copy_words::WANTS,
            Self::Haves => copy_words::HAVES,
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Wants => copy_words::WANTS_ABOUT,
            Self::Haves => copy_words::HAVES_ABOUT,
        }
    }

    pub(super) fn path(self) -> String {
        format!("/my/lists/{}", self.code())
    }
}

#[derive(Template)]
#[template(path = "web/copies/list.html")]
struct ListPage {
    frame: Frame,
    section: Section,
    heading: &'static str,
    about: &'static str,
    path: String,
    faults: Faults,
    /// What was done before; empty: nothing that must be said.
    done: &'static str,
    revision: i64,
    from: usize,
    visibilities: Vec<Choice>,
    rows: Vec<Row>,
    /// Cards that were changed in the form and are not on the list any more.
    gone: usize,
    card: TypedCard,
    card_games: Vec<Choice>,
    add: String,
    most: i32,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// An item in the form.
struct Row {
    item: ItemRow,
    /// What stands in its field.
    typed: String,
    /// Whether the list has another number.
    is_other: bool,
}

/// What was typed into the forms.
struct Typed {
    revision: i64,
    from: usize,
    visibility: Option<String>,
    /// Numbers by item.
    numbers: BTreeMap<String, String>,
    card: TypedCard,
    add: String,
}

impl Typed {
    fn nothing(from: usize) -> Self {
        let (numbers, card) = (BTreeMap::new(), TypedCard::default());
        Self { revision: 0, from, visibility: None, numbers, card, add: "1".to_owned() }
    }

    fn read(fields: &Fields) -> Self {
        let items = fields.all("item").map(str::to_owned);
        let numbers = fields.all("number").map(|number| number.trim().to_owned());
        Self {
            revision: fields.one("revision").parse().unwrap_or_default(),
            from: fields.one("from").parse().unwrap_or_default(),
            visibility: TypedCard::given(fields.one("visibility")),
            numbers: items.zip(numbers).collect(),
            card: TypedCard::read(fields),
            add: fields.one("add").trim().to_owned(),
        }
    }
}

/// Which part of the list, and what was done before it is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ListQuery {
    from: usize,
    done: String,
}

/// Shows a list in a form.
pub(in crate::web) async fn show_list(
    state: web::Data<AppState>,
    by: Player<ReadOwnCollection>,
    kind: web::Path<Kind>,
    query: web::Query<ListQuery>,
) -> Result<HttpResponse, Problem> {
    let (kind, viewer) = (*kind, by.visitor.viewer());
    let stored = trade_lists::find_own(&state, &by, viewer, kind.of_api()).await?;
    let done = copy_words::done(&query.done);
    show(&state, kind, 200, (&stored, Typed::nothing(query.from)), Faults::none(), done).await
}

async fn show(
    app: &AppState,
    kind: Kind,
    status: u16,
    (stored, typed): (&VersionedTradeList, Typed),
    faults: Faults,
    done: &'static str,
) -> Result<HttpResponse, Problem> {
    let games = Games::read(app).await?;
    let items = &stored.list.items;
    let (part, next) = part_of(items, typed.from, ENTRIES.into());
    let row = |item: &TradeItemResponse| {
        let stored = item.quantity.to_string();
        let typed = typed.numbers.get(&id_of(item)).unwrap_or(&stored).clone();
        Row { is_other: typed != stored, typed, item: ItemRow::new(&games, item) }
    };
    let path = kind.path();
    let visibility = typed.visibility.as_deref().unwrap_or(stored.list.visibility);
    let is_there = |id: &&String| items.iter().any(|item| id_of(item) == **id);
    let gone = typed.numbers.keys().filter(|id| !is_there(id)).count();
    let next_path = next.map(|from| format!("{path}?from={from}"));
    let mut frame = Frame::new(kind.heading()).at(Place::Collection);
    frame.next.clone_from(&next_path);
    let page = ListPage {
        frame,
        section: Section::Lists,
        heading: kind.heading(),
        about: kind.about(),
        faults,
        done,
        revision: stored.revision.0,
        from: typed.from,
        visibilities: copy_words::VISIBILITIES
            .into_iter()
            .map(|(value, name)| Choice::new(value, name, visibility))
            .collect(),
        rows: part.iter().map(row).collect(),
        gone,
        card_games: games.choices(&typed.card.game),
        card: typed.card,
        add: typed.add,
        most: MAX_QUANTITY,
        first_path: (typed.from > 0).then(|| path.clone()),
        next_path,
        path,
    };
    private(status, &page)
}

/// Saves numbers and readers, or adds a card.
pub(in crate::web) async fn write_list(
    state: web::Data<AppState>,
    by: Player<WriteOwnCollection>,
    kind: web::Path<Kind>,
    Form(fields): Form<Fields>,
) -> Result<HttpResponse, Problem> {
    let (kind, typed, viewer) = (*kind, Typed::read(&fields), by.visitor.viewer());
    let reads = by.visitor.must::<ReadOwnCollection>()?;
    let stored = trade_lists::find_own(&state, &reads, viewer, kind.of_api()).await?;
    let is_adding = fields.one("step") == "add";
    let changed =
        if is_adding { with_card(&stored, &typed) } else { with_numbers(&stored, &typed) };
    let content = match changed {
        Ok(content) => content,
        Err(faults) => {
            let status = ProblemCode::InvalidBody.status();
            return show(&state, kind, status, (&stored, typed), faults, "").await;
        }
    };
    // A card is added to the list as it is; numbers are those of the list that the form showed.
    let meant = if is_adding { stored.revision } else { Revision(typed.revision) };
    let of = kind.of_api();
    let written = trade_lists::replace(&state, &by, viewer, of, &meant.meant(), &content).await;
    let problem = match written {
        Ok(_) => {
            let done = if is_adding { "added" } else { "saved" };
            let from = if is_adding { 0 } else { typed.from };
            return Ok(see_other(&format!("{}?from={from}&done={done}", kind.path())));
        }
        Err(problem) => problem,
    };
    let Some(faults) = faults_of(&problem, content.items.len(), is_adding) else {
        return Err(problem);
    };
    // Whoever has seen both versions may put one in the place of the other.
    let stored = trade_lists::find_own(&state, &reads, viewer, of).await?;
    show(&state, kind, problem.code().status(), (&stored, typed), faults, "").await
}

/// The list with the numbers that were typed; 0 takes an item off.
fn with_numbers(stored: &VersionedTradeList, typed: &Typed) -> Result<TradeListContent, Faults> {
    let mut items = Vec::with_capacity(stored.list.items.len());
    for item in &stored.list.items {
        let quantity = match typed.numbers.get(&id_of(item)) {
            None => item.quantity,
            Some(number) => match number.parse() {
                Ok(quantity) if (0..=MAX_QUANTITY).contains(&quantity) => quantity,
                _ => return Err(Faults::one("", copy_words::NUMBER_FAULT)),
            },
        };
        if quantity > 0 {
            items.extend(wanted(item, quantity));
        }
    }
    Ok(TradeListContent { visibility: visibility(stored, typed), items })
}

/// The list with another card on it.
fn with_card(stored: &VersionedTradeList, typed: &Typed) -> Result<TradeListContent, Faults> {
    let mut faults = Faults::none();
    let TypedCard { game, name, set, number, rarity } = &typed.card;
    let quantity = typed.add.parse().ok().filter(|add| (1..=MAX_QUANTITY).contains(add));
    if quantity.is_none() {
        faults.add("add", copy_words::ADD_FAULT);
    }
    let rarity = TypedCard::given(rarity).map(Code::try_from).transpose();
    if rarity.is_err() {
        faults.add("card_rarity", copy_words::CODE_FAULT);
    }
    let by_number = !set.is_empty() && !number.is_empty();
    let body = CardIdentifierBody {
        id: None,
        game: TypedCard::given(game),
        set: TypedCard::given(set),
        // Set and number say which card it is; without both it is the name.
        number: TypedCard::given(number).filter(|_| by_number),
        name: TypedCard::given(name).filter(|_| !by_number),
    };
    let is_named = !name.is_empty() || by_number;
    let mut wrong: Vec<InputFault> = Vec::new();
    let identifier = body.parse("", &["card"], &mut wrong).filter(|_| is_named);
    if !is_named {
        faults.add("card_name", copy_words::NAME_OR_NUMBER);
    }
    for fault in wrong.iter().filter(|_| is_named) {
        let field = field_of(fault.pointer.trim_start_matches('/'));
        faults.add(field, words::sentence(&fault.detail));
    }
    if stored.list.items.len() >= MAX_TRADE_ITEMS {
        faults.add("", copy_words::LIST_FULL);
    }
    let (Some(identifier), Some(quantity), Ok(rarity), true) =
        (identifier, quantity, rarity, faults.is_empty())
    else {
        return Err(faults);
    };
    let mut items: Vec<WantedItem> =
        stored.list.items.iter().filter_map(|item| wanted(item, item.quantity)).collect();
    let rarity = rarity.as_ref().map(Code::lower_case);
    items.push(WantedItem { named: NamedItem::Card(identifier), rarity, quantity });
    Ok(TradeListContent { visibility: visibility(stored, typed), items })
}

fn field_of(member: &str) -> &'static str {
    match member {
        "game" => "card_game",
        "set" => "card_set",
        "number" => "card_number",
        _ => "card_name",
    }
}

/// An item as it stands on the list. There is always one: an id is never read wrong.
fn wanted(item: &TradeItemResponse, quantity: i32) -> Option<WantedItem> {
    let of_card = |id: Uuid| CardIdentifierBody {
        id: Some(id.to_string()),
        game: None,
        set: None,
        number: None,
        name: None,
    };
    let named = match item.printing {
        Some(printing) => Some(NamedItem::Printing(PrintingId(printing))),
        None => {
            let body = of_card(item.card.id);
            body.parse("", &["card"], &mut Vec::new()).map(NamedItem::Card)
        }
    };
    Some(WantedItem { named: named?, rarity: None, quantity })
}

fn visibility(stored: &VersionedTradeList, typed: &Typed) -> Visibility {
    let word = typed.visibility.as_deref().unwrap_or(stored.list.visibility);
    Visibility::ALL.into_iter().find(|one| one.as_str() == word).unwrap_or_default()
}

/// What a problem says of the forms. `items`: how many were sent, the new one last. `None`: it is a page of its own.
fn faults_of(problem: &Problem, items: usize, is_adding: bool) -> Option<Faults> {
    match problem.code() {
        ProblemCode::PreconditionFailed => {
            Some(Faults::one("", copy_words::LIST_CHANGED_MEANWHILE))
        }
        ProblemCode::InvalidBody => {
            let last = format!("/items/{}", items.saturating_sub(1));
            let fault = problem.faults().first();
            let is_new = is_adding && fault.is_some_and(|fault| fault.pointer == last);
            let text = fault.map(|fault| words::sentence(&fault.detail)).unwrap_or_default();
            Some(if is_new {
                Faults::one("card_name", text)
            } else {
                Faults::one("", copy_words::ITEM_GONE)
            })
        }
        _ => None,
    }
}
