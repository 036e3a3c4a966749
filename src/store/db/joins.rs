//! Which tables stand together in one query of diesel.
//!
//! Each pair is a handful of implementations that the compiler checks against each other. All pairs of all tables, which diesel's own
//! generator would allow, take more of a build than all functions of `store`, so a pair is added here when the first query needs it.

use super::schema::*;
use diesel::allow_tables_to_appear_in_same_query as allow;

allow!(accounts, personal_access_tokens);
allow!(accounts, sessions);
allow!(card_migrations, cards);
allow!(cards, sets);
allow!(copies, printings);
allow!(deck_entries, decks);
allow!(games, sets);
allow!(print_commitments, print_runs);
