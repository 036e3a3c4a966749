//! `cardscape man DIR`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Command};

use super::{Outcome, say};

#[derive(Args)]
pub(super) struct ManCommand {
    /// Where to write the pages; made if it is not there
    dir: PathBuf,
}

impl ManCommand {
    pub(super) fn run(self, program: Command) -> Outcome {
        let dir = self.dir.display();
        std::fs::create_dir_all(&self.dir).with_context(|| format!("cannot make {dir}"))?;
        clap_mangen::generate_to(program, &self.dir)
            .with_context(|| format!("cannot write into {dir}"))?;
        say(format_args!("Wrote the man pages into {dir}."))?;
        Ok(ExitCode::SUCCESS)
    }
}
