//! Budget tables: the totals that the numbers of a game's cards must have, computed from the checks of its kinds.

use cardscape_engine::{
    Attribute, AttributeValue, Attributes, CardCheck, CardDefinition, Game, Kind, PrintingCheck,
};
use serde_json::Value;

/// Most lines of all tables of a game together. A check whose table would exceed this has no lines.
const MAX_LINES: usize = 10_000;

/// The totals that some numbers of the cards of a kind must have.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetTable<'a> {
    /// The kind of card.
    pub kind: &'a Kind,
    /// The check that defines the totals.
    pub check: &'a CardCheck,
    /// One line for each value of the deciding attribute, if there is one, and each rarity, the lowest first; `None`: there would be too many lines.
    pub lines: Option<Vec<BudgetLine<'a>>>,
}

/// The total for one rarity.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetLine<'a> {
    /// Value of the deciding attribute; `None`: no attribute decides.
    pub value: Option<Value>,
    /// Code of the rarity.
    pub rarity: &'a str,
    /// The total of the numbers of a printing; for a gain, how much more they have in total than those of the base printing.
    pub total: i64,
}

/// The tables of all kinds, in the order of the manifest.
pub fn budget_tables(game: &Game) -> Vec<BudgetTable<'_>> {
    let mut room = MAX_LINES;
    let checks =
        game.kinds().iter().flat_map(|kind| kind.checks.iter().map(move |check| (kind, check)));
    let table = |(kind, check)| {
        let cards = cards(kind, check);
        let count = cards.len().saturating_mul(game.rarities().len());
        let lines = room.checked_sub(count).map(|rest| {
            room = rest;
            cards
                .iter()
                .flat_map(|(value, card)| lines(game, check, value.as_ref(), card))
                .collect()
        });
        BudgetTable { kind, check, lines }
    };
    checks.map(table).collect()
}

fn lines<'a>(
    game: &'a Game,
    check: &'a CardCheck,
    value: Option<&Value>,
    card: &CardDefinition,
) -> Vec<BudgetLine<'a>> {
    let line = |rarity: &'a str| {
        let total = check.check.total(card, rarity)?;
        Some(BudgetLine { value: value.cloned(), rarity, total })
    };
    game.rarities().iter().filter_map(|rarity| line(&rarity.code)).collect()
}

/// One card for each value of the deciding attribute of a check, or one card if no attribute decides. For a gain, the base numbers are 0.
fn cards(kind: &Kind, check: &CardCheck) -> Vec<(Option<Value>, CardDefinition)> {
    let card = |attributes: Attributes| CardDefinition {
        number: String::new(),
        name: String::new(),
        kind: kind.code.clone(),
        attributes,
        effects: Vec::new(),
        lore: None,
        printings: Vec::new(),
    };
    match &check.check {
        PrintingCheck::Total { by: Some(by), .. } => {
            let one = |value: Value| {
                let attributes = Attributes::from_iter([(by.clone(), value.clone())]);
                (Some(value), card(attributes))
            };
            deciding_values(kind, &check.check).into_iter().map(one).collect()
        }
        PrintingCheck::Gain { of, .. } => {
            vec![(None, card(of.iter().map(|name| (name.clone(), 0.into())).collect()))]
        }
        _ => vec![(None, card(Attributes::new()))],
    }
}

/// The values of the deciding attribute for which a check defines a total, as cards have them, in ascending order. Empty if no attribute decides.
pub fn deciding_values(kind: &Kind, check: &PrintingCheck) -> Vec<Value> {
    let PrintingCheck::Total { by: Some(by), base, .. } = check else { return Vec::new() };
    let Some(Attribute { value, .. }) = kind.attributes.get(by) else { return Vec::new() };
    match value {
        AttributeValue::Integer { .. } => {
            let mut numbers: Vec<i64> = base.keys().filter_map(|key| key.parse().ok()).collect();
            numbers.sort_unstable();
            numbers.into_iter().map(Value::from).collect()
        }
        AttributeValue::Boolean => [false, true]
            .into_iter()
            .filter(|flag| base.contains_key(&flag.to_string()))
            .map(Value::from)
            .collect(),
        AttributeValue::Choice { values } => values
            .iter()
            .filter(|value| base.contains_key(*value))
            .cloned()
            .map(Value::from)
            .collect(),
        _ => base.keys().cloned().map(Value::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn game(checks: &str, rarities: &str) -> Game {
        let text = format!(
            r#"
            code = "pond"
            name = "Pond"
            rules_version = "1"
            {rarities}
            [[kinds]]
            code = "fish"
            name = "Fish"
            attributes.water = {{ type = "choice", values = ["sweet", "salt"] }}
            attributes.depth = {{ type = "integer" }}
            attributes.bite = {{ type = "integer", per_printing = true }}
            attributes.speed = {{ type = "integer", per_printing = true }}
            {checks}
            "#
        );
        Game::from_toml(&text).unwrap()
    }

    const RARITIES: &str =
        "rarities = [{ code = 'plain', name = 'Plain' }, { code = 'golden', name = 'Golden' }]";

    /// Value, rarity and total.
    type Line = (Option<Value>, String, i64);

    fn lines_of(game: &Game) -> Vec<Option<Vec<Line>>> {
        let line = |line: &BudgetLine<'_>| (line.value.clone(), line.rarity.to_owned(), line.total);
        let table =
            |table: BudgetTable<'_>| table.lines.map(|lines| lines.iter().map(line).collect());
        budget_tables(game).into_iter().map(table).collect()
    }

    #[test]
    fn each_check_has_its_table() {
        let checks = r#"
            [[kinds.checks]]
            total = { of = ["bite", "speed"], by = "depth", base = { 2 = 20, 10 = 100 }, rarity_bonus = { golden = 5 } }
            [[kinds.checks]]
            total = { of = ["bite"], by = "water", base = { salt = 3 } }
            [[kinds.checks]]
            gain = { of = ["speed"], rarity_bonus = { golden = 7 } }
        "#;
        let line = |value: Value, rarity: &str, total| (Some(value), rarity.to_owned(), total);
        assert_eq!(
            lines_of(&game(checks, RARITIES)),
            [
                Some(vec![
                    line(json!(2), "plain", 20),
                    line(json!(2), "golden", 25),
                    line(json!(10), "plain", 100),
                    line(json!(10), "golden", 105),
                ]),
                Some(vec![line(json!("salt"), "plain", 3), line(json!("salt"), "golden", 3)]),
                Some(vec![(None, "plain".to_owned(), 0), (None, "golden".to_owned(), 7)]),
            ]
        );
    }

    #[test]
    fn the_number_of_lines_is_limited() {
        let base: Vec<String> = (0..6_000).map(|depth| format!("{depth} = 1")).collect();
        let check = format!(
            "[[kinds.checks]]\ntotal = {{ of = ['bite'], by = 'depth', base = {{ {} }} }}\n",
            base.join(", ")
        );
        let small = "[[kinds.checks]]\ntotal = { of = ['bite'], rarity_bonus = { plain = 4 } }";
        let lines = lines_of(&game(&format!("{check}{small}"), RARITIES));
        assert_eq!(lines[0], None);
        assert_eq!(lines[1].as_ref().map(Vec::len), Some(2));
    }
}
