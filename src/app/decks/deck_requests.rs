//! Decks as requests: parsing them, and binding their entries to cards.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckDialect, DeckEntry, Game, IgnoredReason, LineVerdict,
    PoolCard, Resolution, TextEncoding, name_key,
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

use super::deck_cards::{self, Requester};
use super::deck_input::{DeckDialectWord, DeckEntryBody, DeckFaults, SentDeck, SentList, utf8};
use super::list_reading::{ListReadingResponse, NearNames, ReadLineResponse, ReadList, read_list};
use super::masks::hidden_cards;
use crate::app::fault_reason::{CountedItems, FaultReason};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::words::{Word as _, words};
use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{
    DeckDescription, DeckFolder, DeckTag, DeckVisibility, MAX_TAGS, without_repetitions,
};
use crate::domain::decks::rarities::with_codes;
use crate::domain::decks::set_codes::{is_place, with_set_codes};
use crate::domain::decks::zones::with_zone_codes;
use crate::domain::ids::CardId;
use crate::domain::serials::serial_text::{MASKED, has_serial_in_prose};
use crate::domain::text::TextError;
use crate::store::decks::deck_pool;
use crate::store::decks::deck_records::{DeckChanges, StoredDeck};

words! {
    DeckVisibility: "Who may read a deck: `private` (only its owner), `unlisted` (everybody who knows its id) or `public` (everybody).";
}

/// A deck to store. A request that replaces a deck also contains the whole deck: values that are left out are not kept.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "name": "Embers and Bones", "format": "ttcg/standard", "visibility": "private", "description": "Goes *fast*.", "tags": ["aggro"], "folder": "Friday",
    "entries": [{ "quantity": 2, "name": "Kettle Imp" }, { "quantity": 1, "name": "Bellows Smith", "rarity": "rare" }]
}))]
pub struct DeckRequest {
    /// Name of the deck: 1 to 100 characters. Absent: the name that `list` states, cut after 100 characters; it is required if `list` states none, and with `entries`.
    /// If a share code replaces a deck, the deck keeps its name, unless a comment `// name: …` above the code states one.
    #[schema(example = "Embers and Bones", min_length = 1, max_length = 100)]
    pub name: Option<String>,
    /// Format of the deck: `game/format`, or `game/format:variant` if the format has variants.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Who may read the deck: `private` (the default), `unlisted` or `public`.
    #[schema(value_type = Option<DeckVisibility>, example = "private")]
    pub visibility: Option<String>,
    /// Description of the deck, in the markup of lore and comments: up to 5,000 characters.
    #[schema(example = "Goes *fast*.", max_length = 5000)]
    pub description: Option<String>,
    /// Up to 20 tags of 1 to 30 characters; they are stored in lower case.
    #[serde(default)]
    #[schema(example = json!(["aggro"]), max_items = 20)]
    pub tags: Vec<String>,
    /// Folder of the deck: 1 to 100 characters. Only you see it.
    #[schema(example = "Friday", min_length = 1, max_length = 100)]
    pub folder: Option<String>,
    /// The entries, at most 500. Either `entries` or `list` is required.
    #[schema(max_items = 500)]
    pub entries: Option<Vec<DeckEntryBody>>,
    /// The entries as text in any dialect: that of this service (`2 Kettle Imp (hearth) 001 {rare}`), one of another program, or a share code.
    /// `reading` in the answer reports how each line was read; lines that cannot be read are kept in `unread_lines`. Either `list` or `entries` is
    /// required.
    #[schema(example = "2 Kettle Imp\n1 Bellows Smith {rare}")]
    pub list: Option<String>,
    /// Dialect of `list`, for example `mtgo`; absent: the dialect is recognised.
    #[schema(value_type = Option<DeckDialectWord>)]
    pub dialect: Option<String>,
    #[serde(skip, default = "utf8")]
    #[schema(ignore)]
    pub encoding: TextEncoding,
    /// The name if neither the request nor the list states one; `None`: it is required.
    #[serde(skip)]
    #[schema(ignore)]
    pub default_name: Option<String>,
    /// Name of the deck that the request replaces: a share code does not change it. `None`: the deck is new, or the request has a name.
    #[serde(skip)]
    #[schema(ignore)]
    pub replaced_name: Option<String>,
}

/// Which parameters of a list are missing.
pub(super) struct MissingDetails {
    visibility: bool,
    folder: bool,
}

impl DeckRequest {
    pub(super) fn missing_details(&self) -> MissingDetails {
        MissingDetails { visibility: self.visibility.is_none(), folder: self.folder.is_none() }
    }
}

