//! Items of lists of wants and haves, as pages show them.

use super::choices::Games;
use super::views::CardCell;
use super::words as copy_words;
use crate::app::copies::trade_lists::TradeItemResponse;

/// An item of a list.
pub(super) struct ItemRow {
    /// The id of the item in forms.
    pub(super) id: String,
    pub(super) card: CardCell,
    pub(super) quantity: i32,
    /// Whether any rarity is accepted.
    pub(super) is_any: bool,
    /// The label of the field of its number.
    pub(super) label: String,
}

impl ItemRow {
    pub(super) fn new(games: &Games, item: &TradeItemResponse) -> Self {
        let card = CardCell::of_line(games, &item.card, item.rarity.as_deref());
        Self {
            id: id_of(item),
            is_any: item.printing.is_none() && !card.is_hidden,
            quantity: item.quantity,
            label: copy_words::quantity_of(&card.name_and_place()),
            card,
        }
    }
}

/// The id of an item in forms: of its printing or, if any rarity is accepted, of its card. A list contains each of them once.
pub(super) fn id_of(item: &TradeItemResponse) -> String {
    match item.printing {
        Some(printing) => format!("printing-{printing}"),
        None => format!("card-{}", item.card.id),
    }
}

/// A page of a list that is completely loaded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part<'a, T> {
    /// The index of its first entry.
    pub(super) from: usize,
    pub(super) entries: &'a [T],
    /// The index of the next page.
    pub(super) next: Option<usize>,
}

/// The page that begins at an index, with at most `most` entries. If the list has become shorter since its address was made, it is the last page: an empty one
/// would look like an empty list.
pub(super) fn part_of<T>(all: &[T], from: usize, most: usize) -> Part<'_, T> {
    let from = if from < all.len() { from } else { all.len().saturating_sub(1) / most * most };
    let end = all.len().min(from + most);
    Part { from, entries: &all[from..end], next: (end < all.len()).then_some(end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_list_are_consecutive() {
        let all = [1, 2, 3, 4, 5];
        for (from, first, end, next) in [
            (0, 0, 2, Some(2)),
            (4, 4, 5, None),
            (3, 3, 5, None),
            // There is no such page (any more).
            (5, 4, 5, None),
            (9, 4, 5, None),
            (usize::MAX, 4, 5, None),
        ] {
            let expected = Part { from: first, entries: &all[first..end], next };
            assert_eq!(part_of(&all, from, 2), expected, "{from}");
        }
        assert_eq!(part_of(&all[..4], 4, 2), Part { from: 2, entries: &all[2..4], next: None });
        assert_eq!(part_of(&all[..0], 9, 2), Part { from: 0, entries: &all[..0], next: None });
    }
}
