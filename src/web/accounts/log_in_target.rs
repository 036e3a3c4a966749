//! Values that the forms carry along until the visitor is logged in. They are never part of an address: a client that knows the serial code of a card can
//! register the card.

use serde::Deserialize;

use crate::web::serials::TypedCode;

/// Where to go after the log-in, and which serial code to register then. `log_in_target.html` writes them as hidden fields.
#[derive(Clone, Default, Deserialize)]
pub(in crate::web) struct LogInTarget {
    /// The path to go to. It comes from the request: check it with [`crate::web::session::way_back`] before it is used.
    #[serde(default)]
    pub(super) to: String,
    /// A serial code that was typed before; the name of the card is in `card`.
    serial: Option<String>,
    #[serde(default)]
    card: String,
}

impl LogInTarget {
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
