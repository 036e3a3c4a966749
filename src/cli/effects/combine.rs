//! `cardscape effects combine`

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cardscape_engine::effect_text::Template;
use clap::Args;

use super::super::{ExitError, Outcome, print_message};
use super::output::Output;
use super::{Amount, RuleFiles, input, pipeline};

#[derive(Args)]
pub(in crate::cli) struct CombineCommand {
    /// Expand this sentence
    #[arg(short, long, value_name = "SENTENCE", allow_hyphen_values = true)]
    sentence: Option<String>,
    /// Expand the templates of this file, one a line [default: effects/all_effect_templates.txt]
    #[arg(
        short,
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "effects/all_effect_templates.txt"
    )]
    file: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleFiles,
    /// File that is written, `-` for standard output
    #[arg(
        short,
        long = "output_file",
        alias = "output-file",
        value_name = "FILE",
        default_value = "effects/all_effects.txt"
    )]
    output_file: PathBuf,
    /// Print the sentences and their number instead of writing a file
    #[arg(short, long = "test_mode", alias = "test-mode")]
    test_mode: bool,
    /// Only remove repeated lines from this file, in place [default: the output file]
    #[arg(short, long, value_name = "FILE", num_args = 0..=1)]
    dedupe: Option<Vec<PathBuf>>,
    #[command(flatten)]
    amount: Amount,
}

impl CombineCommand {
    pub(in crate::cli) fn run(self) -> Outcome {
        if let Some(file) = &self.dedupe {
            return dedupe(file.first().unwrap_or(&self.output_file), self.amount.quiet);
        }
        // Counting reads no phrase rules.
        let rules = (!self.amount.count).then(|| self.rules.files());
        let inputs = self.file.as_deref().into_iter().chain(rules.into_iter().flatten());
        input::require_one_from_stdin(inputs)?;
        let effects = input::effects(self.templates()?, &self.rules.placeholder_dir)?;
        if self.amount.count {
            pipeline::print_counts(&effects, false)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rules = self.rules.phrase_rules()?;
        let mut output =
            if self.test_mode { Output::stdout() } else { Output::open(&self.output_file)? };
        let folder = output.folder();
        let tally = pipeline::run(&effects, &rules, &self.amount, folder, |sentence| {
            output.write(sentence)?;
            output.write(b"\n")
        })?;
        if self.test_mode {
            output.write(format!("Total combinations: {}\n", tally.results).as_bytes())?;
        }
        output.commit()?;
        if !self.amount.quiet && !self.test_mode {
            let (file, tally) = (self.output_file.display(), tally.in_words());
            print_message(format_args!("{file}: {tally}"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn templates(&self) -> Result<Vec<Template>, ExitError> {
        match (&self.sentence, &self.file) {
            (Some(sentence), None) if sentence.contains(['\n', '\r']) => {
                Err(ExitError::usage("a sentence is one line; name a file of several with --file"))
            }
            (Some(sentence), None) => match Template::parse(sentence) {
                Ok(template) if template.source().is_empty() => Ok(Vec::new()),
                Ok(template) => Ok(vec![template]),
                Err(error) => Err(ExitError::no(format!("the sentence: {error}"))),
            },
            (None, Some(file)) => input::templates(file),
            _ => Err(ExitError::usage("exactly one of -s/--sentence and -f/--file is needed")),
        }
    }
}

/// Removes repeated lines (line feed included), and converts all line ends to LF.
fn dedupe(file: &Path, quiet: bool) -> Outcome {
    let text = input::read_text(file)?.replace("\r\n", "\n").replace('\r', "\n");
    let mut output = Output::open(file)?;
    let mut seen = HashSet::new();
    let mut lines = 0_u64;
    for line in text.split_inclusive('\n') {
        lines += 1;
        if seen.insert(line) {
            output.write(line.as_bytes())?;
        }
    }
    output.commit()?;
    if !quiet {
        let (file, left) = (file.display(), seen.len());
        print_message(format_args!("{file}: {left} of {lines} lines are left"));
    }
    Ok(ExitCode::SUCCESS)
}
