//! Request bodies: JSON, which is read strictly, and files.

use std::marker::PhantomData;

use actix_web::http::header;
use actix_web::web::{self, Bytes, BytesMut};
use actix_web::{FromRequest, HttpRequest, dev::Payload};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

use super::Extracting;
use super::faults::{Contract, MAX_FAULTS, OUT_OF_RANGE, in_words, refusal};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::domain::catalogue::import::{MAX_MANIFEST, MAX_SET_FILE, position_after, without_mark};
use crate::domain::catalogue::set_file::read_document;
use crate::domain::collection::table::FileFormat;
use crate::domain::designs::artwork::{ARTWORK_MEDIA_TYPES, MAX_ARTWORK_FILE};
use crate::domain::json_errors::{self, position_of, reason_of};
use crate::domain::pointer::{json_pointer, push_token};

/// Largest body, in bytes, unless a route sets another limit.
pub(super) const MAX_BODY: usize = 256 * 1024;

/// A JSON body. Refused: other media types and compressed bodies (415), more than `MAX` bytes, by default 256 KiB (413), malformed JSON (400), unknown, missing
/// or mistyped fields and NUL characters (422).
pub struct Body<T, const MAX: usize = MAX_BODY> {
    /// The parsed request.
    pub value: T,
    /// The bytes as they were received, to recognise a repeated request.
    pub raw: Bytes,
}

impl<T, const MAX: usize> Body<T, MAX> {
    /// Binds the body to the path that it was sent to: the same body on another path is another request.
    #[must_use]
    pub fn sent_to(mut self, place: &str) -> Self {
        self.raw = [place.as_bytes(), b"\n", &self.raw].concat().into();
        self
    }
}

impl<T: DeserializeOwned + ToSchema + 'static, const MAX: usize> FromRequest for Body<T, MAX> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let reading = read(req, payload, &["application/json"], MAX);
        Box::pin(async move {
            let raw = reading.await?;
            Ok(Self { value: parse::<T, T>(&raw, no_rules)?, raw })
        })
    }
}

/// A request with rules that the contract cannot express.
pub trait Judge {
    /// All violations of these rules that the request alone shows.
    fn judge(&self) -> Result<(), Problem>;
}

/// A JSON body of a request with such rules: if the contract refuses the body, the violations of the rules are reported as well. If the contract accepts the
/// body, the handler applies the rules. Otherwise like [`Body`].
pub struct JudgedBody<T>(pub Body<T>);

impl<T: DeserializeOwned + ToSchema + Judge + 'static> FromRequest for JudgedBody<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let reading = read(req, payload, &["application/json"], MAX_BODY);
        Box::pin(async move {
            let raw = reading.await?;
            Ok(Self(Body { value: parse::<T, T>(&raw, judge_rules)?, raw }))
        })
    }
}

/// The violations of the rules of a request.
pub(super) fn judge_rules<T: Judge>(request: &T) -> Vec<InputFault> {
    let problem = request.judge().err();
    let problem = problem.filter(|problem| problem.code() == ProblemCode::InvalidBody);
    problem.map(Problem::into_faults).unwrap_or_default()
}

/// For requests without rules in addition to the contract.
fn no_rules<T>(_: &T) -> Vec<InputFault> {
    Vec::new()
}

/// A JSON body that may be omitted, because each of its members may: a request without a body means `{}`, regardless of its `Content-Type`. Otherwise like
/// [`Body`].
pub struct OptionalBody<T>(pub Body<T>);

impl<T: DeserializeOwned + ToSchema + 'static> FromRequest for OptionalBody<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let announced = announces_body(req);
        let reading = read(req, payload, &["application/json"], MAX_BODY);
        Box::pin(async move {
            let raw = if announced { reading.await? } else { Bytes::new() };
            // A missing body and `{}` are the same request, also for an `Idempotency-Key`.
            let raw = if raw.is_empty() { Bytes::from_static(b"{}") } else { raw };
            Ok(Self(Body { value: parse::<T, T>(&raw, no_rules)?, raw }))
        })
    }
}

