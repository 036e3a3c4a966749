//! Packs: how the copies of a print run are dealt, and how all packs get the same weight (T-1a, T-4.1a, T-4.2b).
//!
//! There is one kind of pack. All copies of the run are shuffled, every order being equally likely, and dealt in that order; since
//! every card has the same number of copies, every card is equally likely at every place of every pack. Each pack has one lore card,
//! about a card of the run that is drawn for it, and an insert of a drawn shape, whose weight compensates for the weights of the other contents.
//! Such a lore card has no code. A set may have its own lore cards with codes: their copies are not dealt with the others,
//! but replace the lore card in packs that are drawn for them. Both kinds of lore cards can be collected and have no other use.
//!
//! The packs depend only on the plan and its seed, so that anyone who knows both can deal the same packs. The draws are specified here, so that
//! they can be implemented in any language; this service uses the engine's `rng`:
//!
//! - A stream of numbers for each purpose: block *i* (from 0) is SHA-256 of `cardscape-packs-v1/` and the purpose (`shuffle`,
//!   `lore`, `lore-place`, `lore-weight`, `shape`), a zero byte, the seed's 32 bytes and *i* as 8 bytes, big-endian. A block is four numbers
//!   of 64 bits, big-endian.
//! - A number below *n*: numbers at or above the largest multiple of *n* that is at most 2⁶⁴ − 1 are skipped; the result is the next number
//!   modulo *n*. Every result is equally likely.
//! - The shuffle is the Fisher–Yates shuffle from the end: for *i* from the last place down to the second, place *i* is exchanged with a
//!   place drawn from those up to and including *i*. Two lists are shuffled: the copies in the order of the print file (`shuffle`), and
//!   a list with one place for each pack, which begins with the lore cards with codes, followed by the others (`lore-place`).
//! - For each pack a card that a lore card is about (`lore`, from the cards of the run in their order, lore cards left out), the weight
//!   of the lore card (`lore-weight`) and the shape of the insert (`shape`).
//!
//! Weights are whole milligrams.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;
use std::io;

use cardscape_engine::rng::{HashCounter, RandomNumbers as _};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::commitment::{AnnouncedLine, AnnouncedPlan, PlanSeed};
use crate::domain::csv_lines::CsvLines;

/// Most cards of one pack, the lore card not counted.
pub const MAX_CARDS: u32 = 1000;
/// Heaviest thing in a pack.
pub const MAX_MG: u32 = 1_000_000;
/// Most shapes of inserts.
pub const MAX_SHAPES: u32 = 10_000;

/// Headings of a packing list.
const COLUMNS: [&str; 8] =
    ["pack", "place", "item", "number", "rarity", "print_line", "shape", "mg"];

/// How packs are made. Parameters that a file leaves out have their default values.
///
/// The fields are in the order of their names, because they are serialised in this order in an announcement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PackParameters {
    /// Weight of a card, in mg.
    pub card_mg: u32,
    /// Cards in a pack, the lore card not counted.
    pub cards_per_pack: u32,
    /// Heaviest insert that can be made, in mg.
    pub insert_max_mg: u32,
    /// Lightest insert that can be made, in mg.
    pub insert_min_mg: u32,
    /// Shapes of inserts; they are numbered from 1.
    pub insert_shapes: u32,
    /// The weight of inserts varies in steps of this many mg from the lightest.
    pub insert_step_mg: u32,
    /// Numbers of the cards of the run that are lore cards themselves.
    pub lore_cards: Vec<String>,
    /// Heaviest lore card, in mg.
    pub lore_max_mg: u32,
    /// Lightest lore card, in mg.
    pub lore_min_mg: u32,
    /// Weights of cards in rarities that do not weigh `card_mg`.
    pub rarity_mg: BTreeMap<String, u32>,
    /// Whether copies that fill no whole pack may be left over; the list shows them under the name `remainder`.
    pub remainder: bool,
    /// How far the weight of a pack may differ from the target weight, in mg.
    pub tolerance_mg: u32,
}

impl Default for PackParameters {
    fn default() -> Self {
        Self {
            card_mg: 1800,
            cards_per_pack: 10,
            insert_max_mg: 800,
            insert_min_mg: 200,
            insert_shapes: 64,
            insert_step_mg: 10,
            lore_cards: Vec::new(),
            lore_max_mg: 900,
            lore_min_mg: 600,
            rarity_mg: BTreeMap::new(),
            remainder: false,
            tolerance_mg: 5,
        }
    }
}

