//! Which tables stand together in one query of diesel.
//!
//! Each pair is a handful of implementations that the compiler checks against each other. All pairs of all tables, which diesel's own
//! generator would allow, take more of a build than all functions of `store`, so a pair is added here when the first query needs it.

use diesel::allow_tables_to_appear_in_same_query as allow;

use super::schema::{
    accounts, card_migrations, cards, copies, deck_entries, decks, games, personal_access_tokens,
    print_commitments, print_runs, printings, sessions, sets, unlock_policies,
};

allow!(accounts, personal_access_tokens);
allow!(accounts, sessions);
allow!(card_migrations, cards);
allow!(cards, sets);
allow!(copies, printings);
allow!(deck_entries, decks);
allow!(games, sets);
allow!(print_commitments, print_runs);
allow!(sets, unlock_policies);
