//! What feedback on designs and on decks has in common. The operations stand with what they are about.

pub mod comments;
