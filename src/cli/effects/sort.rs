//! `cardscape effects sort`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::super::Outcome;
use super::output::Output;
use super::sorter::Sorter;
use super::{input, memory};

#[derive(Args)]
pub(in crate::cli) struct SortCommand {
    /// File whose lines are sorted, `-` for standard input
    #[arg(short, long, value_name = "FILE", default_value = "input.txt")]
    input: PathBuf,
    /// File that is written, `-` for standard output
    #[arg(short, long, value_name = "FILE", default_value = "output.txt")]
    output: PathBuf,
    /// Memory for sorting; more data go through files beside the output
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = memory)]
    memory: usize,
}

impl SortCommand {
    pub(in crate::cli) fn run(self) -> Outcome {
        let mut file = input::open(&self.input)?;
        let mut output = Output::open(&self.output)?;
        let mut sorter = Sorter::new(self.memory, output.folder(), false);
        let mut bytes = Vec::new();
        let mut number = 0;
        let mut after_cr = false;
        loop {
            bytes.clear();
            input::read_line(&mut file, &mut bytes)
                .map_err(|error| input::unreadable(&self.input, &error))?;
            if bytes.is_empty() {
                break;
            }
            // The LF of a CRLF belongs to the line before it.
            if !(after_cr && bytes == b"\n") {
                number += 1;
            }
            after_cr = bytes.ends_with(b"\r");
            let text =
                std::str::from_utf8(&bytes).map_err(|_| input::not_text(&self.input, number))?;
            let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
            let line = text.trim();
            if !line.is_empty() {
                sorter.push(line.as_bytes())?;
            }
        }
        sorter.drain(|line| {
            output.write(line)?;
            output.write(b"\n")
        })?;
        output.commit()?;
        Ok(ExitCode::SUCCESS)
    }
}
