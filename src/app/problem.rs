//! The table of error codes: every way in which a use case can fail. `http/problem.rs` writes failures as HTTP
//! responses (RFC 9457).

use std::borrow::Cow;
use std::fmt;

use cardscape_engine::Position;
use serde::Serialize;
use utoipa::ToSchema;

use super::fault_reason::FaultReason;
use super::problem_cause::ProblemCause;
use super::problem_member::ProblemMember;
use crate::auth::password::HashError;
use crate::auth::permission::Denied;
use crate::domain::serials::serial_text::{mask_serials, serialize_masked};
use crate::memory::MemoryError;
use crate::memory::pictures::DrawError;
use crate::memory::places::NoPlace;
use crate::memory::rendered::RenderError;
use crate::store::StoreError;
use crate::store::operations::idempotency::IdempotentError;
use crate::work::WorkError;

macro_rules! problem_codes {
    ($($name:ident = $status:literal $code:literal $title:literal;)+) => {
        /// Every way a request can fail. The code is stable; titles and details may be reworded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemCode {
            $(#[doc = $title] $name,)+
        }

        impl ProblemCode {
            /// The whole table.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The stable code.
            pub fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)+ }
            }

            /// A short text for people, the same for every occurrence.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// The HTTP status.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }
        }
    };
}