/// The parsed content of a valid request.
pub(super) struct ParsedDeck {
    pub content: DeckContent,
    /// `None`: as in the deck that it replaces.
    visibility: Option<DeckVisibility>,
    folder: Option<DeckFolder>,
    pub reading: Option<ListReadingResponse>,
    /// Cards that the entries are bound to and that are not open.
    hidden: BTreeSet<CardId>,
    /// Whether the name is that of the deck that it replaces.
    pub keeps_name: bool,
}

impl ParsedDeck {
    pub(super) fn changes(&self, at: DateTime<Utc>) -> DeckChanges<'_> {
        let Self { content, visibility, folder, reading: _, hidden, keeps_name: _ } = self;
        let (visibility, folder) = (*visibility, folder.as_ref());
        DeckChanges { content, hidden, visibility, folder, cloned_from: None, at }
    }

    /// Whether a deck has this content, these readers and this folder already.
    pub(super) fn is_written_as(&self, stored: &StoredDeck) -> bool {
        let folder = self.folder.as_ref().map(DeckFolder::as_str);
        self.content.is_written_as(&stored.content)
            && self.visibility.is_none_or(|asked| asked == stored.row.visibility())
            && folder == stored.row.folder.as_deref()
    }

    /// Looks up which cards are hidden, after entries were bound to other cards.
    pub(super) async fn find_hidden(
        &mut self,
        app: &AppState,
        conn: &mut StepConnection<'_>,
    ) -> Result<(), Problem> {
        self.hidden = hidden_cards(app, conn, &self.content.cards).await?;
        Ok(())
    }

    /// Takes over what a list cannot state from the deck that it replaces: description and tags, and the values whose parameters are missing.
    pub(super) fn take_over_details(&mut self, stored: &StoredDeck, missing: &MissingDetails) {
        self.content.description.clone_from(&stored.content.description);
        self.content.tags.clone_from(&stored.content.tags);
        if missing.visibility {
            self.visibility = None;
        }
        if missing.folder {
            self.folder = stored.row.folder.as_deref().map(DeckFolder::stored);
        }
    }

    /// Requires that what the deck takes over from the stored one may be published. Description and tags are no values of the request, so the fault is that of the
    /// visibility.
    pub(super) fn require_publishable(&self, stored: &StoredDeck) -> Result<(), Problem> {
        let visibilities = (stored.row.visibility(), self.visibility);
        let secret = secret_texts(&self.content, visibilities);
        let (names, others): (Vec<String>, Vec<String>) =
            secret.into_iter().partition(|pointer| pointer == "/name");
        let mut faults: Vec<InputFault> =
            names.into_iter().map(|pointer| InputFault::at(pointer, TextError::Serial)).collect();
        if !others.is_empty() {
            let detail = "must be private: the description or a tag of the deck contains a serial code, and a list does not change them; remove the code with PATCH first";
            faults.push(InputFault::at("/visibility", detail));
        }
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }
}

/// Refuses to publish a private deck with a serial code in a text that an older version has stored. `after`: the requested visibility; `None`: it stays as it is.
pub(super) fn require_publishable(
    content: &DeckContent,
    visibilities: (DeckVisibility, Option<DeckVisibility>),
) -> Result<(), Problem> {
    let secret = secret_texts(content, visibilities).into_iter();
    let faults: Vec<InputFault> =
        secret.map(|pointer| InputFault::at(pointer, TextError::Serial)).collect();
    if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
}

/// Refuses to restore a revision with a serial code in a text that an older version has stored, if others can read the deck: perhaps nobody else has read
/// that revision. Its texts are no values of the request, so the fault is that of the revision.
pub(super) fn require_restorable(
    content: &DeckContent,
    visibility: DeckVisibility,
) -> Result<(), Problem> {
    if secret_texts(content, (DeckVisibility::Private, Some(visibility))).is_empty() {
        return Ok(());
    }
    let detail = "must be a revision without a serial code in its name, its description or a tag while others can read the deck; make the deck private first";
    Err(Problem::invalid(vec![InputFault::at("/revision", detail)]))
}

