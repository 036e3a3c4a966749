//! Bytes as text.

use std::fmt::Write as _;

/// Lower-case hexadecimal digits, two for each byte.
///
/// ```
/// assert_eq!(cardscape::domain::hex::hex(&[0, 10, 255]), "000aff");
/// ```
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
