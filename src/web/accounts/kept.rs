//! What goes along from form to form until somebody is logged in. It is never in an address: whoever reads the code of a card can register the card.

use serde::Deserialize;

use crate::web::serials::TypedCode;

/// Where to go after the log-in, and what to register then. As hidden fields: `kept.html`.
#[derive(Clone, Default, Deserialize)]
pub(in crate::web) struct Kept {
    /// The path to go to; whoever reads it must ask [`crate::web::session::way_back`].
    #[serde(default)]
    pub(super) to: String,
    /// A code that was typed before, and what was typed beside it.
    serial: Option<String>,
    #[serde(default)]
    card: String,
}

impl Kept {
    /// A path to go to.
    pub(super) fn path(to: String) -> Self {
        Self { to, ..Self::default() }
    }

    /// A code to register.
    pub(super) fn typed(code: TypedCode) -> Self {
        Self { to: String::new(), serial: Some(code.serial), card: code.card }
    }

    /// The code to register, if one was typed.
    pub(super) fn code(&self) -> Option<TypedCode> {
        let serial = self.serial.clone()?;
        Some(TypedCode { serial, card: self.card.clone() })
    }
}
