//! Public decks: found by conditions of the query language, listed in an order, and compared by their cards.
//!
//! Only public data of decks is read, for every reader (`deck_search`). Decks of banned owners are left out.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::deck_records::{COLUMNS, DeckRow};
use super::{IS_PUBLIC, TELLS_SOURCE};
use crate::domain::decks::details::DeckTag;
use crate::domain::decks::public::{DeckTerm, PublicDeckSort};
use crate::domain::ids::{CardId, DeckId};
use crate::domain::text::AccountName;
use crate::search::{Comparison, DeckPredicate, DeckTest, Operator};
use crate::store::conditions::push_comparison;
use crate::store::db::pages::push_page;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// A public deck as everybody may see it.
#[derive(QueryableByName)]
pub struct PublicDeck {
    /// The deck itself.
    #[diesel(embed)]
    pub deck: DeckRow,
    /// Name of its owner.
    #[diesel(sql_type = Text)]
    pub author: String,
    /// Number of its cards, in all zones.
    #[diesel(sql_type = Integer)]
    pub size: i32,
    /// When it was public for the first time.
    #[diesel(sql_type = Timestamptz)]
    pub published_at: DateTime<Utc>,
    /// The formats in which it is legal.
    #[diesel(sql_type = Array<Text>)]
    pub legal_in: Vec<String>,
    /// The day whose rules were applied.
    #[diesel(sql_type = Date)]
    pub judged_on: NaiveDate,
    /// Whether the deck that it was cloned from is public.
    #[diesel(sql_type = Bool)]
    pub shows_source: bool,
}

/// The columns of a [`PublicDeck`] besides those of the deck and [`TELLS_SOURCE`].
const SHOWN: &str = "other.author, s.size, s.published_at, s.legal_in, other.judged_on";

/// Decks with their public data; those of banned owners and those that were not judged yet are left out.
///
/// `OFFSET 0` makes Postgres look up owner and judgement of each deck, after the decks were chosen and sorted. Planning
/// takes half of the time that it takes for four tables in any order, which is more than most of these lists need for
/// their rows.
const KNOWN: &str = "deck_search s JOIN decks d ON d.id = s.deck_id CROSS JOIN LATERAL (\
     SELECT a.name AS author, j.judged_on FROM deck_judgements j JOIN accounts a ON a.id = d.account_id \
     WHERE j.deck_id = s.deck_id AND j.judged_on IS NOT NULL AND a.banned_at IS NULL OFFSET 0) other";

/// Which of these decks are in lists: a row of another revision does not count.
const FOUND: &str = "d.revision = s.revision";

/// The position after which a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicDeckPosition {
    /// The value by which the list is sorted.
    pub key: PublicDeckKey,
    pub deck: DeckId,
}

/// The value of a deck by which a list is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicDeckKey {
    At(DateTime<Utc>),
    /// Its number of likes.
    Likes(i64),
}

impl PublicDeck {
    /// The position of the deck in a list.
    pub fn position(&self, sort: PublicDeckSort) -> PublicDeckPosition {
        let key = match sort {
            PublicDeckSort::New => PublicDeckKey::At(self.published_at),
            PublicDeckSort::Updated => PublicDeckKey::At(self.deck.updated_at),
            PublicDeckSort::Likes => PublicDeckKey::Likes(self.deck.like_count),
        };
        PublicDeckPosition { key, deck: self.deck.id }
    }
}

