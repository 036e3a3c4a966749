//! Versions of resources that are edited under `If-Match` (RFC 9110, section 13), and which version a client means.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::problem::{Problem, ProblemCode};
use crate::memory::rendered::tag_of;

/// The version of a resource that is edited under `If-Match`; its ETag is `"r7"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision(pub i64);

impl Revision {
    pub(crate) fn tag(self) -> String {
        format!("r{}", self.0)
    }

    /// The `If-Match` header that names this version.
    pub(crate) fn if_match(self) -> IfMatch {
        IfMatch::naming(&self.tag())
    }
}

/// The version of a resource that moderators take down without a new revision. The takedown and its end both change what its owner
/// reads. Its ETag is `"r7"`, or `"r7.1764412345000000"` while it is taken down, with the time of that decision.
///
/// A folder has no revision either, because only the owner of a deck sees it. For the owner of a deck in a folder, the ETag is `"r7~5c0e91b2"`, with a
/// digest of the folder, and `"r7"` is another version: that without a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub(crate) revision: Revision,
    /// `None`: it is not taken down.
    pub(crate) taken_down_at: Option<DateTime<Utc>>,
    /// Digest of the folder; 0: it is in no folder, or the reader does not see its folder.
    pub(crate) folder: u64,
}

impl From<Revision> for Version {
    fn from(revision: Revision) -> Self {
        Self { revision, taken_down_at: None, folder: 0 }
    }
}

impl Version {
    pub(crate) fn tag(self) -> String {
        if self.folder == 0 { self.tag_without_folder() } else { self.tag_with_folder() }
    }

    fn tag_without_folder(self) -> String {
        let tag = self.revision.tag();
        match self.taken_down_at {
            Some(at) => format!("{tag}.{}", at.timestamp_micros()),
            None => tag,
        }
    }

    /// The tag that also states that there is no folder.
    fn tag_with_folder(self) -> String {
        format!("{}{FOLDER}{:x}", self.tag_without_folder(), self.folder)
    }

    /// This version as readers see it who do not see the folder.
    pub(crate) fn without_folder(self) -> Self {
        Self { folder: 0, ..self }
    }

    /// The `If-Match` header that names this version.
    pub(crate) fn if_match(self) -> IfMatch {
        IfMatch::naming(&self.tag_with_folder())
    }

    /// The value of the field with which a form names this version, in any folder: see [`IfMatch::of_form`].
    pub(crate) fn in_form(self) -> String {
        self.tag_without_folder().trim_start_matches('r').to_owned()
    }

    /// The value of a second field, of forms that also contain the folder: see [`IfMatch::of_form_with_folder`].
    pub(crate) fn folder_in_form(self) -> String {
        format!("{:x}", self.folder)
    }
}

/// Suffix of the ETag of a plain-text form.
pub(crate) const TEXT: &str = "-text";
/// Separates the version in an ETag from counts that others change: `"r7+12"` and `"r7+13"` are the same version for
/// `If-Match`, but different responses for caches.
const COUNTS: char = '+';
/// Separates the version in an ETag from the digest of the folder.
const FOLDER: char = '~';

impl Version {
    /// The ETag of a response that also depends on counts, which are no part of the version. If all counts are 0, the
    /// ETag of the version alone.
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
    /// The opaque part as it was sent; `None` for `*`.
    pub(crate) written: Option<String>,
    pub(crate) weak: bool,
    /// Whether it names the version in any folder: that of a form without the folder, never that of a header.
    in_any_folder: bool,
}

impl ListedTag {
    /// Parses `"r1"`, `W/"r1"` or `*`; `None`: it is none of these.
    pub(crate) fn read(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry == "*" {
            return Some(Self::naming(None));
        }
        let (weak, quoted) = entry.strip_prefix("W/").map_or((false, entry), |rest| (true, rest));
        let written = quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned();
        Some(Self { weak, ..Self::naming(Some(written)) })
    }

    /// A strong tag; `None`: `*`.
    fn naming(written: Option<String>) -> Self {
        Self { written, weak: false, in_any_folder: false }
    }

    /// Whether the entry names `tag`, in any content encoding.
    pub(crate) fn names(&self, tag: &str) -> bool {
        self.written.as_deref().is_none_or(|written| without_encoding(written) == tag)
    }

    /// Whether the entry names this version, whatever its counts. The text of a deck has no folder, so its tag names the version in any.
    fn names_version(&self, version: Version) -> bool {
        let names = |written: &str| {
            let written = without_encoding(written);
            let text = written.strip_suffix(TEXT);
            let named = text.unwrap_or(written).split(COUNTS).next().unwrap_or_default();
            if text.is_some() || self.in_any_folder {
                return named == version.tag_without_folder();
            }
            [version.tag(), version.tag_with_folder()].iter().any(|tag| tag == named)
        };
        self.written.as_deref().is_none_or(names)
    }

    /// The same tag, or, for that of a text form, the tag of the version without a folder.
    fn with_folder(&self) -> Self {
        let written = self.written.as_deref().map(|written| {
            let text = without_encoding(written).strip_suffix(TEXT);
            text.unwrap_or(written).to_owned()
        });
        Self { written, ..*self }
    }
}

