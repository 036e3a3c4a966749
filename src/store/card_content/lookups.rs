//! Look-ups of cards: by name, by the beginning of a name, many at once.

use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{name_key, search_key};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::cards::{self, CardView, OpenCard, Row};
use super::identifier::{CardIdentifier, PlaceKey};
use crate::auth::permission::Viewer;
use crate::domain::catalogue::card_name::{Candidate, NameMatch, TypedName, match_exactly};
use crate::domain::ids::CardId;
use crate::search::{index, words};
use crate::store::catalogue::card_migrations;
use crate::store::db::like::escape_like;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// Where to search for a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamePlace {
    /// Code of a game; `None`: all games.
    pub game: Option<String>,
    /// Code of a set; `None`: all sets.
    pub set: Option<String>,
}

/// A card that a name may mean.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct NamedCard {
    #[diesel(sql_type = SqlUuid)]
    pub id: CardId,
    #[diesel(sql_type = Text)]
    pub game_code: String,
    #[diesel(sql_type = Text)]
    pub set_code: String,
    /// Collector number.
    #[diesel(sql_type = Text)]
    pub number: String,
    #[diesel(sql_type = Text)]
    pub name: String,
    #[diesel(sql_type = Bool)]
    has_words: bool,
}

impl From<index::NamedCard> for NamedCard {
    fn from(card: index::NamedCard) -> Self {
        let index::NamedCard { id, game, set, number, name, has_words } = card;
        Self {
            id: CardId(Uuid::from_u128(id)),
            game_code: game,
            set_code: set,
            number,
            name,
            has_words,
        }
    }
}

impl Candidate for NamedCard {
    fn name(&self) -> &str {
        &self.name
    }

    fn has_words(&self) -> bool {
        self.has_words
    }
}

/// Most candidates for one name.
pub(super) const MAX_CANDIDATES: i64 = 20;

impl<'a> Statement<'a> {
    /// Adds a condition on a code, if there is one.
    fn and_code(self, condition: &str, code: Option<&'a str>) -> Self {
        match code {
            Some(code) => self.push(condition).value(code),
            None => self,
        }
    }
}

/// A `LIKE` pattern for `name_words`: the typed words, or prefixes of words, in their order, with anything between
/// them. `None`, which matches nothing in SQL, if there is no word.
pub(super) fn word_pattern(typed: &TypedName) -> Option<String> {
    let words = words(typed.as_str());
    let pattern: String = words.iter().map(|word| format!("% {}", escape_like(word))).collect();
    (!words.is_empty()).then(|| pattern + "%")
}

/// Most cards that are ranked by similarity, before cards with equal names are joined; far more than share one name.
pub(super) const MAX_ALIKE: i64 = 1_000;

