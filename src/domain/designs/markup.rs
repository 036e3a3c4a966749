//! The markup of lore and comments, and the one function that renders it.
//!
//! Text is stored as it was written. The markup has paragraphs (separated by blank lines), line breaks, `*emphasis*` and `**strong emphasis**`; everything
//! else is text. There are no links, pictures or raw HTML. A star after a backslash is a plain star.

/// The text as HTML: `p`, `br`, `em` and `strong` without attributes, well nested; everything else is escaped.
///
/// ```
/// use cardscape::domain::designs::markup::to_html;
/// assert_eq!(to_html("It *waits*.\n\nAnd **counts**\n<days>."), "<p>It <em>waits</em>.</p><p>And <strong>counts</strong><br>&lt;days&gt;.</p>");
/// assert_eq!(to_html("2 * 3 * 4, \\*not this\\*, *nor this"), "<p>2 * 3 * 4, *not this*, *nor this</p>");
/// ```
pub fn to_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    for paragraph in paragraphs(text) {
        html.push_str("<p>");
        write_inline(&paragraph, &mut html);
        html.push_str("</p>");
    }
    html
}

/// The paragraphs of a text, with their line breaks. Emphasis never goes on in the next one.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim).chain([""]) {
        if !line.is_empty() {
            paragraph.push(line);
        } else if !paragraph.is_empty() {
            paragraphs.push(paragraph.join("\n"));
            paragraph.clear();
        }
    }
    paragraphs
}

