//! The designs of reports: the revision that others could read when a design was reported, and what they read now.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Jsonb, Nullable, Text, Timestamptz};

use crate::domain::designs::content::DesignContent;
use crate::store::db::codecs::json::Json;

/// What a report stores of the design `$reported_design`: the number of the revision that others read. That is enough: a
/// revision is never changed, and a design that others have seen is never deleted. Null: there is no such design.
pub(super) const SNAPSHOT: &str = "(SELECT jsonb_build_object('revision', d.public_revision) FROM designs d \
     WHERE d.id = $reported_design AND d.public_revision IS NOT NULL)";

/// The columns of a [`ReportedDesign`], from `abuse_reports r`, `designs d` and [`TABLES`].
pub(super) const COLUMNS: &str = "coalesce(q.content, n.content) ->> 'name' AS design_name, d.game_code AS design_game, q.number AS reported_revision, \
     q.created_at AS reported_revised_at, q.content AS reported_content, CASE WHEN q.content <> n.content THEN n.content END AS content_now";

/// The revision `n` that others read now, and the revision `q` that they read when the design was reported.
pub(super) const TABLES: &str = "LEFT JOIN design_revisions n ON n.design_id = d.id AND n.number = coalesce(d.public_revision, d.revision) \
     LEFT JOIN design_revisions q ON q.design_id = r.design_id AND q.number = (r.reported ->> 'revision')::bigint";

/// The design of a report, as moderators see it.
#[derive(Clone, Debug, QueryableByName)]
pub struct ReportedDesign {
    /// Its name when it was reported; its name now in reports about a comment or a suggestion, and in those of older programs.
    #[diesel(sql_type = Nullable<Text>)]
    pub design_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    design_game: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    reported_revision: Option<i64>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    reported_revised_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    reported_content: Option<Json<DesignContent>>,
    /// What others read now, if that is something else.
    #[diesel(sql_type = Nullable<Jsonb>)]
    content_now: Option<Json<DesignContent>>,
}

/// A revision that others could read when the design was reported.
#[derive(Debug)]
pub struct ReportedRevision {
    /// Code of the design's game.
    pub game_code: String,
    /// Its number, from 1.
    pub number: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    pub content: DesignContent,
    /// What others read now, if that is something else.
    pub content_now: Option<DesignContent>,
}

impl ReportedDesign {
    /// Takes the reported revision out; `None`: the report is not about a design, or an older program stored it.
    pub fn take_revision(&mut self) -> Option<ReportedRevision> {
        Some(ReportedRevision {
            game_code: self.design_game.take()?,
            number: self.reported_revision?,
            created_at: self.reported_revised_at?,
            content: self.reported_content.take()?.0,
            content_now: self.content_now.take().map(|Json(content)| content),
        })
    }
}
