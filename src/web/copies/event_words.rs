//! Text for the entries in the history of a copy.

/// The text of an event; `by`: the account that did it or received the copy; `owner`: the owner afterwards. All values are those of the API.
pub(super) fn event(event: &str, by: &str, owner: &str) -> &'static str {
    match (event, by, owner) {
        ("register", "you", _) => "You registered it.",
        ("register", ..) => "Another player registered it.",
        ("transfer", "you", _) => "You got it in a trade.",
        ("transfer", ..) => "Another player got it in a trade.",
        ("dispute", "you", _) => "You claimed it.",
        ("dispute", ..) => "Another player claimed it.",
        ("freeze", ..) => "A moderator froze it: no trade moves it.",
        ("unfreeze", ..) => "A moderator lifted the freeze.",
        ("decide", _, "you") => "A moderator decided a dispute: it is yours.",
        ("decide", ..) => "A moderator decided a dispute: it is another player's.",
        ("void", ..) => "A moderator declared it void.",
        _ => "Something happened to it that this page has no words for yet.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_words() {
        let all = ["register", "transfer", "dispute", "freeze", "unfreeze", "decide", "void"];
        let unknown = event("", "", "");
        for entry in all {
            for by in ["you", "another player", "a moderator"] {
                assert_ne!(event(entry, by, "you"), unknown, "{entry}");
            }
        }
        assert_eq!(
            event("decide", "a moderator", "you"),
            "A moderator decided a dispute: it is yours."
        );
    }
}
