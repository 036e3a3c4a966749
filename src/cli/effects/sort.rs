//! `cardscape effects sort`

use std::io::BufRead as _;
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
        loop {
            bytes.clear();
            let read = file.read_until(b'\n', &mut bytes);
            if read.map_err(|error| input::unreadable(&self.input, &error))? == 0 {
                break;
            }
            number += 1;
            let text =
                std::str::from_utf8(&bytes).map_err(|_| input::not_text(&self.input, number))?;
            let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
            for line in text.split('\r').map(str::trim).filter(|line| !line.is_empty()) {
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