/// Lists the public decks of a game, or of all games, that match a condition: those after a position, the latest or
/// most liked first.
pub async fn list(
    conn: &mut Connection,
    (game, predicate): (Option<&str>, &DeckPredicate),
    sort: PublicDeckSort,
    after: Option<PublicDeckPosition>,
    limit: i64,
) -> StoreResult<Vec<PublicDeck>> {
    // Columns of one table, because an index gives the order.
    let (column, id, game_column) = match sort {
        PublicDeckSort::New => ("s.published_at", "s.deck_id", "s.game_code"),
        PublicDeckSort::Updated => ("s.updated_at", "s.deck_id", "s.game_code"),
        PublicDeckSort::Likes => ("d.like_count", "d.id", "d.game_code"),
    };
    let is_search = *predicate != DeckPredicate::always();
    let mut statement = sql(format!(
        "SELECT {column} AS sort_key, {COLUMNS}, {SHOWN}, {TELLS_SOURCE} FROM {KNOWN} WHERE {FOUND} AND {IS_PUBLIC}"
    ));
    if let Some(game) = game {
        statement = statement.push(" AND ").push(game_column).push(" = ").value(game);
    }
    if is_search {
        statement = push_predicate(statement.push(" AND "), predicate);
    }
    if let Some(PublicDeckPosition { key, deck }) = after {
        statement = statement.push(" AND (").push(column).push(", ").push(id).push(") < (");
        statement = match key {
            PublicDeckKey::At(at) => statement.value(at),
            PublicDeckKey::Likes(likes) => statement.value(likes),
        };
        statement = statement.push(", ").value(deck).push(")");
    }
    let order = "sort_key DESC, id DESC";
    let statement = if is_search {
        let statement = statement.push(" ORDER BY ").push(order);
        statement.push(" LIMIT ").value(limit).custom_plan(MANY_OR_FEW)
    } else {
        push_page(statement, order, limit).varies_with_filters()
    };
    Ok(statement.load(conn).await?)
}

/// An author of public decks.
#[derive(QueryableByName)]
pub struct NamedAuthor {
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Whether it is the name that was looked for.
    #[diesel(sql_type = Bool)]
    pub is_same: bool,
}

/// The author of public decks with this name; if there is none, those with a similar name, the most similar first. Banned authors are left out.
pub async fn list_authors_like(
    conn: &mut Connection,
    name: &AccountName,
    limit: i64,
) -> StoreResult<Vec<NamedAuthor>> {
    // Many names may be similar. They are only searched if the name is unknown.
    let is_author = format!(
        "a.banned_at IS NULL AND EXISTS (SELECT FROM decks d WHERE d.account_id = a.id AND {IS_PUBLIC})"
    );
    let statement = sql(format!(
        "WITH same AS MATERIALIZED (SELECT a.name FROM accounts a WHERE a.name_key = $typed AND {is_author}) \
         SELECT name, is_same FROM (\
          SELECT name, true AS is_same, 1::real AS likeness FROM same \
          UNION ALL SELECT a.name, false, similarity(a.name_key, $typed) FROM accounts a \
           WHERE NOT EXISTS (SELECT FROM same) AND a.name_key % $typed AND {is_author}) AS found \
         ORDER BY likeness DESC, lower(name), name LIMIT $limit"
    ));
    let statement = statement.bind("typed", name.key().to_owned()).bind("limit", limit);
    let statement = statement.custom_plan("letters may be in a few names, or in most");
    Ok(statement.load(conn).await?)
}

fn push_predicate<'a>(sql: Statement<'a>, predicate: &DeckPredicate) -> Statement<'a> {
    let joined = |sql: Statement<'a>, parts: &[DeckPredicate], between: &str, none: &str| {
        let (Some(first), rest) = (parts.first(), parts.iter().skip(1)) else {
            return sql.push(none);
        };
        let sql = push_predicate(sql.push("("), first);
        rest.fold(sql, |sql, part| push_predicate(sql.push(between), part)).push(")")
    };
    match predicate {
        DeckPredicate::All(parts) => joined(sql, parts, " AND ", "true"),
        DeckPredicate::Any(parts) => joined(sql, parts, " OR ", "false"),
        DeckPredicate::Not(inner) => push_predicate(sql.push("NOT ("), inner).push(")"),
        DeckPredicate::Test(test) => push_test(sql, test),
    }
}

