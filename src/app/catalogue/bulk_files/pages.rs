//! The formats of bulk files: cards as JSON lines, printings as CSV.

use std::collections::BTreeSet;

use cardscape_engine::{Effect, Game, ScanTemplate};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::app::catalogue::cards::{OpenCardResponse, PrintingResponse};
use crate::app::catalogue::image_uris::ImageUris;
use crate::domain::catalogue::bulk::BulkKind;
use crate::domain::csv_lines::CsvLines;
use crate::store::catalogue::bulk_files::{BulkCard, Layout, Page, Pages};
use crate::store::catalogue::cards::{CardPlace, CardView, OpenCard, Printing};

/// How cards are written into files. A change of even one byte of the output below needs a higher version, or existing
/// files stay as they are until their game changes. A test compares the bytes.
pub const LAYOUT: Layout<BulkCard> = Layout { version: 3, pages };

fn pages(game: &Game) -> Pages<BulkCard> {
    vec![
        (BulkKind::Cards, Box::new(CardLines { scan: game.images().scan.clone() })),
        (BulkKind::Printings, Box::new(PrintingTable::new(game))),
    ]
}

/// One card per line: the response of `GET /v1/cards/{card}` to an anonymous client, with the printings.
struct CardLines {
    /// The template of the game's scan addresses, if it has one.
    scan: Option<ScanTemplate>,
}

#[derive(Serialize)]
struct OpenLine {
    #[serde(flatten)]
    card: OpenCardResponse,
    printings: Vec<PrintingResponse>,
}

/// The public members of a hidden card, without its number of submissions, which changes without an event.
#[derive(Serialize)]
struct HiddenLine<'a> {
    id: Uuid,
    game: &'a str,
    set: &'a str,
    number: &'a str,
    hidden: bool,
    unlock: HiddenUnlock,
    image_uris: ImageUris,
    printings: [(); 0],
}

#[derive(Serialize)]
struct HiddenUnlock {
    threshold: i32,
}

impl Page<BulkCard> for CardLines {
    fn heading(&self, _: &mut Vec<u8>) {}

    fn write(&self, card: &BulkCard, out: &mut Vec<u8>) -> serde_json::Result<i64> {
        match &card.card {
            CardView::Open(open) => {
                let (place, hidden, scan) = (&open.place, open.is_hidden(), self.scan.as_ref());
                let printings = card.printings.iter().cloned();
                let printings = printings
                    .map(|printing| PrintingResponse::new(printing, place, hidden, scan))
                    .collect();
                let card = OpenCardResponse::new(open.clone(), scan);
                serde_json::to_writer(&mut *out, &OpenLine { card, printings })?;
            }
            CardView::Hidden(hidden) => {
                let CardPlace { id, game, set, number } = &hidden.place;
                let unlock = HiddenUnlock { threshold: hidden.unlock.threshold };
                let line = HiddenLine {
                    id: id.0,
                    game,
                    set,
                    number,
                    hidden: true,
                    unlock,
                    image_uris: ImageUris::of_any_card(*id),
                    printings: [],
                };
                serde_json::to_writer(&mut *out, &line)?;
            }
        }
        out.push(b'\n');
        Ok(1)
    }
}

/// One printing per line, with its own values or else those of the card: CSV (RFC 4180).
struct PrintingTable {
    /// Codes of all attributes that any kind of card in the game has.
    attributes: BTreeSet<String>,
}

/// Values that all printings of a card share unless they have their own.
struct Printed {
    attributes: Map<String, Value>,
    effects: Vec<Effect>,
}

const COLUMNS: [&str; 9] =
    ["id", "card", "game", "set", "number", "name", "kind", "rarity", "tier"];
/// Prefix of the column names of attributes: an attribute may itself be called `name`.
const ATTRIBUTE: &str = "attributes.";
const MORE_COLUMNS: [&str; 2] = ["effects", "lore"];

impl PrintingTable {
    fn new(game: &Game) -> Self {
        let attributes = game.kinds().iter().flat_map(|kind| kind.attributes.keys().cloned());
        Self { attributes: attributes.collect() }
    }

