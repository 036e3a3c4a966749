//! `cardscape effects generate`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use super::super::{ExitError, Outcome, print_message, say};
use super::categories::Categories;
use super::output::Output;
use super::pipeline::Tally;
use super::tag::{EFFECTS, FALSE, Sheet, TRUE};
use super::{Amount, RuleFiles, input, pipeline};

#[derive(Args)]
pub(in crate::cli) struct GenerateCommand {
    /// Templates, one a line
    #[arg(short, long, value_name = "FILE", default_value = "effects/all_effect_templates.txt")]
    file: PathBuf,
    #[command(flatten)]
    rules: RuleFiles,
    /// Which effects are True in which columns
    #[arg(short = 'k', long, value_name = "FILE", default_value = "effects/categories.toml")]
    categories: PathBuf,
    /// Table that is written, `-` for standard output
    #[arg(
        short,
        long = "output_file",
        alias = "output-file",
        value_name = "FILE",
        default_value = "effects/effects_with_placeholders.csv"
    )]
    output_file: PathBuf,
    /// Print the summary to standard output, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    amount: Amount,
}

/// What was written.
#[derive(Serialize)]
struct Summary<'a> {
    output: String,
    /// Combinations of all templates; `null` for more than 2¹²⁸ − 1.
    combinations: Option<u128>,
    #[serde(flatten)]
    tally: Tally,
    columns: Vec<ColumnSummary<'a>>,
}

#[derive(Serialize)]
struct ColumnSummary<'a> {
    column: &'a str,
    /// Effects that are True in it.
    effects: u64,
}

impl GenerateCommand {
    pub(in crate::cli) fn run(self) -> Outcome {
        let to_stdout = self.output_file.as_os_str() == "-";
        if to_stdout && self.json {
            return Err(
                ExitError::usage("--json and the table cannot both go to standard output").into()
            );
        }
        // Counting reads only the templates.
        let others = (!self.amount.count)
            .then(|| self.rules.files().into_iter().chain([self.categories.as_path()]));
        let inputs = [self.file.as_path()].into_iter().chain(others.into_iter().flatten());
        input::require_one_from_stdin(inputs)?;
        let effects = input::effects(input::templates(&self.file)?, &self.rules.placeholder_dir)?;
        if self.amount.count {
            pipeline::print_counts(&effects, self.json)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rules = Arc::new(self.rules.phrase_rules()?);
        let mut categories = Categories::read(
            &self.categories,
            &self.rules.placeholder_dir,
            Arc::clone(&rules),
            self.amount.memory / 2,
        )?;
        let mut output = Output::open(&self.output_file)?;
        let folder = output.folder();
        let mut sheet = Sheet::default();
        let header = [EFFECTS].into_iter().chain(categories.columns.iter().map(String::as_str));
        output.write(sheet.row(header)?)?;
        let mut marks = Vec::new();
        let mut marked = vec![0_u64; categories.columns.len()];
        let tally = pipeline::run(&effects, &rules, &self.amount, folder, |effect| {
            let effect = pipeline::text(effect)?;
            categories.mark(effect, &mut marks);
            for (count, &mark) in marked.iter_mut().zip(&marks) {
                *count += u64::from(mark);
            }
            let fields = marks.iter().map(|&mark| if mark { TRUE } else { FALSE });
            output.write(sheet.row([effect].into_iter().chain(fields))?)
        })?;
        output.commit()?;
        categories.warn_undecided();
        if self.json {
            let columns = categories.columns.iter().zip(marked);
            say(serde_json::to_string_pretty(&Summary {
                output: self.output_file.display().to_string(),
                combinations: effects.count(),
                tally,
                columns: columns
                    .map(|(column, effects)| ColumnSummary { column, effects })
                    .collect(),
            })?)?;
        } else if !self.amount.quiet {
            let columns = categories.columns.len();
            let (file, tally) = (self.output_file.display(), tally.in_words());
            let noun = if columns == 1 { "column" } else { "columns" };
            print_message(format_args!("{file}: {tally}; {columns} {noun}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