fn push_test<'a>(sql: Statement<'a>, test: &DeckTest) -> Statement<'a> {
    let has_all = |sql: Statement<'a>, terms: Vec<DeckTerm>| {
        let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
        sql.push("s.terms @> ").value(terms)
    };
    let has_one = |sql: Statement<'a>, terms: Vec<DeckTerm>| {
        let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
        sql.push("s.terms && ").value(terms)
    };
    match test {
        DeckTest::Game(code) => sql.push("s.game_code = ").value(code.clone()),
        DeckTest::Words(words) => {
            has_all(sql, words.iter().map(|word| DeckTerm::Word(word)).collect())
        }
        DeckTest::Tag(tag) => match DeckTag::parse_filter(tag) {
            Ok(tag) => has_all(sql, vec![DeckTerm::Tag(tag.as_str())]),
            // No deck has such a tag.
            Err(_) => sql.push("false"),
        },
        DeckTest::Contains(key) => has_all(sql, vec![DeckTerm::Card(key)]),
        DeckTest::Format(names) => {
            has_one(sql, names.iter().map(|name| DeckTerm::Format(name)).collect())
        }
        DeckTest::Legal(names) => {
            has_one(sql, names.iter().map(|name| DeckTerm::Legal(name)).collect())
        }
        DeckTest::Author(name) => match AccountName::parse(name) {
            // No account has the nil id. NULL, for a name that no account has, would be NULL under `NOT`, too. For an array, Postgres would expect the decks of ten
            // authors, and might read the decks of all.
            Ok(name) => sql
                .push("d.account_id = coalesce((SELECT id FROM accounts WHERE name_key = ")
                .value(name.key().to_owned())
                .push("), '00000000-0000-0000-0000-000000000000')"),
            // Nobody has such a name.
            Err(_) => sql.push("false"),
        },
        DeckTest::Size(wanted) => push_comparison(sql.push("s.size::bigint"), *wanted),
        DeckTest::Published(days) => push_days(sql, "s.published_at", *days),
        DeckTest::Updated(days) => push_days(sql, "s.updated_at", *days),
    }
}

/// Adds the condition that a time is on such days, in UTC, as a range for which an index of the time can be used.
fn push_days<'a>(sql: Statement<'a>, column: &str, days: Comparison<NaiveDate>) -> Statement<'a> {
    let begin = |day: NaiveDate| day.and_time(chrono::NaiveTime::MIN).and_utc();
    let end = |day: NaiveDate| begin(day.succ_opt().unwrap_or(day));
    let from = |sql: Statement<'a>, at| sql.push(column).push(" >= ").value(at);
    let until = |sql: Statement<'a>, at| sql.push(column).push(" < ").value(at);
    let between = |sql: Statement<'a>, low, high| {
        until(from(sql.push("("), begin(low)).push(" AND "), end(high)).push(")")
    };
    match days {
        Comparison::Is(Operator::Has | Operator::Equal, day) => between(sql, day, day),
        Comparison::Is(Operator::NotEqual, day) => between(sql.push("NOT "), day, day),
        Comparison::Is(Operator::Less, day) => until(sql, begin(day)),
        Comparison::Is(Operator::AtMost, day) => until(sql, end(day)),
        Comparison::Is(Operator::Greater, day) => from(sql, end(day)),
        Comparison::Is(Operator::AtLeast, day) => from(sql, begin(day)),
        Comparison::Between(low, high) => between(sql, low, high),
    }
}

/// A deck that has cards in common with another one.
#[derive(QueryableByName)]
pub struct SimilarDeck {
    #[diesel(embed)]
    pub deck: PublicDeck,
    /// Number of different cards that both decks contain.
    #[diesel(sql_type = BigInt)]
    pub shared: i64,
    /// Number of different cards that at least one of them contains.
    #[diesel(sql_type = BigInt)]
    pub together: i64,
}

/// Why these statements need a custom plan.
const MANY_OR_FEW: &str =
    "decks with common cards are found along the times, with rare cards by the index of cards";

/// Most decks that are compared: of the decks that have a card in common, those that were published last.
pub const COMPARED: i64 = 2_000;

