//! What reports contained when they were sent first: a repeated report replaces it, and keeps it here if it was something else.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Jsonb, Nullable, Timestamptz};
use serde::Deserialize;

use super::reported_designs::ReportedRevision;
use crate::domain::designs::content::DesignContent;
use crate::store::db::codecs::json::Json;

/// What a repeated report writes into these columns: the first content stays, whatever is reported later. Both are written together, so that the time belongs to
/// the content, and also if the content is the same: an older program that repeats the report afterwards replaces only `reported`. A report that an older program
/// stored without content has none at first: then the content of its first repetition stays.
pub(super) const KEPT: &str = "first_reported = CASE WHEN $replaces AND abuse_reports.reported IS NOT NULL \
       THEN coalesce(abuse_reports.first_reported, abuse_reports.reported) ELSE abuse_reports.first_reported END, \
      first_reported_at = CASE WHEN $replaces AND abuse_reports.reported IS NOT NULL \
       THEN coalesce(abuse_reports.first_reported_at, abuse_reports.created_at) ELSE abuse_reports.first_reported_at END";

/// The columns of a [`FirstEvidence`], from `abuse_reports r`, the revision `n` of its design that others read now, and [`TABLES`].
pub(super) const COLUMNS: &str = "CASE WHEN r.first_reported <> r.reported THEN r.first_reported END AS texts_at_first, r.first_reported_at, \
     f.number AS first_revision, f.created_at AS first_revised_at, f.content AS first_content, \
     CASE WHEN f.content <> n.content THEN n.content END AS changed_content";

/// The revision `f` that others read when the design was reported first.
pub(super) const TABLES: &str = "LEFT JOIN design_revisions f ON f.design_id = r.design_id AND r.first_reported <> r.reported \
     AND f.number = (r.first_reported ->> 'revision')::bigint";

/// What a report contained when it was sent first, if it contains something else now.
#[derive(Clone, Debug, QueryableByName)]
pub struct FirstEvidence {
    #[diesel(sql_type = Nullable<Jsonb>)]
    texts_at_first: Option<Json<FirstTexts>>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    first_reported_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<BigInt>)]
    first_revision: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    first_revised_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    first_content: Option<Json<DesignContent>>,
    /// What others read now, if that is something else.
    #[diesel(sql_type = Nullable<Jsonb>)]
    changed_content: Option<Json<DesignContent>>,
}

/// The texts of a reported deck or comment. A report about a design has none of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FirstTexts {
    /// Name of the deck.
    pub name: Option<String>,
    /// Description of the deck.
    pub description: Option<String>,
    /// Tags of the deck.
    pub tags: Vec<String>,
    /// Names in entries of the deck that belonged to no card.
    pub entries: Vec<String>,
    /// Text of the comment.
    pub text: Option<String>,
}

impl FirstEvidence {
    /// Takes the texts out, with the time when the report was sent first; `None`: the report contains the same now.
    pub fn take_texts(&mut self) -> Option<(DateTime<Utc>, FirstTexts)> {
        let Json(texts) = self.texts_at_first.take()?;
        Some((self.first_reported_at?, texts))
    }

    /// Takes the revision of the design out, which is of a game; `None`: the report contains the same now, or is not about a design.
    pub fn take_revision(&mut self, game_code: &str) -> Option<ReportedRevision> {
        Some(ReportedRevision {
            game_code: game_code.to_owned(),
            number: self.first_revision?,
            created_at: self.first_revised_at?,
            content: self.first_content.take()?.0,
            content_now: self.changed_content.take().map(|Json(content)| content),
        })
    }
}