problem_codes! {
    // Requests that cannot be read.
    MalformedJson = 400 "malformed_json" "The body is not well-formed JSON";
    InvalidQuery = 400 "invalid_query" "A query parameter is unknown, missing or has a wrong value";
    InvalidHeader = 400 "invalid_header" "A request header has a wrong value";
    InvalidCursor = 400 "invalid_cursor" "The cursor does not come from this list";
    NotUtf8 = 400 "not_utf8" "The file is not UTF-8 text";
    InvalidRequest = 400 "invalid_request" "The request is not valid HTTP";
    BodyTooSlow = 408 "body_too_slow" "The body of the request took too long";
    BodyTooLarge = 413 "body_too_large" "The body is larger than this route takes";
    NotAcceptable = 406 "not_acceptable" "The answer exists in no form that the request accepts";
    RangeNotSatisfiable = 416 "range_not_satisfiable" "The file has no bytes in this range";
    UnsupportedMediaType = 415 "unsupported_media_type" "The body has a media type that this route does not take";
    InvalidBody = 422 "invalid_body" "The body has fields that are unknown, missing or have wrong values";

    // Authentication and permissions.
    Unauthenticated = 401 "unauthenticated" "This needs an access token";
    InvalidToken = 401 "invalid_token" "The token is not valid, or has expired";
    WrongCredentials = 401 "wrong_credentials" "The name or the password is wrong";
    SecondFactorRequired = 401 "second_factor_required" "Name and password are right; a code of the second factor is needed, too";
    WrongSecondFactor = 401 "wrong_second_factor" "The code of the second factor is wrong, too old, or was used";
    WrongRecoveryCode = 401 "wrong_recovery_code" "The name or the recovery code is wrong";
    AccountBanned = 403 "account_banned" "The account is banned";
    WrongPassword = 403 "wrong_password" "The current password is wrong";
    WrongCode = 403 "wrong_code" "The code is wrong, too old, or was used";
    Forbidden = 403 "forbidden" "You may not do this";
    ScopeMissing = 403 "scope_missing" "The token lacks a scope";
    LoginRequired = 403 "login_required" "A personal access token cannot do this: log in";
    PasswordChangeDue = 403 "password_change_due" "The password was set by somebody else: change it first";
    SecondFactorDue = 403 "second_factor_due" "Your role needs a second factor: switch one on first";

    // The requested resource.
    NotFound = 404 "not_found" "There is nothing here, or nothing that you may see";
    AmbiguousName = 404 "ambiguous_name" "Several cards may be meant by this name";
    MethodNotAllowed = 405 "method_not_allowed" "This resource does not know that method";
    NameTaken = 409 "name_taken" "Another account has this name";
    TooManyTokens = 409 "too_many_tokens" "The account has reached its limit of personal access tokens";
    SecondFactorOn = 409 "second_factor_on" "The account has a second factor: switch it off first";
    SecondFactorOff = 409 "second_factor_off" "The account has no second factor";
    SecondFactorNotBegun = 409 "second_factor_not_begun" "Nobody began to set up a second factor, or it took too long: begin again";
    EditConflict = 409 "edit_conflict" "Somebody else changed it at the same moment: read it again";
    OwnAccount = 409 "own_account" "Nobody can do this to their own account";
    TooManyDecks = 409 "too_many_decks" "The account has reached its limit of decks";
    NumberTaken = 409 "number_taken" "A card has this number, or had it before";
    SetPrinted = 409 "set_printed" "The set is printed or is being printed: its cards cannot be moved, merged or changed like this";
    SetCodeTaken = 409 "set_code_taken" "Another set of the game has this code";
    SetInUse = 409 "set_in_use" "Something depends on the set: it cannot be deleted";
    MergeRefused = 409 "merge_refused" "These two cards cannot become one";
    TooManyRulings = 409 "too_many_rulings" "The card has reached its limit of rulings";
    CountOutOfRange = 409 "count_out_of_range" "A count would fall below 0 or rise above 9999; nothing was changed";
    CollectionChanged = 409 "collection_changed" "The collection has changed since the file was shown; nothing was imported";
    CollectionFull = 409 "collection_full" "The collection has reached its limit of entries";
    Gone = 410 "gone" "The object of this request does not exist any more";
    UnknownFormat = 422 "unknown_format" "There is no such game or format";
    InvalidImport = 422 "invalid_import" "The file has faults; nothing was imported";
    InvalidEdit = 422 "invalid_edit" "The result of the edit would have faults; nothing was changed";
    UnclearPrinting = 422 "unclear_printing" "An entry names no printing that you may see, or fits several; nothing was changed";
    UnreadableCollection = 422 "unreadable_collection" "The file is not a table of cards";
    ImportHasFaults = 422 "import_has_faults" "Some lines of the file cannot be imported; nothing was imported";
    UnreadableDeckList = 422 "unreadable_deck_list" "Some lines of the deck list cannot be read";

    // Designs.
    TooManyDesigns = 409 "too_many_designs" "The account has reached its limit of designs";
    TooManyRevisions = 409 "too_many_revisions" "The design has reached its limit of revisions";
    DesignStepRefused = 409 "design_step_refused" "The status of the design does not allow this";
    DesignNameless = 409 "design_nameless" "A design that others see needs a name";
    DesignNameTaken = 409 "design_name_taken" "A card or another design has this name, or one that looks the same";
    DesignWasPublic = 409 "design_was_public" "Others have seen the design: a public one, or one that moderators decided about, cannot be deleted";
    DesignNotReleasable = 409 "design_not_releasable" "The design does not meet the conditions of a release";
    DesignClaimed = 409 "design_claimed" "Another moderator looks at the design";
    DesignNotClaimed = 409 "design_not_claimed" "You have not claimed the design, or your claim has ended";
    DesignTakenDown = 409 "design_taken_down" "A moderator has taken the design down";
    AuthorBanned = 409 "author_banned" "The author of the design is banned";
    OwnReport = 409 "own_report" "You cannot report your own content or account";
    ReleaseNotConfirmed = 409 "release_not_confirmed" "Others have seen the design, and the cards of the set start hidden";
    PerkRefused = 409 "perk_refused" "The perk cannot be granted";
    FeedbackRefused = 403 "feedback_refused" "Feedback is not accepted here";
    CommentFinal = 409 "comment_final" "A comment can be changed for 15 minutes";
    SuggestionClosed = 409 "suggestion_closed" "The suggestion was answered or withdrawn";
    SuggestionOutdated = 409 "suggestion_outdated" "The design was changed in the meantime";
    TooManyBlocks = 409 "too_many_blocks" "The account has reached its limit of blocked accounts";
    UnreadableArtwork = 422 "unreadable_artwork" "The file is not a picture that can be read";
    ArtworkQuotaReached = 409 "artwork_quota_reached" "The account has no room for this artwork";
    ArtworkRemoved = 409 "artwork_removed" "The revision would show artwork that was taken down";
    ArtworkInUse = 409 "artwork_in_use" "A revision of one of your designs shows the artwork";
    OwnDesign = 409 "own_design" "The author and contributors of a design cannot do this";
    OwnDeck = 409 "own_deck" "Nobody can like their own deck";
    DeckTakenDown = 409 "deck_taken_down" "A moderator has taken down this deck, or the deck of which it is a copy: it stays private";
    TooManyFollowed = 409 "too_many_followed" "The account has reached its limit of followed authors";
    TooManyWatched = 409 "too_many_watched" "The account has reached its limit of watched decks";
    DailyLimitReached = 429 "daily_limit_reached" "The account has reached its limit of such actions for today";

    // Serials.
    SerialMalformed = 422 "serial_malformed" "This is not a serial code";
    SerialMistyped = 422 "serial_mistyped" "The serial code has a typing error";
    SubmissionRejected = 422 "submission_rejected" "Code and name do not belong together";
    RegisteredToAnother = 409 "registered_to_another" "This copy is registered to somebody else";
    CopyPassedOn = 409 "copy_passed_on" "This copy was yours once and is somebody else's now";
    AlreadyReviewed = 409 "already_reviewed" "A moderator has decided the opposite before";
    SerialAttemptsUsedUp = 429 "serial_attempts_used_up" "Too many rejected codes";

    // Print runs.
    PrintPlanRefused = 422 "print_plan_refused" "The set cannot be printed like this";
    CommitmentNotPrinted = 409 "commitment_not_printed" "The announced print run is not printed yet";
    CardsStillHidden = 409 "cards_still_hidden" "The plan would reveal cards that are still hidden";

    // Copies, trades, disputes.
    CopyVoid = 409 "copy_void" "The copy is void, for good";
    OwnCase = 409 "own_case" "You own or claim this copy, or did so before: you cannot decide about it";
    NoSuchTrader = 422 "no_such_trader" "No player of this name accepts offers";
    TooManyTrades = 409 "too_many_trades" "The account has reached its limit of open offers";
    NotYourTurn = 409 "not_your_turn" "Only the other side can do this";
    TradeClosed = 409 "trade_closed" "The offer is not open any more";
    TradeLapsed = 409 "trade_lapsed" "The offer ended, because a copy or a player cannot take part in the trade any more";
    DisputeClosed = 409 "dispute_closed" "The dispute is not open any more";
    TooManyStatements = 409 "too_many_statements" "You have reached the limit of statements in this dispute";

    // Webhooks.
    TooManyWebhooks = 409 "too_many_webhooks" "The limit of webhooks is reached";
    WebhookDisabled = 409 "webhook_disabled" "The webhook is disabled: enable it first";

    // Preconditions of an edit.
    PreconditionRequired = 428 "precondition_required" "Send If-Match with the ETag of the version you change";
    PreconditionFailed = 412 "precondition_failed" "It was changed since you read it";
    IdempotencyKeyReused = 422 "idempotency_key_reused" "This Idempotency-Key was used for another request";
    IdempotencyInProgress = 409 "idempotency_in_progress" "The first request with this Idempotency-Key is still running";

    // Limits.
    RateLimited = 429 "rate_limited" "Too many requests";
    TooManyStreams = 429 "too_many_streams" "Your network or your account has reached its limit of open streams";
    TooManyImports = 429 "too_many_imports" "Your network or your account has too many files being read at once";
    LoginThrottled = 429 "login_throttled" "Too many failed log-ins";
    RegistrationThrottled = 429 "registration_throttled" "Too many registrations from this network";

    // Failures of the service.
    Internal = 500 "internal" "Something went wrong on our side";
    Unavailable = 503 "unavailable" "The service cannot answer right now";
    SearchBusy = 503 "search_busy" "Too many large searches at once";
    TimedOut = 503 "timed_out" "The answer took too long";
}