/// The public decks of a game, except one deck, that have most cards in common with these cards: by the number of cards
/// that both have, divided by the number of cards that at least one of them has (Jaccard). Only the [`COMPARED`] decks
/// that were published last are compared. Owners are looked up for the decks that are returned, after the comparison.
pub async fn list_similar(
    conn: &mut Connection,
    game: &str,
    cards: &[CardId],
    but: DeckId,
    limit: i64,
) -> StoreResult<Vec<SimilarDeck>> {
    let statement = sql(format!(
        "WITH near AS MATERIALIZED (\
          SELECT s.deck_id, s.published_at, s.cards FROM deck_search s WHERE s.game_code = $game AND s.cards && $cards AND s.deck_id <> $but \
          ORDER BY s.published_at DESC, s.deck_id DESC LIMIT $compared), \
         counted AS MATERIALIZED (\
          SELECT deck_id, published_at, cardinality(cards) AS size, (SELECT count(*) FROM unnest(cards) AS card WHERE card = ANY($cards)) AS shared FROM near), \
         ranked AS (\
          SELECT deck_id, published_at, shared, size + cardinality($cards) - shared AS together, \
           shared::float8 / (size + cardinality($cards) - shared) AS likeness FROM counted \
          ORDER BY likeness DESC, published_at DESC, deck_id DESC) \
         SELECT known.*, r.shared, r.together FROM ranked r CROSS JOIN LATERAL (\
          SELECT {COLUMNS}, {SHOWN}, {TELLS_SOURCE} FROM {KNOWN} WHERE s.deck_id = r.deck_id AND {FOUND} AND {IS_PUBLIC} OFFSET 0) known \
         ORDER BY r.likeness DESC, r.published_at DESC, r.deck_id DESC LIMIT $limit"
    ));
    let statement = statement
        .bind("game", game)
        .bind("cards", cards)
        .bind("but", but)
        .bind("compared", COMPARED)
        .bind("limit", limit);
    Ok(statement.custom_plan(MANY_OR_FEW).load(conn).await?)
}

/// A card, and the number of decks that contain it together with another card.
#[derive(QueryableByName)]
pub struct PlayedCard {
    #[diesel(sql_type = SqlUuid)]
    pub card: CardId,
    /// Number of decks that contain both.
    #[diesel(sql_type = BigInt)]
    pub decks: i64,
}

/// The number of public decks that contain a card, and the cards that most of these decks contain, too; only the
/// [`COMPARED`] decks that were published last are counted. Nothing is found for a card that is hidden from the public,
/// because no deck reveals that it contains the card.
pub async fn list_played_with(
    conn: &mut Connection,
    card: CardId,
    limit: i64,
) -> StoreResult<(i64, Vec<PlayedCard>)> {
    let statement = sql(format!(
        "SELECT card, count(*) AS decks FROM (\
          SELECT s.cards FROM deck_search s WHERE s.cards @> ARRAY[$card] AND EXISTS (\
           SELECT FROM decks d JOIN deck_judgements j ON j.deck_id = d.id JOIN accounts a ON a.id = d.account_id \
           WHERE d.id = s.deck_id AND {FOUND} AND {IS_PUBLIC} AND j.judged_on IS NOT NULL AND a.banned_at IS NULL OFFSET 0) \
          ORDER BY s.published_at DESC, s.deck_id DESC LIMIT $compared) AS chosen, \
          unnest(chosen.cards) AS card \
         GROUP BY card ORDER BY card = $card DESC, count(*) DESC, card LIMIT $limit + 1"
    ));
    let statement = statement.bind("card", card).bind("compared", COMPARED).bind("limit", limit);
    let mut played: Vec<PlayedCard> = statement.custom_plan(MANY_OR_FEW).load(conn).await?;
    // Each of these decks contains the card itself.
    match played.as_slice() {
        [own, ..] if own.card == card => Ok((played.remove(0).decks, played)),
        _ => Ok((0, Vec::new())),
    }
}
