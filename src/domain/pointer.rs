//! JSON Pointers (RFC 6901) to the places of faults in a document.

use serde_path_to_error::{Path, Segment};

/// The pointer to the place where a deserialiser stopped.
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

/// Adds one step to a pointer: a key or an index.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}
