//! `cardscape keys generate FILE`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use super::{Outcome, say};
use crate::auth::keys::KeyRing;

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Write a file of fresh keys, mode 0600; an existing file is never overwritten
    Generate {
        /// Where to write it
        file: PathBuf,
    },
}

impl KeysCommand {
    pub(super) fn run(self) -> Outcome {
        let Self::Generate { file } = self;
        KeyRing::create(&file)?;
        say(format_args!(
            "Wrote {}. Keep a copy: without it no serial code can be checked again.",
            file.display()
        ));
        Ok(ExitCode::SUCCESS)
    }
}
