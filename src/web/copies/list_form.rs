//! The form of a list of wants or haves: its input, and the list that results from it.

use std::collections::BTreeMap;

use cardscape_engine::search_key;
use uuid::Uuid;

use super::choices::{Games, TypedCard};
use super::item::id_of;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::catalogue::card_lookups::CardIdentifierBody;
use crate::app::copies::trade_lists::{
    NamedItem, TradeItemResponse, TradeListContent, VersionedTradeList, WantedItem,
};
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::domain::code::Code;
use crate::domain::collection::{MAX_QUANTITY, MAX_TRADE_ITEMS};
use crate::domain::decks::deck::Visibility;
use crate::domain::ids::PrintingId;
use crate::web::fault_words;
use crate::web::forms::{Faults, Fields};
use crate::web::words::Sentence;

/// The input of the form.
pub(super) struct Typed {
    /// The version of the list that the form was loaded with; `None`: a form of an older program that only adds a card.
    pub(super) revision: Option<i64>,
    pub(super) from: usize,
    pub(super) visibility: Option<String>,
    /// Numbers by item.
    pub(super) numbers: BTreeMap<String, String>,
    pub(super) card: TypedCard,
    pub(super) add: String,
}

impl Typed {
    pub(super) fn nothing(from: usize) -> Self {
        let (numbers, card) = (BTreeMap::new(), TypedCard::default());
        Self { revision: None, from, visibility: None, numbers, card, add: "1".to_owned() }
    }

    pub(super) fn read(fields: &Fields) -> Self {
        let items = fields.all("item").map(str::to_owned);
        let numbers = fields.all("number").map(|number| number.trim().to_owned());
        Self {
            revision: fields.one("revision").parse().ok(),
            from: fields.one("from").parse().unwrap_or_default(),
            visibility: TypedCard::non_empty(fields.one("visibility")),
            numbers: items.zip(numbers).collect(),
            card: TypedCard::read(fields),
            add: fields.one("add").trim().to_owned(),
        }
    }
}

impl Typed {
    /// Whether the form names a card to add, perhaps only by a part of what identifies one: then the form is refused, so that the part is not lost.
    pub(super) fn names_card(&self) -> bool {
        let TypedCard { game: _, name, set, number, rarity } = &self.card;
        [name, set, number, rarity].into_iter().any(|field| !field.is_empty())
    }

    /// Whether the readers and all numbers are those of the list, so that it does not matter which version of it the form was loaded with.
    pub(super) fn is_as_in(&self, stored: &VersionedTradeList) -> bool {
        let items = stored.list.items.iter().map(|item| (id_of(item), item.quantity));
        let quantities: BTreeMap<String, i32> = items.collect();
        let is_same = |(id, number): (&String, &String)| {
            read_number(number) == Some(quantities.get(id).copied().unwrap_or_default())
        };
        visibility(stored, self).as_str() == stored.list.visibility
            && self.numbers.iter().all(is_same)
    }

    /// Whether an earlier version of the form has added the card already, with the same number.
    pub(super) fn was_added_to(&self, stored: &VersionedTradeList) -> bool {
        let is_earlier = self.revision.is_some_and(|read| read != stored.revision.0);
        is_earlier && stored.list.items.iter().any(|item| self.is_card_of(item))
    }

    fn is_card_of(&self, item: &TradeItemResponse) -> bool {
        let TypedCard { game, name, set, number, rarity } = &self.card;
        let card = &item.card;
        let is_named = if set.is_empty() || number.is_empty() {
            card.name.as_deref().is_some_and(|own| search_key(own) == search_key(name))
        } else {
            // Cards are found without the zeros before their numbers, too.
            let bare = |number: &str| number.trim_start_matches('0').to_lowercase();
            card.set.eq_ignore_ascii_case(set) && bare(&card.number) == bare(number)
        };
        is_named
            && card.game.eq_ignore_ascii_case(game)
            && item.rarity.as_deref().unwrap_or_default().eq_ignore_ascii_case(rarity)
            && self.add.parse::<i32>() == Ok(item.quantity)
    }
}

