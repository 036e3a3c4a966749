//! Reports all faults of an input at once: a deserializer stops at the first, so a refused input is also validated against the schema of the contract.

use std::any::TypeId;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use cardscape_search::{did_you_mean, near};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Map, Value, json};
use utoipa::openapi::Required;
use utoipa::{IntoParams, ToSchema};

use super::mending::{is_among, mend};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::words::{NotOneOf, must_be_one_of};
use crate::domain::catalogue::set_file::must_be;
use crate::domain::pointer::push_token;

/// Most faults that are listed of an input which its contract refuses: a long list may have one for each of its entries.
pub(super) const MAX_FAULTS: usize = 100;

/// The contract of an input: the schema of a body, or the query parameters of an operation as members of an object.
pub(crate) struct Contract {
    schema: Value,
    validator: Option<Validator>,
}

/// The contracts that were used so far. Each is created once and kept until the process ends.
static CONTRACTS: LazyLock<Mutex<HashMap<TypeId, Arc<Contract>>>> = LazyLock::new(Mutex::default);

impl Contract {
    /// The contract of a body.
    pub(crate) fn of_body<T: ToSchema + 'static>() -> Arc<Self> {
        Self::of::<T>(|| {
            let mut named = Vec::new();
            T::schemas(&mut named);
            let named: HashMap<String, _> = named.into_iter().collect();
            let mut schema = json!(T::schema());
            // The targets of the references of the schema.
            if let Some(members) = schema.as_object_mut() {
                members.insert("components".to_owned(), json!({ "schemas": named }));
            }
            schema
        })
    }

    /// The contract of query parameters.
    pub(crate) fn of_query<T: IntoParams + 'static>() -> Arc<Self> {
        Self::of::<T>(|| {
            let parameters = T::into_params(|| None);
            let required = parameters.iter().filter(|one| matches!(one.required, Required::True));
            let required: Vec<&str> = required.map(|one| one.name.as_str()).collect();
            let properties: Map<String, Value> =
                parameters.iter().map(|one| (one.name.clone(), json!(one.schema))).collect();
            json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
        })
    }

    fn of<T: 'static>(schema: impl FnOnce() -> Value) -> Arc<Self> {
        let mut contracts = CONTRACTS.lock().unwrap_or_else(PoisonError::into_inner);
        let contract = contracts.entry(TypeId::of::<T>()).or_insert_with(|| {
            let schema = schema();
            let validator = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .build(&schema)
                .inspect_err(|error| tracing::error!(%error, "a schema of the contract is invalid"))
                .ok();
            Arc::new(Self { schema, validator })
        });
        Arc::clone(contract)
    }

    /// All faults of a document, in the order of the schema. When it is clear that there are too many to list, further ones are left out, but not the first of an
    /// item of a short list, unless more items than such a list may have are at fault.
    pub(crate) fn faults(&self, document: &Value) -> Vec<InputFault> {
        let mut faults = Vec::new();
        let (mut items, mut outside) = (BTreeSet::new(), 0);
        let has_items = self.schema["properties"]
            .as_object()
            .is_some_and(|members| members.keys().any(|name| self.is_short_list(name)));
        for error in self.validator.iter().flat_map(|validator| validator.iter_errors(document)) {
            let item = self.item_of(error.instance_path().as_str());
            let is_wanted = match item {
                Some(item) if is_top(item) => true,
                Some(item) => {
                    let is_new = items.len() <= MAX_FAULTS && items.insert(item.to_owned());
                    is_new || faults.len() <= MAX_FAULTS
                }
                None => outside <= MAX_FAULTS,
            };
            if is_wanted {
                let before = faults.len();
                self.add_faults(&error, &mut faults);
                outside += if item.is_none() { faults.len() - before } else { 0 };
            } else if !has_items || items.len() > MAX_FAULTS {
                break;
            }
        }
        faults
    }

    /// Whether a member is a list with so few items that a response can name each of them, such as a batch.
    fn is_short_list(&self, name: &str) -> bool {
        let most = self.schema["properties"][name]["maxItems"].as_u64();
        most.and_then(|most| usize::try_from(most).ok()).is_some_and(|most| most <= MAX_FAULTS)
    }

    /// The beginning of a pointer that names an item of a short list, `/decks/3`, or the list itself.
    fn item_of<'p>(&self, pointer: &'p str) -> Option<&'p str> {
        let mut tokens = pointer.strip_prefix('/')?.split('/');
        let list = tokens.next().filter(|name| self.is_short_list(name))?;
        let index = tokens.next().map_or(0, |index| index.len() + 1);
        pointer.get(..1 + list.len() + index)
    }

    /// The items of short lists that have faults.
    pub(super) fn faulty_items(&self, faults: &[InputFault]) -> BTreeSet<String> {
        let items = faults.iter().filter_map(|fault| self.item_of(&fault.pointer));
        items.filter(|item| !is_top(item)).map(str::to_owned).collect()
    }

    /// Faults, with those at the beginning that are listed if there are too many: of each item of a short list the first, so that no item is left out; then those
    /// outside of such items; then the others.
    pub(super) fn with_listed_first(&self, faults: Vec<InputFault>) -> Vec<InputFault> {
        let mut items = BTreeSet::new();
        let rank = |fault: &InputFault| match self.item_of(&fault.pointer) {
            Some(list) if is_top(list) => 0,
            Some(item) if items.insert(item.to_owned()) => 1,
            None => 2,
            Some(_) => 3,
        };
        let ranks = faults.iter().map(rank).enumerate();
        let mut ranked: Vec<(u8, usize)> = ranks.map(|(at, rank)| (rank, at)).collect();
        ranked.sort_unstable();
        let listed: BTreeSet<usize> = ranked.iter().take(MAX_FAULTS).map(|(_, at)| *at).collect();
        let (listed, others): (Vec<_>, Vec<_>) =
            faults.into_iter().enumerate().partition(|(at, _)| listed.contains(at));
        listed.into_iter().chain(others).map(|(_, fault)| fault).collect()
    }

    /// Whether there is a member or parameter with that name.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.schema["properties"].get(name).is_some()
    }

    /// Whether a member or parameter is of a type.
    pub(super) fn has(&self, kind: &str, name: &str) -> bool {
        is_among(kind, &self.schema["properties"][name]["type"])
    }

    /// Replaces the value at a pointer by one that the contract allows. Returns whether that was possible.
    pub(super) fn mend(&self, document: &mut Value, pointer: &str) -> bool {
        mend(document, &self.schema, pointer)
    }

    /// The query parameters as a document, with numbers and booleans where the contract has them. Other formats are left to the deserializer.
    pub(crate) fn document(&self, pairs: &[(Cow<'_, str>, Cow<'_, str>)]) -> Value {
        let members = pairs.iter().map(|(name, text)| {
            let value = match () {
                () if self.has("integer", name) => whole_number(text),
                () if self.has("boolean", name) => text.parse::<bool>().ok().map(Value::from),
                () => None,
            };
            (name.to_string(), value.unwrap_or_else(|| Value::from(text.as_ref())))
        });
        Value::Object(members.collect())
    }

    fn add_faults(&self, error: &ValidationError<'_>, faults: &mut Vec<InputFault>) {
        let here = error.instance_path().as_str();
        let member = |name: &str| {
            let mut pointer = here.to_owned();
            push_token(&mut pointer, name);
            pointer
        };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let known = self.schema_of(error)["properties"].as_object();
                let known: Vec<&str> =
                    known.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                let reported = unexpected.iter().take(MAX_FAULTS + 1);
                faults.extend(
                    reported.map(|name| InputFault::at(member(name), unknown(name, &known))),
                );
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                faults.push(InputFault::at(member(name), "is missing"));
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => match most_likely(context, here) {
                Some(errors) => errors.iter().for_each(|error| self.add_faults(error, faults)),
                None => faults.push(InputFault::at(here, none_of(context, error.instance()))),
            },
            // A value of the wrong type has a fault already.
            ValidationErrorKind::Enum { .. }
                if !error.instance().is_string() && self.schema_of(error)["type"] == "string" => {}
            ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. }
                if is_among("integer", &self.schema_of(error)["type"])
                    && error.instance().as_f64().is_some_and(|number| number.fract() != 0.0) => {}
            kind => {
                let detail = self.describe_requirement(kind, error);
                faults.push(InputFault::at(here, detail));
            }
        }
    }

    /// The schema that contains the violated keyword.
    fn schema_of(&self, error: &ValidationError<'_>) -> &Value {
        let path = error.schema_path().as_str();
        let end = path.rfind('/').unwrap_or_default();
        self.schema.pointer(&path[..end]).unwrap_or(&Value::Null)
    }

    /// The requirement on a value. Texts are not repeated in the message, because they may be secrets.
    fn describe_requirement(
        &self,
        kind: &ValidationErrorKind,
        error: &ValidationError<'_>,
    ) -> String {
        let (around, instance) = (self.schema_of(error), error.instance().as_ref());
        let range = |least: &str, most: &str| match (&around[least], &around[most]) {
            (Value::Null, most) => format!("at most {most}"),
            (least, Value::Null) => format!("at least {least}"),
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        match kind {
            ValidationErrorKind::Type { kind } => must_be(&types(kind).join(" or "), instance),
            ValidationErrorKind::Enum { options } => one_of(options, instance).to_string(),
            ValidationErrorKind::Constant { expected_value } => {
                format!("must be {}", plain(expected_value))
            }
            ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => {
                let range = range("minimum", "maximum");
                // A number beyond 64 bits was rounded: it would be another one than the client wrote.
                let is_rounded =
                    instance.is_f64() && instance.as_f64().is_some_and(is_beyond_64_bits);
                if is_rounded {
                    format!("must be {range}")
                } else {
                    format!("must be {range}, not {instance}")
                }
            }
            ValidationErrorKind::MinLength { .. } | ValidationErrorKind::MaxLength { .. } => {
                let length = instance.as_str().map_or(0, |text| text.chars().count());
                let range = range("minLength", "maxLength");
                format!("must be {range} characters long, not {length}")
            }
            ValidationErrorKind::MinItems { .. } | ValidationErrorKind::MaxItems { .. } => {
                let count = instance.as_array().map_or(0, Vec::len);
                format!("must have {} items, not {count}", range("minItems", "maxItems"))
            }
            ValidationErrorKind::MinProperties { .. }
            | ValidationErrorKind::MaxProperties { .. } => {
                let count = instance.as_object().map_or(0, Map::len);
                let range = range("minProperties", "maxProperties");
                format!("must have {range} members, not {count}")
            }
            ValidationErrorKind::UniqueItems => "must not have an entry twice".to_owned(),
            ValidationErrorKind::Pattern { pattern } => words_of(pattern)
                .map_or_else(|| format!("must have the form {pattern}"), str::to_owned),
            ValidationErrorKind::Format { format } => match format.as_str() {
                "uuid" => "must be an id (UUID)".to_owned(),
                "date" => "must be a day, YYYY-MM-DD".to_owned(),
                "date-time" => "must be a time, 2026-01-31T12:00:00Z (RFC 3339)".to_owned(),
                "uri" => "must be an absolute URL".to_owned(),
                other => format!("must have the format {other}"),
            },
            _ => "is not what the contract has here".to_owned(),
        }
    }
}

