//! Query parameters, read strictly: an unknown, repeated or invalid parameter is a fault that names it. All faults are reported at once.

use std::borrow::Cow;
use std::collections::HashSet;
use std::future::{Ready, ready};
use std::ops::Deref;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::faults::{Contract, in_words, refusal};
use crate::app::page::Cursor;
use crate::app::problem::{InputFault, NOT_OF_THIS_LIST, Problem, ProblemCode};

/// Most parameters of a query: more than any operation has, and few enough to look for a fault in each of them.
const MAX_PARAMETERS: usize = 200;

/// The query parameters of a request.
pub struct Params<T>(T);

impl<T> Deref for Params<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: DeserializeOwned + IntoParams + 'static> FromRequest for Params<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(parse(req.query_string()).map(Self))
    }
}

/// The query parameters of a request, some of which may have faults. The faults that the handler finds in the others are reported together with these.
pub struct LooseParams<T> {
    /// The valid parameters; a parameter with a fault is absent.
    read: T,
    faults: Vec<InputFault>,
}

impl<T> LooseParams<T> {
    /// The parameters and the result of a check of them; or all faults, of the reading and of the check.
    pub async fn checked<R>(
        self,
        check: impl AsyncFnOnce(&T) -> Result<R, Problem>,
    ) -> Result<(T, R), Problem> {
        let Self { read, faults } = self;
        match check(&read).await {
            Ok(result) if faults.is_empty() => Ok((read, result)),
            Err(problem) if faults.is_empty() => Err(problem),
            Ok(_) => Err(refusal(ProblemCode::InvalidQuery, faults)),
            // Faults about all parameters together may be wrong, because invalid parameters count as absent.
            Err(problem) => Err(Problem::of_query(faults).and(problem.without_general_faults())),
        }
    }
}

impl<T> LooseParams<T> {
    /// The parameters, for a use case that checks them itself. `check` is called only if reading found faults, so that the faults of both are reported.
    pub async fn sound(
        self,
        check: impl AsyncFnOnce(&T) -> Result<(), Problem>,
    ) -> Result<T, Problem> {
        if self.faults.is_empty() {
            return Ok(self.read);
        }
        self.checked(check).await.map(|(read, ())| read)
    }
}

impl<T: DeserializeOwned + IntoParams + 'static> FromRequest for LooseParams<T> {
    type Error = Problem;
    type Future = Ready<Result<Self, Problem>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        let query = req.query_string();
        ready(require_readable(query).and_then(|()| match read(query) {
            Ok(read) => Ok(Self { read, faults: Vec::new() }),
            Err(stop) => {
                let (faults, read) = every_fault::<T>(query, stop);
                match read {
                    Some(read) => Ok(Self { read, faults }),
                    None => Err(refusal(ProblemCode::InvalidQuery, faults)),
                }
            }
        }))
    }
}

pub(super) fn parse<T: DeserializeOwned + IntoParams + 'static>(query: &str) -> Result<T, Problem> {
    require_readable(query)?;
    read(query).map_err(|stop| {
        let (faults, _) = every_fault::<T>(query, stop);
        refusal(ProblemCode::InvalidQuery, faults)
    })
}

/// Fails if a query has too many parameters or is not UTF-8.
pub(crate) fn require_readable(query: &str) -> Result<(), Problem> {
    if form_urlencoded::parse(query.as_bytes()).nth(MAX_PARAMETERS).is_some() {
        let fault = InputFault::at("", format!("must have at most {MAX_PARAMETERS} parameters"));
        return Err(Problem::of_query(vec![fault]));
    }
    // The form parser would replace invalid UTF-8 by U+FFFD, and the response would answer another query.
    let text = percent_encoding::percent_decode_str(query).decode_utf8();
    if text.is_err() {
        let fault = InputFault::at("", "must be UTF-8, percent-encoded");
        return Err(Problem::of_query(vec![fault]));
    }
    Ok(())
}

/// The parameter at which the deserializer stopped, and the reason.
struct ParameterFault {
    name: String,
    reason: String,
}

fn read<T: DeserializeOwned + IntoParams + 'static>(query: &str) -> Result<T, ParameterFault> {
    if let Some(name) = number_with_plus::<T>(query) {
        return Err(ParameterFault { name, reason: "must be a whole number".to_owned() });
    }
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| ParameterFault {
        name: error.path().to_string(),
        reason: error.into_inner().to_string(),
    })
}

