//! Writes the content of cards.

use std::collections::BTreeMap;

use cardscape_engine::{Attributes, CardDefinition, Effect, PrintingDefinition, search_key};
use diesel::dsl::Eq;
use diesel::prelude::*;
use diesel::sql_types::{Jsonb, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde::Deserialize;
use serde_json::{Value, json};

use super::name_looks;
use crate::auth::permission::{Importer, Viewer};
use crate::domain::catalogue::import::{CardImport, PrintingImport};
use crate::domain::designs::name_looks::LOOKS_VERSION;
use crate::domain::ids::{CardId, PrintingId};
use crate::search::{WORDS_VERSION, Words, printing_words};
use crate::store::db::codecs::json::{Json, WrittenJson};
use crate::store::db::schema::card_content;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A card as it is stored, to compare an import with.
#[derive(Clone, Debug)]
pub(in crate::store) struct StoredCard {
    pub id: CardId,
    pub number: String,
    pub name_key: String,
    kind: String,
    pub name: String,
    attributes: Attributes,
    effects: Vec<Effect>,
    lore: Option<String>,
    /// By rarity.
    pub printings: BTreeMap<String, StoredPrinting>,
}

#[derive(Clone, Debug, Deserialize)]
pub(in crate::store) struct StoredPrinting {
    pub id: PrintingId,
    pub tier: i16,
    pub attributes: Attributes,
}

impl StoredCard {
    /// Whether the card itself, without its printings, equals the definition.
    pub(in crate::store) fn equals(&self, card: &CardDefinition) -> bool {
        self.name == card.name
            && self.kind == card.kind
            && self.attributes == card.attributes
            && self.effects == card.effects
            && self.lore == card.lore
    }

    /// The card as a set file contains it, its printings from the lowest tier up.
    pub(in crate::store) fn into_definition(self) -> CardDefinition {
        let mut printings: Vec<(String, StoredPrinting)> = self.printings.into_iter().collect();
        printings.sort_by_key(|(_, printing)| printing.tier);
        CardDefinition {
            number: self.number,
            name: self.name,
            kind: self.kind,
            attributes: self.attributes,
            effects: self.effects,
            lore: self.lore,
            printings: printings
                .into_iter()
                .map(|(rarity, StoredPrinting { attributes, .. })| PrintingDefinition {
                    rarity,
                    attributes,
                })
                .collect(),
        }
    }
}

#[derive(QueryableByName)]
struct StoredRow {
    #[diesel(sql_type = SqlUuid)]
    id: CardId,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Text)]
    name_key: String,
    #[diesel(sql_type = Jsonb)]
    content: Json<StoredContent>,
    #[diesel(sql_type = Jsonb)]
    printings: Json<BTreeMap<String, StoredPrinting>>,
}

#[derive(Deserialize)]
struct StoredContent {
    kind: String,
    name: String,
    attributes: Attributes,
    effects: Vec<Effect>,
    lore: Option<String>,
}

impl StoredRow {
    fn into_card(self) -> StoredCard {
        let Json(content) = self.content;
        StoredCard {
            id: self.id,
            number: self.number,
            name_key: self.name_key,
            kind: content.kind,
            name: content.name,
            attributes: content.attributes,
            effects: content.effects,
            lore: content.lore,
            printings: self.printings.0,
        }
    }
}

const STORED_COLUMNS: &str = "SELECT c.id, c.number, content.name_key, \
    jsonb_build_object('kind', content.kind, 'name', content.name, 'attributes', content.attributes, \
        'effects', content.effects, 'lore', content.lore) AS content, \
    (SELECT coalesce(jsonb_object_agg(p.rarity, \
         jsonb_build_object('id', p.id, 'tier', p.tier, 'attributes', own.attributes)), '{}') \
     FROM printings p JOIN printing_content own ON own.printing_id = p.id WHERE p.card_id = c.id) AS printings \
    FROM cards c JOIN card_content content ON content.card_id = c.id";

/// Everything that is stored about the cards of a set, by number.
pub(in crate::store) async fn load_set(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
    set: &str,
) -> StoreResult<BTreeMap<String, StoredCard>> {
    let of_set = format!("{STORED_COLUMNS} WHERE c.game_code = $game AND c.set_code = $set");
    let rows: Vec<StoredRow> = sql(of_set).bind("game", game).bind("set", set).load(conn).await?;
    let cards = rows.into_iter().map(StoredRow::into_card);
    Ok(cards.map(|card| (card.number.clone(), card)).collect())
}

