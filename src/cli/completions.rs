//! `cardscape completions bash`

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;

use super::{Outcome, say};

#[derive(Args)]
pub(super) struct CompletionsCommand {
    /// The shell that reads the script
    shell: Shell,
}

impl CompletionsCommand {
    pub(super) fn run(self, mut program: Command) -> Outcome {
        let (name, mut script) = (program.get_name().to_owned(), Vec::new());
        clap_complete::generate(self.shell, &mut program, name, &mut script);
        say(String::from_utf8(script)?.trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}