/// A JSON merge patch (RFC 7396): an object whose members replace those of the resource. Like [`Body`], but it accepts the media type
/// `application/merge-patch+json`, too. `S` has the schema.
pub struct Patch<T, S = T>(pub T, pub PhantomData<S>);

impl<T: DeserializeOwned, S: ToSchema + 'static> FromRequest for Patch<T, S> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let media_types = &["application/merge-patch+json", "application/json"];
        let reading = read(req, payload, media_types, MAX_BODY);
        Box::pin(async move { Ok(Self(parse::<T, S>(&reading.await?, no_rules)?, PhantomData)) })
    }
}

/// A type of file that is taken as text.
pub trait FileType: 'static {
    const MEDIA_TYPE: &'static str;
    /// Its largest size, in bytes.
    const MAX: usize;
    /// Checks the minimum requirements of the text.
    fn check(text: &str) -> Result<(), Problem>;
}

/// A manifest: `application/toml`.
#[derive(Debug)]
pub struct Toml;

impl FileType for Toml {
    const MEDIA_TYPE: &'static str = "application/toml";
    const MAX: usize = MAX_MANIFEST;

    fn check(_: &str) -> Result<(), Problem> {
        Ok(())
    }
}

/// A set file: `application/json`.
#[derive(Debug)]
pub struct Json;

impl FileType for Json {
    const MEDIA_TYPE: &'static str = "application/json";
    const MAX: usize = MAX_SET_FILE;

    fn check(text: &str) -> Result<(), Problem> {
        well_formed(text.as_bytes())?;
        match lone_surrogate(text.as_bytes()) {
            None => Ok(()),
            Some(at) => {
                let position = position_after(&text.as_bytes()[..at]);
                Err(Problem::malformed_json(position, json_errors::LONE_SURROGATE))
            }
        }
    }
}

/// A file as the body. Refused: other media types and compressed bodies (415), more bytes than the type allows (413), text that is not UTF-8 or not JSON where
/// JSON is required (400).
pub struct File<T> {
    /// The text, without a byte order mark.
    pub text: String,
    kind: PhantomData<T>,
}

impl<T: FileType> FromRequest for File<T> {
    type Error = Problem;
    type Future = Extracting<Self>;

    fn from_request(req: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let reading = read(req, payload, &[T::MEDIA_TYPE], T::MAX);
        Box::pin(async move {
            let raw = reading.await?;
            let text = without_mark(utf8(&raw)?);
            T::check(text)?;
            Ok(Self { text: text.to_owned(), kind: PhantomData })
        })
    }
}

/// Largest table, in bytes: fifty thousand lines of our own JSON are 10 MB.
pub(crate) const MAX_TABLE: usize = 16 * 1024 * 1024;

/// A table as the body: `text/csv` or `application/json`. The content is not checked here.
pub struct TableFile {
    /// The format of the bytes.
    pub format: FileFormat,
    /// The bytes, including a byte order mark.
    pub raw: Bytes,
}

impl TableFile {
    /// Receives the body. Refused: other media types and compressed bodies (415), more than 16 MiB (413). A route calls this after it has reserved the memory.
    pub async fn receive(req: &HttpRequest, payload: web::Payload) -> Result<Self, Problem> {
        let is_csv = has_media_type(req, "text/csv");
        let format = if is_csv { FileFormat::Csv } else { FileFormat::Json };
        let mut payload = payload.into_inner();
        let media_types = &["text/csv", "application/json"];
        Ok(Self { format, raw: read(req, &mut payload, media_types, MAX_TABLE).await? })
    }
}

/// A picture as the body: `image/png`, `image/jpeg` or `image/webp`. The content is not checked here.
pub struct ImageFile(pub Bytes);