/// Cards that a name may mean, the most similar first, at most 20: those whose name is equal apart from accents, and,
/// if `near`, those that contain the typed words or have a similar name. Of several cards of a game with the same name,
/// the first by set and number represents all.
pub async fn find_named(
    conn: &mut Connection,
    viewer: Viewer,
    place: &NamePlace,
    typed: &TypedName,
    near: bool,
) -> StoreResult<Vec<NamedCard>> {
    let (key, pattern) = (typed.search_key(), word_pattern(typed));
    // Ranked before the join with places: very many names contain a common syllable.
    let sql = sql(
        "WITH alike AS MATERIALIZED (SELECT content.card_id, content.game_code, content.name, content.name_key, \
         content.search_key = ",
    )
    .value(key)
    .push(" AS is_same, coalesce(content.name_words LIKE ")
    .value(pattern.clone())
    .push(", false) AS has_words, similarity(content.search_key, ")
    .value(key)
    .push(") AS likeness FROM ")
    .push_visible_content_by_name(viewer);
    let sql = match &place.set {
        None => sql,
        Some(_) => sql.push(" JOIN cards c ON c.id = content.card_id"),
    };
    let sql = sql.push(" WHERE (content.search_key = ").value(key);
    let sql = if near && typed.has_near_names() {
        sql.push(" OR content.search_key % ")
            .value(key)
            .push(" OR content.name_words LIKE ")
            .value(pattern)
    } else {
        sql
    };
    let sql = sql
        .push(")")
        .and_code(" AND content.game_code = ", place.game.as_deref())
        .and_code(" AND c.set_code = ", place.set.as_deref())
        .push(" ORDER BY is_same DESC, has_words DESC, likeness DESC, name_key, game_code, card_id LIMIT ")
        .value(MAX_ALIKE)
        .push(
            ") SELECT * FROM (SELECT DISTINCT ON (alike.game_code, alike.name_key) c.id, alike.game_code, c.set_code, c.number, \
             alike.name, alike.name_key, is_same, has_words, likeness FROM alike JOIN cards c ON c.id = alike.card_id \
             ORDER BY alike.game_code, alike.name_key, c.set_code, c.number) one \
             ORDER BY is_same DESC, has_words DESC, likeness DESC, name_key, game_code LIMIT ",
        )
        .value(MAX_CANDIDATES);
    Ok(sql.load(conn).await?)
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Completions of `typed`: first names that begin with it, then names with a word that begins with it, then, from three
/// letters on, names that contain it; each in alphabetical order. A name in several games is listed once.
pub async fn suggest_names(
    conn: &mut Connection,
    viewer: Viewer,
    game: Option<&str>,
    typed: &TypedName,
    limit: i64,
) -> StoreResult<Vec<String>> {
    // The search key of a name that has only punctuation keeps the punctuation.
    let beginning = escape_like(typed.search_key()) + "%";
    let first = list_names_with_prefix(conn, viewer, game, &beginning, limit).await?;
    if i64::try_from(first.len()) == Ok(limit) {
        return Ok(first);
    }
    let pattern = word_pattern(typed);
    let sql = sql("SELECT content.name FROM ")
        .push_visible_content_by_name(viewer)
        .push(" WHERE (content.search_key LIKE ")
        .value(beginning.clone())
        .push(" OR content.name_words LIKE ")
        .value(pattern.clone());
    let sql = if typed.has_near_names() {
        sql.push(" OR content.search_key LIKE ").value(format!("%{beginning}"))
    } else {
        sql
    };
    let sql = sql
        .push(")")
        .and_code(" AND content.game_code = ", game)
        .push(" GROUP BY content.name, content.search_key, content.name_words ORDER BY CASE WHEN content.search_key LIKE ")
        .value(beginning)
        .push(" THEN 0 WHEN content.name_words LIKE ")
        .value(pattern)
        .push(" THEN 1 ELSE 2 END, content.search_key COLLATE \"C\", content.name COLLATE \"C\" LIMIT ")
        .value(limit);
    let rows: Vec<NameRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Rows that are read for each name of the result: several games, or sets, may have the same name.
const ROWS_PER_NAME: i64 = 10;

/// Names with this `LIKE` prefix, in alphabetical order. They are read in the order of an index, because very many names begin with one or two
/// letters. If fewer than `limit` are returned, there may still be more.
async fn list_names_with_prefix(
    conn: &mut Connection,
    viewer: Viewer,
    game: Option<&str>,
    beginning: &str,
    limit: i64,
) -> StoreResult<Vec<String>> {
    let sql = sql("SELECT name FROM (SELECT content.name, content.search_key FROM ")
        .push_visible_content_by_name(viewer)
        .push(" WHERE content.search_key LIKE ")
        .value(beginning)
        .and_code(" AND content.game_code = ", game)
        .push(" ORDER BY content.search_key USING ~<~, content.name COLLATE \"C\" LIMIT ")
        .value(limit * ROWS_PER_NAME)
        .push(") first GROUP BY name, search_key ORDER BY search_key COLLATE \"C\", name COLLATE \"C\" LIMIT ")
        .value(limit);
    let rows: Vec<NameRow> = sql.load(conn).await?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

impl Candidate for &OpenCard {
    fn name(&self) -> &str {
        &self.name
    }

    fn has_words(&self) -> bool {
        false
    }
}

/// Looks up one card for each identifier, in the order of the identifiers. A name finds only cards whose content the viewer may see. An id or a
/// number also finds the place of a hidden card, and a card that had them before it was moved or merged. Leading zeros of a number are
/// ignored, unless the set has several such numbers, or a card had exactly this number; those of an old number, too, if no card has such a number now. Runs at most
/// five statements, however many identifiers there are.
pub async fn look_up(
    conn: &mut Connection,
    viewer: Viewer,
    identifiers: &[CardIdentifier],
) -> StoreResult<Vec<Option<CardView>>> {
    let by_place = find_by_place(conn, viewer, identifiers).await?;
    let by_name = find_by_names(conn, viewer, identifiers).await?;
    let keys: Vec<String> = by_name.iter().map(|card| search_key(&card.name)).collect();
    let mut cards_of_name: BTreeMap<(&str, &str), Vec<&OpenCard>> = BTreeMap::new();
    for (card, key) in by_name.iter().zip(&keys) {
        cards_of_name.entry((&card.place.game, key)).or_default().push(card);
    }
    let by_place = by_place_key(&by_place);
    let is_unknown = |identifier: &&CardIdentifier| {
        identifier.place_key().is_some_and(|key| !by_place.contains_key(&key))
    };
    let unknown: Vec<&CardIdentifier> = identifiers.iter().filter(is_unknown).collect();
    let spellings: Vec<CardIdentifier> =
        unknown.iter().flat_map(|one| one.zero_padded_spellings()).collect();
    let with_zeros = find_by_place(conn, viewer, &spellings).await?;
    let with_zeros = by_place_key(&with_zeros);
    let former: Vec<&CardIdentifier> = unknown.iter().copied().chain(&spellings).collect();
    let successors = find_successors(conn, viewer, &former).await?;
    let find_with_zeros = |identifier: &CardIdentifier| {
        let spellings = identifier.zero_padded_spellings();
        let keys = || spellings.iter().filter_map(CardIdentifier::place_key);
        let mut found = keys().filter_map(|key| with_zeros.get(&key).copied());
        match found.next() {
            Some(card) => found.next().is_none().then(|| card.clone()),
            // The only card that had one of these numbers before it was moved or merged.
            None => {
                let mut former = keys().filter_map(|key| successors.get(&key));
                let card = former.next()?;
                former.all(|one| one.place().id == card.place().id).then(|| card.clone())
            }
        }
    };
    let find = |identifier: &CardIdentifier| match identifier {
        CardIdentifier::Id(_) | CardIdentifier::Number { .. } => {
            let key = identifier.place_key()?;
            let known = by_place.get(&key).copied().or_else(|| successors.get(&key));
            known.cloned().or_else(|| find_with_zeros(identifier))
        }
        CardIdentifier::Name { game, set, name } => {
            let same = cards_of_name.get(&(game.as_str(), name.search_key()));
            let is_in_set =
                |card: &&OpenCard| set.as_ref().is_none_or(|set| *card.place.set == **set);
            let mut seen_keys = BTreeSet::new();
            let firsts = same.into_iter().flatten().copied().filter(is_in_set);
            let firsts = firsts.filter(|card| seen_keys.insert(name_key(&card.name))).collect();
            match match_exactly(name, firsts) {
                NameMatch::One(card) => Some(CardView::Open(card.clone())),
                NameMatch::AnyOf(_) | NameMatch::Nothing => None,
            }
        }
    };
    Ok(identifiers.iter().map(find).collect())
}

/// These cards, by their ids and by their numbers.
fn by_place_key(cards: &[CardView]) -> BTreeMap<PlaceKey<'_>, &CardView> {
    cards.iter().flat_map(|card| PlaceKey::of_place(card.place()).map(|key| (key, card))).collect()
}

/// The cards that had these ids and numbers before they were moved or merged.
async fn find_successors<'a>(
    conn: &mut Connection,
    viewer: Viewer,
    unknown: &[&'a CardIdentifier],
) -> StoreResult<BTreeMap<PlaceKey<'a>, CardView>> {
    if unknown.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = card_migrations::successors(conn, unknown).await?;
    let ids: Vec<CardIdentifier> =
        found.iter().map(|(_, card)| CardIdentifier::Id(*card)).collect();
    let cards = find_by_place(conn, viewer, &ids).await?;
    let cards = by_place_key(&cards);
    let with_card = |(at, id): (usize, CardId)| {
        let card = *cards.get(&PlaceKey::Id(id))?;
        Some((unknown.get(at)?.place_key()?, card.clone()))
    };
    Ok(found.into_iter().filter_map(with_card).collect())
}

/// The cards that identifiers name by id or number.
async fn find_by_place(
    conn: &mut Connection,
    viewer: Viewer,
    identifiers: &[CardIdentifier],
) -> StoreResult<Vec<CardView>> {
    let mut ids: Vec<CardId> = Vec::new();
    let (mut games, mut sets, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for identifier in identifiers {
        match identifier {
            CardIdentifier::Id(id) => ids.push(*id),
            CardIdentifier::Number { game, set, number } => {
                games.push(game);
                sets.push(set);
                numbers.push(number);
            }
            CardIdentifier::Name { .. } => {}
        }
    }
    if ids.is_empty() && numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = cards::select_cards(viewer)
        .push(" AND c.id IN (SELECT unnest(")
        .value(ids)
        .push(") UNION SELECT one.id FROM unnest(")
        .value(games)
        .push(", ")
        .value(sets)
        .push(", ")
        .value(numbers)
        .push(
            ") AS place (game, set, number) JOIN cards one ON one.game_code = place.game \
             AND one.set_code = place.set AND one.number = place.number)",
        );
    let rows: Vec<Row> = sql.load(conn).await?;
    Ok(rows.into_iter().map(Row::into_view).collect())
}

/// The cards that the viewer may see and whose name equals one of the names apart from accents, in any of the named
/// games, by set and number. For each name: the first card of each named set, and the first card of all other sets.
async fn find_by_names(
    conn: &mut Connection,
    viewer: Viewer,
    identifiers: &[CardIdentifier],
) -> StoreResult<Vec<OpenCard>> {
    let (mut games, mut sets, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for identifier in identifiers {
        if let CardIdentifier::Name { game, set, name } = identifier {
            games.push(game);
            sets.extend(set);
            keys.push(name.search_key());
        }
    }
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let sql = cards::select_cards(viewer)
        .push(
            " AND c.id IN (SELECT DISTINCT ON (content.game_code, content.name_key, named.set_code) content.card_id FROM ",
        )
        .push_visible_content_by_name(viewer)
        .push(" JOIN cards one ON one.id = content.card_id LEFT JOIN (SELECT DISTINCT unnest(")
        .value(sets)
        .push(") AS set_code) named ON named.set_code = one.set_code WHERE content.game_code = ").any(games).push(" AND content.search_key = ").any(keys).push(" ORDER BY content.game_code, content.name_key, named.set_code, one.set_code, one.number) \
             ORDER BY c.set_code, c.number",
        );
    let rows: Vec<Row> = sql.load(conn).await?;
    let open = |row: Row| match row.into_view() {
        CardView::Open(card) => Some(card),
        CardView::Hidden(_) => None,
    };
    Ok(rows.into_iter().filter_map(open).collect())
}
