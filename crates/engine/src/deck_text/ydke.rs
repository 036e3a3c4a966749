//! Links of ids: `ydke://main!extra!side!`, each part is base64 of external ids, each as four bytes, little endian.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::draft::{Content, DECK_LINES_MAX, Draft, Source};
use super::read_deck::{IgnoredReason, MalformedText};
use super::writing::DeckWriter;
use super::ydk::{SECTIONS, copy};
use super::zones::Place;
use crate::manifest::Game;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// Maximum number of characters of a part, enough for [`DECK_LINES_MAX`] ids: 16 characters hold three ids.
const PART_MAX: usize = DECK_LINES_MAX.div_ceil(3) * 16;

/// Consecutive copies with the same id are one entry.
pub(super) fn draft<'a>(source: Source<'a>, game: &Game) -> Draft<'a> {
    let mut draft = Draft::default();
    let text = source.tidy.trim();
    let parts = text.get(7..).unwrap_or_default().trim_end_matches('!');
    for (at, part) in parts.splitn(4, '!').enumerate() {
        let Some((_, mark)) = SECTIONS.get(at) else {
            draft.push(1, Cow::Borrowed(part), malformed(MalformedText::TooManyParts));
            continue;
        };
        let part = part.trim();
        if part.is_empty() {
            continue;
        }
        let (read, rest) = part.split_at_checked(PART_MAX).unwrap_or((part, ""));
        let section = &mark[1..];
        if super::zones::place(game, section) != first_place(game) || at > 0 {
            draft.push(1, Cow::Borrowed(mark), Content::Section(Cow::Borrowed(section)));
        }
        match BASE64.decode(read) {
            Ok(bytes) if bytes.len().is_multiple_of(4) => ids(&bytes, &mut draft),
            Ok(_) => draft.push(1, Cow::Borrowed(part), malformed(MalformedText::PartWithoutIds)),
            Err(_) => draft.push(1, Cow::Borrowed(part), malformed(MalformedText::PartNotBase64)),
        }
        draft.left_out += rest.len() * 3 / 16;
    }
    draft
}

fn first_place(game: &Game) -> Place {
    Place::Zone { code: super::zones::main_zone(game).to_owned(), known: true }
}

fn malformed<'a>(detail: MalformedText) -> Content<'a> {
    Content::Ignored(IgnoredReason::Malformed { detail })
}

fn ids(bytes: &[u8], draft: &mut Draft<'_>) {
    for bytes in bytes.as_chunks::<4>().0 {
        let id = u64::from(u32::from_le_bytes(*bytes));
        if let Some(last) = draft.lines.last_mut()
            && let Content::Entry(entry) = &mut last.content
            && entry.external_id == Some(id)
        {
            entry.quantity = entry.quantity.map(|copies| copies.saturating_add(1));
        } else {
            draft.push(1, Cow::Owned(id.to_string()), Content::Entry(copy(id)));
        }
    }
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    let zones = writer.zones_of(&SECTIONS.map(|(role, _)| role));
    writer.text.push_str("ydke://");
    for (role, _) in SECTIONS {
        let entries = zones.iter().find(|(known, _)| *known == role);
        let ids = entries.map(|(_, entries)| writer.ids::<u32>(entries)).unwrap_or_default();
        let bytes: Vec<u8> = ids.into_iter().flat_map(u32::to_le_bytes).collect();
        writer.text.push_str(&BASE64.encode(bytes));
        writer.text.push('!');
    }
}