impl ImageFile {
    /// Receives the body. Refused: other media types and compressed bodies (415), more than 10 MiB (413). A route calls this after it has reserved the memory.
    pub async fn receive(req: &HttpRequest, payload: web::Payload) -> Result<Self, Problem> {
        let mut payload = payload.into_inner();
        Ok(Self(read(req, &mut payload, &ARTWORK_MEDIA_TYPES, MAX_ARTWORK_FILE).await?))
    }
}

fn utf8(raw: &[u8]) -> Result<&str, Problem> {
    std::str::from_utf8(raw).map_err(|error| {
        let position = position_after(&raw[..error.valid_up_to()]);
        Problem::new(ProblemCode::NotUtf8)
            .detail(format!("Line {}, column {} is not UTF-8.", position.line, position.column))
            .errors(vec![InputFault::at("", "is not UTF-8").at_position(position)])
    })
}

/// Reads the whole body, if its media type is accepted and it is not too large.
pub(super) fn read(
    req: &HttpRequest,
    payload: &mut Payload,
    media_types: &[&'static str],
    limit: usize,
) -> impl Future<Output = Result<Bytes, Problem>> + use<> {
    let acceptable = check_headers(req, media_types, limit);
    let mut payload = payload.take();
    async move {
        acceptable?;
        let mut raw = BytesMut::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| {
                Problem::new(ProblemCode::InvalidRequest)
                    .detail("The body ended before it was complete.")
            })?;
            if raw.len() + chunk.len() > limit {
                return Err(too_large(limit));
            }
            raw.extend_from_slice(&chunk);
        }
        Ok(raw.freeze())
    }
}

/// Refuses a body by its headers: another media type, a compressed body, or a `Content-Length` above the limit.
pub(super) fn check_headers(
    req: &HttpRequest,
    media_types: &[&'static str],
    limit: usize,
) -> Result<(), Problem> {
    let unsupported =
        |detail: String| Err(Problem::new(ProblemCode::UnsupportedMediaType).detail(detail));
    if !media_types.iter().any(|media_type| has_media_type(req, media_type)) {
        return unsupported(format!("The body must be {}.", media_types.join(" or ")));
    }
    if is_encoded(req) {
        return unsupported("The body must come as it is, without Content-Encoding.".to_owned());
    }
    let declared = req.headers().get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > limit) { Err(too_large(limit)) } else { Ok(()) }
}

pub(super) fn too_large(limit: usize) -> Problem {
    Problem::new(ProblemCode::BodyTooLarge)
        .detail(format!("The body may have {limit} bytes at most."))
        .with(ProblemMember::MaxBytes, limit)
}

/// Whether the request has a body (RFC 9112, section 6.3).
fn announces_body(req: &HttpRequest) -> bool {
    let length = req.headers().get(header::CONTENT_LENGTH);
    length.is_some_and(|length| length != "0")
        || req.headers().contains_key(header::TRANSFER_ENCODING)
}

pub(super) fn has_media_type(req: &HttpRequest, wanted: &str) -> bool {
    let value = req.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| {
        let essence = value.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case(wanted)
    })
}

/// Whether the body has a content encoding.
fn is_encoded(req: &HttpRequest) -> bool {
    let mut values = req.headers().get_all(header::CONTENT_ENCODING);
    values.any(|value| !value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

pub(super) fn parse<T: DeserializeOwned, S: ToSchema + 'static>(
    raw: &[u8],
    judge: fn(&T) -> Vec<InputFault>,
) -> Result<T, Problem> {
    // A derived deserializer would accept an array of the fields of a struct, in their order.
    if raw.trim_ascii_start().first() != Some(&b'{') {
        well_formed(raw)?;
        return Err(Problem::invalid(vec![InputFault::at("", "must be an object")]));
    }
    let mut reader = serde_json::Deserializer::from_slice(raw);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let pointer = json_pointer(error.path());
        let error = error.into_inner();
        // The deserializer stops at the first fault, so the JSON after it may be malformed.
        well_formed(raw).err().unwrap_or_else(|| match mismatch(&error) {
            Some(reason) => {
                let stop = InputFault::at(pointer, reason);
                refusal(ProblemCode::InvalidBody, every_fault::<T, S>(raw, stop, judge))
            }
            None => malformed(raw, &error),
        })
    })?;
    reader.end().map_err(|error| malformed(raw, &error))?;
    if has_nul(raw) {
        let faults = Contract::of_body::<S>().with_listed_first(nul_faults(raw));
        return Err(refusal(ProblemCode::InvalidBody, faults));
    }
    Ok(value)
}

