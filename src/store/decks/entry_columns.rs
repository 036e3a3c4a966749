//! Entries of a deck as parameters of the statements that write them: one array for each column.
//!
//! Postgres reads arrays several times as fast as it turns a JSON text into rows.

use cardscape_engine::DeckEntry;

use crate::store::db::statement::Statement;

/// The beginning of a statement of a WITH clause that stores the entries of the deck `$id`, if the statement `deck` before
/// it has written that deck. The parameters are those of [`EntryColumns::bind_to`].
pub(super) const INSERT_ENTRIES: &str = "written AS (\
     INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number, rarity, copies) \
     SELECT $id, entry.position, entry.zone, entry.quantity, entry.name, entry.set_code, entry.number, entry.rarity, entry.copies::text[] \
     FROM deck, unnest($positions, $zones, $quantities, $names, $sets, $numbers, $rarities, $copies) \
      AS entry (position, zone, quantity, name, set_code, number, rarity, copies)";

/// Entries with their positions.
#[derive(Default)]
pub(super) struct EntryColumns<'a> {
    positions: Vec<i32>,
    zones: Vec<&'a str>,
    quantities: Vec<i32>,
    names: Vec<&'a str>,
    sets: Vec<Option<&'a str>>,
    numbers: Vec<Option<&'a str>>,
    rarities: Vec<Option<&'a str>>,
    /// The copies of each entry as the text of an array: `unnest` would join arrays of arrays.
    copies: Vec<String>,
}

impl<'a> EntryColumns<'a> {
    pub(super) fn of(entries: impl IntoIterator<Item = (usize, &'a DeckEntry)>) -> Self {
        let mut columns = Self::default();
        for (position, entry) in entries {
            let DeckEntry { zone, quantity, card, copies } = entry;
            columns.positions.push(i32::try_from(position).unwrap_or(i32::MAX));
            columns.zones.push(zone);
            columns.quantities.push(i32::try_from(*quantity).unwrap_or(i32::MAX));
            columns.names.push(&card.name);
            columns.sets.push(card.set.as_deref());
            columns.numbers.push(card.number.as_deref());
            columns.rarities.push(card.rarity.as_deref());
            columns.copies.push(array_text(copies));
        }
        columns
    }

    /// Sets the parameters of [`INSERT_ENTRIES`] besides `$id`.
    pub(super) fn bind_to(self, statement: Statement<'a>) -> Statement<'a> {
        statement
            .bind("positions", self.positions)
            .bind("zones", self.zones)
            .bind("quantities", self.quantities)
            .bind("names", self.names)
            .bind("sets", self.sets)
            .bind("numbers", self.numbers)
            .bind("rarities", self.rarities)
            .bind("copies", self.copies)
    }
}

/// The text of a Postgres array of these texts.
fn array_text(texts: &[String]) -> String {
    let mut array = String::from("{");
    for (at, text) in texts.iter().enumerate() {
        array.push_str(if at == 0 { "\"" } else { ",\"" });
        for symbol in text.chars() {
            if matches!(symbol, '"' | '\\') {
                array.push('\\');
            }
            array.push(symbol);
        }
        array.push('"');
    }
    array.push('}');
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_arrays_are_quoted() {
        let array = |texts: &[&str]| {
            array_text(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(array(&[]), "{}");
        assert_eq!(array(&["one", "NULL", "a, b {c}"]), r#"{"one","NULL","a, b {c}"}"#);
        assert_eq!(array(&[r#"5" \ 3"#]), r#"{"5\" \\ 3"}"#);
    }
}