    fn row(&self, card: &OpenCard, printed: &Printed, printing: &Printing, out: &mut Vec<u8>) {
        let CardPlace { id, game, set, number } = &card.place;
        let mut fields = vec![printing.id.to_string(), id.to_string()];
        let texts: [&str; 6] = [game, set, number, &card.name, &card.kind, &printing.rarity];
        fields.extend(texts.map(str::to_owned));
        fields.push(printing.tier.to_string());
        let value = |code: &String| printing.attributes.get(code).or(printed.attributes.get(code));
        fields
            .extend(self.attributes.iter().map(|code| value(code).map(plain).unwrap_or_default()));
        let effects: Vec<&str> =
            printed.effects.iter().map(|effect| effect.text.as_str()).collect();
        fields.extend([effects.join("\n"), card.lore.clone().unwrap_or_default()]);
        line(fields, out);
    }
}

impl Page<BulkCard> for PrintingTable {
    fn heading(&self, out: &mut Vec<u8>) {
        let attributes = self.attributes.iter().map(|code| format!("{ATTRIBUTE}{code}"));
        let before = COLUMNS.into_iter().map(str::to_owned);
        line(before.chain(attributes).chain(MORE_COLUMNS.into_iter().map(str::to_owned)), out);
    }

    fn write(&self, card: &BulkCard, out: &mut Vec<u8>) -> serde_json::Result<i64> {
        // The number of printings of a hidden card is secret.
        let CardView::Open(open) = &card.card else { return Ok(0) };
        let printed =
            Printed { attributes: open.attributes.read()?, effects: open.effects.read()? };
        let mut rows = 0;
        for printing in &card.printings {
            self.row(open, &printed, printing, out);
            rows += 1;
        }
        Ok(rows)
    }
}

/// A value as plain text; the elements of a list are separated by `|`.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join("|"),
        other => other.to_string(),
    }
}