/// Most faults in a response: as many as a deck list may have lines that cannot be read and are reported. Longer lists, such as 2,000 trade items, are cut.
pub const MAX_LISTED_FAULTS: usize = 500;

/// A fault of the input.
// Its texts may repeat what the client sent, so they are serialised without serial codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InputFault {
    /// JSON Pointer (RFC 6901) into the body, `""` for the whole body; or `?name` for a query parameter.
    #[serde(serialize_with = "serialize_masked")]
    #[schema(example = "/name")]
    pub pointer: String,
    /// What is wrong, for people.
    #[serde(serialize_with = "serialize_masked")]
    #[schema(example = "must be 3 to 32 characters long, not 2")]
    pub detail: String,
    /// Line of the fault, counted from 1; only in a text of several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 12, minimum = 1)]
    pub line: Option<usize>,
    /// Character of the fault, counted from 1; only if the fault is at one place of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 6, minimum = 1)]
    pub column: Option<usize>,
    /// Violation code of the broken rule (`/docs/violations`), which is stable, for programs; only if a rule of the game is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ATTRIBUTE_OUT_OF_RANGE")]
    pub code: Option<String>,
    /// Number of the broken rule; only if a rule of the game is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "T-2.2.1b")]
    pub rule: Option<String>,
    /// The card that the fault is about, in a set file or stored; only if it is about a single card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<InputCard>,
    /// Why: pages say it in their own words.
    #[serde(skip)]
    #[schema(ignore)]
    pub reason: FaultReason,
}