/// A parameter with a value that is not allowed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}: must be {least} to {most}, not {value}")]
pub struct ParameterFault {
    /// Name of the parameter.
    pub name: &'static str,
    /// Lowest allowed value.
    pub least: u32,
    /// Highest allowed value.
    pub most: u32,
    /// The actual value.
    pub value: u32,
}

/// Why a plan has no packs.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PackError {
    /// A parameter has a value that is not allowed.
    #[error("packs: {0}")]
    Parameter(#[from] ParameterFault),
    /// A weight for a rarity that the run does not have.
    #[error("packs: the run has no copies in rarity {0}, so rarity_mg cannot say what they weigh")]
    UnknownRarity(String),
    /// A lore card that the run does not have, or that is named twice.
    #[error("packs: lore_cards names {0}, which is not a card of the run, or names it twice")]
    UnknownLoreCard(String),
    /// More lore cards than packs.
    #[error(
        "packs: {copies} copies of lore cards do not go into {packs} packs: each has one lore card"
    )]
    TooManyLoreCards {
        /// Copies of lore cards.
        copies: u64,
        packs: u64,
    },
    /// The copies do not fill one pack.
    #[error("packs: {copies} copies do not fill a pack of {cards_per_pack}")]
    NoPack {
        /// Copies in the run.
        copies: u64,
        cards_per_pack: u32,
    },
    /// The copies cannot be divided into whole packs.
    #[error(
        "packs: {copies} copies make {packs} packs of {cards_per_pack} and leave {left}; allow a remainder \
         (`remainder`; on the command line --remainder), or plan another number of copies"
    )]
    Remainder {
        /// Copies in the run.
        copies: u64,
        /// Whole packs.
        packs: u64,
        cards_per_pack: u32,
        /// Copies that are left.
        left: u64,
    },
    /// No insert is heavy enough to make up for the lightest pack.
    #[error(
        "packs: to make all packs weigh the same, inserts must weigh {lightest} to {heaviest} mg, but the heaviest weighs \
         {limit} mg"
    )]
    InsertTooHeavy {
        /// Lightest insert that is needed.
        lightest: u64,
        /// Heaviest insert that is needed.
        heaviest: u64,
        /// Heaviest insert that can be made.
        limit: u32,
    },
}

impl PackParameters {
    /// Checks each parameter separately, and returns every fault.
    pub fn faults(&self) -> Vec<ParameterFault> {
        let mut faults = Vec::new();
        let mut within = |name, value: u32, least: u32, most: u32| {
            if !(least..=most).contains(&value) {
                faults.push(ParameterFault { name, least, most, value });
            }
        };
        within("card_mg", self.card_mg, 1, MAX_MG);
        within("cards_per_pack", self.cards_per_pack, 1, MAX_CARDS);
        within("insert_max_mg", self.insert_max_mg, 1, MAX_MG);
        within("insert_min_mg", self.insert_min_mg, 1, self.insert_max_mg.clamp(1, MAX_MG));
        within("insert_shapes", self.insert_shapes, 1, MAX_SHAPES);
        within("insert_step_mg", self.insert_step_mg, 1, MAX_MG);
        within("lore_max_mg", self.lore_max_mg, 1, MAX_MG);
        within("lore_min_mg", self.lore_min_mg, 1, self.lore_max_mg.clamp(1, MAX_MG));
        for &weight in self.rarity_mg.values() {
            within("rarity_mg", weight, 1, MAX_MG);
        }
        // The weight of an insert differs from the wanted weight by at most half a step.
        within("tolerance_mg", self.tolerance_mg, self.insert_step_mg.min(MAX_MG) / 2, MAX_MG);
        faults
    }

    fn card_weight(&self, rarity: &str) -> u32 {
        self.rarity_mg.get(rarity).copied().unwrap_or(self.card_mg)
    }
}

