//! Response bodies about cards and designs that are similar to a design.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::store::catalogue::cards::NamedCard;
use crate::store::designs::likeness::AlikeDesign;

/// How similar a name is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NameLikeness {
    /// The same, except for case, punctuation, spaces and accents.
    Same,
    /// Other letters that look the same (UTS 39).
    LooksTheSame,
    /// One could be taken for a misspelling of the other.
    Near,
}

/// Cards of like names, the most alike first.
pub type CardsLike = Arc<[(NameLikeness, NamedCard)]>;

/// A card or design that is similar to a design.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlikeResponse {
    /// Name of the card or design.
    #[schema(example = "Lantern Crane")]
    pub name: String,
    /// Id of the card; absent: it is a design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_id: Option<Uuid>,
    /// Identifier of the design; absent: it is a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design_id: Option<String>,
    /// Code of the card's set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// Number of the card in its set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// `true`: it is one of your designs; absent: it is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

impl From<NamedCard> for AlikeResponse {
    fn from(card: NamedCard) -> Self {
        Self {
            name: card.name,
            card_id: Some(card.id.0),
            design_id: None,
            set: Some(card.set_code),
            number: Some(card.number),
            own: false,
        }
    }
}

impl From<&AlikeDesign> for AlikeResponse {
    fn from(design: &AlikeDesign) -> Self {
        Self {
            name: design.name.clone(),
            card_id: None,
            design_id: Some(design.code.to_string()),
            set: None,
            number: None,
            own: design.own,
        }
    }
}

/// A card or design with the same or a similar name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlikeNameResponse {
    /// How similar the name is: `same`, `looks_the_same` or `near`.
    pub likeness: NameLikeness,
    /// The card or design.
    #[serde(flatten)]
    pub alike: AlikeResponse,
}
