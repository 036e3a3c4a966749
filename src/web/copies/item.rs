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

/// A page of a list that is completely loaded: the entries from an index on, and the index of the next page.
pub(super) fn part_of<T>(all: &[T], from: usize, most: usize) -> (&[T], Option<usize>) {
    let from = from.min(all.len());
    let end = all.len().min(from + most);
    (&all[from..end], (end < all.len()).then_some(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_a_list_are_consecutive() {
        let all = [1, 2, 3, 4, 5];
        assert_eq!(part_of(&all, 0, 2), (&all[..2], Some(2)));
        assert_eq!(part_of(&all, 4, 2), (&all[4..], None));
        assert_eq!(part_of(&all, 9, 2), (&all[5..], None));
        assert_eq!(part_of(&all, 3, 2), (&all[3..], None));
    }
}
