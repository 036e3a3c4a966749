//! Charts of a shipped deck: SVGs are compared with files byte by byte, PNGs by their pixels. `CARDSCAPE_UPDATE=1` writes
//! the files; check them by eye afterwards.

use std::fs;

use cardscape_engine::{Catalogue, PoolCard, ZoneStatistics, deck_statistics, parse_deck_text};
use cardscape_pictures::{
    Chart, ChartOptions, ChartTheme, ChartWidth, CurveChart, Fonts, SharesChart,
};

use crate::support::{seed, sized_pixels};

const DECK: &str =
    include_str!("../../../../seed-data/games/ttcg/decks/legal-embers-and-bones.txt");

/// Statistics of the deck's main zone. Only the cards of one set are in the catalogue.
fn statistics() -> ZoneStatistics {
    let (game, set) = seed("ttcg", "hearth");
    let cards = set.cards.into_iter().map(|definition| PoolCard {
        key: definition.number.clone(),
        set: set.code.clone(),
        released_on: None,
        definition,
    });
    let catalogue = Catalogue::builder(&game).extend(cards).build();
    deck_statistics(&parse_deck_text(DECK).deck, &catalogue).zones.remove(0)
}

fn options(width: u32, theme: ChartTheme) -> ChartOptions {
    ChartOptions { width: ChartWidth::new(width).unwrap(), theme }
}

fn charts() -> [(&'static str, Chart); 3] {
    let zone = statistics();
    let curve = |code: &str, title: &'static str, options| {
        Chart::curve(&CurveChart::from_distribution(title, title, &zone.attributes[code]), options)
    };
    let types = SharesChart::from_distribution("Types", &zone.attributes["type"], |code| {
        (code == "fire").then(|| "Fire & Smoke".to_owned())
    });
    [
        ("rank-light-640", curve("rank", "Rank", options(640, ChartTheme::Light))),
        ("attack-dark-320", curve("attack", "Attack", options(320, ChartTheme::Dark))),
        ("type-light-480", Chart::shares(&types, options(480, ChartTheme::Light))),
    ]
}

#[test]
fn charts_of_a_deck_are_those_of_the_files() {
    for (name, chart) in charts() {
        let file = format!("{}/tests/fixtures/charts/{name}.svg", env!("CARGO_MANIFEST_DIR"));
        let svg = chart.svg();
        if std::env::var_os("CARDSCAPE_UPDATE").is_some() {
            fs::write(&file, &svg).unwrap();
        }
        let shipped = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(shipped, svg, "{name}: CARDSCAPE_UPDATE=1 writes it");
    }
}

/// Every copy of the zone that the catalogue knows is in the chart.
#[test]
fn statistics_become_charts_without_loss() {
    let zone = statistics();
    for (code, distribution) in &zone.attributes {
        let curve = CurveChart::from_distribution("", "", distribution);
        let drawn = curve.counts.iter().sum::<u64>() + curve.fewer + curve.more;
        assert_eq!(drawn + curve.without + curve.unclear, zone.known, "{code}");
        let shares = SharesChart::from_distribution("", distribution, |_| None);
        assert_eq!(shares.total, zone.known, "{code}");
        let values = shares.bars.iter().map(|bar| bar.copies).sum::<u64>() + shares.other.copies;
        assert!(values >= distribution.with_value, "{code}");
    }
    let rank = CurveChart::from_distribution("", "", &zone.attributes["rank"]);
    assert_eq!(rank.first, 1);
    assert!(rank.counts.iter().sum::<u64>() > 20, "{rank:?}");
}

#[test]
fn charts_are_drawn_as_pixels() {
    for (name, chart) in charts() {
        let file = chart.png(&Fonts::bundled()).unwrap();
        let (size, pixels) = sized_pixels(&file);
        assert_eq!(size, (chart.width(), chart.height()), "{name}");
        // Most pixels have the colour of the background, while letters and bars have other colours.
        let middle = pixels[(chart.width() * 4 + chart.width() / 2) as usize];
        let is_dark = middle[..3].iter().all(|colour| *colour < 0x30);
        assert_eq!(is_dark, name.contains("dark"), "{name} {middle:?}");
        let others = pixels.iter().filter(|pixel| **pixel != middle).count();
        assert!(others > 5_000 && others < pixels.len() / 2, "{name}: {others}");
        assert_eq!(file, chart.png(&Fonts::bundled()).unwrap());
    }
}
