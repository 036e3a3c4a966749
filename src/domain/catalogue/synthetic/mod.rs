//! Synthetic catalogues: any number of plausible cards of a game, for trials and measurements.
//!
//! The same game, seed and place give the same card on every machine, regardless of the size of the catalogue: a larger catalogue
//! begins with the cards of a smaller one. Cards are made from the game's manifest and imported as set files, like all cards.

mod card;
mod dice;
mod words;

use cardscape_engine::{Game, SetDefinition};
use chrono::{Days, NaiveDate};

use self::dice::Dice;
use super::import::SourceFile;

/// Most cards of a synthetic catalogue.
pub const MAX_CARDS: u32 = 10_000_000;

/// Fewest and most cards of a whole set.
const SET_SIZES: (i64, i64) = (200, 1_000);

/// Purposes, which give different streams of choices.
const FOR_SIZE: u64 = 1;
const FOR_SET: u64 = 2;
const FOR_CARD: u64 = 3;
const FOR_NAMES: u64 = 4;

/// Generates the cards of a game.
pub struct Synthetic<'a> {
    game: &'a Game,
    seed: u64,
}

/// The outline of a set to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetOutline {
    pub code: String,
    /// Number of cards to generate.
    pub cards: u32,
    /// Whether the cards start hidden.
    pub hidden: bool,
    /// Place among the sets, from 1.
    place: u32,
    /// Cards in the sets before it.
    before: u32,
    /// Number of cards of the complete set.
    complete: u32,
}

impl SetOutline {
    /// Increases the number of cards to the number of stored cards, because an import must not remove cards.
    #[must_use]
    pub fn at_least(mut self, stored: i64) -> Self {
        let stored = u32::try_from(stored).unwrap_or_default();
        self.cards = self.cards.max(stored.min(self.complete));
        self
    }
}

impl<'a> Synthetic<'a> {
    /// A generator for a game. Different seeds give different cards.
    pub fn new(game: &'a Game, seed: u64) -> Self {
        Self { game, seed }
    }

    /// The sets of a catalogue with this number of cards; the first `hidden_sets` sets start hidden.
    pub fn outlines(&self, cards: u32, hidden_sets: u32) -> impl Iterator<Item = SetOutline> {
        let seed = self.seed;
        let mut before = 0;
        (1..).map_while(move |place: u32| {
            let mut dice = Dice::of(&[seed, FOR_SIZE, place.into()]);
            let complete =
                u32::try_from(dice.between(SET_SIZES.0, SET_SIZES.1)).unwrap_or_default();
            let outline = SetOutline {
                code: format!("synthetic-{place:04}"),
                cards: complete.min(cards - before),
                hidden: place <= hidden_sets,
                place,
                before,
                complete,
            };
            before += outline.cards;
            (outline.cards > 0).then_some(outline)
        })
    }

    /// The name of a set; it contains the seed.
    pub fn set_name(&self, outline: &SetOutline) -> String {
        let name = words::set_name(&mut Dice::of(&[self.seed, FOR_SET, outline.place.into()]));
        format!("{name} (synthetic, seed {})", self.seed)
    }

    pub fn set_file(&self, outline: &SetOutline) -> SourceFile {
        let start = Dice::of(&[self.seed, FOR_NAMES]).below(words::NAMES);
        let card = |at: u32| {
            let place = u64::from(outline.before + at);
            let mut dice = Dice::of(&[self.seed, FOR_CARD, place]);
            let name = words::name(start, place, &mut dice);
            card::card(self.game, format!("{:04}", at + 1), name, &mut dice)
        };
        let set = SetDefinition {
            code: outline.code.clone(),
            name: self.set_name(outline),
            released_on: released_on(outline.place),
            hidden: Some(outline.hidden),
            unlock_threshold: None,
            cards: (0..outline.cards).map(card).collect(),
        };
        let text = serde_json::to_string(&set).unwrap_or_default();
        SourceFile::new(format!("{}.json", outline.code), &text)
    }
}