/// The pointers of the texts with a serial code, if a private deck is published.
fn secret_texts(
    content: &DeckContent,
    (before, after): (DeckVisibility, Option<DeckVisibility>),
) -> Vec<String> {
    let is_shown = |visibility: DeckVisibility| visibility != DeckVisibility::Private;
    if is_shown(before) || !after.is_some_and(is_shown) {
        return Vec::new();
    }
    let mut texts = vec![
        ("/name".to_owned(), content.name.as_str()),
        ("/description".to_owned(), content.description.as_str()),
    ];
    let tags = content.tags.iter().enumerate();
    texts.extend(tags.map(|(at, tag)| (format!("/tags/{at}"), tag.as_str())));
    texts.retain(|(_, text)| has_serial_in_prose(text));
    texts.into_iter().map(|(pointer, _)| pointer).collect()
}

/// Parses a request, or returns every fault of it. Entries are bound to the cards that `requester` may see.
pub(super) async fn parse(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    request: DeckRequest,
) -> Result<ParsedDeck, Problem> {
    let mut faults = DeckFaults::default();
    let name = match (&request.name, &request.list) {
        (Some(name), _) => faults.check("/name", DeckName::parse(name)).map(Some),
        // The list may state a name.
        (None, Some(_)) => Some(None),
        (None, None) => faults.check("/name", Err("is missing")),
    };
    let format = faults.check("/format", FormatName::parse(&request.format));
    let visibility =
        request.visibility.as_deref().map_or(Ok(DeckVisibility::default()), DeckVisibility::read);
    let visibility = faults.check("/visibility", visibility);
    let description = request.description.as_deref().unwrap_or_default();
    let description = faults.check("/description", DeckDescription::parse(description));
    let tags = check_tags(&mut faults, &request.tags);
    let folder = match request.folder.as_deref().map(DeckFolder::parse).transpose() {
        Ok(folder) => folder,
        Err(error) => {
            faults.fields.push(InputFault::at("/folder", error));
            None
        }
    };
    let list = request.list.as_deref().map(|text| SentList {
        text,
        encoding: request.encoding,
        dialect: request.dialect.as_deref(),
    });
    let deck = faults.deck(request.entries, list);
    let format = format.map(|format| ("/format".to_owned(), format));
    let found = faults.formats(app, conn, format.as_slice(), None).await?;
    let parts = match (name, format, visibility, description, found, deck) {
        (
            Some(name),
            Some((_, format)),
            Some(visibility),
            Some(description),
            Some(found),
            Some(deck),
        ) => Some((name, format, visibility, description, found, deck)),
        _ => None,
    };
    let (name, format, visibility, description, (loaded, _), sent) = faults.into_result(parts)?;
    let bound = bind(app, conn, requester, &loaded.game, sent).await?;
    let BoundDeck { deck, cards, unread_lines, reading } = bound;
    let kept = request.replaced_name.filter(|_| reading.as_ref().is_some_and(is_code_without_name));
    let keeps_name = name.is_none() && kept.is_some();
    let name = match (name, kept) {
        (Some(name), _) => name,
        (None, Some(kept)) => DeckName::stored(&kept),
        (None, None) => name_of_list(reading.as_ref(), request.default_name.as_deref())?,
    };
    let content = DeckContent { name, format, description, tags, deck, cards, unread_lines };
    let hidden = hidden_cards(app, conn, &content.cards).await?;
    Ok(ParsedDeck { content, visibility: Some(visibility), folder, reading, hidden, keeps_name })
}

/// Whether a list is a share code without a comment above it that states the name of the deck. The line above a code may be a title, but also a greeting.
fn is_code_without_name(reading: &ListReadingResponse) -> bool {
    let is_comment_with_name = |line: &ReadLineResponse| {
        let is_name = |key: &str| key == "name";
        matches!(&line.verdict, LineVerdict::Ignored(IgnoredReason::Note { key }) if is_name(key))
            && line.text.starts_with(['/', '#'])
    };
    let states_name =
        stated_name(reading).is_some() && reading.lines.iter().any(is_comment_with_name);
    reading.dialect == DeckDialect::ShareCode.code() && !states_name
}

/// The name of the deck that a list states.
fn stated_name(reading: &ListReadingResponse) -> Option<&str> {
    let name = reading.notes.get("name").map(String::as_str);
    name.filter(|name| !name.is_empty() && *name != MASKED)
}

/// The name of a deck whose request has none: the name that the list states, or the one that the deck has without it.
fn name_of_list(
    reading: Option<&ListReadingResponse>,
    default: Option<&str>,
) -> Result<DeckName, Problem> {
    let stated = reading.and_then(stated_name);
    let fault = |detail: String| Problem::invalid(vec![InputFault::at("/name", detail)]);
    match (stated.map(DeckName::shortened), default) {
        (Some(Ok(name)), _) => Ok(name),
        // What a list states must not make it unreadable.
        (_, Some(name)) => Ok(DeckName::stored(name)),
        (Some(Err(error)), None) => {
            Err(fault(format!("is needed, because the name that the list states {error}")))
        }
        (None, None) => Err(fault("is missing, and the list states no name".to_owned())),
    }
}