/// Returns a 400 with the position, unless the whole body is well-formed JSON in UTF-8.
fn well_formed(raw: &[u8]) -> Result<(), Problem> {
    serde_json::from_slice::<serde::de::IgnoredAny>(raw).map_err(|error| malformed(raw, &error))?;
    match std::str::from_utf8(raw) {
        Ok(_) => Ok(()),
        Err(error) => {
            let position = position_after(&raw[..error.valid_up_to()]);
            Err(Problem::malformed_json(position, "is not UTF-8"))
        }
    }
}

/// The position of the first `\u` in well-formed JSON that is one half of a surrogate pair without the other half. The parser finds it only when it reads the
/// text, and not when it skips it.
fn lone_surrogate(json: &[u8]) -> Option<usize> {
    // Outside of texts there are no backslashes.
    let unit = |at: usize| -> Option<u16> {
        let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut at = 0;
    while let Some(next) = json.get(at..)?.iter().position(|byte| *byte == b'\\') {
        at += next;
        at += match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => return Some(at),
            Some(_) => 6,
            None => 2,
        };
    }
    None
}

fn malformed(raw: &[u8], error: &serde_json::Error) -> Problem {
    let reason = if raw.trim_ascii().is_empty() {
        "the body is empty".to_owned()
    } else {
        json_errors::in_words(error)
    };
    Problem::malformed_json(position_of(raw, error), &reason)
}

/// Why a value is refused, if the JSON is well-formed and the value is wrong. The parser also reports a number in place of an enumeration as malformed JSON.
fn mismatch(error: &serde_json::Error) -> Option<String> {
    let reason = reason_of(error);
    match reason.as_str() {
        "number out of range" => Some(OUT_OF_RANGE.to_owned()),
        "expected value" | "expected ident" => Some("is of the wrong type".to_owned()),
        _ if error.classify() == serde_json::error::Category::Data => Some(in_words(&reason)),
        _ => None,
    }
}

/// Limits the repeated reading of a body, in bytes. Some faults are found only by the deserializer, one at a time.
const MAX_READ_AGAIN: usize = 8 * 1024 * 1024;