/// The tag without the suffix of a content encoding.
fn without_encoding(tag: &str) -> &str {
    ["-gzip", "-br", "-deflate"].iter().find_map(|suffix| tag.strip_suffix(suffix)).unwrap_or(tag)
}

/// The `If-Match` header that every edit needs: 428 without one.
pub struct IfMatch(pub(crate) Vec<ListedTag>);

impl IfMatch {
    /// 412 unless `current` is the version that the client means to change. Weak tags never match (RFC 9110, 13.1.1).
    pub fn check(&self, current: impl Into<Version>) -> Result<(), Problem> {
        let version = current.into();
        let matches = self.0.iter().any(|listed| !listed.weak && listed.names_version(version));
        if matches { Ok(()) } else { Err(Problem::new(ProblemCode::PreconditionFailed)) }
    }

    /// Whether the client has read the response `current`: for resources whose ETag is a hash of the response.
    pub fn has_seen<T: Serialize>(&self, current: &T) -> bool {
        let Ok(body) = serde_json::to_vec(current) else { return false };
        let tag = tag_of(&body);
        self.0.iter().any(|listed| !listed.weak && listed.names(&tag))
    }
}

impl IfMatch {
    /// The `If-Match` header that names the version with this tag.
    pub(crate) fn naming(tag: &str) -> Self {
        Self(vec![ListedTag::naming(Some(tag.to_owned()))])
    }

    /// The versions that the header names for an edit that also replaces the folder. The text form has no folder: who has read only that must not take the deck
    /// out of its folder.
    pub(crate) fn with_folder(&self) -> Self {
        Self(self.0.iter().map(ListedTag::with_folder).collect())
    }

    /// The `If-Match` header that the field of a form stands for: see [`Version::in_form`]. A form of an older program has
    /// only the number of the revision. A form without the folder names the version in any folder.
    pub(crate) fn of_form(version: &str) -> Self {
        let in_any_folder = !version.contains(FOLDER);
        Self(vec![ListedTag { in_any_folder, ..ListedTag::naming(Some(format!("r{version}"))) }])
    }

    /// Like [`Self::of_form`], for a form with a second field for the folder: see [`Version::folder_in_form`]. The folder has a
    /// field of its own, because older programs know no version with a folder, and would refuse the form. Their forms lack that field.
    pub(crate) fn of_form_with_folder(version: &str, folder: &str) -> Self {
        if folder.is_empty() || version.contains(FOLDER) {
            return Self::of_form(version);
        }
        Self::naming(&format!("r{version}{FOLDER}{folder}"))
    }
}

/// The version of a resource whose ETag is a hash of the response: what [`IfMatch::has_seen`] compares.
pub(crate) fn version_of<T: Serialize>(current: &T) -> Result<String, Problem> {
    Ok(tag_of(&serde_json::to_vec(current).map_err(Problem::internal)?))
}

/// The `If-None-Match` header of a write: `*` means that the resource must not exist yet.
pub(crate) struct IfNoneMatch(pub(crate) Vec<ListedTag>);

impl IfNoneMatch {
    /// 412 when the resource exists and the header names it.
    fn check(&self, current: Option<Revision>) -> Result<(), Problem> {
        let named = |current: Revision| self.0.iter().any(|listed| listed.names(&current.tag()));
        if current.is_some_and(named) {
            let detail = "It exists already, as If-None-Match says that it must not.";
            return Err(Problem::new(ProblemCode::PreconditionFailed).detail(detail));
        }
        Ok(())
    }
}

/// The version that an edit replaces: the one in `If-Match`, or none (`If-None-Match: *` states this explicitly).
pub struct Versions {
    pub(crate) if_match: Option<IfMatch>,
    pub(crate) if_none_match: IfNoneMatch,
}

impl Versions {
    /// The headers of an edit that replaces this version; `None`: the edit creates the resource, which must not exist yet.
    pub(crate) fn replacing(current: Option<Revision>) -> Self {
        let new = ListedTag::naming(None);
        match current {
            Some(current) => {
                Self { if_match: Some(current.if_match()), if_none_match: IfNoneMatch(Vec::new()) }
            }
            None => Self { if_match: None, if_none_match: IfNoneMatch(vec![new]) },
        }
    }

    /// Returns the version to replace: 428 when the client names none, 412 when it names another.
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

    /// Like [`Self::check`], for resources that show a default (`shown`) while nothing is stored: the ETag of the
    /// default is accepted, too.
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

    /// For edits that are not idempotent: 428 for `*`, which names no version.
    pub fn named(&self) -> Result<&Self, Problem> {
        let any = |IfMatch(tags): &IfMatch| tags.iter().any(|tag| tag.written.is_none());
        if self.if_match.as_ref().is_some_and(any) {
            let detail = "If-Match must name the version, not `*`: a repeated request would make the edit again.";
            return Err(Problem::new(ProblemCode::PreconditionRequired).detail(detail));
        }
        Ok(self)
    }
}