/// The card that a fault is about, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct InputCard {
    /// Code of the set; only for a stored card that is not in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number in the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "042")]
    pub number: Option<String>,
    /// Name of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Baker")]
    pub name: Option<String>,
}

impl InputFault {
    /// A fault at a field of the body.
    pub fn at(pointer: impl Into<String>, reason: impl Into<FaultReason>) -> Self {
        let reason = reason.into();
        Self {
            pointer: pointer.into(),
            detail: reason.to_string(),
            line: None,
            column: None,
            code: None,
            rule: None,
            card: None,
            reason,
        }
    }

    /// Adds the line of a text file, counted from 1.
    #[must_use]
    pub fn on_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Adds the line of a text file and the place in it, both counted from 1.
    #[must_use]
    pub fn at_position(self, Position { line, column }: Position) -> Self {
        Self { column: Some(column), ..self.on_line(line) }
    }
}

/// The fault of a wrong cursor, when it is listed with other faults.
pub(crate) const NOT_OF_THIS_LIST: &str = "does not come from this list";

/// Why something could not be done: the error type of every use case and every handler.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) code: ProblemCode,
    pub(crate) detail: Option<Cow<'static, str>>,
    /// The cause, where pages write their own text about it.
    pub(crate) cause: Option<Box<ProblemCause>>,
    pub(crate) errors: Vec<InputFault>,
    /// Seconds after which a retry may succeed.
    pub(crate) retry_after: Option<u32>,
    /// A response header (name and value) that belongs to the status.
    pub(crate) header: Option<Box<(&'static str, String)>>,
    /// Only [`Problem::with`] adds to it.
    extra: serde_json::Map<String, serde_json::Value>,
}

impl Problem {
    /// A problem without details beside its title.
    pub fn new(code: ProblemCode) -> Self {
        Self {
            code,
            detail: None,
            cause: None,
            errors: Vec::new(),
            retry_after: None,
            header: None,
            extra: serde_json::Map::new(),
        }
    }

    /// Adds details of this occurrence.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds the cause; its text becomes the detail of this occurrence.
    #[must_use]
    pub fn because(mut self, cause: ProblemCause) -> Self {
        self.detail = Some(cause.to_string().into());
        self.cause = Some(Box::new(cause));
        self
    }

    /// Adds the faults of the input.
    #[must_use]
    pub fn errors(mut self, errors: Vec<InputFault>) -> Self {
        self.errors = errors;
        self
    }

    /// Adds after how many seconds a retry may succeed.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Adds the methods of the resource, for 405.
    #[must_use]
    pub fn allow(mut self, methods: String) -> Self {
        self.header = Some(Box::new(("allow", methods)));
        self
    }

    /// Adds the length of the file, for 416.
    #[must_use]
    pub fn length(mut self, bytes: u64) -> Self {
        self.header = Some(Box::new(("content-range", format!("bytes */{bytes}"))));
        self
    }

    /// Adds a member to the problem document, for programs. The code must be one of those that can have it.
    #[must_use]
    pub fn with(mut self, member: ProblemMember, value: impl Into<serde_json::Value>) -> Self {
        debug_assert!(member.codes().contains(&self.code), "{member:?} of {:?}", self.code);
        self.extra.insert(member.as_str().to_owned(), value.into());
        self
    }