/// What a pattern of the contract demands, in words. A test requires words for each of them.
fn words_of(pattern: &str) -> Option<&'static str> {
    Some(match pattern {
        "^[Hh][Tt][Tt][Pp][Ss]?:" => "must begin with https://",
        "^[a-z0-9]+(-[a-z0-9]+)*$" => {
            "must be lower-case letters and digits, with single hyphens between them"
        }
        _ => return None,
    })
}

/// Whether a pointer names a member of the document itself.
fn is_top(pointer: &str) -> bool {
    pointer.rfind('/') == Some(0)
}

/// A whole number that is written with digits; one beyond 64 bits is rounded, so that the contract can say which numbers are allowed.
fn whole_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number.into());
    }
    let number = text.parse::<f64>().ok()?;
    Some(number.clamp(f64::MIN, f64::MAX).into())
}

/// Whether a number that was not read as a whole number may be one beyond 64 bits, which was rounded.
fn is_beyond_64_bits(number: f64) -> bool {
    number >= 2_f64.powi(64) || number <= -(2_f64.powi(63))
}

/// The message about an unknown name.
fn unknown(name: &str, known: &[&str]) -> String {
    let near = near(name, known.iter().copied());
    if near.is_empty() {
        format!("is not known here; known are {}", known.join(", "))
    } else {
        format!("is not known here{}", did_you_mean(&near))
    }
}