/// The packs of a plan, before they are dealt.
#[derive(Clone, Debug)]
pub struct PackPlan<'a> {
    plan: &'a AnnouncedPlan,
    parameters: &'a PackParameters,
    /// Numbers of the lore cards, to look them up: an order in which packs are made never comes from a hash set.
    lore: HashSet<&'a str>,
    /// Whole packs.
    pub packs: u64,
    /// Copies that are left over.
    pub remainder: u64,
    /// The target weight of every pack, within the tolerance, in mg.
    pub target_mg: u64,
    /// Heaviest insert that a pack may need, in mg.
    pub heaviest_insert_mg: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedCard<'a> {
    /// The line of the card in the print file, from 1; the headings are not counted.
    pub print_line: u64,
    /// Number of the card.
    pub number: &'a str,
    pub rarity: &'a str,
    /// Its weight.
    pub mg: u32,
}

/// The lore card of a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedLore<'a> {
    /// A lore card without a code, about the card with this number.
    About(&'a str),
    /// A copy of a lore card of the set.
    Copy(PackedCard<'a>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack<'a> {
    /// Its cards, in the order in which they were dealt.
    pub cards: Vec<PackedCard<'a>>,
    /// Its lore card.
    pub lore: PackedLore<'a>,
    /// Weight of the lore card.
    pub lore_mg: u32,
    /// Shape of the insert, from 1.
    pub insert_shape: u32,
    /// Weight of the insert.
    pub insert_mg: u64,
}

impl Pack<'_> {
    /// The weight of the pack without its wrapping.
    pub fn weight_mg(&self) -> u64 {
        let cards: u64 = self.cards.iter().map(|card| u64::from(card.mg)).sum();
        cards + u64::from(self.lore_mg) + self.insert_mg
    }
}

/// Marks a lore card without a code; no run has so many copies.
const NO_CODE: u32 = u32::MAX;

/// Packs and remainder of a run.
#[derive(Debug)]
pub struct Dealt<'a> {
    pack_plan: &'a PackPlan<'a>,
    /// The shuffled places of the print file, from 0, without those of lore cards.
    order: Vec<u32>,
    /// For each pack, the place of its lore card in the print file; [`NO_CODE`] for a lore card without a code.
    lore: Vec<u32>,
    /// The place of the print file after the last copy of each line of the plan.
    ends: Vec<u64>,
    subjects: Vec<&'a str>,
    seed: PlanSeed,
}

impl<'a> PackPlan<'a> {
    /// Plans the packs. `None`: the plan has no packs.
    pub fn new(plan: &'a AnnouncedPlan) -> Result<Option<Self>, PackError> {
        let Some(parameters) = &plan.packs else { return Ok(None) };
        if let Some(fault) = parameters.faults().into_iter().next() {
            return Err(fault.into());
        }
        let numbers: HashSet<&str> = plan.lines.iter().map(AnnouncedLine::number).collect();
        let mut lore = HashSet::new();
        for number in &parameters.lore_cards {
            if !numbers.contains(number.as_str()) || !lore.insert(number.as_str()) {
                return Err(PackError::UnknownLoreCard(number.clone()));
            }
        }
        let is_dealt = |line: &&AnnouncedLine| line.copies() > 0 && !lore.contains(line.number());
        let printed = || plan.lines.iter().filter(is_dealt);
        if let Some(rarity) =
            parameters.rarity_mg.keys().find(|known| !printed().any(|line| line.rarity() == *known))
        {
            return Err(PackError::UnknownRarity(rarity.clone()));
        }
        let copies: u64 = printed().map(AnnouncedLine::copies).sum();
        let size = u64::from(parameters.cards_per_pack);
        let (packs, remainder) = (copies / size, copies % size);
        let cards_per_pack = parameters.cards_per_pack;
        if packs == 0 {
            return Err(PackError::NoPack { copies, cards_per_pack });
        }
        if remainder > 0 && !parameters.remainder {
            return Err(PackError::Remainder { copies, packs, cards_per_pack, left: remainder });
        }
        let lore_copies = plan.copy_count() - copies;
        if lore_copies > packs {
            return Err(PackError::TooManyLoreCards { copies: lore_copies, packs });
        }
        let weights = || printed().map(|line| u64::from(parameters.card_weight(line.rarity())));
        let (lightest, heaviest) =
            (weights().min().unwrap_or_default(), weights().max().unwrap_or_default());
        let least = size * lightest + u64::from(parameters.lore_min_mg);
        let most = size * heaviest + u64::from(parameters.lore_max_mg);
        // A pack with the heaviest possible content gets the lightest insert.
        let target_mg = most + u64::from(parameters.insert_min_mg);
        let heaviest_insert_mg = parameters.insert_weight(target_mg - least);
        if heaviest_insert_mg > u64::from(parameters.insert_max_mg) {
            return Err(PackError::InsertTooHeavy {
                lightest: u64::from(parameters.insert_min_mg),
                heaviest: heaviest_insert_mg,
                limit: parameters.insert_max_mg,
            });
        }
        Ok(Some(Self { plan, parameters, lore, packs, remainder, target_mg, heaviest_insert_mg }))
    }