pub(super) fn check_tags(faults: &mut DeckFaults, tags: &[String]) -> Vec<DeckTag> {
    if tags.len() > MAX_TAGS {
        let (most, actual) = (MAX_TAGS, tags.len());
        let reason = FaultReason::TooMany { of: CountedItems::Tags, most, actual };
        faults.fields.push(InputFault::at("/tags", reason));
    }
    let parsed = tags.iter().take(MAX_TAGS).enumerate();
    let parsed =
        parsed.filter_map(|(at, tag)| faults.check(&format!("/tags/{at}"), DeckTag::parse(tag)));
    without_repetitions(parsed.collect())
}

/// A deck whose entries are bound to cards.
struct BoundDeck {
    deck: Deck,
    cards: Vec<Option<CardId>>,
    unread_lines: Vec<UnreadLine>,
    reading: Option<ListReadingResponse>,
}

/// Binds the entries of a deck to cards, among those that the requester may see.
async fn bind(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    sent: SentDeck,
) -> Result<BoundDeck, Problem> {
    match sent {
        SentDeck::Entries(mut deck) => {
            with_zone_codes(game, &mut deck.entries);
            with_codes(game, &mut deck.entries);
            write_sets_by_code(app, conn, game, &mut deck).await?;
            let cards = bind_entries(app, conn, requester, game, &deck).await?;
            Ok(BoundDeck { deck, cards, unread_lines: Vec::new(), reading: None })
        }
        SentDeck::List(text) => {
            match read_list(app, conn, requester, game, &[], &text, NearNames::LookUp).await? {
                Ok((ReadList { mut deck, unnamed, unread, reading, .. }, _, catalogue)) => {
                    // A list that was lost on the way must not empty a deck. A share code cannot be lost in part.
                    let is_code = reading.dialect == DeckDialect::ShareCode.code();
                    if deck.entries.is_empty() && !reading.lines.is_empty() && !is_code {
                        let fault = InputFault::at("/list", FaultReason::NoCards);
                        let fault = match line_without_card(&reading) {
                            Some(line) => fault.on_line(line),
                            None => fault,
                        };
                        return Err(Problem::invalid(vec![fault]));
                    }
                    // Entries of JSON have their zones as they are written.
                    with_zone_codes(game, &mut deck.entries);
                    with_codes(game, &mut deck.entries);
                    let mut cards = bound_cards(&deck, &catalogue);
                    bind_places(app, conn, game, &deck, &mut cards).await?;
                    leave_out_names(&mut deck, (&unnamed, &cards), &catalogue);
                    Ok(BoundDeck { deck, cards, unread_lines: unread, reading: Some(reading) })
                }
                Err(refusal) => {
                    let mut faults = DeckFaults::default();
                    faults.refuse_list(refusal);
                    faults.into_result(None)
                }
            }
        }
    }
}

/// Leaves out the names of entries whose lines have none, if set and number are enough to find the cards that they are bound to. The player did not write these names,
/// so the entries show the names that the cards have when they are read.
fn leave_out_names(
    deck: &mut Deck,
    (unnamed, cards): (&BTreeSet<usize>, &[Option<CardId>]),
    catalogue: &Catalogue,
) {
    for at in unnamed {
        let (Some(entry), Some(Some(card))) = (deck.entries.get_mut(*at), cards.get(*at)) else {
            continue;
        };
        let place = CardReference { name: String::new(), ..entry.card.clone() };
        if matches!(catalogue.find(&place), Resolution::Card(found) if found.key == card.to_string())
        {
            entry.card = place;
        }
    }
}

/// The line of a list without entries that shows best that cards are missing: the first card outside of the deck, or else the first line that is neither a comment nor
/// a fact about the deck, such as a heading; `None`: the list has only comments and facts.
fn line_without_card(reading: &ListReadingResponse) -> Option<usize> {
    let is_outside = |verdict: &LineVerdict| {
        matches!(verdict, LineVerdict::Ignored(IgnoredReason::OutsideTheDeck))
    };
    let says_nothing = |verdict: &LineVerdict| {
        matches!(verdict, LineVerdict::Ignored(IgnoredReason::Comment | IgnoredReason::Note { .. }))
    };
    let outside = reading.lines.iter().find(|line| is_outside(&line.verdict));
    let line = outside.or_else(|| reading.lines.iter().find(|line| !says_nothing(&line.verdict)));
    line.map(|line| line.line)
}

