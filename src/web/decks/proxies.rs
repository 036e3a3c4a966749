//! The cards of a deck as pictures to print and cut out, nine on each sheet.

use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use uuid::Uuid;

use super::deck::answer_to;
use super::deck_path;
use super::sheet::CardView;
use super::words as deck_words;
use crate::app::decks::deck_sheets::{SheetCard, SheetEntry, SheetZone};
use crate::app::decks::opened_decks::open;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadOwnDecks;
use crate::domain::ids::DeckId;
use crate::http::extract::ClientNetwork;
use crate::web::page::{Frame, Place};
use crate::web::serials::picture_path;
use crate::web::session::Visitor;
use crate::web::words;

/// Cards on a sheet: three rows of three cards of 63 × 88 mm fit on A4.
const SHEET: usize = 9;
/// Most cards on a page: thirteen sheets.
const MOST: usize = 13 * SHEET;

#[derive(Template)]
#[template(path = "web/decks/proxies.html")]
struct ProxiesPage {
    frame: Frame,
    heading: String,
    deck: String,
    name: String,
    sheets: Vec<Vec<Proxy>>,
    /// Messages about cards that are left out.
    left_out: Vec<String>,
}

/// A card to cut out.
#[derive(Clone)]
struct Proxy {
    name: String,
    /// The path of its picture; `None`: it has no picture that the reader may see.
    picture: Option<String>,
}

/// Shows the pictures of a deck: each card as often as it is in the deck.
pub(in crate::web) async fn show_proxies(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let reads = visitor.must::<ReadOwnDecks>().ok();
    let requester = (visitor.viewer(), network.0);
    let opened = open(&state, reads.as_ref(), requester, DeckId(*deck)).await?;
    let sheet = opened.sheet();
    let summary = opened.into_answer().deck.summary;
    let heading = deck_words::proxies_of(&summary.name);
    let (proxies, left_out) = proxies(&summary.game, &sheet.zones);
    let page = ProxiesPage {
        frame: Frame::new(&heading).at(Place::Decks),
        heading,
        deck: deck_path(summary.id),
        name: summary.name,
        sheets: proxies.chunks(SHEET).map(<[Proxy]>::to_vec).collect(),
        left_out,
    };
    answer_to(&req, &visitor, &page)
}

/// The cards in the zones of the game, up to [`MOST`], and messages about cards that are left out. `game`: its code.
fn proxies(game: &str, zones: &[SheetZone]) -> (Vec<Proxy>, Vec<String>) {
    let (played, others): (Vec<&SheetZone>, Vec<&SheetZone>) =
        zones.iter().partition(|zone| zone.name.is_some());
    let entries = played.iter().flat_map(|zone| &zone.kinds).flat_map(|kind| &kind.entries);
    let copies = entries.flat_map(|entry| {
        let copies = usize::try_from(entry.quantity).unwrap_or(MOST).min(MOST);
        std::iter::repeat_n(proxy(game, entry), copies)
    });
    let shown: Vec<Proxy> = copies.take(MOST).collect();
    let all: u64 = played.iter().map(|zone| zone.cards).sum();
    let more = all.saturating_sub(u64::try_from(shown.len()).unwrap_or_default());
    let mut left_out: Vec<String> = others
        .iter()
        .map(|zone| deck_words::zone_left_out(&words::titled(&zone.code), zone.cards))
        .collect();
    if more > 0 {
        left_out.insert(0, deck_words::proxies_left_out(MOST, more));
    }
    (shown, left_out)
}

fn proxy(game: &str, entry: &SheetEntry) -> Proxy {
    let CardView { name, about, .. } = CardView::new(game, &entry.card, None);
    match &entry.card {
        SheetCard::Known { id: Some(id), rarity, .. } => {
            let picture = picture_path(id.0, rarity.as_deref().unwrap_or_default());
            Proxy { name, picture: Some(picture) }
        }
        _ => {
            let name = about.map_or_else(|| name.clone(), |place| format!("{name} {place}"));
            Proxy { name, picture: None }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::decks::deck_sheets::SheetKind;

    fn zone(name: Option<&str>, quantities: &[u32]) -> SheetZone {
        let entry = |quantity: &u32| SheetEntry {
            quantity: *quantity,
            rarity: None,
            card: SheetCard::Unknown { written: format!("{quantity}") },
        };
        let cards = quantities.iter().copied().map(u64::from).sum();
        let entries = quantities.iter().map(entry).collect();
        let kinds = vec![SheetKind { name: None, cards, entries }];
        SheetZone { code: "maybe_later".to_owned(), name: name.map(str::to_owned), cards, kinds }
    }

    #[test]
    fn at_most_the_bound_is_shown_and_the_rest_is_reported() {
        let zones = [zone(Some("Deck"), &[2, 10_000, 3]), zone(None, &[4])];
        let (shown, left_out) = proxies("pond", &zones);
        assert_eq!(
            (shown.len(), shown[1].name.as_str(), shown[2].name.as_str()),
            (117, "2", "10000")
        );
        let rest = "Only the first 117 cards are here: 9,888 cards more are left out.";
        assert_eq!(
            left_out,
            [rest, "The game has no zone “Maybe later”: its 4 cards are left out."]
        );
        let few = [zone(Some("Deck"), &[117])];
        let (shown, left_out) = proxies("pond", &few);
        assert_eq!((shown.len(), left_out.len()), (117, 0));
    }
}
