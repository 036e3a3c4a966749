//! Ranges of a file (RFC 9110, section 14).

use std::ops::Range;

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header;

/// The requested part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole file: there is no range, an invalid one, several, or a range of another version. RFC 9110 allows a server to answer all of these with the
    /// whole file.
    Whole,
    /// These bytes, at least one.
    Bytes(Range<u64>),
    /// Bytes after the end of the file: 416.
    Nothing,
}

impl Part {
    /// The part that `Range` and `If-Range` request of a file with this tag and length in bytes. Only GET supports ranges.
    pub fn of(req: &HttpRequest, tag: &str, length: u64) -> Self {
        let headers = req.headers();
        let mut ranges = headers.get_all(header::RANGE);
        let (Some(range), None) = (ranges.next(), ranges.next()) else { return Self::Whole };
        if req.method() != Method::GET {
            return Self::Whole;
        }
        // A weak tag never matches, and a date is too coarse for a file that may change twice in a second (13.1.5).
        let is_meant =
            |value: &header::HeaderValue| value.as_bytes() == format!("\"{tag}\"").as_bytes();
        if !headers.get(header::IF_RANGE).is_none_or(is_meant) {
            return Self::Whole;
        }
        range.to_str().ok().and_then(|range| part(range, length)).unwrap_or(Self::Whole)
    }
}

/// The requested part of one range; `None`: the range is invalid, or there are several.
fn part(range: &str, length: u64) -> Option<Part> {
    let (unit, set) = range.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let mut specs = set.split(',').map(str::trim).filter(|spec| !spec.is_empty());
    let (spec, None) = (specs.next()?, specs.next()) else { return None };
    let range = match spec.split_once('-')? {
        ("", count) => length.saturating_sub(position(count)?)..length,
        (first, "") => position(first)?..length,
        (first, last) => {
            let (first, last) = (position(first)?, position(last)?);
            if first > last {
                return None;
            }
            first..length.min(last.saturating_add(1))
        }
    };
    Some(if range.is_empty() { Part::Nothing } else { Part::Bytes(range) })
}

/// A number of bytes; it saturates at the largest value.
fn position(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn valid_ranges_are_read_and_others_ignored() {
        let bytes = |range| Some(Part::Bytes(range));
        for (text, expected) in [
            ("bytes=0-0", bytes(0..1)),
            ("bytes=0-99", bytes(0..100)),
            ("bytes=10-19", bytes(10..20)),
            ("bytes=90-", bytes(90..100)),
            ("bytes=90-1000", bytes(90..100)),
            ("bytes=99-99999999999999999999999", bytes(99..100)),
            ("bytes=-1", bytes(99..100)),
            ("bytes=-100", bytes(0..100)),
            ("bytes=-99999999999999999999999", bytes(0..100)),
            ("BYTES = 5-6", bytes(5..7)),
            ("bytes=, 5-6 ,", bytes(5..7)),
            ("bytes=100-", Some(Part::Nothing)),
            ("bytes=100-200", Some(Part::Nothing)),
            ("bytes=18446744073709551615-18446744073709551615", Some(Part::Nothing)),
            ("bytes=-0", Some(Part::Nothing)),
            ("bytes=6-5", None),
            ("bytes=0-1,5-6", None),
            ("bytes=-", None),
            ("bytes=", None),
            ("bytes=+1-2", None),
            ("bytes=1--2", None),
            ("bytes=a-b", None),
            ("bytes=1 - 2", None),
            ("cards=0-1", None),
            ("0-1", None),
            ("", None),
        ] {
            assert_eq!(part(text, 100), expected, "{text}");
        }
    }

    #[test]
    fn a_range_of_another_version_is_the_whole() {
        let part_of = |method: Method, if_range: Option<&str>| {
            let mut req =
                TestRequest::with_uri("/").method(method).insert_header(("range", "bytes=0-4"));
            if let Some(if_range) = if_range {
                req = req.insert_header(("if-range", if_range));
            }
            Part::of(&req.to_http_request(), "abc", 100)
        };
        let some = Part::Bytes(0..5);
        assert_eq!(part_of(Method::GET, None), some);
        assert_eq!(part_of(Method::GET, Some("\"abc\"")), some);
        for other in
            ["\"abd\"", "W/\"abc\"", "abc", "Sat, 21 Nov 2026 00:00:00 GMT", "\"x\", \"abc\""]
        {
            assert_eq!(part_of(Method::GET, Some(other)), Part::Whole, "{other}");
        }
        assert_eq!(part_of(Method::HEAD, None), Part::Whole);
    }

    proptest! {
        #[test]
        fn never_leaves_the_file(text in "(bytes=)?[-0-9, ]{0,12}", length in 1_u64..200) {
            if let Some(Part::Bytes(range)) = part(&text, length) {
                prop_assert!(range.start < range.end && range.end <= length);
            }
        }

        #[test]
        fn a_range_has_the_requested_bytes(first in 0_u64..300, more in 0_u64..300, length in 1_u64..200) {
            let last = first + more;
            let expected = if first >= length { Part::Nothing } else { Part::Bytes(first..length.min(last + 1)) };
            prop_assert_eq!(part(&format!("bytes={first}-{last}"), length), Some(expected));
        }
    }
}