/// The card of each entry, among those that the requester may see; entries without a name are bound to the card at their place.
pub(super) async fn bind_entries(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    requester: Requester,
    game: &Game,
    deck: &Deck,
) -> Result<Vec<Option<CardId>>, Problem> {
    let found = deck_cards::find_of_deck(app, conn, requester, game, &[], deck);
    let (_, catalogue) = found.await?;
    let mut cards = bound_cards(deck, &catalogue);
    bind_places(app, conn, game, deck, &mut cards).await?;
    Ok(cards)
}

/// The card of each entry, even if the printing does not exist; `None`: the entry matches no card, or several.
pub(super) fn bound_cards(deck: &Deck, catalogue: &Catalogue) -> Vec<Option<CardId>> {
    let card = |entry: &DeckEntry| meant_by(entry, catalogue).and_then(id_of);
    deck.entries.iter().map(card).collect()
}

/// The different cards that the entries of a deck mean, sorted. The oldest card of a name stands for all cards of the name: decks with different printings of a card have
/// it in common, and a later reprint changes nothing.
pub(super) fn different_cards(deck: &Deck, catalogue: &Catalogue) -> Vec<CardId> {
    let mut oldest: BTreeMap<String, CardId> = BTreeMap::new();
    for card in catalogue.iter() {
        if let Some(id) = id_of(card) {
            let known = oldest.entry(name_key(&card.definition.name)).or_insert(id);
            *known = id.min(*known);
        }
    }
    let meant = deck.entries.iter().filter_map(|entry| meant_by(entry, catalogue));
    let cards = meant.filter_map(|card| oldest.get(&name_key(&card.definition.name)).copied());
    let cards: BTreeSet<CardId> = cards.collect();
    cards.into_iter().collect()
}

fn meant_by<'c>(entry: &DeckEntry, catalogue: &'c Catalogue) -> Option<&'c PoolCard> {
    match catalogue.find(&entry.card) {
        _ if is_unclear(entry, catalogue) => None,
        Resolution::Card(card) | Resolution::OtherPrinting(card) => Some(card),
        _ => None,
    }
}

fn id_of(card: &PoolCard) -> Option<CardId> {
    card.key.parse().ok().map(CardId)
}

/// Whether an entry has no name, and its set and number can mean several cards.
fn is_unclear(entry: &DeckEntry, catalogue: &Catalogue) -> bool {
    let CardReference { name, set, number, .. } = &entry.card;
    let place = set.as_deref().zip(number.as_deref()).filter(|_| name.is_empty());
    place.is_some_and(|(set, number)| catalogue.is_unclear(set, number))
}

/// Writes the sets of entries that have a place and no name by their codes.
pub(super) async fn write_sets_by_code(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    game: &Game,
    deck: &mut Deck,
) -> Result<(), Problem> {
    if deck.entries.iter().any(is_place) {
        let sets = deck_cards::known_sets(app, conn, game).await?;
        with_set_codes(&sets, &mut deck.entries);
    }
    Ok(())
}

/// Binds each entry that has a place and no name to the card at that place; the set may be written by its name. The card may be hidden from the owner; the
/// entry gets the card's name as soon as the owner may see the card.
pub(super) async fn bind_places(
    app: &AppState,
    conn: &mut StepConnection<'_>,
    game: &Game,
    deck: &Deck,
    cards: &mut [Option<CardId>],
) -> Result<(), Problem> {
    let mut places = Vec::new();
    for (at, (entry, card)) in deck.entries.iter().zip(cards.iter()).enumerate() {
        if let (None, "", Some(set), Some(number)) =
            (card, entry.card.name.as_str(), &entry.card.set, &entry.card.number)
        {
            places.push((at, (set.as_str(), number.as_str())));
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let sets = deck_cards::known_sets(app, conn, game).await?;
    let place = |(at, (set, number))| {
        (at, (sets.find(set).map_or(set, |known| known.code.as_str()), number))
    };
    let (positions, places): (Vec<usize>, Vec<_>) = places.into_iter().map(place).unzip();
    let found = deck_pool::ids_at(conn.get().await?, game.code(), &places).await?;
    for (at, card) in positions.into_iter().zip(found) {
        cards[at] = card;
    }
    Ok(())
}
