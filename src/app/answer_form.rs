//! Answers that have two forms.

/// The form that the client would rather have, where there are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// JSON, for programs: also when nothing is said.
    Json,
    /// Plain text, for people and deck builders: only when `Accept` ranks it above JSON.
    Text,
}
