//! Announcements of print runs: a hash commits to the plan before it is printed; the opening reveals it later.
//!
//! The **opening** is a text of three lines, without a line end after the last: the tag `cardscape-print-commitment-v1`, the seed as 64
//! hexadecimal digits, and the plan. The **commitment** is its SHA-256. The 256 random bits of the seed keep the plan secret until the
//! opening is published, even if only few plans are possible; nobody can produce another opening with the same hash.
//!
//! The plan is JSON in the canonical form of RFC 8785: sorted keys, no spaces, only whole numbers. Neither the plan nor anything that is
//! derived from the seed reveals a serial code.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::minting::{MAX_CODES, PrintPlan, apportion};
use super::packs::PackParameters;
use crate::domain::code::Code;
use crate::domain::hex::hex;

/// First line of an opening.
pub const TAG: &str = "cardscape-print-commitment-v1";
/// The algorithm that splits copies by rarity: see [`super::minting`].
const ALGORITHM: &str = "largest-remainder-v1";

/// The seed of a plan's random numbers: 32 random bytes, secret until the run is revealed. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct PlanSeed([u8; 32]);

impl PlanSeed {
    /// Takes 32 random bytes.
    pub fn from_random(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let mut seed = [0; 32];
        let (digits, rest) = text.as_bytes().as_chunks::<2>();
        if digits.len() != seed.len() || !rest.is_empty() {
            return None;
        }
        for (byte, digits) in seed.iter_mut().zip(digits) {
            let digit =
                |digit: u8| char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok());
            *byte = digit(digits[0])? * 16 + digit(digits[1])?;
        }
        Some(Self(seed))
    }
}

impl fmt::Debug for PlanSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlanSeed(…)")
    }
}

/// A line of an announced plan: number of the card, rarity, copies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedLine(String, String, u64);

impl AnnouncedLine {
    /// Number of the card.
    pub fn number(&self) -> &str {
        &self.0
    }

    pub fn rarity(&self) -> &str {
        &self.1
    }

    /// How many copies.
    pub fn copies(&self) -> u64 {
        self.2
    }
}

/// A plan as it is announced.
///
/// The fields are in the order of their names, because they are serialised in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnouncedPlan {
    /// The algorithm that splits copies by rarity.
    pub algorithm: String,
    pub copies_per_card: u64,
    pub game: String,
    /// Every printing of every card, in the order of the print file.
    pub lines: Vec<AnnouncedLine>,
    /// How packs are made; `None`: the run is not packed.
    pub packs: Option<PackParameters>,
    pub set: String,
    /// Weights of the rarities, by which the copies of a card are split.
    pub weights: BTreeMap<String, u32>,
}

impl AnnouncedPlan {
    /// The announcement of a plan.
    pub fn new(game: &str, set: &str, plan: &PrintPlan, packs: Option<PackParameters>) -> Self {
        let line = |line: super::minting::PlanLine<'_>| {
            AnnouncedLine(line.number.to_owned(), line.printing.rarity.clone(), line.copies)
        };
        Self {
            algorithm: ALGORITHM.to_owned(),
            copies_per_card: plan.copies_per_card(),
            game: game.to_owned(),
            lines: plan.lines().map(line).collect(),
            packs,
            set: set.to_owned(),
            weights: plan
                .lines()
                .map(|line| (line.printing.rarity.clone(), line.printing.weight))
                .collect(),
        }
    }

    /// Checks that the service could have made this plan: every card has the same number of copies, split by the weights.
    fn check(&self) -> Result<(), OpeningError> {
        let codes = [&self.game, &self.set].into_iter();
        let codes = codes.chain(self.lines.iter().flat_map(|line| [&line.0, &line.1]));
        if codes.cloned().any(|code| Code::try_from(code).is_err()) {
            return Err(OpeningError::Code);
        }
        if self.algorithm != ALGORITHM {
            return Err(OpeningError::Algorithm(self.algorithm.clone()));
        }
        let cards: Vec<_> = self.lines.chunk_by(|line, next| line.0 == next.0).collect();
        if u128::from(self.copies_per_card) * cards.len() as u128 > u128::from(MAX_CODES) {
            return Err(OpeningError::TooMany);
        }
        for (position, card) in cards.into_iter().enumerate() {
            let weights: Option<Vec<u32>> =
                card.iter().map(|line| self.weights.get(&line.1).copied()).collect();
            let shares =
                weights.and_then(|weights| apportion(self.copies_per_card, &weights, position));
            if shares.is_none_or(|shares| !shares.into_iter().eq(card.iter().map(|line| line.2))) {
                return Err(OpeningError::Unfair(card[0].0.clone()));
            }
        }
        Ok(())
    }

    /// Copies in the run.
    pub fn copy_count(&self) -> u64 {
        self.lines.iter().map(AnnouncedLine::copies).sum()
    }

    /// The canonical text of the plan: sorted keys, no spaces.
    pub fn text(&self) -> String {
        // Codes contain only letters, digits, hyphens and underscores, so no character is escaped, and serialising cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The opening of a commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub seed: PlanSeed,
    pub plan: AnnouncedPlan,
}

