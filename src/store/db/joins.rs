//! The pairs of tables that may appear in one query of diesel.
//!
//! Each pair adds several trait implementations that the compiler checks against each other. The pairs of all tables,
//! which diesel's own generator would add, take more build time than all functions of `store`. So a pair is added here
//! when the first query needs it.

use diesel::allow_tables_to_appear_in_same_query as allow;

use super::schema::{
    accounts, card_migrations, cards, deck_entries, decks, games, personal_access_tokens,
    print_commitments, print_run_lines, print_runs, printings, sessions, sets, unlock_policies,
};

allow!(accounts, deck_entries);
allow!(accounts, decks);
allow!(accounts, personal_access_tokens);
allow!(accounts, sessions);
allow!(card_migrations, cards);
allow!(cards, sets);
allow!(deck_entries, decks);
allow!(games, sets);
allow!(print_commitments, print_runs);
allow!(print_run_lines, printings);
allow!(sets, unlock_policies);