/// Everything that is stored about one card.
pub(in crate::store) async fn load_card(
    conn: &mut Connection,
    _by: &Importer,
    id: CardId,
) -> StoreResult<Option<StoredCard>> {
    let one = format!("{STORED_COLUMNS} WHERE c.id = $id");
    let row: Option<StoredRow> = sql(one).bind("id", id).get_result(conn).await.optional()?;
    Ok(row.map(StoredRow::into_card))
}

/// A name that is already in use.
#[derive(Debug, QueryableByName)]
pub(in crate::store) struct TakenName {
    #[diesel(sql_type = Text)]
    pub name_key: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
}

/// The cards of a game, outside these sets, that have one of these names.
pub(in crate::store) async fn find_taken_names(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
    name_keys: &[&str],
    outside: &[&str],
) -> StoreResult<Vec<TakenName>> {
    let query = sql(
        // The lateral join looks up cards one by one, and usually finds none. A plain join would read all cards for
        // each set of an import.
        "SELECT content.name_key, c.set_code, c.number FROM card_content content \
         CROSS JOIN LATERAL (SELECT set_code, number FROM cards WHERE id = content.card_id OFFSET 0) c \
         WHERE content.game_code = $game AND content.name_key = ANY($names) AND c.set_code <> ALL($outside)",
    );
    Ok(query
        .bind("game", game)
        .bind("names", name_keys)
        .bind("outside", outside)
        .load(conn)
        .await?)
}