    /// The refusal of a text that is not JSON from this position on.
    pub fn malformed_json(position: Position, reason: &str) -> Self {
        let Position { line, column } = position;
        Self::new(ProblemCode::MalformedJson)
            .detail(format!("Line {line}, column {column}: {reason}."))
            .errors(vec![InputFault::at("", reason.to_owned()).at_position(position)])
    }

    /// 404: the resource does not exist, or the caller may not see it.
    pub fn not_found() -> Self {
        Self::new(ProblemCode::NotFound)
    }

    /// The body could be parsed, but some values are wrong.
    pub fn invalid(errors: Vec<InputFault>) -> Self {
        Self::new(ProblemCode::InvalidBody).errors(errors)
    }

    /// Some query parameters are wrong.
    pub fn of_query(errors: Vec<InputFault>) -> Self {
        Self::new(ProblemCode::InvalidQuery).errors(errors)
    }

    /// Converts faults of a body to faults of an upload, where all members except `list` are query parameters.
    #[must_use]
    pub fn of_upload(mut self) -> Self {
        if !matches!(self.code, ProblemCode::InvalidBody | ProblemCode::UnknownFormat) {
            return self;
        }
        for fault in &mut self.errors {
            if let Some(member) = fault.pointer.strip_prefix('/')
                && member != "list"
            {
                fault.pointer = format!("?{member}");
            }
        }
        let of_query = self.errors.iter().all(|fault| fault.pointer.starts_with('?'));
        if self.code == ProblemCode::InvalidBody && of_query && !self.errors.is_empty() {
            self.code = ProblemCode::InvalidQuery;
        }
        self
    }

    /// Joins two problems: if both are about query parameters, one problem with the faults of both; else the first.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let (Some(own), Some(others)) = (self.query_faults(), other.query_faults()) else {
            return self;
        };
        self.code = ProblemCode::InvalidQuery;
        self.errors = [own, others].concat();
        for (member, value) in other.extra {
            self.extra.entry(member).or_insert(value);
        }
        self
    }

    /// Removes faults without a pointer.
    #[must_use]
    pub fn without_general_faults(mut self) -> Self {
        self.errors.retain(|fault| !fault.pointer.is_empty());
        self
    }

    /// The faults in query parameters; `None`: the problem is about something else.
    fn query_faults(&self) -> Option<Vec<InputFault>> {
        match self.code {
            ProblemCode::InvalidQuery => Some(self.errors.clone()),
            ProblemCode::InvalidCursor => Some(vec![InputFault::at("?cursor", NOT_OF_THIS_LIST)]),
            _ => None,
        }
    }

    /// There is no free place to read a file: 429 when the account or network has too many, 503 when the whole instance
    /// has.
    pub fn no_file_place(full: NoPlace) -> Self {
        match full {
            NoPlace::Holder => Self::new(ProblemCode::TooManyImports).retry_after(2),
            NoPlace::InAll => WorkError::Busy.into(),
        }
    }

    /// A failure of the service itself. `cause` is logged and not sent to the client.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(%cause, "internal error");
        Self::new(ProblemCode::Internal)
    }

    /// The code of the problem.
    pub fn code(&self) -> ProblemCode {
        self.code
    }

    /// The cause, if it is known.
    pub fn cause(&self) -> Option<&ProblemCause> {
        self.cause.as_deref()
    }

    /// What is wrong with the input.
    pub fn faults(&self) -> &[InputFault] {
        &self.errors
    }

    /// Seconds after which a retry may succeed.
    pub fn seconds_to_wait(&self) -> Option<u32> {
        self.retry_after
    }

    /// What is wrong with the input.
    pub fn into_faults(self) -> Vec<InputFault> {
        self.errors
    }

    /// A member that not every problem document has.
    pub fn member(&self, member: ProblemMember) -> Option<&serde_json::Value> {
        self.extra.get(member.as_str())
    }

    /// Members beside those that every problem document has.
    pub fn members(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.extra
    }

    /// The failure in one sentence for people, without serial codes.
    pub fn text(&self) -> String {
        let faults: Vec<&str> = self.errors.iter().map(|fault| fault.detail.as_str()).collect();
        let text = match &self.detail {
            Some(detail) => detail.to_string(),
            None if faults.is_empty() => self.code.title().to_owned(),
            None => format!("{}: {}", self.code.title(), faults.join("; ")),
        };
        mask_serials(&text).into_owned()
    }
}