/// A day within ten years, starting in 2015.
fn released_on(place: u32) -> Option<String> {
    let day = NaiveDate::from_ymd_opt(2015, 1, 2)?;
    let day = day.checked_add_days(Days::new(u64::from(place) * 7 % 3_650))?;
    Some(day.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::catalogue::import::{GameImport, GameSource};

    const SHIPPED: [(&str, &str); 8] = [
        ("ttcg", include_str!("../../../../seed-data/games/ttcg/game.toml")),
        ("emoji-tcg", include_str!("../../../../seed-data/games/emoji-tcg/game.toml")),
        ("uno-emoji", include_str!("../../../../seed-data/games/uno-emoji/game.toml")),
        ("emojo-dojo", include_str!("../../../../seed-data/games/emojo-dojo/game.toml")),
        ("emojito", include_str!("../../../../seed-data/games/emojito/game.toml")),
        ("magic", include_str!("../../../../seed-data/games/magic/game.toml")),
        ("yu-gi-oh", include_str!("../../../../seed-data/games/yu-gi-oh/game.toml")),
        ("pokemon", include_str!("../../../../seed-data/games/pokemon/game.toml")),
    ];

    fn source(
        manifest: &str,
        seed: u64,
        cards: u32,
    ) -> Result<GameSource, Box<dyn std::error::Error>> {
        let game = Game::from_toml(manifest)?;
        let synthetic = Synthetic::new(&game, seed);
        let sets = synthetic.outlines(cards, 1).map(|set| synthetic.set_file(&set)).collect();
        Ok(GameSource { manifest: SourceFile::new("game.toml", manifest), sets })
    }

    /// The import checks every card with the engine, and compares the names of all sets.
    #[test]
    fn cards_of_every_shipped_game_are_legal() -> Result<(), Box<dyn std::error::Error>> {
        for (code, manifest) in SHIPPED {
            for seed in [0, 42, u64::MAX] {
                let import = GameImport::check(&source(manifest, seed, 1_200)?);
                let import = import.map_err(|faults| format!("{code}, {seed}: {}", faults[0]))?;
                assert_eq!(import.card_count(), 1_200);
                let hidden = import.sets().iter().map(|set| set.hidden).collect::<Vec<_>>();
                assert!(hidden[0] && hidden[1..].iter().all(|hidden| !hidden), "{hidden:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_same_seed_makes_the_same_cards_and_another_makes_others()
    -> Result<(), Box<dyn std::error::Error>> {
        let (_, ttcg) = SHIPPED[0];
        assert_eq!(source(ttcg, 7, 1_500)?, source(ttcg, 7, 1_500)?);
        assert_ne!(source(ttcg, 7, 1_500)?.sets[0], source(ttcg, 8, 1_500)?.sets[0]);
        Ok(())
    }

    /// Later versions must generate the same catalogue, so that measurements stay comparable and a second run changes nothing.
    #[test]
    fn a_card_of_today_is_the_card_of_tomorrow() -> Result<(), Box<dyn std::error::Error>> {
        let source = source(SHIPPED[0].1, 0, 10)?;
        let set = SetDefinition::from_json(&source.sets[0].text)?;
        insta::assert_json_snapshot!(set.cards[..2]);
        Ok(())
    }

    #[test]
    fn a_larger_catalogue_begins_like_a_smaller_one() -> Result<(), Box<dyn std::error::Error>> {
        let (_, ttcg) = SHIPPED[0];
        let (small, large) = (source(ttcg, 7, 2_000)?, source(ttcg, 7, 4_000)?);
        let complete_sets = small.sets.len() - 1;
        assert!(complete_sets >= 1, "2,000 cards are more than a set");
        assert_eq!(small.sets[..complete_sets], large.sets[..complete_sets]);
        let last = SetDefinition::from_json(&small.sets[complete_sets].text)?;
        let longer = SetDefinition::from_json(&large.sets[complete_sets].text)?;
        assert_eq!(last.cards[..], longer.cards[..last.cards.len()]);
        Ok(())
    }

    #[test]
    fn a_set_never_shrinks_below_what_is_stored() -> Result<(), Box<dyn std::error::Error>> {
        let game = Game::from_toml(SHIPPED[0].1)?;
        let outline = Synthetic::new(&game, 0).outlines(10, 0).next().ok_or("a set")?;
        assert_eq!((outline.cards, outline.code.as_str()), (10, "synthetic-0001"));
        assert_eq!(outline.clone().at_least(0).cards, 10);
        assert_eq!(outline.clone().at_least(11).cards, 11);
        assert_eq!(outline.clone().at_least(i64::MAX).cards, 10, "no such set");
        assert_eq!(outline.clone().at_least(5_000).cards, outline.complete);
        Ok(())
    }
}
