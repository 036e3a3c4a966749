//! `cardscape effects combine|tag|sort|generate`: the effect-text tools.
//!
//! Flags, long names and defaults are those of the TTCG document's tools, so that existing scripts and files still
//! work; long names may also be written with hyphens. Results go to standard output or the output file, everything else
//! to standard error.

mod categories;
mod combine;
mod generate;
mod input;
mod output;
mod pipeline;
mod sort;
mod sorter;
mod tag;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::{Outcome, print_message};

#[derive(Subcommand)]
pub(super) enum EffectsCommand {
    /// Expand sentence templates into every sentence
    ///
    /// Expands, removes duplicates, drops sentences with phrases to remove, collapses double spaces, replaces phrases, corrects the grammar
    /// (`one card`), and sorts. The output file is replaced as a whole or not at all.
    Combine(combine::CombineCommand),
    /// Add a True/False column to effects, or update one
    Tag(tag::TagCommand),
    /// Sort the lines of a file; blank lines are dropped, repeated ones kept
    Sort(sort::SortCommand),
    /// Expand templates and write the table of effects with a column for each category
    Generate(generate::GenerateCommand),
}

impl EffectsCommand {
    pub(super) fn run(self) -> Outcome {
        let outcome = match self {
            Self::Combine(command) => command.run(),
            Self::Tag(command) => command.run(),
            Self::Sort(command) => command.run(),
            Self::Generate(command) => command.run(),
        };
        match outcome {
            // The reader of the output has closed the pipe.
            Err(error) if is_closed_pipe(&error) => Ok(ExitCode::SUCCESS),
            outcome => outcome,
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}

/// Directory and files with values and phrase rules.
#[derive(Args)]
struct RuleFiles {
    /// Directory with the values of placeholders: NAME.txt, one value a line
    #[arg(
        short,
        long = "placeholder_dir",
        alias = "placeholder-dir",
        value_name = "DIR",
        default_value = "placeholders"
    )]
    placeholder_dir: PathBuf,
    /// File with phrases: sentences that contain one are dropped
    #[arg(
        short,
        long = "combinations_to_remove",
        alias = "combinations-to-remove",
        value_name = "FILE",
        default_value = "placeholders/combinations_to_remove.txt"
    )]
    combinations_to_remove: PathBuf,
    /// File with replacements, `old phrase: new phrase` a line
    #[arg(
        short,
        long = "replacements_file",
        alias = "replacements-file",
        value_name = "FILE",
        default_value = "placeholders/phrase_replacements.txt"
    )]
    replacements_file: PathBuf,
    /// Leave `one … cards` as it is
    #[arg(long = "no_grammar_fixes", alias = "no-grammar-fixes")]
    no_grammar_fixes: bool,
}

/// How many combinations are expanded, and in which order.
#[derive(Args)]
struct Amount {
    /// Only print how many combinations each template has; expands nothing, writes nothing
    #[arg(long)]
    count: bool,
    /// Expand at most this number of combinations, in the order of the templates
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Draw this number of combinations at random instead, each as likely as any other
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    sample: Option<usize>,
    /// The seed of --sample: the same seed draws the same
    #[arg(long, value_name = "NUMBER", default_value_t = 0, requires = "sample")]
    seed: u64,
    /// Write sentences as they come, in the order of the templates. Sentences that do not fit into --memory then keep their duplicates
    #[arg(long)]
    unsorted: bool,
    /// Memory for sorting and removing duplicates; more data go through files beside the output
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = memory)]
    memory: usize,
    /// No summary and no progress on standard error; warnings stay
    #[arg(long, short)]
    quiet: bool,
}

/// Parses a size such as `64M`, at least a MiB.
fn memory(text: &str) -> Result<usize, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let shift = match unit {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err("must be a number, maybe with K, M or G: 64M".to_owned()),
    };
    let number: usize =
        text[..text.len() - unit.len()].parse().map_err(|error| format!("{error}"))?;
    let size = number.checked_mul(1 << shift).ok_or("is too much")?;
    if size < 1 << 20 { Err("must be at least 1M".to_owned()) } else { Ok(size) }
}

/// Prints a warning to standard error.
fn warn(text: impl std::fmt::Display) {
    print_message(format_args!("cardscape: warning: {text}"));
}

#[cfg(test)]
mod tests {
    use super::memory;

    #[test]
    fn sizes() {
        assert_eq!(memory("64M"), Ok(64 << 20));
        assert_eq!(memory("1G"), Ok(1 << 30));
        assert_eq!(memory("2048k"), Ok(2 << 20));
        assert_eq!(memory("1048576"), Ok(1 << 20));
        for wrong in [
            "",
            "M",
            "1T",
            "-1M",
            "64 M",
            "1.5G",
            "1023K",
            "99999999999999999999",
            "99999999999G",
            "M64",
        ] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }
}
