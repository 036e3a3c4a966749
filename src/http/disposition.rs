//! `Content-Disposition` (RFC 6266): the name under which a client stores a response.

use std::fmt::Write as _;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, HeaderValue};
use cardscape_engine::DeckDialect;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The characters that RFC 8187 does not allow in `filename*`, and some more.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What a browser does with a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disposition {
    /// It shows the response.
    Inline,
    /// It stores the response as a file.
    Attachment,
}

/// Adds the name under which the response is stored: a title that a person chose, with an extension.
fn named(
    mut answer: HttpResponse,
    disposition: Disposition,
    title: &str,
    extension: &str,
) -> HttpResponse {
    // Only characters that a header may have are written.
    if let Ok(value) = HeaderValue::from_str(&header_text(disposition, title, extension)) {
        answer.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    answer
}

/// Names the text of a deck. Texts that people paste are shown; a file that a program opens is stored.
pub fn named_export(answer: HttpResponse, deck: &str, dialect: DeckDialect) -> HttpResponse {
    let disposition = match dialect.extension() {
        "txt" => Disposition::Inline,
        _ => Disposition::Attachment,
    };
    named(answer, disposition, deck, dialect.extension())
}

fn header_text(disposition: Disposition, title: &str, extension: &str) -> String {
    let disposition = match disposition {
        Disposition::Inline => "inline",
        Disposition::Attachment => "attachment",
    };
    let stem = stem_of(title);
    let ascii = ascii_of(&stem);
    let mut text = format!("{disposition}; filename=\"{ascii}.{extension}\"");
    if stem != ascii && !stem.is_empty() {
        let _ = write!(text, "; filename*=UTF-8''{}", utf8_percent_encode(&stem, ESCAPED));
        let _ = write!(text, ".{extension}");
    }
    text
}

/// The title without characters that separate folders, that some system does not allow in the name of a file, or that change how the name is shown.
fn stem_of(title: &str) -> String {
    let is_refused = |c: char| {
        c.is_control()
            || "/\\:*?\"<>|".contains(c)
            || matches!(c, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
    };
    let stem: String = title.chars().map(|c| if is_refused(c) { '-' } else { c }).collect();
    let is_outside = |c: char| c == '.' || c == '-' || c.is_whitespace();
    stem.trim_matches(is_outside).to_owned()
}

/// The same in ASCII, for clients that do not read `filename*`; `deck` if nothing is left.
fn ascii_of(stem: &str) -> String {
    let letters = stem.nfkd().filter(|c| !is_combining_mark(*c));
    let is_kept = |c: char| c.is_ascii_alphanumeric() || " -_.,()+!".contains(c);
    let ascii: String = letters.map(|c| if is_kept(c) { c } else { '_' }).collect();
    let ascii = ascii.trim_matches(|c: char| !c.is_ascii_alphanumeric() && !"()!".contains(c));
    if ascii.is_empty() { "deck".to_owned() } else { ascii.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_in_ascii_and_in_full() {
        let inline = |title: &str| header_text(Disposition::Inline, title, "txt");
        assert_eq!(inline("Embers and Bones"), "inline; filename=\"Embers and Bones.txt\"");
        assert_eq!(
            inline("Émbers & “Bones”"),
            "inline; filename=\"Embers _ _Bones.txt\"; filename*=UTF-8''%C3%89mbers%20%26%20%E2%80%9CBones%E2%80%9D.txt"
        );
        assert_eq!(
            inline("火の国"),
            "inline; filename=\"deck.txt\"; filename*=UTF-8''%E7%81%AB%E3%81%AE%E5%9B%BD.txt"
        );
        assert_eq!(
            header_text(Disposition::Attachment, "Pond", "csv"),
            "attachment; filename=\"Pond.csv\""
        );
    }

    #[test]
    fn a_name_cannot_leave_its_folder_or_its_header() {
        let inline = |title: &str| header_text(Disposition::Inline, title, "txt");
        assert_eq!(inline("../../etc/passwd"), "inline; filename=\"etc-passwd.txt\"");
        assert_eq!(inline("C:\\a"), "inline; filename=\"C--a.txt\"");
        assert_eq!(
            inline("a\"; filename=\"b\r\nX: y"),
            "inline; filename=\"a-_ filename_-b--X- y.txt\"; filename*=UTF-8''a-%3B%20filename%3D-b--X-%20y.txt"
        );
        assert_eq!(inline("gpj\u{202E}.exe"), "inline; filename=\"gpj-.exe.txt\"");
        for nothing in ["", "..", " / ", "\u{2028}", "\u{061C}"] {
            assert_eq!(inline(nothing), "inline; filename=\"deck.txt\"", "{nothing:?}");
        }
    }
}
