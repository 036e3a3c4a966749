//! Players to suggest for an offer: players with matching lists, and partners of earlier trades. No other names are suggested: the API has no list of all
//! players who accept offers.

use uuid::Uuid;

use super::offer_form::TypedOffer;
use crate::app::catalogue::codes::Codes;
use crate::app::copies::trade_matches;
use crate::app::copies::trades::{self, TradeFilter};
use crate::app::page::{MAX_LIMIT, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnCollection, ReadTrades};
use crate::web::forms::Choice;
use crate::web::page::path_of;
use crate::web::session::Visitor;

/// Most players of each kind.
const MOST: u16 = 12;

/// The names of players.
#[derive(Default)]
pub(super) struct Partners {
    /// Players whose lists match the lists of the reader.
    pub(super) matching: Vec<String>,
    /// Players with whom the reader has traded, or had an offer.
    pub(super) earlier: Vec<String>,
}

impl Partners {
    /// All of them, as suggestions for a field.
    pub(super) fn choices(&self) -> Vec<Choice> {
        let all = self.matching.iter().chain(&self.earlier);
        all.map(|name| Choice::new(name, name, "")).collect()
    }
}

/// Finds the suggested players. If they cannot be found in time, the form is shown without them.
pub(super) async fn find(app: &AppState, visitor: &Visitor) -> Partners {
    let matching = or_none(matching(app, visitor).await);
    let mut earlier = or_none(earlier(app, visitor).await);
    earlier.retain(|name| !matching.contains(name));
    earlier.truncate(MOST.into());
    Partners { matching, earlier }
}

fn or_none(found: Result<Vec<String>, Problem>) -> Vec<String> {
    found.unwrap_or_else(|problem| {
        tracing::warn!(%problem, "the form of an offer is shown without suggested players");
        Vec::new()
    })
}

async fn matching(app: &AppState, visitor: &Visitor) -> Result<Vec<String>, Problem> {
    let by = visitor.must::<ReadOwnCollection>()?;
    let limit = PageLimit::try_from(MOST).map_err(Problem::internal)?;
    let found = trade_matches::list(app, &by, &Codes::default(), None, limit).await?;
    Ok(found.data.into_iter().map(|found| found.player).collect())
}

/// The partners of the newest trades, each once.
async fn earlier(app: &AppState, visitor: &Visitor) -> Result<Vec<String>, Problem> {
    let by = visitor.must::<ReadTrades>()?;
    let limit = PageLimit::try_from(MAX_LIMIT).map_err(Problem::internal)?;
    let filter = TradeFilter { state: None, role: None };
    let found = trades::list(app, &by, filter, None::<Uuid>, limit).await?;
    let mut names: Vec<String> = Vec::new();
    for trade in found.data {
        let other = if trade.role == "offerer" { trade.to } else { trade.from };
        if !names.contains(&other) {
            names.push(other);
        }
    }
    Ok(names)
}

/// A suggested player, and the path of the form for an offer to that player.
pub(super) struct PartnerLink {
    pub(super) name: String,
    pub(super) path: String,
}

/// Links to the forms of an offer to these players, with the present choice. `form`: the path of the form.
pub(super) fn links(names: Vec<String>, form: &str, typed: &TypedOffer) -> Vec<PartnerLink> {
    let ids = |copies: &[Uuid]| copies.iter().map(Uuid::to_string).collect::<Vec<_>>();
    let (give, want) = (ids(&typed.give), ids(&typed.want));
    let link = |name: String| {
        let chosen = give.iter().map(|id| ("give", &**id));
        let chosen = chosen.chain(want.iter().map(|id| ("want", &**id)));
        let fields: Vec<(&str, &str)> = std::iter::once(("player", &*name)).chain(chosen).collect();
        PartnerLink { path: path_of(form, &fields), name }
    };
    names.into_iter().map(link).collect()
}