/// Why a text is not a valid opening.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// Not three lines that begin with the tag.
    #[error("an opening has three lines, the first of which is {TAG}")]
    Form,
    /// The second line is not a seed.
    #[error("the second line of an opening is the seed, 64 hexadecimal digits in small letters")]
    Seed,
    /// The third line is not a plan.
    #[error("the third line of an opening is the plan: {0}")]
    Plan(#[from] serde_json::Error),
    /// The plan is not in the canonical form.
    #[error("the plan is not written as plans are: keys sorted, no spaces, nothing left out")]
    NotCanonical,
    /// A value that must be a code is none.
    #[error("the plan names something that is not the code of a game, set, card or rarity")]
    Code,
    /// The plan uses another algorithm.
    #[error("this program does not know how {0:?} shares copies")]
    Algorithm(String),
    /// The plan has more copies than a run may have.
    #[error("the plan has more than {MAX_CODES} copies")]
    TooMany,
    /// The copies of a card are not split by the weights.
    #[error("card {0} does not get its copies as the weights say, or not as many as the others")]
    Unfair(String),
}

impl Opening {
    /// Parses the exact output of [`Self::text`]; any other text is refused.
    pub fn parse(text: &str) -> Result<Self, OpeningError> {
        let lines: Vec<&str> = text.split('\n').collect();
        let [TAG, seed, plan] = lines[..] else { return Err(OpeningError::Form) };
        let seed = PlanSeed::parse(seed).ok_or(OpeningError::Seed)?;
        let opening = Self { seed, plan: serde_json::from_str(plan)? };
        if opening.plan.text() != plan {
            return Err(OpeningError::NotCanonical);
        }
        opening.plan.check()?;
        if opening.text() == text { Ok(opening) } else { Err(OpeningError::Seed) }
    }

    /// The opening as text, in three lines: tag, seed, plan.
    pub fn text(&self) -> String {
        format!("{TAG}\n{}\n{}", hex(self.seed.as_bytes()), self.plan.text())
    }

    /// The commitment: the hash of the text.
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.text()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{CardId, PrintingId};
    use crate::domain::printing::minting::{CardToPrint, PrintingToPrint};

    fn opening(packs: Option<PackParameters>) -> Opening {
        let printing = |(rarity, weight): (&str, u32)| PrintingToPrint {
            id: PrintingId::generate(),
            rarity: rarity.to_owned(),
            weight,
            tier: 1,
        };
        let card = |number: &str| CardToPrint {
            id: CardId::generate(),
            number: number.to_owned(),
            printings: [("rare", 1), ("common", 2)].map(printing).to_vec(),
        };
        let plan = PrintPlan::new(["001", "002"].map(card).to_vec(), 4).unwrap();
        let plan = AnnouncedPlan::new("ttcg", "veil", &plan, packs);
        Opening { seed: PlanSeed::from_random([7; 32]), plan }
    }

    /// An announcement must always be verifiable, so the text and its hash must not change. The hash is from `sha256sum`.
    #[test]
    fn the_text_and_hash_of_an_opening_do_not_change() {
        let opening = opening(None);
        let expected = "cardscape-print-commitment-v1\n\
            0707070707070707070707070707070707070707070707070707070707070707\n\
            {\"algorithm\":\"largest-remainder-v1\",\"copies_per_card\":4,\"game\":\"ttcg\",\
            \"lines\":[[\"001\",\"rare\",1],[\"001\",\"common\",3],[\"002\",\"rare\",1],[\"002\",\"common\",3]],\
            \"packs\":null,\"set\":\"veil\",\"weights\":{\"common\":2,\"rare\":1}}";
        assert_eq!(opening.text(), expected);
        assert_eq!(
            hex(&opening.digest()),
            "da9b4754be5fcd05d3cc7908c429d5ba46b8e0b1feaf28333ce649f531f06fa0"
        );
        assert!(!format!("{opening:?}").contains("07, 7"), "the seed is not shown");
    }

    #[test]
    fn keys_are_sorted() {
        let text = opening(Some(PackParameters::default())).plan.text();
        let plan: BTreeMap<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        let packs: BTreeMap<String, serde_json::Value> =
            serde_json::from_value(plan["packs"].clone()).unwrap();
        let sorted = |keys: Vec<&String>| {
            let places: Vec<_> =
                keys.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
            places.is_sorted()
        };
        assert!(sorted(plan.keys().collect()) && sorted(packs.keys().collect()), "{text}");
    }

    #[test]
    fn only_the_exact_text_of_an_opening_is_accepted() {
        for packs in [None, Some(PackParameters::default())] {
            let opening = opening(packs);
            assert_eq!(Opening::parse(&opening.text()).unwrap(), opening);
        }
        let text = opening(None).text();
        for (from, to, why) in [
            ("-v1\n", "-v2\n", "first"),
            ("\n07", "\n7", "second line"),
            ("\n07", "\nzz", "second line"),
            ("}}", "}}\n", "three lines"),
            ("}}", "}", "third line"),
            (",\"set\"", ", \"set\"", "sorted"),
            ("\"packs\":null,", "", "sorted"),
            ("\"copies_per_card\":4", "\"copies_per_card\":5", "card 001"),
            (
                "[\"002\",\"rare\",1],[\"002\",\"common\",3]",
                "[\"002\",\"rare\",2],[\"002\",\"common\",2]",
                "card 002",
            ),
            (
                "[\"002\",\"rare\",1],[\"002\",\"common\",3]",
                "[\"002\",\"rare\",1],[\"002\",\"common\",4]",
                "card 002",
            ),
            ("largest-remainder-v1", "by-hand", "by-hand"),
            ("\"copies_per_card\":4", "\"copies_per_card\":18446744073709551615", "more than"),
            ("\"set\":\"veil\"", "\"set\":\"a,b\"", "not the code"),
        ] {
            let spoilt = text.replacen(from, to, 1);
            assert_ne!(spoilt, text, "{from}");
            let error = Opening::parse(&spoilt).unwrap_err().to_string();
            assert!(error.contains(why), "{from} to {to}: {error}");
        }
    }
}
