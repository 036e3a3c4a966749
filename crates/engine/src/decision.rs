//! Questions that a rulebook leaves open, and how a manifest answers them.

use std::sync::Arc;

use serde::Serialize;

use crate::rule::Provenance;

/// A question that a rulebook leaves open or answers in two ways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// Number of the question, for example `T-A6`.
    pub rule: String,
    /// The question in one English sentence.
    pub question: String,
    /// How far the answer can be trusted.
    pub provenance: Provenance,
    /// Code of the option in force. In a format with variants it changes with the variant.
    pub chosen: String,
    /// The possible answers, including the chosen one.
    pub options: Vec<DecisionOption>,
}

/// An answer to a [`Decision`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DecisionOption {
    /// Code, unique in the decision.
    pub code: String,
    /// What it means, in one English sentence.
    pub text: String,
    /// The variant of the format in which this option is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Arc<str>>,
    /// Whether players can choose it, by its variant. If not, it is only listed: the manifest does what the chosen option says, and any other option
    /// would need an edit of the manifest.
    pub selectable: bool,
}

impl Decision {
    /// The option in force.
    pub fn chosen_option(&self) -> Option<&DecisionOption> {
        self.options.iter().find(|option| option.code == self.chosen)
    }

    /// Makes the option of the variant the chosen one, if there is such an option.
    pub(crate) fn choose_variant(&mut self, variant: &str) {
        let of_variant =
            self.options.iter().find(|option| option.variant.as_deref() == Some(variant));
        if let Some(option) = of_variant {
            self.chosen.clone_from(&option.code);
        }
    }
}
