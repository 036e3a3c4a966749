//! What manifests say about pictures.

use cardscape_engine::{Game, ScannedPrinting};
use serde_json::json;

const POND: &str = "code = \"pond\"\nname = \"Pond\"\nrules_version = \"pond/1\"\n[[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n";

fn faults(images: &str) -> Vec<String> {
    let read = Game::from_toml(&format!("{POND}{images}"));
    let faults = read.map_or_else(|error| error.faults, |_| Vec::new());
    faults.into_iter().map(|fault| format!("{}: {}", fault.place, fault.problem)).collect()
}

#[test]
fn a_manifest_names_the_place_of_scans() {
    let game =
        Game::from_toml(&format!("{POND}[images]\nscan = \"/{{set}}/{{number}}\"\n")).unwrap();
    let carp =
        ScannedPrinting { game: "pond", set: "shore", number: "1", rarity: "standard", id: "x" };
    let scan = game.images().scan.as_ref().unwrap();
    assert_eq!(scan.fill(&carp), "/shore/1");
    assert_eq!(json!(game)["images"], json!({ "scan": "/{set}/{number}" }));
}

#[test]
fn a_manifest_need_not_tell_of_pictures() {
    for silent in ["", "[images]\n"] {
        let game = Game::from_toml(&format!("{POND}{silent}")).unwrap();
        assert!(game.images().is_empty());
        assert_eq!(json!(game).get("images"), None);
    }
}

#[test]
fn what_is_wrong_is_reported_with_its_place() {
    for (images, reported) in [
        ("[images]\nscan = \"cdn\"\n", "images.scan: must begin with https://"),
        ("[images]\nscan = 7\n", "images.scan: must be text, not 7"),
        ("[images]\nscans = \"/{id}\"\n", "images.scans: is not known here; did you mean scan?"),
    ] {
        let faults = faults(images);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with(reported), "{faults:?}");
    }
}