/// All violations of the contract by a body, and all further faults that the deserializer and the rules of the request report. `stop`: the fault at which the
/// deserializer stopped.
fn every_fault<T: DeserializeOwned, S: ToSchema + 'static>(
    raw: &[u8],
    stop: InputFault,
    judge: fn(&T) -> Vec<InputFault>,
) -> Vec<InputFault> {
    let read = |raw: &[u8]| {
        read_document(&mut serde_json::Deserializer::from_slice(raw)).or_else(|_| {
            // A text or a list is longer than those of a card may be: read without these limits.
            serde_json::from_slice::<Value>(raw).map(|document| (document, Vec::new()))
        })
    };
    let document = read(raw).or_else(|_| read(&without_large_numbers(raw)));
    let Ok((mut document, doubled)) = document else { return vec![stop] };
    let contract = Contract::of_body::<S>();
    let mut faults: Vec<InputFault> = Vec::new();
    faults.extend(doubled.into_iter().map(|(at, message)| InputFault::at(at, message)));
    let mut large = Places::default();
    find_texts(&document, |text| text == LARGE_NUMBER, &mut String::new(), &mut large);
    for pointer in large.pointers {
        contract.mend(&mut document, &pointer);
        faults.push(InputFault::at(pointer, OUT_OF_RANGE));
    }
    let of_contract = contract.faults(&document);
    for fault in &of_contract {
        contract.mend(&mut document, &fault.pointer);
    }
    faults.extend(of_contract);
    if faults.len() > MAX_FAULTS {
        // Not all faults of these items are known. The deserializer must not stop at the others, so that it gets to further items.
        for item in contract.faulty_items(&faults) {
            contract.mend(&mut document, &item);
        }
    }
    if !faults.iter().any(|fault| is_within(&fault.pointer, &stop.pointer)) {
        contract.mend(&mut document, &stop.pointer);
        faults.push(stop);
    }
    // The document now lacks the faults that were reported, so the deserializer gets to the next one.
    for _ in 0..(MAX_READ_AGAIN / raw.len().max(1)).min(MAX_FAULTS) {
        let mended = serde_json::to_vec(&document).unwrap_or_default();
        let reader = &mut serde_json::Deserializer::from_slice(&mended);
        let error = match serde_path_to_error::deserialize::<_, T>(reader) {
            Err(error) => error,
            Ok(value) => {
                // Values that replaced a fault are not reported.
                let mut others = judge(&value);
                others.retain(|other| is_apart(&other.pointer, &faults));
                faults.extend(others);
                break;
            }
        };
        let pointer = json_pointer(error.path());
        let reason = mismatch(error.inner()).filter(|_| is_apart(&pointer, &faults));
        let Some(reason) = reason else { break };
        let is_mended = contract.mend(&mut document, &pointer);
        faults.push(InputFault::at(pointer, reason));
        if !is_mended {
            break;
        }
    }
    contract.with_listed_first(faults)
}

/// What [`without_large_numbers`] writes. A body that has this text itself is refused in any case, because of the NUL.
const LARGE_NUMBER: &str = "a number that cannot be read\0";

/// The body with [`LARGE_NUMBER`] in place of each number that is too large to be read, such as `1e400`, so that the rest of the body can be read.
fn without_large_numbers(raw: &[u8]) -> Vec<u8> {
    let text = serde_json::to_vec(LARGE_NUMBER).unwrap_or_default();
    let mut copy = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(first) = rest.first() {
        let length = match first {
            b'"' => length_of_text(rest),
            b'-' | b'0'..=b'9' => {
                let is_of_number =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                rest.iter().take_while(|byte| is_of_number(byte)).count()
            }
            _ => 1,
        };
        let (token, after) = rest.split_at(length);
        let number = std::str::from_utf8(token).ok().and_then(|token| token.parse::<f64>().ok());
        copy.extend_from_slice(if number.is_some_and(f64::is_infinite) {
            text.as_slice()
        } else {
            token
        });
        rest = after;
    }
    copy
}

/// The length of the string at the beginning of JSON, with its quotation marks.
fn length_of_text(json: &[u8]) -> usize {
    let mut is_escaped = true;
    let end = json.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(json.len(), |end| end + 1)
}

