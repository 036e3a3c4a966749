//! Characters that are no part of a text: nobody sees them, or they make it look like another text.

/// Whether a character is no part of a text:
///
/// - C0 and C1 controls, and the byte order mark;
/// - line and paragraph separators, which break a line in some programs and not in others;
/// - bidirectional formatting characters, which make a text look like another one, and the deprecated ones beside them;
/// - marks of interlinear annotations, which are for programs that exchange texts by agreement (Unicode, section 23.8);
/// - noncharacters, which are not for interchange (section 23.7), and ignorable characters that are not assigned.
///
/// Private-use characters are accepted, because fonts of games have symbols there. Characters that are invisible but needed in a text are accepted as well:
/// joiners (emoji, Arabic, scripts of India), variation selectors, direction marks, places for line breaks, fillers of Korean syllables.
#[inline]
pub fn is_no_text(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{2028}'..='\u{202E}' | '\u{2065}'..='\u{206F}' | '\u{FDD0}'..='\u{FDEF}' | '\u{FEFF}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E001F}' | '\u{E0080}'..='\u{E00FF}'
            | '\u{E01F0}'..='\u{E0FFF}')
        || u32::from(c) & 0xFFFE == 0xFFFE
}

/// Letters and symbols that are invisible, unlike white space and formatting characters: fillers of Korean syllables, signs of Khmer and Mongolian that
/// only affect their neighbours, shorthand and music controls, the blank of Braille, hieroglyphs without a picture, a note without a head. Names have none:
/// with them, two names that look the same would be different names, because [`name_key`](crate::name_key) drops the other invisible characters, but not these.
pub const fn is_drawn_as_nothing(c: char) -> bool {
    matches!(c,
        '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' | '\u{2800}' | '\u{3164}'
        | '\u{FFA0}' | '\u{13441}' | '\u{13442}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D159}' | '\u{1D173}'..='\u{1D17A}')
}

/// Whether the character alone leaves a mark on the page. Not seen are white space, ignorable characters (`Default_Ignorable_Code_Point` in
/// `DerivedCoreProperties.txt` of Unicode 16) and the few assigned characters beside them whose picture is empty.
pub fn is_seen(c: char) -> bool {
    let is_format = matches!(c,
        '\u{AD}' | '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFF8}' | '\u{E0000}'..='\u{E0FFF}');
    !(c.is_control() || c.is_whitespace() || is_format || is_drawn_as_nothing(c))
}

/// Most tag characters of a flag without the one that ends it: two letters for the country and up to four for its part (UTS 35, `unicode_subdivision_id`).
const MAX_TAGS: usize = 6;

/// The first tag character of a text that is not in the flag of a part of a country (UTS 51, emoji tag sequences): a black flag, tags, and the tag that ends
/// them. Elsewhere they are never shown, and can hide a whole text.
pub fn stray_tag(text: &str) -> Option<char> {
    if text.is_ascii() {
        return None;
    }
    // How many tags follow the black flag, and the first of them; `None`: this is not a flag.
    let mut tags: Option<(usize, char)> = None;
    for character in text.chars() {
        tags = match (character, tags) {
            ('\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}', Some((count, first)))
                if count < MAX_TAGS =>
            {
                Some((count + 1, if count == 0 { character } else { first }))
            }
            ('\u{E007F}', Some((1.., _))) => None,
            ('\u{E0000}'..='\u{E007F}', _) => return Some(character),
            (_, Some((1.., first))) => return Some(first),
            ('\u{1F3F4}', _) => Some((0, character)),
            _ => None,
        };
    }
    tags.filter(|(count, _)| *count > 0).map(|(_, first)| first)
}

/// The first character that is no part of a text, unless `may_have` says that this text may have it.
pub(crate) fn refused_in_text(text: &str, may_have: impl Fn(char) -> bool) -> Option<char> {
    text.chars().find(|c| is_no_text(*c) && !may_have(*c)).or_else(|| stray_tag(text))
}

/// The first character that is no part of a name.
pub(crate) fn refused_in_name(name: &str) -> Option<char> {
    refused_in_text(name, |_| false).or_else(|| name.chars().find(|c| is_drawn_as_nothing(*c)))
}

/// A refused character in words, for messages: `a control character, U+0000`.
pub(crate) fn in_words(refused: char) -> String {
    let sort = match refused {
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            "a character that changes the direction of the text"
        }
        '\u{2028}' | '\u{2029}' => "a line or paragraph separator",
        other if other.is_control() => "a control character",
        _ => "an invisible character",
    };
    format!("{sort}, U+{:04X}", u32::from(refused))
}

/// A text in quotation marks, for messages. Unlike in the debug form of Rust, marks that belong to the character before them stay as they are, so that `❤️` is
/// `"❤️"`. Only quotation marks and characters that are no part of a text are escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        if character == '"' || is_no_text(character) {
            written.extend(character.escape_default());
        } else {
            written.push(character);
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_look_as_they_were_written() {
        for text in ["Foil", "❤\u{fe0f}", "Cafe\u{301}", "👩🏻\u{200D}❤\u{FE0F}", r"a\b"] {
            assert_eq!(quoted(text), format!("\"{text}\""));
        }
        assert_eq!(quoted("a\"b\n\u{202e}c"), r#""a\"b\n\u{202e}c""#);
    }

    #[test]
    fn names_have_no_characters_that_nobody_sees() {
        for refused in [
            '\0',
            '\n',
            '\u{85}',
            '\u{2028}',
            '\u{202A}',
            '\u{202E}',
            '\u{2066}',
            '\u{2069}',
            '\u{FEFF}',
            '\u{FFF9}',
            '\u{FFFE}',
            '\u{E0041}',
            '\u{E007F}',
            '\u{3164}',
            '\u{2800}',
            '\u{61C}',
        ] {
            assert_eq!(refused_in_name(&format!("Ré{refused}f")), Some(refused), "{refused:?}");
        }
        for name in [
            "مرحبا",
            "שלום",
            "می\u{200C}خواهم",
            "👩🏻\u{200D}❤\u{FE0F}\u{200D}👨🏼",
            "1\u{FE0F}\u{20E3}",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "🏴\u{200D}☠\u{FE0F}",
            "\u{E000}",
            "Reef",
        ] {
            assert_eq!(refused_in_name(name), None, "{name:?}");
        }
        assert_eq!(refused_in_name("🏴\u{E0067}\u{E0062}a"), Some('\u{E0067}'));
        assert_eq!(refused_in_text("a\nb", |c| c == '\n'), None);
    }

    #[test]
    fn a_refused_character_is_named() {
        for (refused, words) in [
            ('\t', "a control character, U+0009"),
            ('\u{202E}', "a character that changes the direction of the text, U+202E"),
            ('\u{2029}', "a line or paragraph separator, U+2029"),
            ('\u{E0041}', "an invisible character, U+E0041"),
        ] {
            assert_eq!(in_words(refused), words);
        }
    }
}