/// The faults of the alternative that was most likely intended: one without a wrong tag, with the fewest faults. `None` if no alternative accepts the type.
fn most_likely<'e>(
    alternatives: &'e [Vec<ValidationError<'static>>],
    here: &str,
) -> Option<&'e Vec<ValidationError<'static>>> {
    let of_this_type = alternatives.iter().filter(|errors| {
        !errors.iter().any(|error| {
            error.instance_path().as_str() == here
                && matches!(error.kind(), ValidationErrorKind::Type { .. })
        })
    });
    of_this_type.min_by_key(|errors| {
        let has_wrong_tag = errors.iter().any(|error| {
            error.instance_path().as_str() != here
                && matches!(
                    error.kind(),
                    ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. }
                )
        });
        (has_wrong_tag, errors.len())
    })
}

/// The fault of a value whose type is accepted by no alternative.
fn none_of(alternatives: &[Vec<ValidationError<'static>>], instance: &Value) -> String {
    let mut accepted = Vec::new();
    for error in alternatives.iter().flatten() {
        if let ValidationErrorKind::Type { kind } = error.kind() {
            accepted.extend(types(kind));
        }
    }
    // `null` comes last.
    accepted.sort_by_key(|name| *name == NULL);
    accepted.dedup();
    must_be(&accepted.join(" or "), instance)
}

fn one_of(options: &Value, instance: &Value) -> NotOneOf {
    let options: Vec<Cow<'_, str>> = options.as_array().into_iter().flatten().map(plain).collect();
    must_be_one_of(instance.as_str().unwrap_or_default(), options.iter().map(AsRef::as_ref))
}

/// A value of the contract as text; strings have no quotation marks.
fn plain(value: &Value) -> Cow<'_, str> {
    value.as_str().map_or_else(|| value.to_string().into(), Into::into)
}

