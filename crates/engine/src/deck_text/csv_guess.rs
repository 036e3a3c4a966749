//! Finds the columns of a table that has no header, as people paste it from spreadsheets: `3,Silk` or `Silk<tab>3` in every line.

use super::csv::{fields, quantity, stated_separator};
use super::line::is_set_code;
use super::zones::Role;

/// Maximum number of lines that are examined.
const EXAMINED_LINES_MAX: usize = 500;
/// Largest quantity after a number of a row; larger ones are rather numbers of cards.
const COUNT_AFTER_ROW_MAX: u32 = 99;
/// Maximum number of columns of such a table.
const COLUMNS_MAX: usize = 10;

/// Which column holds which part of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GuessedColumns {
    /// Number of the columns.
    pub(super) count: usize,
    pub(super) separator: char,
    pub(super) quantity: usize,
    pub(super) name: usize,
    pub(super) set: Option<usize>,
    pub(super) number: Option<usize>,
    pub(super) zone: Option<usize>,
    pub(super) rarity: Option<usize>,
    /// A column that only counts the lines.
    pub(super) row: Option<usize>,
}

/// The columns, if all lines have the same number of them, and one is a quantity in every line. A line `sep=;` above them fixes the separator. `is_rarity`: whether
/// the game has a rarity or finish of this name.
pub(super) fn guessed_columns(
    text: &str,
    is_rarity: &dyn Fn(&str) -> bool,
) -> Option<GuessedColumns> {
    let first = text.trim_start();
    let (first, below) = first.split_once('\n').unwrap_or((first, ""));
    if let Some(separator) = stated_separator(first) {
        return separated_by(below, separator, is_rarity);
    }
    ['\t', ';', ','].into_iter().find_map(|separator| separated_by(text, separator, is_rarity))
}

fn separated_by(
    text: &str,
    separator: char,
    is_rarity: &dyn Fn(&str) -> bool,
) -> Option<GuessedColumns> {
    let lines = text.split('\n').map(|line| line.trim_matches(['\r', ' ']));
    let lines = lines.filter(|line| !line.trim().is_empty()).take(EXAMINED_LINES_MAX);
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let record: Vec<String> =
            fields(line, separator).into_iter().map(|field| field.trim().to_owned()).collect();
        let count = table.first().map_or(record.len(), Vec::len);
        if record.len() != count || !(2..=COLUMNS_MAX).contains(&count) {
            return None;
        }
        table.push(record);
    }
    let count = table.first()?.len();
    if table.len() == 1 && count > 2 && separator != '\t' {
        // A sentence, or several cards in one line: `Silk, 4, Salt, 2`.
        return None;
    }
    let all =
        |column: usize, is: &dyn Fn(&str) -> bool| table.iter().all(|record| is(&record[column]));
    let (row, quantity_at) = quantity_column(&table)?;
    let name = (0..count).find(|column| {
        *column != quantity_at && all(*column, &|field| field.contains(char::is_alphabetic))
    })?;
    let has_mark = |field: &String| field.starts_with(['(', '[', '{', '*', '#', '^']);
    if separator == '\t' && table.iter().any(|record| record[name + 1..].iter().any(has_mark)) {
        // Lines whose parts have tabs between them instead of spaces.
        return None;
    }
    let mut others = (0..count).filter(|column| *column != quantity_at && *column > name);
    let zone = others.clone().find(|column| all(*column, &|field| Role::of_word(field).is_some()));
    let rarity = others.clone().find(|column| all(*column, is_rarity));
    // Only the column after the name may be a set, and only the one after that a number. Others may be anything.
    let next = others.next().filter(|column| ![zone, rarity].contains(&Some(*column)));
    let set = next.filter(|column| all(*column, &|field| field.is_empty() || is_set_code(field)));
    let number = others.next().filter(|column| {
        let is_number = |field: &str| {
            field.is_empty()
                || (field.starts_with(|first: char| first.is_ascii_digit()) && !field.contains(' '))
        };
        let is_other = [zone, rarity].contains(&Some(*column));
        set.is_some() && !is_other && all(*column, &is_number)
    });
    Some(GuessedColumns {
        count,
        separator,
        quantity: quantity_at,
        name,
        set,
        number,
        zone,
        rarity,
        row,
    })
}

