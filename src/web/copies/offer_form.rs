//! The fields of an offer, as they were sent.

use uuid::Uuid;

use super::narrowing::Narrowing;
use super::trade_words;
use crate::app::copies::trades::Offer;
use crate::app::page::Cursor;
use crate::app::problem::{InputFault, Problem};
use crate::domain::copies::trade::{DEFAULT_LIFETIME_HOURS, MAX_COPIES};
use crate::web::fault_words;
use crate::web::forms::{Faults, Fields};

/// The input of the form.
#[derive(Default)]
pub(super) struct TypedOffer {
    pub(super) player: String,
    pub(super) give: Vec<Uuid>,
    pub(super) want: Vec<Uuid>,
    pub(super) message: String,
    pub(super) hours: u16,
    pub(super) key: String,
    /// The filter and page of the copies to choose from.
    pub(super) mine: Narrowing,
    pub(super) theirs: Narrowing,
    pub(super) step: Step,
}

/// What the pressed button does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Step {
    /// Shows another page of the copies.
    #[default]
    Look,
    /// Sends the offer.
    Send,
}

impl TypedOffer {
    pub(super) fn read(fields: &Fields) -> Self {
        let copies = |name: &str| -> Vec<Uuid> {
            let ids = fields.all(name).filter_map(|id| id.parse().ok());
            // More copies than an offer may have, so that the API refuses an offer with too many; but with a bound on the input.
            let mut ids: Vec<Uuid> = ids.take(4 * MAX_COPIES).collect();
            ids.dedup();
            ids
        };
        let step = fields.one("step");
        let part = |at: &str, next: &str| {
            let cursor = if step == next { fields.one(next) } else { fields.one(at) };
            Narrowing {
                game: fields.one("game").to_owned(),
                set: fields.one("set").to_owned(),
                rarity: String::new(),
                // A new filter begins with its first page.
                cursor: if step == "narrow" { None } else { Cursor::sent(cursor) },
            }
        };
        Self {
            player: fields.one("player").trim().to_owned(),
            give: copies("give"),
            want: copies("want"),
            message: fields.one("message").to_owned(),
            hours: fields.one("hours").parse().unwrap_or(DEFAULT_LIFETIME_HOURS),
            key: fields.one("key").to_owned(),
            mine: part("mine_at", "mine_next"),
            theirs: part("theirs_at", "theirs_next"),
            step: if step == "send" { Step::Send } else { Step::Look },
        }
    }

    /// The offer, or its faults.
    pub(super) fn offer(&self) -> Result<Offer, Problem> {
        let mut faults = Vec::new();
        let message = Some(self.message.as_str()).filter(|message| !message.trim().is_empty());
        let offer = Offer::read(&self.give, &self.want, message, Some(self.hours), &mut faults);
        offer.filter(|_| faults.is_empty()).ok_or_else(|| Problem::invalid(faults))
    }

    /// The values that distinguish this offer from another one with the same idempotency key.
    pub(super) fn contents(&self) -> [String; 5] {
        let ids =
            |copies: &[Uuid]| copies.iter().map(Uuid::to_string).collect::<Vec<_>>().join(" ");
        [
            self.player.clone(),
            ids(&self.give),
            ids(&self.want),
            self.message.clone(),
            self.hours.to_string(),
        ]
    }
}

/// The faults of the form in a problem, one for each field. `None`: the problem is not about the form.
pub(super) fn faults_of(problem: &Problem) -> Option<Faults> {
    let message = trade_words::fault(problem.code())?;
    let mut faults = Faults::none();
    for fault in problem.faults() {
        let field = field_of(fault);
        if field.is_empty() || faults.of(field).is_none() {
            faults.add(field, fault_words::reason(&fault.reason));
        }
    }
    if faults.is_empty() {
        let is_name = problem.code() == crate::app::problem::ProblemCode::NoSuchTrader;
        faults.add(if is_name { "player" } else { "" }, message);
    }
    Some(faults)
}

fn field_of(fault: &InputFault) -> &'static str {
    let member = fault.pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
    match member {
        "give" => "give",
        "want" => "want",
        "message" => "message",
        "expires_in_hours" => "hours",
        "with" => "player",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::problem::ProblemCode;

    #[test]
    fn each_field_has_one_fault() {
        let faults = ["/give/0", "/give/3", "/message", "/with", ""];
        let faults = faults.map(|pointer| InputFault::at(pointer, "is wrong")).to_vec();
        let faults = faults_of(&Problem::invalid(faults)).unwrap();
        let fields: Vec<&str> = faults.all().iter().map(|fault| fault.field).collect();
        assert_eq!(fields, ["give", "message", "player", ""]);
        let nobody = faults_of(&Problem::new(ProblemCode::NoSuchTrader)).unwrap();
        assert!(nobody.of("player").is_some());
        assert!(faults_of(&Problem::new(ProblemCode::Internal)).is_none());
    }
}