const NULL: &str = "null";

fn types(kind: &TypeKind) -> Vec<&'static str> {
    let name = |name: &str| match name {
        "string" => "text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => NULL,
    };
    let mut names: Vec<_> = match kind {
        TypeKind::Single(one) => vec![name(one.as_str())],
        TypeKind::Multiple(several) => several.iter().map(|one| name(one.as_str())).collect(),
    };
    // `null` comes last.
    names.sort_by_key(|name| *name == NULL);
    names
}

/// The fault of a number that is too large or too small for its type.
pub(super) const OUT_OF_RANGE: &str = "is a number beyond the range of numbers here";

/// The whole numbers that an integer type of Rust can have; `None` for the name of another type.
fn range_of(integer_type: &str) -> Option<RangeInclusive<i128>> {
    Some(match integer_type {
        "i8" => i8::MIN.into()..=i8::MAX.into(),
        "i16" => i16::MIN.into()..=i16::MAX.into(),
        "i32" => i32::MIN.into()..=i32::MAX.into(),
        "i64" | "isize" => i64::MIN.into()..=i64::MAX.into(),
        "u8" => 0..=u8::MAX.into(),
        "u16" => 0..=u16::MAX.into(),
        "u32" => 0..=u32::MAX.into(),
        "u64" | "usize" => 0..=u64::MAX.into(),
        _ => return None,
    })
}

/// The fault of a number that an integer type cannot have. The contract has no largest number of each type, and allows `2.0` as a whole number.
fn not_of_range(range: &RangeInclusive<i128>, typed: &str) -> String {
    let number: Value = serde_json::from_str(typed).unwrap_or_default();
    let value = number.as_f64().unwrap_or_default();
    let is_whole_number = number.is_i64() || number.is_u64();
    let range = format!("a whole number from {} to {}", range.start(), range.end());
    if is_whole_number {
        must_be(&range, &number)
    } else if is_beyond_64_bits(value) {
        // It was rounded: it would be another one than the client wrote.
        format!("must be {range}")
    } else if value == 0.0 && value.is_sign_negative() {
        "must be 0 or another whole number, not -0".to_owned()
    } else {
        must_be("a whole number without a decimal point or exponent", &number)
    }
}

/// Rewrites the error of a derived deserializer for clients, because the names of Rust types mean nothing to them.
pub(crate) fn in_words(reason: &str) -> String {
    let quoted = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    if let Some((typed, known)) =
        reason.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        let (typed, known) = (quoted(typed).concat(), quoted(known));
        return must_be_one_of(&typed, known.iter().map(String::as_str)).to_string();
    }
    if let Some((typed, known)) =
        reason.strip_prefix("unknown field ").and_then(|rest| rest.split_once(", expected "))
    {
        let (typed, known) = (quoted(typed).concat(), quoted(known));
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return format!("{typed} {}", unknown(&typed, &known));
    }
    if let Some(name) = reason.strip_prefix("missing field ") {
        return format!("{} is missing", name.trim_matches('`'));
    }
    let of_number = ["invalid type: floating point ", "invalid value: integer "];
    if let Some(rest) = of_number.iter().find_map(|start| reason.strip_prefix(*start)) {
        let fault = rest.split_once(", expected ").and_then(|(typed, known)| {
            Some(not_of_range(&range_of(known)?, &quoted(typed).concat()))
        });
        if let Some(fault) = fault {
            return fault;
        }
    }
    if reason.starts_with("invalid value: integer ") {
        return OUT_OF_RANGE.to_owned();
    }
    // The errors of the standard library about the text of a parameter.
    match reason {
        "number too large to fit in target type" | "number too small to fit in target type" => {
            return OUT_OF_RANGE.to_owned();
        }
        "invalid digit found in string" => {
            return "must be a whole number of at least 0, without a minus sign".to_owned();
        }
        _ => {}
    }
    if reason.starts_with("invalid type: ") || reason.starts_with("invalid length ") {
        return "is of the wrong type".to_owned();
    }
    reason.to_owned()
}

