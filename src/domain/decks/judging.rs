//! The rules by which decks are judged.

/// Version of the rules by which stored verdicts on decks are made: the reports on watched decks, and the search rows of
/// public decks. It is increased whenever the same deck, cards, manifest and day can get another verdict, other violations,
/// other search terms or other cards by which decks are compared, because the engine judges differently, or because entries
/// of decks lead to other cards. Then the background jobs judge all these decks again, for as long as on a new day.
/// Programs that do not know versions have 0.
pub const JUDGING_VERSION: i16 = 3;