/// The first parameter that is a whole number with a plus sign. The standard library reads it as the number without the sign, but whole numbers are
/// written with digits alone.
fn number_with_plus<T: IntoParams + 'static>(query: &str) -> Option<String> {
    // A plus sign that is not encoded means a space.
    if !query.contains("%2B") && !query.contains("%2b") {
        return None;
    }
    let contract = Contract::of_query::<T>();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let (name, _) =
        pairs.find(|(name, text)| text.starts_with('+') && contract.has("integer", name))?;
    Some(name.into_owned())
}

/// All faults of a query by the contract, and all further faults of the deserializer; and the remaining parameters, if they are sufficient.
fn every_fault<T: DeserializeOwned + IntoParams + 'static>(
    query: &str,
    stop: ParameterFault,
) -> (Vec<InputFault>, Option<T>) {
    let contract = Contract::of_query::<T>();
    let (mut faulty, mut names, mut faults) = (HashSet::new(), HashSet::new(), Vec::new());
    let mut pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        if names.insert(name.clone()) {
            pairs.push((name, text));
        } else if faulty.insert(name.to_string()) {
            faults.push(InputFault::at(format!("?{name}"), "is given twice"));
        }
    }
    for fault in contract.faults(&contract.document(&pairs)) {
        let name = fault.pointer.trim_start_matches('/').replace("~1", "/").replace("~0", "~");
        if faulty.insert(name.clone()) {
            // All values of a query are text, so the type is not mentioned.
            let detail = fault.detail.trim_end_matches(", not text").to_owned();
            faults.push(InputFault::at(format!("?{name}"), detail));
        }
    }
    let is_damaged = |(name, text): &&(Cow<'_, str>, Cow<'_, str>)| {
        name == "cursor" && contract.knows(name) && !Cursor::may_be(text)
    };
    if pairs.iter().any(|pair| is_damaged(&pair)) && faulty.insert("cursor".to_owned()) {
        faults.push(InputFault::at("?cursor", NOT_OF_THIS_LIST));
    }
    // The contract has a limit on the faults that it reports. The deserializer would stop at each unknown parameter beyond it.
    pairs.retain(|(name, _)| contract.knows(name));
    // No schema describes some formats: the remaining parameters are read again, without those that have faults. Each time there is one less.
    let left = loop {
        pairs.retain(|(name, _)| !faulty.contains(name.as_ref()));
        let rest = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
        match read::<T>(&rest) {
            Err(ParameterFault { name, reason })
                if pairs.iter().any(|(known, _)| *known == name) =>
            {
                faults.push(InputFault::at(format!("?{name}"), in_words(&reason)));
                faulty.insert(name);
            }
            left => break left.ok(),
        }
    };
    if faults.is_empty() {
        faults.push(InputFault::at("", in_words(&stop.reason)));
    }
    (faults, left)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde::{Deserialize, Deserializer};
    use utoipa::openapi::path::{Parameter, ParameterIn};

    use super::*;
    use crate::http::extract::PageQuery;

    thread_local! {
        static READINGS: Cell<usize> = const { Cell::new(0) };
    }

    /// The parameters of a list. Counts how often a query is read.
    struct Counted;

    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            READINGS.set(READINGS.get() + 1);
            PageQuery::deserialize(deserializer).map(|_| Self)
        }
    }

    impl IntoParams for Counted {
        fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
            PageQuery::into_params(place)
        }
    }

    fn unknown(count: usize) -> String {
        let pairs: Vec<String> = (0..count).map(|at| format!("unknown{at}=1")).collect();
        pairs.join("&")
    }

    /// The number of faults of a query, and how often it was read.
    fn refused(query: &str) -> (usize, usize) {
        READINGS.set(0);
        let problem = parse::<Counted>(query).err().unwrap();
        assert_eq!(problem.code(), ProblemCode::InvalidQuery);
        (problem.into_faults().len(), READINGS.get())
    }

    #[test]
    fn a_query_is_read_as_often_with_many_unknown_parameters_as_with_one() {
        assert_eq!(refused("unknown=1"), (1, 2));
        // A hundred faults are listed at most.
        assert_eq!(refused(&unknown(MAX_PARAMETERS)), (100, 2));
    }

    #[test]
    fn a_query_with_too_many_parameters_is_not_read() {
        assert_eq!(refused(&unknown(MAX_PARAMETERS + 1)), (1, 0));
        assert_eq!(refused(&"limit=1&".repeat(MAX_PARAMETERS + 1)), (1, 0));
        // Ampersands are no parameters.
        assert!(parse::<Counted>(&format!("limit=1{}", "&".repeat(2 * MAX_PARAMETERS))).is_ok());
    }
}