#[derive(QueryableByName)]
struct SharedName {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Names that several cards of the game share. In a game whose names have been unique so far, this costs one look-up.
pub(in crate::store) async fn find_shared_names(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
) -> StoreResult<Vec<String>> {
    let rows: Vec<SharedName> = sql("SELECT min(name) AS name FROM card_content \
         WHERE game_code = $game AND EXISTS (SELECT FROM games WHERE code = $game AND NOT unique_names) \
         GROUP BY name_key HAVING count(*) > 1 ORDER BY 1 LIMIT 100")
    .bind("game", game)
    .load(conn)
    .await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// A code of the manifest that stored cards use.
#[derive(Debug, QueryableByName)]
pub(in crate::store) struct UsedCode {
    /// `kinds` or `rarities`.
    #[diesel(sql_type = Text)]
    pub list: String,
    #[diesel(sql_type = Text)]
    pub code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
}

/// The kinds and rarities that cards of a game use, outside the given sets.
pub(in crate::store) async fn find_used_codes(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
    outside: &[&str],
) -> StoreResult<Vec<UsedCode>> {
    let query = sql("SELECT DISTINCT 'kinds' AS list, content.kind AS code, c.set_code \
         FROM card_content content JOIN cards c ON c.id = content.card_id \
         WHERE c.game_code = $game AND c.set_code <> ALL($outside) \
         UNION SELECT DISTINCT 'rarities', p.rarity, c.set_code FROM printings p JOIN cards c ON c.id = p.card_id \
         WHERE c.game_code = $game AND c.set_code <> ALL($outside) ORDER BY 1, 2, 3");
    Ok(query.bind("game", game).bind("outside", outside).load(conn).await?)
}

/// Names of the hidden cards of a game, with their places.
pub(in crate::store) async fn list_hidden_names(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
) -> StoreResult<Vec<HiddenName>> {
    read_hidden_names(conn, game).await
}

/// The same for a viewer; empty unless the viewer sees all hidden cards.
pub(in crate::store) async fn list_hidden_names_for(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
) -> StoreResult<Vec<HiddenName>> {
    if viewer.sees_all() { read_hidden_names(conn, game).await } else { Ok(Vec::new()) }
}

async fn read_hidden_names(conn: &mut Connection, game: &str) -> StoreResult<Vec<HiddenName>> {
    let query = sql(
        "SELECT content.name, c.set_code, c.number FROM card_content content JOIN cards c ON c.id = content.card_id \
         WHERE content.game_code = $game AND NOT content.open ORDER BY c.set_code, c.number",
    );
    Ok(query.bind("game", game).load(conn).await?)
}

/// The name of a hidden card.
#[derive(Debug, QueryableByName)]
pub(in crate::store) struct HiddenName {
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    #[diesel(sql_type = Text)]
    pub number: String,
}

/// Records who designed a card.
pub(in crate::store) async fn credit_designer(
    conn: &mut Connection,
    _by: &Importer,
    card: CardId,
    credit: Value,
) -> StoreResult<()> {
    sql("UPDATE card_content SET designed_by = $credit WHERE card_id = $card")
        .bind("card", card)
        .bind("credit", credit)
        .execute(conn)
        .await?;
    Ok(())
}

/// Clears the name keys of cards that are about to be renamed, so that two cards can swap names.
pub(in crate::store) async fn free_names(
    conn: &mut Connection,
    _by: &Importer,
    cards: &[CardId],
) -> StoreResult<()> {
    sql("UPDATE card_content SET name_key = card_id::text WHERE card_id = ANY($ids)")
        .bind("ids", cards)
        .execute(conn)
        .await?;
    Ok(())
}

/// The words of a card, as columns.
type WordColumns = (
    Eq<card_content::words, String>,
    Eq<card_content::name_words, String>,
    Eq<card_content::effect_words, String>,
    Eq<card_content::lore_words, String>,
    Eq<card_content::attribute_words, Value>,
    Eq<card_content::words_version, i16>,
);

/// The words of a card, folded.
pub(super) fn word_columns(words: Words) -> WordColumns {
    (
        card_content::words.eq(words.all),
        card_content::name_words.eq(words.name),
        card_content::effect_words.eq(words.effects),
        card_content::lore_words.eq(words.lore),
        card_content::attribute_words.eq(Value::Object(words.attributes)),
        card_content::words_version.eq(WORDS_VERSION),
    )
}

/// The folded texts of a card; the texts of its printings are among its attributes.
fn fold_words(card: &CardImport) -> Words {
    let CardDefinition { name, effects, lore, attributes, .. } = &card.definition;
    let mut words = Words::of(name, effects, lore.as_deref(), &attributes.to_map());
    for printing in &card.printings {
        words.attributes.extend(printing_words(&printing.rarity, &printing.attributes));
    }
    words
}

/// The numbers of each printing that has some, the most common first. Triggers derive the same values when printings
/// are written; if the values are present already, the triggers write nothing.
fn printing_numbers(card: &CardImport) -> Value {
    let mut printings: Vec<&PrintingImport> = card.printings.iter().collect();
    printings.sort_by_key(|printing| printing.tier);
    let numbers = |printing: &PrintingImport| {
        let own = printing.attributes.clone();
        let mut all = card.definition.attributes.clone();
        all.extend(own);
        all.retain(|_, value| value.is_number());
        all
    };
    let all = printings.into_iter().map(numbers).filter(|numbers| !numbers.is_empty());
    Value::Array(all.map(|numbers| Value::Object(numbers.into())).collect())
}

/// The content of new or changed cards as columns, for `unnest`. Preparing it takes a third of the time of storing it.
pub(in crate::store) struct NewContent<'a> {
    ids: Vec<CardId>,
    kinds: Vec<&'a str>,
    names: Vec<&'a str>,
    name_keys: Vec<&'a str>,
    search_keys: Vec<String>,
    attributes: Vec<WrittenJson>,
    effects: Vec<WrittenJson>,
    lore: Vec<Option<&'a str>>,
    printing_numbers: Vec<WrittenJson>,
    words: Vec<String>,
    name_words: Vec<String>,
    effect_words: Vec<String>,
    lore_words: Vec<String>,
    attribute_words: Vec<WrittenJson>,
    looks: Vec<Vec<u8>>,
}

impl<'a> NewContent<'a> {
    pub(in crate::store) fn new(game: &str, cards: &[(CardId, &'a CardImport)]) -> Self {
        let mut new = Self {
            ids: cards.iter().map(|(id, _)| *id).collect(),
            kinds: cards.iter().map(|(_, card)| card.definition.kind.as_str()).collect(),
            names: cards.iter().map(|(_, card)| card.definition.name.as_str()).collect(),
            name_keys: cards.iter().map(|(_, card)| card.name_key.as_str()).collect(),
            search_keys: cards.iter().map(|(_, card)| search_key(&card.definition.name)).collect(),
            attributes: cards
                .iter()
                .map(|(_, card)| Value::Object(card.definition.attributes.to_map()).into())
                .collect(),
            effects: cards.iter().map(|(_, card)| json!(card.definition.effects).into()).collect(),
            lore: cards.iter().map(|(_, card)| card.definition.lore.as_deref()).collect(),
            printing_numbers: cards.iter().map(|(_, card)| printing_numbers(card).into()).collect(),
            words: Vec::with_capacity(cards.len()),
            name_words: Vec::with_capacity(cards.len()),
            effect_words: Vec::with_capacity(cards.len()),
            lore_words: Vec::with_capacity(cards.len()),
            attribute_words: Vec::with_capacity(cards.len()),
            looks: cards
                .iter()
                .map(|(_, card)| name_looks::joined(game, &card.definition.name))
                .collect(),
        };
        for (_, card) in cards {
            let words = fold_words(card);
            new.words.push(words.all);
            new.name_words.push(words.name);
            new.effect_words.push(words.effects);
            new.lore_words.push(words.lore);
            new.attribute_words.push(Value::Object(words.attributes).into());
        }
        new
    }
}

/// The columns of new cards that are stored as they are in [`NewContent`].
const COLUMNS: &str = "card_id, kind, name, name_key, search_key, attributes, effects, lore, \
    printing_numbers, words, name_words, effect_words, lore_words, attribute_words";

/// Stores the content of new cards.
pub(in crate::store) async fn insert(
    conn: &mut Connection,
    _by: &Importer,
    game: &str,
    new: &NewContent<'_>,
) -> StoreResult<()> {
    // Columns instead of rows: the statement then has the same text for any number of cards. A trigger sets `open` from
    // the unlock rows.
    let query = sql(format!(
        "INSERT INTO card_content (game_code, words_version, open, {COLUMNS}, name_looks, name_looks_version) \
         SELECT $game, $words_version, false, {COLUMNS}, {split}, $looks_version FROM unnest( \
             $ids, $kinds, $names, $name_keys, $search_keys, $attributes, $effects, $lore, \
             $printing_numbers, $words, $name_words, $effect_words, $lore_words, $attribute_words, $looks) AS new ({COLUMNS}, looks)",
        split = name_looks::SPLIT,
    ));
    query
        .bind("game", game)
        .bind("words_version", WORDS_VERSION)
        .bind("ids", &new.ids)
        .bind("kinds", &new.kinds)
        .bind("names", &new.names)
        .bind("name_keys", &new.name_keys)
        .bind("search_keys", &new.search_keys)
        .bind("attributes", &new.attributes)
        .bind("effects", &new.effects)
        .bind("lore", &new.lore)
        .bind("printing_numbers", &new.printing_numbers)
        .bind("words", &new.words)
        .bind("name_words", &new.name_words)
        .bind("effect_words", &new.effect_words)
        .bind("lore_words", &new.lore_words)
        .bind("attribute_words", &new.attribute_words)
        .bind("looks", &new.looks)
        .bind("looks_version", LOOKS_VERSION)
        .execute(conn)
        .await?;
    Ok(())
}

/// Moves what the GIN indexes have in lists of recently written rows to its place. Only the owner of the indexes may do it.
pub(in crate::store) async fn clean_up_indexes(conn: &mut Connection) -> StoreResult<()> {
    sql("SELECT gin_clean_pending_list(indexrelid) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
         WHERE indrelid = 'card_content'::regclass AND relam = (SELECT oid FROM pg_am WHERE amname = 'gin')")
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the content of cards until the transaction ends. An unlock writes the content of its card, so none of these
/// cards is unlocked meanwhile: whether they are hidden is settled for all statements that follow.
pub(in crate::store) async fn lock(
    conn: &mut Connection,
    _by: &Importer,
    cards: &[CardId],
) -> StoreResult<()> {
    sql("SELECT FROM card_content WHERE card_id = ANY($ids) ORDER BY card_id FOR NO KEY UPDATE")
        .bind("ids", cards)
        .execute(conn)
        .await?;
    Ok(())
}

/// Replaces the content of cards. Triggers derive the numbers of their printings.
pub(in crate::store) async fn update(
    conn: &mut Connection,
    _by: &Importer,
    new: NewContent<'_>,
) -> StoreResult<()> {
    sql("UPDATE card_content content SET kind = new.kind, name = new.name, name_key = new.name_key, search_key = new.search_key, \
             attributes = new.attributes, effects = new.effects, lore = new.lore, words = new.words, name_words = new.name_words, \
             effect_words = new.effect_words, lore_words = new.lore_words, attribute_words = new.attribute_words, \
             words_version = $words_version \
         FROM unnest($ids, $kinds, $names, $name_keys, $search_keys, $attributes, $effects, $lore, \
                     $words, $name_words, $effect_words, $lore_words, $attribute_words) \
              AS new (card_id, kind, name, name_key, search_key, attributes, effects, lore, \
                      words, name_words, effect_words, lore_words, attribute_words) \
         WHERE content.card_id = new.card_id")
    .bind("words_version", WORDS_VERSION)
    .bind("ids", &new.ids)
    .bind("kinds", &new.kinds)
    .bind("names", &new.names)
    .bind("name_keys", &new.name_keys)
    .bind("search_keys", &new.search_keys)
    .bind("attributes", &new.attributes)
    .bind("effects", &new.effects)
    .bind("lore", &new.lore)
    .bind("words", &new.words)
    .bind("name_words", &new.name_words)
    .bind("effect_words", &new.effect_words)
    .bind("lore_words", &new.lore_words)
    .bind("attribute_words", &new.attribute_words)
    .execute(conn)
    .await?;
    // A change of a name has deleted what it is compared by.
    name_looks::store(conn, &new.ids, new.looks).await
}

/// Stores the words of cards whose printings have changed. Triggers have marked those as stale that the texts of printings
/// are a part of. All words are written: those that are marked may also have been made by an older version.
pub(in crate::store) async fn update_printing_words(
    conn: &mut Connection,
    _by: &Importer,
    cards: &[(CardId, &CardImport)],
) -> StoreResult<()> {
    let ids: Vec<CardId> = cards.iter().map(|(id, _)| *id).collect();
    let words: Vec<Words> = cards.iter().map(|(_, card)| fold_words(card)).collect();
    let all: Vec<&str> = words.iter().map(|words| words.all.as_str()).collect();
    let names: Vec<&str> = words.iter().map(|words| words.name.as_str()).collect();
    let effects: Vec<&str> = words.iter().map(|words| words.effects.as_str()).collect();
    let lore: Vec<&str> = words.iter().map(|words| words.lore.as_str()).collect();
    let attributes: Vec<WrittenJson> =
        words.iter().map(|words| Value::Object(words.attributes.clone()).into()).collect();
    sql("UPDATE card_content content SET words = new.words, name_words = new.name_words, effect_words = new.effect_words, \
             lore_words = new.lore_words, attribute_words = new.attribute_words, words_version = $words_version \
         FROM unnest($ids, $words, $name_words, $effect_words, $lore_words, $attribute_words) \
              AS new (card_id, words, name_words, effect_words, lore_words, attribute_words) \
         WHERE content.card_id = new.card_id \
             AND (content.words_version < $words_version OR content.attribute_words <> new.attribute_words)")
    .bind("words_version", WORDS_VERSION)
    .bind("ids", ids)
    .bind("words", all)
    .bind("name_words", names)
    .bind("effect_words", effects)
    .bind("lore_words", lore)
    .bind("attribute_words", attributes)
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the content (the attributes) of new printings.
pub(in crate::store) async fn insert_printings(
    conn: &mut Connection,
    _by: &Importer,
    ids: &[PrintingId],
    attributes: &[WrittenJson],
) -> StoreResult<()> {
    sql("INSERT INTO printing_content (printing_id, attributes) SELECT * FROM unnest($ids, $attributes)")
        .bind("ids", ids)
        .bind("attributes", attributes)
        .execute(conn)
        .await?;
    Ok(())
}

/// Replaces the content (the attributes) of printings.
pub(in crate::store) async fn update_printings(
    conn: &mut Connection,
    _by: &Importer,
    ids: &[PrintingId],
    attributes: &[WrittenJson],
) -> StoreResult<()> {
    sql("UPDATE printing_content content SET attributes = new.attributes FROM unnest($ids, $attributes) AS new (id, attributes) \
         WHERE content.printing_id = new.id")
    .bind("ids", ids)
    .bind("attributes", attributes)
    .execute(conn)
    .await?;
    Ok(())
}
