//! JSON Pointers (RFC 6901): where in a document something is wrong.

use serde_path_to_error::{Path, Segment};

/// The pointer to where a reader stopped.
pub fn json_pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => push_token(&mut pointer, &index.to_string()),
            Segment::Map { key } => push_token(&mut pointer, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

/// Lengthens a pointer by one step: a key or an index.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}