/// The column that only counts the lines, if there is one, and the column with a quantity in every line: the first one of the table, otherwise the one with the
/// smallest numbers, since the others may be numbers of cards.
fn quantity_column(table: &[Vec<String>]) -> Option<(Option<usize>, usize)> {
    let count = table.first()?.len();
    let largest = |column: usize| {
        let quantities = table.iter().map(|record| quantity(&record[column]).ok());
        quantities.collect::<Option<Vec<u32>>>()?.into_iter().max()
    };
    let numbers: Vec<(u32, usize)> =
        (0..count).filter_map(|column| Some((largest(column)?, column))).collect();
    let is_counted = count > 2
        && table.len() > 1
        && table.iter().enumerate().all(|(at, record)| record[0].parse() == Ok(at + 1));
    // Two lines may well have one and two copies, and a fourth column may be the number of a card.
    let is_row = |column: usize| is_counted && (column == 1 || (count == 3 && table.len() > 2));
    let after_row = numbers.iter().filter(|(largest, column)| {
        *column > 0 && is_row(*column) && *largest <= COUNT_AFTER_ROW_MAX
    });
    if let Some((_, column)) = after_row.min_by_key(|(largest, column)| (*column != 1, *largest)) {
        return Some((Some(0), *column));
    }
    let found = numbers.iter().min_by_key(|(largest, column)| (*column != 0, *largest));
    found.map(|(_, column)| (None, *column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str) -> Option<(char, usize, usize)> {
        guessed_columns(text, &|_| false).map(|found| (found.separator, found.quantity, found.name))
    }

    #[test]
    fn tables_without_a_header_have_a_quantity_in_every_line() {
        assert_eq!(columns("3,Silk\n2,Salt\n"), Some((',', 0, 1)));
        assert_eq!(columns("Silk\t3\nSalt\t2.0"), Some(('\t', 1, 0)));
        assert_eq!(columns("Silk;3\r\n\r\nSalt;2"), Some((';', 1, 0)));
        assert_eq!(columns("3,\"Say \"\"Ahoy\"\", twice\"\n1,Salt"), Some((',', 0, 1)));
        for text in [
            "",
            "3 Silk\n2 Salt",
            "3,Silk\n2,Salt,port",
            "3,Silk\nmany,Salt",
            "4 Silk, the best\n1 Salt, the worst",
            "1,2\n3,4",
            "Sideboard\n3,Silk",
            "Silk, 4, Salt, 2",
            "1, Silk, the fine one",
            "3\tSilk\t(port)\n2\tSalt\t(port)",
            "3\tSilk\t\n2\tSalt\t{gilded}",
        ] {
            assert_eq!(columns(text), None, "{text}");
        }
    }

    #[test]
    fn the_columns_after_the_name_may_be_set_number_and_zone() {
        let guessed = |text| guessed_columns(text, &|word| word == "gilded").unwrap();
        let found = guessed("Silk,port,102,3,Sideboard\nSalt,port,101,2,main");
        assert_eq!((found.quantity, found.name), (3, 0));
        assert_eq!((found.set, found.number, found.zone), (Some(1), Some(2), Some(4)));
        let found = guessed("3,Silk,Near Mint\n2,Salt,Near Mint");
        assert_eq!((found.set, found.number, found.zone), (None, None, None));
        let found = guessed("Silk\t3\tgilded\nSalt\t2\tgilded");
        assert_eq!((found.set, found.rarity), (None, Some(2)));
        // Numbers of rows are no quantities.
        let found = guessed("1\t4\tSilk\n2\t2\tSalt");
        assert_eq!((found.row, found.quantity, found.name), (Some(0), 1, 2));
        let found = guessed("1,Old Salt,4\n2,Silk,2\n3,Tar,9");
        assert_eq!((found.row, found.quantity, found.name), (Some(0), 2, 1));
        let found = guessed("1,Old Salt,port,4\n2,Silk,port,2\n3,Tar,port,9");
        assert_eq!((found.row, found.quantity, found.number), (None, 0, Some(3)));
        let found = guessed("1,4,Old Salt,2\n2,2,Silk,1\n3,1,Tar,1");
        assert_eq!((found.row, found.quantity, found.name), (Some(0), 1, 2));
        let found = guessed("1,101,Salt\n2,102,Silk");
        assert_eq!((found.row, found.quantity, found.name), (None, 0, 2));
    }
}