/// The list with the typed numbers; 0 removes an item.
pub(super) fn with_numbers(
    games: &Games,
    stored: &VersionedTradeList,
    typed: &Typed,
) -> Result<TradeListContent, Faults> {
    let mut faults = Faults::none();
    let mut items = Vec::with_capacity(stored.list.items.len());
    for item in &stored.list.items {
        let quantity = match typed.numbers.get(&id_of(item)) {
            None => item.quantity,
            Some(number) => match read_number(number) {
                Some(quantity) => quantity,
                None => {
                    // Only the first of them has the `id` to which the fault links.
                    let field = if faults.is_empty() { WRONG_NUMBER } else { "" };
                    faults.add(field, copy_words::number_fault(&name_of(games, item)));
                    continue;
                }
            },
        };
        if quantity > 0 {
            items.extend(wanted_item(item, quantity));
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(TradeListContent { visibility: visibility(stored, typed), items })
}

/// The `id` of the field of the first refused number.
pub(super) const WRONG_NUMBER: &str = "wrong-number";

/// The number of an item; `None`: the input is not a valid number.
pub(super) fn read_number(number: &str) -> Option<i32> {
    number.parse().ok().filter(|quantity| (0..=MAX_QUANTITY).contains(quantity))
}

/// The name of an item, for messages that must differ between items.
fn name_of(games: &Games, item: &TradeItemResponse) -> String {
    CardCell::of_line(games, &item.card, item.rarity.as_deref()).name_and_place()
}

/// The name of the item at an index of the list that was sent. That list has the items of the stored list in the same order, without those whose number is 0.
fn name_at(
    games: &Games,
    stored: &VersionedTradeList,
    typed: &Typed,
    place: usize,
) -> Option<String> {
    let is_sent = |item: &&TradeItemResponse| {
        typed.numbers.get(&id_of(item)).and_then(|number| read_number(number)) != Some(0)
    };
    let item = stored.list.items.iter().filter(is_sent).nth(place)?;
    Some(name_of(games, item))
}

/// The list with the typed numbers and one more card.
pub(super) fn with_card(
    games: &Games,
    stored: &VersionedTradeList,
    typed: &Typed,
) -> Result<TradeListContent, Faults> {
    let (content, mut faults) = match with_numbers(games, stored, typed) {
        Ok(content) => (Some(content), Faults::none()),
        Err(faults) => (None, faults),
    };
    let TypedCard { game, name, set, number, rarity } = &typed.card;
    let quantity = typed.add.parse().ok().filter(|add| (1..=MAX_QUANTITY).contains(add));
    if quantity.is_none() {
        faults.add("add", copy_words::ADD_FAULT);
    }
    let rarity = TypedCard::non_empty(rarity).map(Code::try_from).transpose();
    if rarity.is_err() {
        faults.add("card_rarity", fault_words::CODE_FAULT);
    }
    let by_number = !set.is_empty() && !number.is_empty();
    let body = CardIdentifierBody {
        id: None,
        game: TypedCard::non_empty(game),
        set: TypedCard::non_empty(set),
        // Set and number together identify the card; otherwise its name does.
        number: TypedCard::non_empty(number).filter(|_| by_number),
        name: TypedCard::non_empty(name).filter(|_| !by_number),
    };
    let is_named = !name.is_empty() || by_number;
    let mut wrong: Vec<InputFault> = Vec::new();
    let identifier = body.parse("", &["card"], &mut wrong).filter(|_| is_named);
    if !is_named {
        faults.add("card_name", copy_words::NAME_OR_NUMBER);
    }
    for fault in wrong.iter().filter(|_| is_named) {
        let field = field_of(fault.pointer.trim_start_matches('/'));
        faults.add(field, fault_words::reason(&fault.reason));
    }
    if content.as_ref().is_some_and(|content| content.items.len() >= MAX_TRADE_ITEMS) {
        faults.add("", copy_words::LIST_FULL);
    }
    let (Some(mut content), Some(identifier), Some(quantity), Ok(rarity), true) =
        (content, identifier, quantity, rarity, faults.is_empty())
    else {
        return Err(faults);
    };
    let rarity = rarity.as_ref().map(Code::lower_case);
    content.items.push(WantedItem { named: NamedItem::Card(identifier), rarity, quantity });
    Ok(content)
}

fn field_of(member: &str) -> &'static str {
    match member {
        "game" => "card_game",
        "set" => "card_set",
        "number" => "card_number",
        _ => "card_name",
    }
}

/// An item as it is on the list. The ids are valid, because they come from the stored list.
fn wanted_item(item: &TradeItemResponse, quantity: i32) -> Option<WantedItem> {
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

/// Whether all that is wrong is that the new card is on the list already. `items`: how many items were sent, the new one last.
pub(super) fn is_repeated(problem: &Problem, items: usize) -> bool {
    let last = format!("/items/{}", items.saturating_sub(1));
    let is_last =
        |fault: &InputFault| fault.pointer == last && matches!(fault.reason, FaultReason::Repeated);
    !problem.faults().is_empty() && problem.faults().iter().all(is_last)
}

/// The faults of the form in a problem. `items`: how many items were sent, based on `stored`, the new one last. `None`: the problem is shown on a page of its
/// own.
pub(super) fn faults_of(
    problem: &Problem,
    games: &Games,
    (stored, typed): (&VersionedTradeList, &Typed),
    (items, is_adding): (usize, bool),
) -> Option<Faults> {
    match problem.code() {
        ProblemCode::PreconditionFailed => {
            Some(Faults::one("", copy_words::LIST_CHANGED_MEANWHILE))
        }
        ProblemCode::InvalidBody => {
            let fault = problem.faults().first();
            let place = fault.and_then(|fault| fault.pointer.strip_prefix("/items/"));
            let place = place.and_then(|place| place.split('/').next()?.parse::<usize>().ok());
            let is_new = is_adding && place == Some(items.saturating_sub(1));
            let text = match fault {
                Some(InputFault { reason: FaultReason::Repeated, .. }) => {
                    copy_words::ON_LIST_ALREADY.into()
                }
                Some(fault) => fault_words::reason(&fault.reason),
                None => Sentence::default(),
            };
            Some(if is_new {
                Faults::one("card_name", text)
            } else {
                let name = place.and_then(|place| name_at(games, stored, typed, place));
                Faults::one("", copy_words::card_not_listed(name.as_deref()))
            })
        }
        _ => None,
    }
}
