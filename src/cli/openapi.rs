//! `cardscape openapi`

use std::process::ExitCode;

use super::{Outcome, say};

pub(super) fn run() -> Outcome {
    say(crate::api::contract::document().to_pretty_json()?)?;
    Ok(ExitCode::SUCCESS)
}
