//! JSON Pointers (RFC 6901): where in a document something is wrong.

use serde_path_to_error::{Path, Segment};

/// The pointer to where a reader stopped.
pub fn json_pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => {
                pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}
