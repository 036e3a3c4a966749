//! Player-made card designs: their content, the steps that authors and others may take, and derived data.

pub mod abuse_report;
pub mod artwork;
pub mod bare_letters;
pub mod budgets;
pub mod content;
pub mod diff;
pub mod fixes;
pub mod gallery;
pub mod identifier;
pub mod likeness;
pub mod limits;
pub mod markup;
pub mod name_looks;
pub mod perk;
pub mod rating;
pub mod release;
pub mod review;
pub mod revision_number;
pub mod searchable;
pub mod status;
pub mod suggested_change;
pub mod suggestion;
pub mod violations;
