//! Messages about faults of regular expressions.

use crate::search::{RegexFault, RegexSyntax};
use crate::web::words::{Sentence, count};

const RANGE_BACKWARDS: &str = "In the regular expression, a range must run from low to high.";

/// Why a regular expression cannot be used.
pub(super) fn fault(fault: RegexFault) -> Sentence {
    match fault {
        RegexFault::TooLong(most) => {
            format!("A regular expression has at most {} characters.", count(most)).into()
        }
        RegexFault::TooLarge { size, most } => format!(
            "The regular expression is too large: with its repetitions written out it has {} characters, and {} are the most.",
            count(size),
            count(most)
        )
        .into(),
        RegexFault::TooManyOptional(most) => format!(
            "With its repetitions written out, a regular expression has at most {} parts side by side that may be empty, such as a?. Each ^, $ and \\b counts as ten.",
            count(most)
        )
        .into(),
        RegexFault::Empty => "The regular expression is empty.".into(),
        RegexFault::Syntax(reason) => syntax(reason).into(),
        RegexFault::Flags => {
            "Regular expressions have no flags here. Capital and small letters are the same.".into()
        }
        RegexFault::Place => "Regular expressions know only the places ^, $ and \\b here.".into(),
        RegexFault::UnicodeClass => "Regular expressions cannot use \\p here.".into(),
        RegexFault::Count(most) => {
            format!("In the regular expression, a repetition counts to {} at most.", count(most))
                .into()
        }
        RegexFault::NeverFits(character) => {
            format!("“{character}” is never found: texts are searched without punctuation.").into()
        }
        RegexFault::CombinedClasses => "Regular expressions cannot combine classes here.".into(),
        RegexFault::NotInClass(character) => {
            format!("“{character}” cannot be used in square brackets.").into()
        }
        RegexFault::RangeBackwards => RANGE_BACKWARDS.into(),
        RegexFault::RangeEnds => {
            "In the regular expression, a range must run from letter to letter or from digit to digit."
                .into()
        }
        RegexFault::ClassContent => {
            "In square brackets can stand letters, digits, ranges, \\d and \\s.".into()
        }
    }
}

fn syntax(reason: RegexSyntax) -> &'static str {
    match reason {
        RegexSyntax::ClassOpen => {
            "In the regular expression, [ is never closed. As a letter it is written \\[."
        }
        RegexSyntax::RangeBackwards => RANGE_BACKWARDS,
        RegexSyntax::GroupOpen => {
            "In the regular expression, ( is never closed. As a letter it is written \\(."
        }
        RegexSyntax::GroupUnopened => {
            "In the regular expression, ) closes nothing. As a letter it is written \\)."
        }
        RegexSyntax::RepetitionOfNothing => {
            "In the regular expression, there is nothing that *, +, ? or { could repeat."
        }
        RegexSyntax::CountOpen => {
            "In the regular expression, { is never closed. As a letter it is written \\{."
        }
        RegexSyntax::Count => {
            "In the regular expression, a repetition is written {2}, {2,} or {2,5}."
        }
        RegexSyntax::EscapeOfNothing => {
            "In the regular expression, there is nothing behind the last \\."
        }
        RegexSyntax::LookAround => {
            "Look-around cannot be used in regular expressions here: leave out (?=, (?!, (?<= and (?<!."
        }
        RegexSyntax::Backreference => {
            "Regular expressions cannot repeat what was found here: leave out \\1."
        }
        RegexSyntax::Flags => "In the regular expression, a colon must stand behind (?.",
        RegexSyntax::TooDeep => "The regular expression has too many levels of brackets.",
        RegexSyntax::Escape => {
            "In the regular expression, \\ stands before a letter that has no meaning with it."
        }
    }
}
