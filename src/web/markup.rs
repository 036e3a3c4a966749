//! Text of players with simple markup.

use std::fmt;

use crate::domain::designs::markup::to_html;

/// Text of lore and comments, as HTML. Templates do not escape it: only [`to_html`] creates it, which escapes everything except its own four elements.
#[derive(Debug)]
pub(super) struct Markup(String);

impl Markup {
    /// Renders a text of a player.
    pub(super) fn new(text: &str) -> Self {
        Self(to_html(text))
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl askama::filters::HtmlSafe for Markup {}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::*;

    #[derive(Template)]
    #[template(source = "{{ markup }}", ext = "html")]
    struct One {
        markup: Markup,
    }

    #[test]
    fn emphasis_is_rendered_and_all_else_is_escaped() {
        let markup = Markup::new("Goes *fast*.\n\n<script>alert(1)</script> & **more**");
        let expected = "<p>Goes <em>fast</em>.</p><p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; <strong>more</strong></p>";
        assert_eq!(One { markup }.render().unwrap(), expected);
    }
}
