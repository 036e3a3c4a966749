//! The decks of reports: what others could read when a deck was reported, and who can read it now.

use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Nullable, Text, Uuid as SqlUuid};

use crate::domain::designs::abuse_report::ReportedDeckState;
use crate::domain::ids::DeckId;
use crate::store::decks::TAKES_FEEDBACK;

/// Most names of entries that a report stores.
const MAX_NAMES: usize = 100;

/// What others read of the deck `$reported_deck`: the texts that its owner chose. Null: there is no such deck, or others cannot
/// read it. Of the entries only those that are bound to no card: these names are texts of the owner, and others read
/// them, while the card of a bound entry may be hidden. What an older program stored has no bindings, so no entry of it is taken.
pub(super) fn snapshot() -> String {
    format!(
        "(SELECT jsonb_build_object('name', d.name, 'description', d.description, 'tags', to_jsonb(d.tags), 'entries', \
          (SELECT coalesce(jsonb_agg(u.name ORDER BY u.position), '[]') FROM (SELECT e.name, e.position FROM deck_entries e \
           WHERE e.deck_id = d.id AND d.bound_revision = d.revision AND d.card_ids[e.position + 1] IS NULL AND e.name <> '' \
           ORDER BY e.position LIMIT {MAX_NAMES}) u)) \
         FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = $reported_deck AND {TAKES_FEEDBACK})"
    )
}

/// The columns of a [`ReportedDeck`], from `abuse_reports r` and [`TABLES`]. The deck of a reported comment has its name while others
/// can read it. While it is taken down, it has the name that moderators read in the newest report for which it was, because its owner may have given it another one since.
pub(super) const COLUMNS: &str = "r.deck_id AS deck, CASE WHEN r.comment_id IS NULL THEN r.reported ->> 'name' \
      WHEN (k.visibility = 'public' OR k.unlisted AND k.bound_revision = k.revision) AND k.deleted_at IS NULL AND o.banned_at IS NULL THEN k.name \
      WHEN k.taken_down_at IS NOT NULL THEN (SELECT u.reported ->> 'name' FROM abuse_reports u \
       WHERE u.deck_id = k.id AND u.comment_id IS NULL AND u.decision = 'upheld' ORDER BY u.id DESC LIMIT 1) END AS deck_name, \
     nullif(r.reported ->> 'description', '') AS deck_description, \
     ARRAY(SELECT jsonb_array_elements_text(r.reported -> 'tags')) AS deck_tags, ARRAY(SELECT jsonb_array_elements_text(r.reported -> 'entries')) AS deck_entries, \
     k.visibility = 'public' OR k.unlisted AND k.bound_revision = k.revision AS deck_is_open, \
     k.deleted_at IS NOT NULL AS deck_is_deleted, k.taken_down_at IS NOT NULL AS deck_is_taken_down, o.banned_at IS NOT NULL AS deck_owner_is_banned";

/// The deck of a report and its owner.
pub(super) const TABLES: &str =
    "LEFT JOIN decks k ON k.id = r.deck_id LEFT JOIN accounts o ON o.id = k.account_id";

/// The deck of a report, as moderators see it: what its owner wrote since the report, they read on its page, if others can.
#[derive(Clone, Debug, QueryableByName)]
pub struct ReportedDeck {
    /// Id of the reported deck, or of the deck with the reported comment.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub deck: Option<DeckId>,
    #[diesel(sql_type = Nullable<Text>)]
    pub deck_name: Option<String>,
    /// The description when the deck was reported; this and the rest only in reports about decks.
    #[diesel(sql_type = Nullable<Text>)]
    pub deck_description: Option<String>,
    #[diesel(sql_type = Array<Text>)]
    pub deck_tags: Vec<String>,
    /// Names in entries that were bound to no card.
    #[diesel(sql_type = Array<Text>)]
    pub deck_entries: Vec<String>,
    /// Whether it is public or unlisted; `None`: the report has no deck.
    #[diesel(sql_type = Nullable<Bool>)]
    deck_is_open: Option<bool>,
    #[diesel(sql_type = Bool)]
    deck_is_deleted: bool,
    #[diesel(sql_type = Bool)]
    deck_is_taken_down: bool,
    #[diesel(sql_type = Bool)]
    deck_owner_is_banned: bool,
}

impl ReportedDeck {
    /// Who can read the deck now; `None`: the report has no deck.
    pub fn state(&self) -> Option<ReportedDeckState> {
        let is_open = self.deck_is_open?;
        Some(if self.deck_is_deleted {
            ReportedDeckState::Deleted
        } else if self.deck_is_taken_down {
            ReportedDeckState::TakenDown
        } else if !is_open {
            ReportedDeckState::Private
        } else if self.deck_owner_is_banned {
            ReportedDeckState::OwnerBanned
        } else {
            ReportedDeckState::Shown
        })
    }
}