/// The problem for a refused input, with at most [`MAX_FAULTS`] faults.
pub(crate) fn refusal(code: ProblemCode, mut faults: Vec<InputFault>) -> Problem {
    let has_more = faults.len() > MAX_FAULTS;
    faults.truncate(MAX_FAULTS);
    let problem = Problem::new(code).errors(faults);
    if has_more {
        problem.detail(format!("More than {MAX_FAULTS} faults; {MAX_FAULTS} of them are listed."))
    } else {
        problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request with several lists.
    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct SeveralLists {
        #[schema(max_items = 100)]
        decks: Vec<Vec<u32>>,
        #[schema(max_items = 1000)]
        cards: Vec<u32>,
    }

    #[test]
    fn of_many_faults_those_of_each_item_of_a_short_list_are_listed() {
        let contract = Contract::of_body::<SeveralLists>();
        let decks: Vec<Value> = (0..100).map(|at| json!(vec!["x"; 300 - 3 * at])).collect();
        let body = json!({ "decks": decks, "cards": vec!["x"; 300] });
        let faults = contract.faults(&body);
        assert!((101..500).contains(&faults.len()), "{}", faults.len());
        assert_eq!(contract.faulty_items(&faults).len(), 100);
        let faults = contract.with_listed_first(faults);
        let listed: BTreeSet<&str> = faults[..100].iter().map(|one| one.pointer.as_str()).collect();
        for at in 0..100 {
            assert!(listed.contains(format!("/decks/{at}/0").as_str()), "{at}: {listed:?}");
        }
        // A list that is too long is a fault that is listed, too.
        let many = json!({ "decks": vec![json!(["x"]); 101], "cards": [] });
        let faults = contract.with_listed_first(contract.faults(&many));
        assert!(faults[..100].iter().any(|fault| fault.pointer == "/decks"));
        // The first faults of other lists are listed.
        let cards = json!({ "decks": [], "cards": vec!["x"; 300] });
        let faults = contract.with_listed_first(contract.faults(&cards));
        assert_eq!((&*faults[0].pointer, &*faults[99].pointer), ("/cards/0", "/cards/99"));
    }

    #[test]
    fn each_pattern_of_the_contract_has_words() {
        fn visit(value: &Value, patterns: &mut BTreeSet<String>) {
            patterns.extend(value["pattern"].as_str().map(str::to_owned));
            let members = value.as_object().into_iter().flat_map(Map::values);
            for value in members.chain(value.as_array().into_iter().flatten()) {
                visit(value, patterns);
            }
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/openapi.json");
        let contract: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut patterns = BTreeSet::new();
        visit(&contract, &mut patterns);
        assert!(!patterns.is_empty());
        for pattern in patterns {
            assert!(words_of(&pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn faults_of_numbers_name_the_number_and_the_range() {
        let fault = |text: &str| {
            let error = serde_json::from_str::<u32>(text).unwrap_err().to_string();
            in_words(error.split(" at line ").next().unwrap_or_default())
        };
        let range = "must be a whole number from 0 to 4294967295, not";
        assert_eq!(fault("-1"), format!("{range} -1"));
        assert_eq!(fault("4294967296"), format!("{range} 4294967296"));
        assert_eq!(fault("99999999999999999999"), "must be a whole number from 0 to 4294967295");
        assert_eq!(fault("-0"), "must be 0 or another whole number, not -0");
        let whole = "must be a whole number without a decimal point or exponent, not";
        assert_eq!(fault("2.0"), format!("{whole} 2.0"));
        let parameter = |text: &str| in_words(&text.parse::<u8>().unwrap_err().to_string());
        assert_eq!(parameter("256"), OUT_OF_RANGE);
        assert!(parameter("-0").starts_with("must be a whole number of at least 0"));
        assert_eq!(whole_number("-0"), Some(json!(0)));
        assert_eq!(whole_number("99999999999999999999"), Some(json!(1e20)));
        assert_eq!(whole_number("18446744073709551615"), Some(json!(u64::MAX)));
        assert_eq!(whole_number(&"9".repeat(400)), Some(json!(f64::MAX)));
        assert_eq!(
            [whole_number(""), whole_number("2.5"), whole_number("1e3"), whole_number("+1")],
            [None, None, None, None]
        );
    }
}