/// Writes a CSV record. Values are not escaped against spreadsheet formulas
/// (docs/decisions/0047-csv-values-unchanged.md).
fn line(fields: impl IntoIterator<Item = String>, out: &mut Vec<u8>) {
    CsvLines::crlf().push(fields, out);
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;
    use crate::domain::code::Code;
    use crate::domain::ids::{CardId, PrintingId};
    use crate::store::catalogue::cards::{HiddenCard, JsonText, UnlockProgress};

    fn code(text: &str) -> Code {
        text.try_into().unwrap()
    }

    fn place(number: &str) -> CardPlace {
        let (game, set, number) = (code("ttcg"), code("hearth"), code(number));
        CardPlace { id: CardId(Uuid::from_u128(1)), game, set, number }
    }

    fn open() -> BulkCard {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let card = OpenCard {
            place: place("001"),
            unlock: Some(UnlockProgress {
                submissions: 5,
                threshold: 5,
                unlocked_at: Some(DateTime::UNIX_EPOCH),
            }),
            name: "Say \"Hi\", Imp".to_owned(),
            kind: code("unit"),
            attributes: JsonText::of_text(
                r#"{"x": true, "attack": 300, "subtypes": ["ghost", "dragon"]}"#,
            ),
            effects: JsonText::of_text(
                r#"[{"text": "=1+1", "style": "passive"}, {"text": "Draw."}]"#,
            ),
            lore: None,
            designed_by: None,
            artwork: None,
            lowest_rarity: Some("r1".to_owned()),
            updated_at: DateTime::UNIX_EPOCH,
        };
        let printing = |tier: i16, attributes| Printing {
            id: PrintingId(Uuid::from_u128(tier.unsigned_abs().into())),
            rarity: format!("r{tier}"),
            tier,
            attributes: object(attributes),
        };
        let printings = vec![printing(1, json!({})), printing(2, json!({ "attack": 305 }))];
        BulkCard { card: CardView::Open(card), printings }
    }

    fn hidden() -> BulkCard {
        let unlock = UnlockProgress { submissions: 3, threshold: 5, unlocked_at: None };
        let card = HiddenCard { place: place("002"), unlock };
        BulkCard { card: CardView::Hidden(card), printings: Vec::new() }
    }

    fn written(page: &impl Page<BulkCard>) -> (Vec<i64>, String) {
        let mut out = Vec::new();
        page.heading(&mut out);
        let rows = [open(), hidden()].map(|card| page.write(&card, &mut out).unwrap());
        (rows.to_vec(), String::from_utf8(out).unwrap())
    }

    const CHANGED: &str = "raise the version of LAYOUT, then write the new form down here";

    #[test]
    fn card_lines_match_the_layout_version() {
        let id = "00000000-0000-0000-0000-000000000001";
        let scan = ScanTemplate::parse("https://cdn.example.org/{set}/{number}-{rarity}").ok();
        let (rows, text) = written(&CardLines { scan });
        assert_eq!(rows, [1, 1]);
        let images = |query: &str, png: &str| {
            let svg = format!("/v1/cards/{id}/picture{query}");
            format!("\"image_uris\":{{\"svg\":\"{svg}\",\"png\":\"{svg}{png}format=png\"")
        };
        let card = images("", "?");
        let printing = |rarity: &str| {
            let scan = format!("\"scan\":\"https://cdn.example.org/hearth/001-{rarity}\"}}");
            format!("{},{scan}", images(&format!("?rarity={rarity}"), "&"))
        };
        let (common, rare) = (printing("r1"), printing("r2"));
        let second = "00000000-0000-0000-0000-000000000002";
        let expected = format!(
            "{{\"id\":\"{id}\",\"game\":\"ttcg\",\"set\":\"hearth\",\"number\":\"001\",\"hidden\":false,\
             \"unlock\":{{\"submissions\":5,\"threshold\":5,\"unlocked_at\":\"1970-01-01T00:00:00Z\"}},\
             \"name\":\"Say \\\"Hi\\\", Imp\",\"kind\":\"unit\",\
             \"attributes\":{{\"x\": true, \"attack\": 300, \"subtypes\": [\"ghost\", \"dragon\"]}},\
             \"effects\":[{{\"text\": \"=1+1\", \"style\": \"passive\"}}, {{\"text\": \"Draw.\"}}],\
             {card},\"scan\":\"https://cdn.example.org/hearth/001-r1\"}},\
             \"updated_at\":\"1970-01-01T00:00:00Z\",\"printings\":[{{\"id\":\"{id}\",\"rarity\":\"r1\",\"tier\":1,\"attributes\":{{}},{common}}},\
             {{\"id\":\"{second}\",\"rarity\":\"r2\",\"tier\":2,\"attributes\":{{\"attack\":305}},{rare}}}]}}\n\
             {{\"id\":\"{id}\",\"game\":\"ttcg\",\"set\":\"hearth\",\"number\":\"002\",\"hidden\":true,\
             \"unlock\":{{\"threshold\":5}},{card}}},\"printings\":[]}}\n"
        );
        assert_eq!((LAYOUT.version, text), (3, expected), "{CHANGED}");
    }

    #[test]
    fn printings_table_matches_the_layout_version() {
        let attributes = ["attack", "rank", "subtypes", "x"].map(str::to_owned);
        let (rows, text) = written(&PrintingTable { attributes: attributes.into() });
        assert_eq!(rows, [2, 0]);
        let id = "00000000-0000-0000-0000-000000000001";
        let second = "00000000-0000-0000-0000-000000000002";
        let expected = format!(
            "id,card,game,set,number,name,kind,rarity,tier,attributes.attack,attributes.rank,attributes.subtypes,attributes.x,effects,lore\r\n\
             {id},{id},ttcg,hearth,001,\"Say \"\"Hi\"\", Imp\",unit,r1,1,300,,ghost|dragon,true,\"=1+1\nDraw.\",\r\n\
             {second},{id},ttcg,hearth,001,\"Say \"\"Hi\"\", Imp\",unit,r2,2,305,,ghost|dragon,true,\"=1+1\nDraw.\",\r\n"
        );
        assert_eq!((LAYOUT.version, text), (3, expected), "{CHANGED}");
    }
}