    /// How packs are made.
    pub fn parameters(&self) -> &PackParameters {
        self.parameters
    }

    /// Deals the packs. The same plan and seed always give the same packs.
    pub fn deal(&'a self, seed: &PlanSeed) -> Dealt<'a> {
        let (mut order, mut lore) = (Vec::new(), Vec::new());
        let (mut end, mut ends) = (0, Vec::new());
        for line in &self.plan.lines {
            let begin = end;
            end += line.copies();
            ends.push(end);
            let places = (begin..end).filter_map(|place| u32::try_from(place).ok());
            let dealt = if self.lore.contains(line.number()) { &mut lore } else { &mut order };
            dealt.extend(places);
        }
        random_numbers("shuffle", seed).shuffle(&mut order);
        lore.resize(usize::try_from(self.packs).unwrap_or_default(), NO_CODE);
        if lore.iter().any(|&place| place != NO_CODE) {
            random_numbers("lore-place", seed).shuffle(&mut lore);
        }
        let lines = self.plan.lines.iter().filter(|line| !self.lore.contains(line.number()));
        let mut subjects: Vec<&str> = lines.map(AnnouncedLine::number).collect();
        subjects.dedup();
        Dealt { pack_plan: self, order, lore, ends, subjects, seed: seed.clone() }
    }

    /// Writes the packing list: CSV with one line for each item of a pack. The list contains no serial codes: cards are identified by their lines in the print
    /// file.
    pub fn write_list(&self, seed: &PlanSeed, out: &mut impl io::Write) -> io::Result<()> {
        let dealt = self.deal(seed);
        write_line(out, COLUMNS.each_ref().map(|column| column as &dyn Display))?;
        for (pack, number) in dealt.packs().zip(1_u64..) {
            let mut place = 0;
            for card in &pack.cards {
                place += 1;
                write_card(out, &number, place, "card", card)?;
            }
            match &pack.lore {
                PackedLore::Copy(copy) => write_card(out, &number, place + 1, "lore-copy", copy)?,
                PackedLore::About(about) => {
                    let place = place + 1;
                    write_line(
                        out,
                        [&number, &place, &"lore", about, &"", &"", &"", &pack.lore_mg],
                    )?;
                }
            }
            let (place, shape) = (place + 2, pack.insert_shape);
            write_line(out, [&number, &place, &"insert", &"", &"", &"", &shape, &pack.insert_mg])?;
        }
        for (card, place) in dealt.remainder().zip(1_u64..) {
            write_card(out, &"remainder", place, "card", &card)?;
        }
        Ok(())
    }
}

fn write_card(
    out: &mut impl io::Write,
    pack: &dyn Display,
    place: u64,
    item: &str,
    card: &PackedCard<'_>,
) -> io::Result<()> {
    let PackedCard { print_line, number, rarity, mg } = card;
    write_line(out, [pack, &place, &item, number, rarity, print_line, &"", mg])
}

fn write_line(out: &mut impl io::Write, fields: [&dyn Display; COLUMNS.len()]) -> io::Result<()> {
    let mut line = Vec::with_capacity(64);
    CsvLines::lf().push(fields.map(ToString::to_string), &mut line);
    out.write_all(&line)
}

impl PackParameters {
    /// The weight of an insert that can be made and is nearest to this weight, at least that of the lightest insert.
    fn insert_weight(&self, wanted_mg: u64) -> u64 {
        let (lightest, step) = (u64::from(self.insert_min_mg), u64::from(self.insert_step_mg));
        let above = wanted_mg.saturating_sub(lightest);
        lightest + (above + step / 2) / step * step
    }
}

impl<'a> Dealt<'a> {
    /// The packs in order.
    pub fn packs(&self) -> impl Iterator<Item = Pack<'a>> {
        let (plan, parameters) = (self.pack_plan, self.pack_plan.parameters);
        let size = usize::try_from(parameters.cards_per_pack).unwrap_or(1);
        let [mut subject, mut lore_weight, mut shape] =
            ["lore", "lore-weight", "shape"].map(|purpose| random_numbers(purpose, &self.seed));
        self.order.chunks_exact(size).zip(&self.lore).map(move |(places, &lore_place)| {
            let cards: Vec<_> = places.iter().map(|&place| self.card(place)).collect();
            let about = subject.below_by_remainder(self.subjects.len() as u64);
            let spread = parameters.lore_max_mg - parameters.lore_min_mg;
            let extra = lore_weight.below_by_remainder(u64::from(spread) + 1);
            let lore_mg = parameters.lore_min_mg + u32::try_from(extra).unwrap_or_default();
            let cards_mg: u64 = cards.iter().map(|card| u64::from(card.mg)).sum();
            let drawn_shape = shape.below_by_remainder(u64::from(parameters.insert_shapes));
            let lore = match lore_place {
                NO_CODE => {
                    PackedLore::About(self.subjects[usize::try_from(about).unwrap_or_default()])
                }
                place => PackedLore::Copy(PackedCard { mg: lore_mg, ..self.card(place) }),
            };
            Pack {
                lore,
                lore_mg,
                insert_shape: 1 + u32::try_from(drawn_shape).unwrap_or_default(),
                insert_mg: parameters.insert_weight(plan.target_mg - cards_mg - u64::from(lore_mg)),
                cards,
            }
        })
    }

