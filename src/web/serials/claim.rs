//! The claim to a copy that is registered to another player.

use serde_json::{Map, Value};

use super::words as serial_words;
use crate::app::problem_member::ProblemMember;
use crate::domain::copies::dispute::DisputeState;
use crate::web::copies::dispute_path;

/// The reader's claim to a copy, with the page of its dispute.
pub(super) struct Claim {
    pub(super) path: String,
    /// Whether the dispute is still to be decided. A closed one stays closed when the code is sent again.
    pub(super) is_open: bool,
}

impl Claim {
    /// The claim that a problem, or the verdict on a line of a batch, names; `None`: it is about something else.
    pub(super) fn of(members: &Map<String, Value>) -> Option<Self> {
        let text = |member: ProblemMember| members.get(member.as_str()).and_then(Value::as_str);
        let state = DisputeState::parse(text(ProblemMember::DisputeState)?)?;
        let path = dispute_path(text(ProblemMember::DisputeId)?);
        Some(Self { path, is_open: state == DisputeState::Open })
    }

    /// The text of the link to the dispute.
    pub(super) fn link(&self) -> &'static str {
        if self.is_open { serial_words::SHOW_DISPUTE } else { serial_words::SHOW_DECISION }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_open_dispute_is_still_to_be_decided() {
        let claim = |members: Value| Claim::of(members.as_object().unwrap());
        for state in DisputeState::ALL {
            let named = json!({ "dispute_id": "x", "dispute_state": state.as_str() });
            let claim = claim(named).unwrap();
            assert_eq!(
                (claim.path.as_str(), claim.is_open),
                ("/disputes/x", state.as_str() == "open")
            );
        }
        assert!(claim(json!({ "position": 4 })).is_none());
    }
}
