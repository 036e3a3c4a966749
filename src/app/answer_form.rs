//! Responses that exist in two forms.

/// The form that the client prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// JSON, for programs. The default.
    Json,
    /// Plain text, for people and deck builders: only when `Accept` ranks it above JSON.
    Text,
}
