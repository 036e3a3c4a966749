//! Versions of things that are edited under `If-Match` (RFC 9110, section 13), and which of them a client means.

use serde::Serialize;

use super::problem::{Problem, ProblemCode};
use crate::memory::rendered::tag_of;

/// The version of something that is edited under `If-Match`; its ETag is `"r7"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(pub i64);

impl Revision {
    pub(crate) fn tag(self) -> String {
        format!("r{}", self.0)
    }

    /// What an edit names that means this version, as `If-Match` does.
    pub(crate) fn meant(self) -> IfMatch {
        IfMatch(vec![ListedTag { written: Some(self.tag()), weak: false }])
    }
}

/// What the tag of a plain text form ends with.
pub(crate) const TEXT: &str = "-text";
/// What stands in a tag before what others do with the thing: `"r7+12"` is version 7 for `If-Match`, and another answer than `"r7+13"`.
const COUNTS: char = '+';

impl Revision {
    /// The tag of an answer that changes with some counts, too, which make no version. While all of them are 0 it is that of the version alone.
    pub(crate) fn tag_with(self, counts: &[i64]) -> String {
        if counts.iter().all(|count| *count == 0) {
            return self.tag();
        }
        let counts: Vec<String> = counts.iter().map(i64::to_string).collect();
        format!("{}{COUNTS}{}", self.tag(), counts.join("."))
    }
}

/// One entry of `If-Match` or `If-None-Match`.
pub(crate) struct ListedTag {
    /// The opaque part as written; `None` for `*`.
    pub(crate) written: Option<String>,
    pub(crate) weak: bool,
}

impl ListedTag {
    /// Reads `"r1"`, `W/"r1"` or `*`; `None`: it is none of them.
    pub(crate) fn read(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry == "*" {
            return Some(Self { written: None, weak: false });
        }
        let (weak, quoted) = entry.strip_prefix("W/").map_or((false, entry), |rest| (true, rest));
        let written = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(Self { written: Some(written), weak })
    }

    /// Whether it names `tag` in any content encoding.
    pub(crate) fn names(&self, tag: &str) -> bool {
        self.written.as_deref().is_none_or(|written| without_encoding(written) == tag)
    }

    /// Whether it names the version of that tag, whatever was counted then.
    fn names_version(&self, tag: &str) -> bool {
        let version = |written: &str| without_encoding(written).split(COUNTS).next() == Some(tag);
        self.written.as_deref().is_none_or(version)
    }
}

/// The tag without the suffix that names a content encoding.
fn without_encoding(tag: &str) -> &str {
    tag.strip_suffix("-gzip").or_else(|| tag.strip_suffix("-br")).unwrap_or(tag)
}

/// The `If-Match` header that every edit needs: 428 without one.
pub struct IfMatch(pub(crate) Vec<ListedTag>);

impl IfMatch {
    /// 412 unless `current` is the version that the client means to change. Weak tags never match (RFC 9110, 13.1.1).
    pub fn check(&self, current: Revision) -> Result<(), Problem> {
        let tag = current.tag();
        let text = format!("{tag}{TEXT}");
        let matches = self
            .0
            .iter()
            .any(|listed| !listed.weak && (listed.names_version(&tag) || listed.names(&text)));
        if matches { Ok(()) } else { Err(Problem::new(ProblemCode::PreconditionFailed)) }
    }

    /// Whether `current` is the answer that the client has seen: for things whose ETag is a hash of the answer.
    pub fn has_seen<T: Serialize>(&self, current: &T) -> bool {
        let Ok(body) = serde_json::to_vec(current) else { return false };
        let tag = tag_of(&body);
        self.0.iter().any(|listed| !listed.weak && listed.names(&tag))
    }
}

/// The `If-None-Match` header of a write: `*` says that there is to be nothing yet.
pub(crate) struct IfNoneMatch(pub(crate) Vec<ListedTag>);

impl IfNoneMatch {
    /// 412 when there is something, and the header names it.
    fn check(&self, current: Option<Revision>) -> Result<(), Problem> {
        let named = |current: Revision| self.0.iter().any(|listed| listed.names(&current.tag()));
        if current.is_some_and(named) {
            let detail = "It exists already, as If-None-Match says that it must not.";
            return Err(Problem::new(ProblemCode::PreconditionFailed).detail(detail));
        }
        Ok(())
    }
}

/// Which version an edit means to replace: that of `If-Match`, or none yet (`If-None-Match: *` says so aloud).
pub struct Versions {
    pub(crate) if_match: Option<IfMatch>,
    pub(crate) if_none_match: IfNoneMatch,
}

impl Versions {
    /// The version that is replaced, if the client means that one: 428 when it names none, 412 when it means another.
    pub fn check(&self, current: Option<Revision>) -> Result<Option<Revision>, Problem> {
        self.if_none_match.check(current)?;
        match (current, &self.if_match) {
            (Some(current), Some(if_match)) => if_match.check(current)?,
            (Some(_), None) => return Err(Problem::new(ProblemCode::PreconditionRequired)),
            (None, Some(_)) => return Err(Problem::new(ProblemCode::PreconditionFailed)),
            (None, None) => {}
        }
        Ok(current)
    }

    /// The same where something else is shown as long as there is nothing: its tag stands for that, too.
    pub fn check_shown<T: Serialize>(
        &self,
        current: Option<Revision>,
        shown: &T,
    ) -> Result<Option<Revision>, Problem> {
        let has_seen = |if_match: &IfMatch| if_match.has_seen(shown);
        if current.is_none() && self.if_match.as_ref().is_some_and(has_seen) {
            return Ok(None);
        }
        self.check(current)
    }

    /// For edits that do something else when they are done twice: `*` names no version, 428.
    pub fn named(&self) -> Result<&Self, Problem> {
        let any = |IfMatch(tags): &IfMatch| tags.iter().any(|tag| tag.written.is_none());
        if self.if_match.as_ref().is_some_and(any) {
            let detail = "If-Match must name the version: done twice, this would be another edit.";
            return Err(Problem::new(ProblemCode::PreconditionRequired).detail(detail));
        }
        Ok(self)
    }
}
