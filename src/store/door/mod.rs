//! The one door to what a hidden card must not tell. Only this module names `card_content` and `printing_content`; a test
//! looks.
//!
//! Everything that leaves here was asked for with a [`Viewer`], or is a yes or no about a name that the asker brought along.

use diesel::sql_types::{Bool, Nullable, Uuid as SqlUuid};
use uuid::Uuid;

use crate::auth::permission::Viewer;

/// The condition that a viewer may see the content of card `card` (an SQL alias of a row of `cards`), with the next two bind
/// parameters from `$first`: [`Sight::sees_all`] and [`Sight::holder`].
///
/// Visible is what is not hidden, what the viewer holds a registered copy of, and, to moderators and admins, everything.
pub(super) fn visible(card: &str, first: usize) -> String {
    let second = first + 1;
    format!(
        "(${first} OR NOT EXISTS (SELECT 1 FROM unlocks hidden WHERE hidden.card_id = {card}.id AND hidden.unlocked_at IS NULL) \
         OR EXISTS (SELECT 1 FROM copies held JOIN printings held_as ON held_as.id = held.printing_id \
                    WHERE held.owner_id = ${second} AND held_as.card_id = {card}.id AND held.voided_at IS NULL))"
    )
}

/// A viewer as bind parameters of [`visible`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// First parameter, of type [`Bool`].
    pub sees_all: bool,
    /// Second parameter, of type [`Nullable`]<[`SqlUuid`]>.
    pub holder: Option<Uuid>,
}

/// SQL types of the two parameters.
pub(super) type SightTypes = (Bool, Nullable<SqlUuid>);

impl From<Viewer> for Sight {
    fn from(viewer: Viewer) -> Self {
        Self { sees_all: viewer.sees_all(), holder: viewer.holder().map(|account| account.0) }
    }
}
