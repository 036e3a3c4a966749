//! Reads the forms of the collection, and applies their changes.

use super::counted::Counted;
use super::words as collection_words;
use crate::app::catalogue::codes::Codes;
use crate::app::collection::counts::{
    self, Change, ChangedEntry, CollectionEntryResponse, EntrySelection, SetCount,
};
use crate::app::page::{MAX_LIMIT, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::code::Code;
use crate::domain::collection::table::WantedPrinting;
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::ids::{CardId, PrintingId};
use crate::http::extract::claim_of_form;
use crate::web::copies::words as copy_words;
use crate::web::copies::{Games, TypedCard};
use crate::web::fault_words;
use crate::web::forms::{Faults, Fields};
use crate::web::words;

/// The input of the form that adds cards.
pub(super) struct TypedCount {
    pub(super) card: TypedCard,
    pub(super) condition: String,
    pub(super) add: String,
}

impl TypedCount {
    pub(super) fn nothing() -> Self {
        let condition = Condition::default().as_str().to_owned();
        Self { card: TypedCard::default(), condition, add: "1".to_owned() }
    }
}

/// A change that a form requests.
pub(super) enum RequestedChange {
    /// Sets a count.
    Set(PrintingId, Condition, i32),
    /// Adds to a count.
    Add(Box<Change>),
}

/// The `id` of the field whose number was refused.
pub(super) const WRONG_NUMBER: &str = "wrong-number";

/// The row whose form was refused.
pub(super) struct SentRow {
    printing: PrintingId,
    condition: Condition,
    pub(super) quantity: String,
    /// Idempotency key of its form.
    pub(super) key: String,
}

impl SentRow {
    /// `None`: another form was sent.
    pub(super) fn read(fields: &Fields) -> Option<Self> {
        if !["set", "less", "more"].contains(&fields.one("step")) {
            return None;
        }
        Some(Self {
            printing: PrintingId(fields.one("printing").parse().ok()?),
            condition: Condition::parse(fields.one("condition"))?,
            quantity: fields.one("quantity").trim().to_owned(),
            key: fields.one("key").to_owned(),
        })
    }

    pub(super) fn with_key(self, key: String) -> Self {
        Self { key, ..self }
    }

    /// Whether the row belongs to this entry.
    pub(super) fn is_of(&self, entry: &CollectionEntryResponse) -> bool {
        entry.printing == self.printing.0 && entry.condition == self.condition.as_str()
    }
}

/// The input of the form that adds cards, if it was sent.
pub(super) fn typed(fields: &Fields) -> TypedCount {
    if fields.one("step") != "new" {
        return TypedCount::nothing();
    }
    TypedCount {
        card: TypedCard::read(fields),
        condition: fields.one("condition").to_owned(),
        add: fields.one("add").trim().to_owned(),
    }
}

/// The requested change, or the faults of the form.
pub(super) fn requested_change(
    fields: &Fields,
    typed: &TypedCount,
) -> Result<RequestedChange, Faults> {
    let unreadable = || Faults::one("", words::failure(ProblemCode::InvalidBody).1);
    let condition = Condition::parse(fields.one("condition")).ok_or_else(unreadable)?;
    let number = |field: &str| fields.one(field).trim().parse::<i32>().ok();
    let printing = fields.one("printing").parse().ok().map(PrintingId);
    let add = |printing, add| {
        let wanted = WantedPrinting { printing: Some(printing), ..WantedPrinting::default() };
        RequestedChange::Add(Box::new(Change { wanted, condition, add }))
    };
    let in_range = |number: &i32| (-MAX_QUANTITY..=MAX_QUANTITY).contains(number) && *number != 0;
    match (fields.one("step"), printing) {
        ("set", Some(printing)) => {
            let quantity = number("quantity").filter(|one| (0..=MAX_QUANTITY).contains(one));
            let fault = || Faults::one(WRONG_NUMBER, collection_words::NUMBER_FAULT);
            Ok(RequestedChange::Set(printing, condition, quantity.ok_or_else(fault)?))
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

/// A card that is identified by the typed words.
fn new_card(typed: &TypedCount, condition: Condition) -> Result<RequestedChange, Faults> {
    let mut faults = Faults::none();
    let TypedCard { game, name, set, number, rarity } = &typed.card;
    let add = typed.add.parse().ok().filter(|add| (1..=MAX_QUANTITY).contains(add));
    if add.is_none() {
        faults.add("add", collection_words::ADD_FAULT);
    }
    let by_number = !set.is_empty() && !number.is_empty();
    let name = TypedCard::non_empty(name).map(|name| TypedName::parse(&name)).transpose();
    if let Err(error) = &name {
        faults.add("card_name", fault_words::text_fault(error));
    }
    if matches!(name, Ok(None)) && !by_number {
        faults.add("card_name", copy_words::NAME_OR_NUMBER);
    }
    for (field, text) in [("card_set", set), ("card_number", number), ("card_rarity", rarity)] {
        if !text.is_empty() && Code::try_from(text.as_str()).is_err() {
            faults.add(field, fault_words::CODE_FAULT);
        }
    }
    let (Ok(name), Some(add), true) = (name, add, faults.is_empty()) else { return Err(faults) };
    let wanted = WantedPrinting {
        game: TypedCard::non_empty(game),
        sets: TypedCard::non_empty(set).into_iter().collect(),
        number: TypedCard::non_empty(number),
        name,
        rarity: TypedCard::non_empty(rarity),
        ..WantedPrinting::default()
    };
    Ok(RequestedChange::Add(Box::new(Change { wanted, condition, add })))
}

/// Changes a count, and returns the counts before and after.
pub(super) async fn change(
    app: &AppState,
    (by, reads): (&Granted<WriteOwnCollection>, &Granted<ReadOwnCollection>),
    viewer: Viewer,
    fields: &Fields,
    wanted: RequestedChange,
) -> Result<Option<Counted>, Problem> {
    let games = Games::read(app).await?;
    let card = fields.one("card").parse().ok().map(CardId);
    match wanted {
        RequestedChange::Set(printing, condition, quantity) => {
            let key = (printing, condition);
            // Only for the name of an entry that is removed: its count may change until it is set.
            let earlier =
                if quantity == 0 { find_entry(app, reads, viewer, card, key).await? } else { None };
            let SetCount { before, entry } = counts::set(app, by, viewer, key, quantity).await?;
            let entry = entry.or(earlier);
            Ok(entry.map(|entry| Counted::new(&games, &entry, before, quantity)))
        }
        RequestedChange::Add(wanted) => {
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
            let answer = counts::change_entries(app, by, viewer, wanted, key.as_ref()).await?;
            let is_repeat = answer.is_repeat;
            let changed = answer.entries.into_iter().next();
            Ok(changed.and_then(|changed| counted(&games, before, changed, (add, is_repeat))))
        }
    }
}

/// The confirmation of a change; `None`: the last copies were removed and the card is not known.
fn counted(
    games: &Games,
    before: Option<CollectionEntryResponse>,
    ChangedEntry { count, entry }: ChangedEntry,
    (add, is_repeat): (i32, bool),
) -> Option<Counted> {
    if is_repeat {
        return Some(Counted::earlier(games, entry.as_ref(), count.quantity));
    }
    let entry = entry.or(before)?;
    Some(Counted::new(games, &entry, count.quantity - add, count.quantity))
}

/// The present entry, found among the entries of its card.
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
