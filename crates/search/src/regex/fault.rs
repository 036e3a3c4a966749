//! The faults of regular expressions.

use std::fmt;

use regex_syntax::ast;

/// The fault of a regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegexFault {
    /// It has more than this number of characters.
    TooLong(usize),
    /// It has too many characters after its repetitions are expanded.
    TooLarge {
        /// The number of characters.
        size: u32,
        /// The maximum.
        most: u32,
    },
    /// More than this number of parts side by side may be empty when repetitions of such parts are written out: `((a?){11}){10}`.
    TooManyOptional(u32),
    /// It is empty.
    Empty,
    /// It cannot be parsed.
    Syntax(RegexSyntax),
    /// It has flags.
    Flags,
    /// It contains an assertion about a position that is not supported.
    Place,
    /// It has a Unicode class.
    UnicodeClass,
    /// The count of a repetition is above this maximum.
    Count(u32),
    /// The character does not occur in any searched text.
    NeverFits(char),
    /// Classes are combined.
    CombinedClasses,
    /// The character cannot be in a class.
    NotInClass(char),
    /// The higher end of a range comes first.
    RangeBackwards,
    /// The ends of a range are not letters or digits.
    RangeEnds,
    /// A class contains something that is not supported.
    ClassContent,
}

/// Why a regular expression cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegexSyntax {
    /// `[` is never closed.
    ClassOpen,
    /// The higher end of a range comes first.
    RangeBackwards,
    /// `(` is never closed.
    GroupOpen,
    /// `)` has no opening parenthesis.
    GroupUnopened,
    /// A repetition has nothing to repeat.
    RepetitionOfNothing,
    /// `{` is never closed.
    CountOpen,
    /// The counts of a repetition have the wrong form.
    Count,
    /// There is nothing after the last `\`.
    EscapeOfNothing,
    /// It has a look-around assertion.
    LookAround,
    /// It has a backreference.
    Backreference,
    /// There is something other than `:` after `(?`.
    Flags,
    /// It has too many levels of parentheses.
    TooDeep,
    /// `\` comes before a letter that has no meaning as an escape.
    Escape,
}

impl From<&ast::ErrorKind> for RegexSyntax {
    fn from(kind: &ast::ErrorKind) -> Self {
        use ast::ErrorKind as Kind;
        match kind {
            Kind::ClassUnclosed => Self::ClassOpen,
            Kind::ClassRangeInvalid => Self::RangeBackwards,
            Kind::GroupUnclosed => Self::GroupOpen,
            Kind::GroupUnopened => Self::GroupUnopened,
            Kind::RepetitionMissing => Self::RepetitionOfNothing,
            Kind::RepetitionCountUnclosed => Self::CountOpen,
            Kind::RepetitionCountInvalid
            | Kind::RepetitionCountDecimalEmpty
            | Kind::DecimalEmpty
            | Kind::DecimalInvalid => Self::Count,
            Kind::EscapeUnexpectedEof => Self::EscapeOfNothing,
            Kind::UnsupportedLookAround => Self::LookAround,
            Kind::UnsupportedBackreference => Self::Backreference,
            Kind::FlagDanglingNegation
            | Kind::FlagDuplicate { .. }
            | Kind::FlagRepeatedNegation { .. }
            | Kind::FlagUnexpectedEof
            | Kind::FlagUnrecognized => Self::Flags,
            Kind::NestLimitExceeded(_) => Self::TooDeep,
            _ => Self::Escape,
        }
    }
}

impl RegexSyntax {
    fn as_str(self) -> &'static str {
        match self {
            Self::ClassOpen => "a `[` is never closed; as a letter it is written `\\[`",
            Self::RangeBackwards => "a range runs from low to high",
            Self::GroupOpen => "a `(` is never closed; as a letter it is written `\\(`",
            Self::GroupUnopened => "a `)` closes nothing; as a letter it is written `\\)`",
            Self::RepetitionOfNothing => {
                "`*`, `+`, `?` or `{` stands behind nothing that it could repeat"
            }
            Self::CountOpen => "a `{` is never closed; as a letter it is written `\\{`",
            Self::Count => "a repetition is written `{2}`, `{2,}` or `{2,5}`",
            Self::EscapeOfNothing => "there is nothing behind the last `\\`",
            Self::LookAround => {
                "`(?=`, `(?!`, `(?<=` and `(?<!` look around, which is not possible here"
            }
            Self::Backreference => "`\\1` repeats what was found, which is not possible here",
            Self::Flags => "behind `(?` stands `:`",
            Self::TooDeep => "it has too many levels of brackets",
            Self::Escape => "a `\\` stands before a letter that has no meaning with it",
        }
    }
}

/// The message of the API.
impl fmt::Display for RegexFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong(most) => {
                return write!(f, "a regular expression has at most {most} characters");
            }
            Self::TooLarge { size, most } => {
                return write!(
                    f,
                    "the regular expression is too large: {size} of {most} characters when its repetitions are written out"
                );
            }
            Self::TooManyOptional(most) => {
                return write!(
                    f,
                    "a regular expression has at most {most} parts side by side that may be empty, such as `a?`, when its repetitions are written out; `^`, `$` and `\\b` count as ten"
                );
            }
            Self::Empty => "the regular expression is empty",
            Self::Syntax(reason) => {
                return write!(f, "the regular expression cannot be read: {}", reason.as_str());
            }
            Self::Flags => "a regular expression has no flags here; case never counts",
            Self::Place => "the only anchors are ^, $ and \\b",
            Self::UnicodeClass => "\\p{…} is not known here",
            Self::Count(most) => return write!(f, "a repetition counts to {most} at most"),
            Self::NeverFits(character) => {
                return write!(f, "{character:?} never fits: texts are searched without punctuation");
            }
            Self::CombinedClasses => "classes cannot be combined here",
            Self::NotInClass(character) => return write!(f, "{character:?} cannot be used in a class"),
            Self::RangeBackwards => "a range runs from low to high",
            Self::RangeEnds => "a range runs from letter to letter or from digit to digit",
            Self::ClassContent => "a class contains letters, digits, ranges, \\d and \\s",
        })
    }
}