    /// The copies that fill no whole pack.
    pub fn remainder(&self) -> impl Iterator<Item = PackedCard<'a>> {
        let left = usize::try_from(self.pack_plan.remainder).unwrap_or_default();
        self.order[self.order.len() - left..].iter().map(|&place| self.card(place))
    }

    fn card(&self, place: u32) -> PackedCard<'a> {
        let line = self.ends.partition_point(|&end| end <= u64::from(place));
        let line = &self.pack_plan.plan.lines[line];
        PackedCard {
            print_line: u64::from(place) + 1,
            number: line.number(),
            rarity: line.rarity(),
            mg: self.pack_plan.parameters.card_weight(line.rarity()),
        }
    }
}

/// The stream of random numbers for a purpose.
fn random_numbers(purpose: &str, seed: &PlanSeed) -> HashCounter {
    HashCounter::new(&[b"cardscape-packs-v1/", purpose.as_bytes(), &[0], seed.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{CardId, PrintingId};
    use crate::domain::printing::minting::{CardToPrint, PrintPlan, PrintingToPrint};
    use proptest::prelude::*;

    fn plan(
        cards: usize,
        copies: u64,
        weights: &[(&str, u32)],
        packs: PackParameters,
    ) -> AnnouncedPlan {
        let printing = |&(rarity, weight): &(&str, u32)| PrintingToPrint {
            id: PrintingId::generate(),
            rarity: rarity.to_owned(),
            weight,
            tier: 1,
        };
        let card = |place: usize| CardToPrint {
            id: CardId::generate(),
            number: format!("{:03}", place + 1),
            printings: weights.iter().map(printing).collect(),
        };
        let plan = PrintPlan::new((0..cards).map(card).collect(), copies).unwrap();
        AnnouncedPlan::new("ttcg", "veil", &plan, Some(packs))
    }

    fn seed(byte: u8) -> PlanSeed {
        PlanSeed::from_random([byte; 32])
    }

    fn list(plan: &AnnouncedPlan, seed: &PlanSeed) -> String {
        let mut list = Vec::new();
        PackPlan::new(plan).unwrap().unwrap().write_list(seed, &mut list).unwrap();
        String::from_utf8(list).unwrap()
    }

    const TIERS: [(&str, u32); 2] = [("rare", 1), ("common", 2)];

    /// The expected list was written by another program, from the specification at the top of this file.
    #[test]
    fn a_packing_list_follows_from_plan_and_seed() {
        let packs = PackParameters {
            cards_per_pack: 3,
            remainder: true,
            rarity_mg: BTreeMap::from([("rare".to_owned(), 1850)]),
            ..PackParameters::default()
        };
        let plan = plan(2, 4, &TIERS, packs);
        let expected = "\
pack,place,item,number,rarity,print_line,shape,mg\n\
1,1,card,002,common,8,,1800\n\
1,2,card,002,common,6,,1800\n\
1,3,card,001,rare,1,,1850\n\
1,4,lore,001,,,,697\n\
1,5,insert,,,,12,500\n\
2,1,card,002,common,7,,1800\n\
2,2,card,001,common,3,,1800\n\
2,3,card,002,rare,5,,1850\n\
2,4,lore,001,,,,618\n\
2,5,insert,,,,31,580\n\
remainder,1,card,001,common,4,,1800\n\
remainder,2,card,001,common,2,,1800\n";
        assert_eq!(list(&plan, &seed(7)), expected);
        assert_ne!(list(&plan, &seed(8)), expected);
    }

    #[test]
    fn a_plan_without_packs_has_none() {
        let mut plan = plan(2, 5, &TIERS, PackParameters::default());
        plan.packs = None;
        assert!(PackPlan::new(&plan).unwrap().is_none());
    }

    #[test]
    fn refuses_plans_that_cannot_be_packed() {
        let refusal = |cards, copies, change: fn(&mut PackParameters)| {
            let mut packs = PackParameters::default();
            change(&mut packs);
            PackPlan::new(&plan(cards, copies, &TIERS, packs)).map(drop).unwrap_err().to_string()
        };
        let left = refusal(7, 9, |_| ());
        assert!(left.contains("63 copies make 6 packs of 10 and leave 3"), "{left}");
        let none = refusal(1, 9, |packs| packs.remainder = true);
        assert!(none.contains("9 copies do not fill a pack of 10"), "{none}");
        let unknown = refusal(1, 10, |packs| {
            packs.rarity_mg.insert("legendary".to_owned(), 1);
        });
        assert!(unknown.contains("legendary"), "{unknown}");
        // Ten cards with 100 mg more each, and 300 mg of lore: the lightest and the heaviest content differ by 1,300 mg.
        let heavy = refusal(1, 10, |packs| {
            packs.rarity_mg.insert("rare".to_owned(), 1900);
        });
        assert!(heavy.contains("200 to 1500 mg, but the heaviest weighs 800 mg"), "{heavy}");
        let lore = |packs: &mut PackParameters| packs.lore_cards = vec!["001".to_owned()];
        let many = refusal(2, 10, lore);
        assert!(many.contains("10 copies of lore cards do not go into 1 packs"), "{many}");
        let unknown = refusal(1, 10, |packs| packs.lore_cards = vec!["002".to_owned()]);
        assert!(unknown.contains("lore_cards names 002"), "{unknown}");
        let twice = refusal(2, 10, |packs| packs.lore_cards = vec!["001".to_owned(); 2]);
        assert!(twice.contains("names it twice"), "{twice}");
        let faults = |change: fn(&mut PackParameters)| {
            let mut packs = PackParameters::default();
            change(&mut packs);
            packs.faults().iter().map(|fault| fault.name).collect::<Vec<_>>()
        };
        assert_eq!(faults(|_| ()), [""; 0]);
        assert_eq!(faults(|packs| packs.cards_per_pack = 0), ["cards_per_pack"]);
        assert_eq!(faults(|packs| packs.insert_min_mg = 801), ["insert_min_mg"]);
        assert_eq!(faults(|packs| packs.lore_min_mg = 901), ["lore_min_mg"]);
        assert_eq!(faults(|packs| packs.insert_step_mg = 0), ["insert_step_mg"]);
        assert_eq!(faults(|packs| packs.insert_step_mg = 12), ["tolerance_mg"]);
        assert_eq!(
            faults(
                |packs| (packs.card_mg, packs.insert_shapes, packs.lore_max_mg) = (0, 0, u32::MAX)
            ),
            ["card_mg", "insert_shapes", "lore_max_mg"]
        );
    }

    /// Every card is at every place of a pack about equally often, and so are lore cards and shapes: chi-square is below 45, which chance exceeds once in
    /// a million (df 9).
    #[test]
    fn every_card_is_equally_likely_everywhere() {
        let packs = PackParameters { insert_shapes: 10, ..PackParameters::default() };
        let plan = plan(10, 4000, &TIERS, packs);
        let pack_plan = PackPlan::new(&plan).unwrap().unwrap();
        let mut counts = [[0_u32; 10]; 12];
        let place_of = |number: &str| number.parse::<usize>().unwrap() - 1;
        let dealt = pack_plan.deal(&seed(1));
        for pack in dealt.packs() {
            for (place, card) in pack.cards.iter().enumerate() {
                counts[place][place_of(card.number)] += 1;
            }
            let PackedLore::About(about) = pack.lore else { panic!("no lore cards in the run") };
            counts[10][place_of(about)] += 1;
            counts[11][pack.insert_shape as usize - 1] += 1;
        }
        for (place, counts) in counts.iter().enumerate() {
            let chi_square: f64 =
                counts.iter().map(|&count| (f64::from(count) - 400.0).powi(2) / 400.0).sum();
            assert!(chi_square < 45.0, "{place}: {counts:?}");
        }
    }

    /// Over many seeds, all six orders of three copies are about equally frequent.
    #[test]
    fn every_order_is_equally_likely() {
        let packs = PackParameters { cards_per_pack: 3, ..PackParameters::default() };
        let plan = plan(3, 1, &[("only", 1)], packs);
        let pack_plan = PackPlan::new(&plan).unwrap().unwrap();
        let mut counts = BTreeMap::<Vec<u32>, u32>::new();
        for number in 0..6000_u32 {
            let mut bytes = [0; 32];
            bytes[..4].copy_from_slice(&number.to_be_bytes());
            let dealt = pack_plan.deal(&PlanSeed::from_random(bytes));
            *counts.entry(dealt.order).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn every_copy_is_in_exactly_one_pack_and_packs_weigh_the_same(
            cards in 1usize..20,
            copies in 1u64..60,
            cards_per_pack in 1u32..15,
            rare_mg in 1700u32..1900,
            insert_step_mg in 1u32..40,
            lore_cards in 0usize..3,
            seed in any::<[u8; 32]>(),
        ) {
            let packs = PackParameters {
                cards_per_pack,
                insert_step_mg,
                insert_max_mg: 4000,
                lore_cards: (0..lore_cards.min(cards - 1)).map(|at| format!("{:03}", at + 1)).collect(),
                remainder: true,
                rarity_mg: BTreeMap::from([("common".to_owned(), rare_mg)]),
                tolerance_mg: insert_step_mg / 2,
                ..PackParameters::default()
            };
            let plan = plan(cards, copies, &TIERS, packs);
            let lore = plan.packs.as_ref().unwrap().lore_cards.clone();
            let lore_copies = lore.len() as u64 * copies;
            let packs = (plan.copy_count() - lore_copies) / u64::from(cards_per_pack);
            if packs == 0 || lore_copies > packs {
                prop_assert!(PackPlan::new(&plan).is_err());
                return Ok(());
            }
            let pack_plan = PackPlan::new(&plan).unwrap().unwrap();
            let dealt = pack_plan.deal(&PlanSeed::from_random(seed));
            let packs: Vec<_> = dealt.packs().collect();
            prop_assert_eq!(packs.len() as u64, pack_plan.packs);
            let of_packs = packs.iter().flat_map(|pack| pack.cards.iter().copied());
            let lore_of_packs = packs.iter().filter_map(|pack| match pack.lore {
                PackedLore::Copy(copy) => Some(copy),
                PackedLore::About(number) => {
                    assert!(!lore.iter().any(|lore| lore == number), "lore about lore");
                    None
                }
            });
            let lore_of_packs: Vec<_> = lore_of_packs.collect();
            prop_assert_eq!(lore_of_packs.len() as u64, lore_copies);
            prop_assert!(of_packs.clone().all(|card| !lore.iter().any(|lore| lore == card.number)));
            let mut placed: Vec<_> = of_packs.chain(dealt.remainder()).chain(lore_of_packs).collect();
            placed.sort_by_key(|card| card.print_line);
            let printed = plan.lines.iter().flat_map(|line| {
                (0..line.copies()).map(|_| (line.number(), line.rarity()))
            });
            let placed = placed.iter().zip(1..).map(|(card, line)| {
                assert_eq!(card.print_line, line);
                (card.number, card.rarity)
            });
            prop_assert!(placed.eq(printed));
            let tolerance = u64::from(pack_plan.parameters().tolerance_mg);
            for pack in &packs {
                prop_assert_eq!(pack.cards.len() as u64, u64::from(cards_per_pack));
                prop_assert!(pack.weight_mg().abs_diff(pack_plan.target_mg) <= tolerance);
                prop_assert!((200..=pack_plan.heaviest_insert_mg).contains(&pack.insert_mg));
                prop_assert!((600..=900).contains(&pack.lore_mg));
                prop_assert!((1..=64).contains(&pack.insert_shape));
            }
        }
    }
}