/// The text without its markup: its paragraphs in one line, for a picture.
///
/// ```
/// use cardscape::domain::designs::markup::to_text;
/// assert_eq!(to_text("It *waits*.\n\nAnd **counts** 2 * 3."), "It waits. And counts 2 * 3.");
/// assert_eq!(to_text("alpha *one.\n\ntwo* omega"), "alpha *one. two* omega");
/// ```
pub fn to_text(text: &str) -> String {
    let character = |piece| match piece {
        Piece::Tag(_) => None,
        Piece::Letter(character) => Some(character),
    };
    let plain = |paragraph: &String| -> String {
        pieces(paragraph).into_iter().filter_map(character).collect()
    };
    let plain: Vec<String> = paragraphs(text).iter().map(plain).collect();
    plain.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A run of one or two stars that may begin or end emphasis.
struct Mark {
    /// The index of the first star.
    at: usize,
    /// Number of stars: 1 or 2.
    stars: usize,
    opens: bool,
    closes: bool,
}

/// A piece of a paragraph.
enum Piece {
    /// A tag of emphasis.
    Tag(&'static str),
    /// A character of the text.
    Letter(char),
}

/// Splits a paragraph into pieces, and decides which stars are emphasis and which are plain stars.
fn pieces(text: &str) -> Vec<Piece> {
    let letters: Vec<char> = text.chars().collect();
    let mut tags = tags(&letters).into_iter().peekable();
    let mut pieces = Vec::with_capacity(letters.len());
    let mut at = 0;
    while at < letters.len() {
        if let Some((_, stars, tag)) = tags.next_if(|(place, ..)| *place == at) {
            pieces.push(Piece::Tag(tag));
            at += stars;
            continue;
        }
        // A backslash escapes the star after it.
        let escapes = letters[at] == '\\' && letters.get(at + 1) == Some(&'*');
        at += usize::from(escapes);
        pieces.push(Piece::Letter(letters[at]));
        at += 1;
    }
    pieces
}

fn write_inline(text: &str, html: &mut String) {
    for piece in pieces(text) {
        match piece {
            Piece::Tag(tag) => html.push_str(tag),
            Piece::Letter('\n') => html.push_str("<br>"),
            Piece::Letter('&') => html.push_str("&amp;"),
            Piece::Letter('<') => html.push_str("&lt;"),
            Piece::Letter('>') => html.push_str("&gt;"),
            Piece::Letter('"') => html.push_str("&quot;"),
            Piece::Letter('\'') => html.push_str("&#39;"),
            Piece::Letter(other) => html.push(other),
        }
    }
}

/// Finds the marks that become tags: each closing mark is paired with the nearest opening mark of as many stars, and pairs never overlap partly. Returns the
/// index of each mark, its number of stars, and the tag, in order.
fn tags(letters: &[char]) -> Vec<(usize, usize, &'static str)> {
    let marks = marks(letters);
    let mut open: Vec<&Mark> = Vec::new();
    let mut tags: Vec<(usize, usize, &str)> = Vec::new();
    for mark in &marks {
        let partner = open.iter().rposition(|before| before.stars == mark.stars);
        match partner.filter(|_| mark.closes) {
            Some(place) => {
                let begin = open[place];
                let (opening, closing) = match mark.stars {
                    1 => ("<em>", "</em>"),
                    _ => ("<strong>", "</strong>"),
                };
                tags.push((begin.at, begin.stars, opening));
                tags.push((mark.at, mark.stars, closing));
                open.truncate(place);
            }
            None if mark.opens => open.push(mark),
            None => {}
        }
    }
    tags.sort_unstable_by_key(|(at, ..)| *at);
    tags
}

/// Finds the runs of one or two stars. A run can open emphasis if text follows it, and close emphasis if text precedes it.
fn marks(letters: &[char]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        match letters[at] {
            '\\' if letters.get(at + 1) == Some(&'*') => at += 2,
            '*' => {
                let stars = letters[at..].iter().take_while(|character| **character == '*').count();
                let is_text = |character: Option<&char>| {
                    character.is_some_and(|character| !character.is_whitespace())
                };
                let before = at.checked_sub(1).and_then(|before| letters.get(before));
                let (opens, closes) = (is_text(letters.get(at + stars)), is_text(before));
                if stars <= 2 {
                    marks.push(Mark { at, stars, opens, closes });
                }
                at += stars;
            }
            _ => at += 1,
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tags that are not closed, or an error about wrong nesting.
    fn nested(html: &str) -> Result<Vec<String>, String> {
        let mut open: Vec<String> = Vec::new();
        let mut rest = html;
        while let Some(begin) = rest.find('<') {
            let end = rest[begin..].find('>').ok_or("an unfinished tag")? + begin;
            match &rest[begin + 1..end] {
                "br" => {}
                tag @ ("p" | "em" | "strong") => open.push(tag.to_owned()),
                tag @ ("/p" | "/em" | "/strong") => {
                    let last = open.pop();
                    if last.as_deref() != Some(&tag[1..]) {
                        return Err(format!("{tag} closes {last:?}"));
                    }
                }
                other => return Err(format!("a tag {other:?}")),
            }
            rest = &rest[end + 1..];
        }
        Ok(open)
    }

    proptest! {
        #[test]
        fn nothing_but_four_tags_comes_out(text in "[*\\\\<>&\"'a\\n /=]{0,60}") {
            let html = to_html(&text);
            prop_assert_eq!(nested(&html), Ok(vec![]), "{}", html);
            let plain = html.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace("&quot;", "").replace("&#39;", "");
            prop_assert!(!plain.contains('&') && !plain.contains('"'));
        }
    }

    proptest! {
        #[test]
        fn the_text_has_the_letters_of_the_html(text in "[*\\\\a\\n ]{0,60}") {
            let html = to_html(&text);
            let bare = ["<em>", "</em>", "<strong>", "</strong>", "</p>"];
            let letters = bare.iter().fold(html, |html, tag| html.replace(tag, ""));
            let letters = letters.replace("<p>", " ").replace("<br>", " ");
            let words: Vec<&str> = letters.split_whitespace().collect();
            prop_assert_eq!(to_text(&text), words.join(" "));
        }
    }

    #[test]
    fn html_in_texts_is_escaped() {
        let html = to_html(
            "<script>alert(1)</script> [x](javascript:alert) ![y](http://z) <img onerror='a'>",
        );
        assert_eq!(nested(&html), Ok(vec![]));
        assert!(
            !html.contains("<script")
                && !html.contains("<img")
                && html.contains("javascript:alert")
        );
        assert_eq!(to_html(""), "");
        assert_eq!(to_html("*a **b* c**"), "<p><em>a **b</em> c**</p>");
        assert_eq!(to_html("**a *b* c**"), "<p><strong>a <em>b</em> c</strong></p>");
    }
}