/// Joins two checks: both values, or the faults of both.
pub fn both<A, B>(one: Result<A, Problem>, other: Result<B, Problem>) -> Result<(A, B), Problem> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(one), Err(other)) => Err(one.and(other)),
        (Err(problem), Ok(_)) | (Ok(_), Err(problem)) => Err(problem),
    }
}

/// The failure as the log shows it.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code.code())?;
        self.detail.iter().try_for_each(|detail| write!(f, ": {}", mask_serials(detail)))
    }
}

impl From<MemoryError> for Problem {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Store(error) => error.into(),
            MemoryError::Work(error) => error.into(),
        }
    }
}

impl From<RenderError> for Problem {
    fn from(error: RenderError) -> Self {
        Self::internal(error)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(cause)
            | StoreError::NoWrites(cause)
            | StoreError::CommitUnclear(cause) => {
                tracing::warn!(%cause, "database unavailable");
                Self::new(ProblemCode::Unavailable)
                    .detail("The database cannot do this right now.")
                    .retry_after(2)
            }
            StoreError::TooLong => {
                tracing::warn!("a statement took too long");
                Self::new(ProblemCode::Unavailable)
                    .detail("The database does not answer in time.")
                    .retry_after(2)
            }
            StoreError::Contended(cause) => {
                tracing::warn!(%cause, "conflict with other transactions");
                Self::new(ProblemCode::Unavailable).retry_after(1)
            }
            StoreError::Revoked => Self::new(ProblemCode::InvalidToken),
            StoreError::Crowded => Self::new(ProblemCode::SearchBusy).retry_after(2),
            StoreError::Conflict { constraint } => {
                Self::internal(format!("unexpected conflict with {constraint}"))
            }
            StoreError::Fault(cause) => Self::internal(cause),
        }
    }
}

impl From<IdempotentError> for Problem {
    fn from(error: IdempotentError) -> Self {
        match error {
            IdempotentError::Mismatch => Self::new(ProblemCode::IdempotencyKeyReused),
            IdempotentError::Running => {
                Self::new(ProblemCode::IdempotencyInProgress).retry_after(1)
            }
            IdempotentError::Store(error) => error.into(),
        }
    }
}

impl From<HashError> for Problem {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::new(ProblemCode::Unavailable)
                .detail("Too many log-ins at once.")
                .retry_after(1),
            HashError::Failed => Self::internal(error),
        }
    }
}

impl From<WorkError> for Problem {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Busy => Self::new(ProblemCode::Unavailable)
                .detail("Too much of this work is to be done at once.")
                .retry_after(1),
            WorkError::BrokenOff => Self::internal(error),
        }
    }
}

impl From<DrawError> for Problem {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::Work(error) => error.into(),
            DrawError::Renderer(_) => Self::internal(error),
        }
    }
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Role(role) => Self::new(ProblemCode::Forbidden)
                .detail(format!("This needs the role {}.", role.as_str()))
                .with(ProblemMember::Role, role.as_str()),
            Denied::Scope(scope) => Self::new(ProblemCode::ScopeMissing)
                .detail(format!("The token needs the scope {}.", scope.as_str()))
                .with(ProblemMember::Scope, scope.as_str()),
            Denied::NeedsLogin => Self::new(ProblemCode::LoginRequired),
            Denied::PasswordChangeDue => {
                Self::new(ProblemCode::PasswordChangeDue).detail("PUT /v1/me/password comes first.")
            }
            Denied::SecondFactorDue => Self::new(ProblemCode::SecondFactorDue)
                .detail("POST /v1/me/second-factor comes first."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_the_log_nor_an_answer_repeats_a_serial_code() {
        let detail = "There is no game 7k33-3333-3333-3333.";
        let masked = "There is no game (a serial code).";
        let problem = Problem::new(ProblemCode::UnknownFormat).detail(detail);
        assert_eq!(problem.text(), masked);
        assert_eq!(problem.to_string(), format!("unknown_format: {masked}"));
        let fault = InputFault::at("/7K33333333333333", detail);
        let written = serde_json::json!({ "pointer": "/(a serial code)", "detail": masked });
        assert_eq!(serde_json::to_value(fault).unwrap(), written);
    }
}
