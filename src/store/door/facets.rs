//! How many of the cards that a viewer may see have which value.

use diesel::sql_types::{Array, BigInt, Jsonb, Text};
use diesel::{QueryableByName, sql_types::Nullable};
use diesel_async::RunQueryDsl;
use serde_json::Value;

use super::Sql;
use crate::auth::permission::Viewer;
use crate::store::{Connection, StoreResult};

/// What has the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FacetSource {
    /// The card itself; its value is none, and the count is of all cards.
    Card,
    /// Its kind.
    Kind,
    /// One of its printings: a rarity.
    Rarity,
    /// One of its effects: a style.
    Style,
    /// One of its effects: a slot.
    Slot,
    /// An attribute of its base printing, or one of the values of such an attribute.
    Attribute,
}

impl FacetSource {
    fn of(code: &str) -> Option<Self> {
        Some(match code {
            "card" => Self::Card,
            "kind" => Self::Kind,
            "rarity" => Self::Rarity,
            "style" => Self::Style,
            "slot" => Self::Slot,
            "attribute" => Self::Attribute,
            _ => return None,
        })
    }
}

/// A value and how many cards have it.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetCount {
    /// What has it.
    pub source: FacetSource,
    /// Code of the attribute; empty for the other sources.
    pub attribute: String,
    /// The value; null for [`FacetSource::Card`].
    pub value: Value,
    /// Cards that have it; each counts once.
    pub cards: i64,
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

/// Counts the cards of a game, or of one of its sets, that the viewer may see: all, by kind, rarity, style and slot of effects, and
/// by each of `attributes`. Values that no card has are not among them.
pub async fn facets(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    set: Option<&str>,
    attributes: &[&str],
) -> StoreResult<Vec<FacetCount>> {
    // Each count reads the cards anew: kept aside, their attributes and effects would go to disk and back.
    let sql = Sql::new(
        "WITH seen AS NOT MATERIALIZED (SELECT content.card_id, content.kind, content.attributes, content.effects FROM ",
    )
    .content_seen_by(viewer);
    let sql = match set {
        None => sql.push(" WHERE content.game_code = "),
        Some(set) => sql
            .push(" JOIN cards c ON c.id = content.card_id WHERE c.set_code = ")
            .bind::<Text, _>(set)
            .push(" AND content.game_code = "),
    };
    // `$[*]` of a single value is that value. A list of an attribute has each value once; two effects may have one style.
    let sql = sql
        .bind::<Text, _>(game)
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
        .bind::<Array<Text>, _>(attributes)
        .push(") key, jsonb_path_query(attributes -> key, '$[*]') value GROUP BY key, value");
    let rows: Vec<CountRow> = sql.fixed().load(conn).await?;
    let count = |row: CountRow| {
        Some(FacetCount {
            source: FacetSource::of(&row.source)?,
            attribute: row.attribute,
            value: row.value.unwrap_or(Value::Null),
            cards: row.cards,
        })
    };
    Ok(rows.into_iter().filter_map(count).collect())
}
