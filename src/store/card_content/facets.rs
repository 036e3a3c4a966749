//! Counts, for each value, the cards that a viewer may see and that have the value.

use diesel::sql_types::{BigInt, Jsonb, Text};
use diesel::{QueryableByName, sql_types::Nullable};
use diesel_async::RunQueryDsl;
use serde_json::Value;

use super::search::push_source;
use crate::auth::permission::Viewer;
use crate::search::index::{FacetAttribute, FacetCount, FacetSource};
use crate::search::{CardQuery, Predicate, SortKey, Unique};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The source with this code in the result.
fn source_of(code: &str) -> Option<FacetSource> {
    Some(match code {
        "card" => FacetSource::Card,
        "kind" => FacetSource::Kind,
        "rarity" => FacetSource::Rarity,
        "style" => FacetSource::Style,
        "slot" => FacetSource::Slot,
        "attribute" => FacetSource::Attribute,
        _ => return None,
    })
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = Text)]
    source: String,
    #[diesel(sql_type = Text)]
    attribute: String,
    #[diesel(sql_type = Nullable<Jsonb>)]
    value: Option<Value>,
    #[diesel(sql_type = BigInt)]
    cards: i64,
}

/// Counts the cards that match and that the viewer may see: in total, by kind, rarity, style and slot of effects, and
/// by each of `attributes`; a card has the values of all of its printings. Values without cards are left out. Costly tests run only on the first
/// `candidates` cards.
pub async fn count_facets(
    conn: &mut Connection,
    viewer: Viewer,
    predicate: &Predicate,
    candidates: i64,
    attributes: &[FacetAttribute<'_>],
) -> StoreResult<Vec<FacetCount>> {
    let codes = |per_printing| -> Vec<&str> {
        let wanted = attributes.iter().filter(|one| one.per_printing == per_printing);
        wanted.map(|one| one.code).collect()
    };
    let (of_cards, of_printings) = (codes(false), codes(true));
    let query = CardQuery {
        predicate: predicate.clone(),
        sort: SortKey::Place,
        descending: false,
        unique: Unique::Cards,
    };
    // With a condition on content, the cards are found once and stored for the counts, because otherwise each count tests the condition again. The
    // cards of a whole game or set are found at once, and are too many to be written to disk and read back with their attributes and effects.
    let kept_aside = if predicate.asks_for_content() { "MATERIALIZED" } else { "NOT MATERIALIZED" };
    let sql = sql(format!(
        "WITH seen AS {kept_aside} (SELECT content.card_id, content.kind, content.attributes, content.effects"
    ));
    let sql = push_source(sql, viewer, &query, true, candidates);
    // `$[*]` of a single value is the value itself. An attribute's list has no repeated values; two effects may have
    // the same style.
    let sql = sql
        .push(
            ") SELECT 'card' AS source, '' AS attribute, NULL::jsonb AS value, count(*) AS cards FROM seen \
             UNION ALL SELECT 'kind', '', to_jsonb(kind), count(*) FROM seen GROUP BY kind \
             UNION ALL SELECT 'rarity', '', to_jsonb(p.rarity), count(*) \
                 FROM seen JOIN printings p ON p.card_id = seen.card_id GROUP BY p.rarity \
             UNION ALL SELECT 'style', '', style, count(DISTINCT card_id) \
                 FROM seen, jsonb_path_query(effects, '$[*].style') style WHERE style <> 'null' GROUP BY style \
             UNION ALL SELECT 'slot', '', slot, count(DISTINCT card_id) \
                 FROM seen, jsonb_path_query(effects, '$[*].slot') slot WHERE slot <> 'null' GROUP BY slot \
             UNION ALL SELECT 'attribute', key, value, count(*) FROM seen, unnest(",
        )
        .value(of_cards)
        .push(") key, jsonb_path_query(attributes -> key, '$[*]') value GROUP BY key, value");
    // The printings are read only if the game has attributes in which they may differ.
    let sql = if of_printings.is_empty() {
        sql
    } else {
        sql.push(
            " UNION ALL SELECT 'attribute', key, value, count(DISTINCT seen.card_id) \
                 FROM seen JOIN printings p ON p.card_id = seen.card_id \
                 JOIN printing_content own ON own.printing_id = p.id, unnest(",
        )
        .value(of_printings)
        .push(
            ") key, jsonb_path_query(coalesce(own.attributes -> key, seen.attributes -> key), '$[*]') value \
             GROUP BY key, value",
        )
    };
    let rows: Vec<CountRow> = sql.varies_with_search().load(conn).await?;
    let count = |row: CountRow| {
        Some(FacetCount {
            source: source_of(&row.source)?,
            attribute: row.attribute,
            value: row.value.unwrap_or(Value::Null),
            cards: u64::try_from(row.cards).unwrap_or_default(),
        })
    };
    Ok(rows.into_iter().filter_map(count).collect())
}