/// Whether a pointer points to a place or into it.
fn is_within(pointer: &str, place: &str) -> bool {
    pointer.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether no fault was reported for a place, for what contains it, or for what it contains.
fn is_apart(pointer: &str, faults: &[InputFault]) -> bool {
    let touches = |known: &str| is_within(known, pointer) || is_within(pointer, known);
    !faults.iter().any(|fault| touches(&fault.pointer))
}

/// Whether any string of a well-formed document contains NUL, which Postgres cannot store. In JSON it can only be written as `\u0000`.
fn has_nul(raw: &[u8]) -> bool {
    let mut rest = raw;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
        if rest[at + 1..].starts_with(b"u0000") {
            return true;
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    false
}

/// Most strings with a fault that are searched for in a body.
const MAX_TEXTS: usize = 10_000;
/// Most bytes of their pointers together: each contains the names of the members around it, and a name may be almost as long as the body.
const MAX_POINTERS: usize = 1024 * 1024;

/// Places of strings in a body, within these limits.
#[derive(Default)]
struct Places {
    pointers: Vec<String>,
    bytes: usize,
}

impl Places {
    fn add(&mut self, pointer: &str) {
        let bytes = self.bytes + pointer.len();
        if self.pointers.len() < MAX_TEXTS && bytes <= MAX_POINTERS {
            self.bytes = bytes;
            self.pointers.push(pointer.to_owned());
        }
    }
}

/// A fault for each string with a NUL, within the limits of [`Places`]. A name of a member with a NUL is reported at the object.
fn nul_faults(raw: &[u8]) -> Vec<InputFault> {
    let document: Value = serde_json::from_slice(raw).unwrap_or_default();
    let mut places = Places::default();
    find_texts(&document, |text| text.contains('\0'), &mut String::new(), &mut places);
    if places.pointers.is_empty() {
        // The value that was read last of several of one name has none.
        places.add("");
    }
    let fault = |place| InputFault::at(place, "must not contain the NUL character (\\u0000)");
    places.pointers.into_iter().map(fault).collect()
}

/// The places of some strings. A name of a member is at the place of its object.
fn find_texts(
    value: &Value,
    is_wanted: fn(&str) -> bool,
    pointer: &mut String,
    places: &mut Places,
) {
    let length = pointer.len();
    match value {
        Value::String(text) if is_wanted(text) => places.add(pointer),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                push_token(pointer, &at.to_string());
                find_texts(item, is_wanted, pointer, places);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            if members.keys().any(|name| is_wanted(name)) {
                places.add(pointer);
            }
            for (name, member) in members.iter().filter(|(name, _)| !is_wanted(name)) {
                push_token(pointer, name);
                find_texts(member, is_wanted, pointer, places);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_found() {
        for (json, at) in [
            (r#"{"a": "\ud83d\ude00 \n \\ud800 \u00e9"}"#, None),
            (r#""\ud800""#, Some(1)),
            (r#"["\\", "x\udc00"]"#, Some(9)),
            (r#""\ud83d\ud83d\ude00""#, Some(1)),
            (r#""\ud83d\n""#, Some(1)),
        ] {
            assert_eq!(lone_surrogate(json.as_bytes()), at, "{json}");
            assert_eq!(serde_json::from_str::<Value>(json).is_err(), at.is_some(), "{json}");
        }
    }

    #[test]
    fn faults_about_nul_have_the_places_of_their_texts() {
        let places = |text: &str| -> Vec<String> {
            let faults = nul_faults(text.as_bytes()).into_iter();
            let mut places: Vec<String> = faults.map(|fault| fault.pointer).collect();
            places.sort();
            places
        };
        let text =
            r#"{"reason": "\u0000", "lines": [{"text": "a"}, {"text": "b\u0000"}], "c\u0000": 1}"#;
        assert_eq!(places(text), ["", "/lines/1/text", "/reason"]);
        assert_eq!(places(r#"{"a": "\u0000", "a": "b"}"#), [""]);
    }

    #[test]
    fn the_places_of_many_texts_take_little_memory_also_below_a_long_name() {
        let faults = |name: &str| {
            let texts = vec!["\0"; 2 * MAX_TEXTS].join("\",\"").replace('\0', "\\u0000");
            nul_faults(format!("{{\"{name}\":[\"{texts}\"]}}").as_bytes())
        };
        assert_eq!(faults("a").len(), MAX_TEXTS);
        let faults = faults(&"a".repeat(100_000));
        let bytes: usize = faults.iter().map(|fault| fault.pointer.len()).sum();
        assert!((100_000..=MAX_POINTERS).contains(&bytes), "{bytes}");
    }

    #[test]
    fn finds_nul_but_not_an_escaped_backslash() {
        assert!(has_nul(br#"{"a":"x\u0000"}"#));
        assert!(!has_nul(br#"{"a":"x\\u0000"}"#));
        assert!(has_nul(br#"{"a":"x\\\u0000"}"#));
        assert!(!has_nul(br#"{"a":"\"#));
    }
}
