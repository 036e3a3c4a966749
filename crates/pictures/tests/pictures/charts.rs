//! Properties of charts for arbitrary numbers and texts: the SVG is safe, shows the given numbers, and nothing overlaps or
//! leaves the chart.

use cardscape_pictures::{
    CURVE_BARS_MAX, Chart, ChartOptions, ChartTheme, ChartWidth, CurveChart, OtherShares,
    SHARES_MAX, ShareBar, SharesChart,
};
use proptest::prelude::*;
use roxmltree::{Document, Node};
use unicode_normalization::char::is_combining_mark;

use crate::fits::readers;
use crate::hostile::check;
use crate::support::{hostile_texts, text_boxes};

fn options(width: u32, theme: ChartTheme) -> ChartOptions {
    ChartOptions { width: ChartWidth::new(width).unwrap(), theme }
}

fn bar(label: &str, copies: u64) -> ShareBar<'_> {
    ShareBar { label: label.into(), copies, theme: label.into() }
}

/// Left, top, width and height of every bar, in the order of drawing.
fn bars(svg: &str) -> Vec<[f64; 4]> {
    let document = Document::parse(svg).unwrap();
    let is_bar = |node: &Node<'_, '_>| {
        node.has_tag_name("rect") && node.parent().is_some_and(|parent| parent.has_tag_name("g"))
    };
    let number = |node: &Node<'_, '_>, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let place = |node| ["x", "y", "width", "height"].map(|name| number(&node, name));
    document.descendants().filter(is_bar).map(place).collect()
}

/// The text of the first element with this name.
fn text_of(svg: &str, element: &str) -> String {
    let document = Document::parse(svg).unwrap();
    let found = document.descendants().find(|node| node.has_tag_name(element)).unwrap();
    found.text().unwrap().to_owned()
}

/// The number of copies of each bar, from the description for screen readers.
fn described_copies(description: &str) -> Vec<u128> {
    // Without bars, this sentence is missing, and a note may be in its place.
    let is_note =
        |message: &&str| message.starts_with("Without a value") || message.starts_with("Unclear");
    let counts = description.split(". ").nth(1).filter(|message| !is_note(message));
    let counts = counts.unwrap_or_default().trim_end_matches('.');
    let number = |count: &str| {
        // If there is a total, a percentage follows.
        let number = count.rsplit(": ").next().unwrap().split(" · ").next().unwrap();
        number.replace(',', "").parse().unwrap()
    };
    counts.split("; ").filter(|count| count.contains(": ")).map(number).collect()
}

/// Checks the SVG of a chart, and that its bars are inside it; returns both.
fn checked(chart: &Chart) -> (String, Vec<[f64; 4]>) {
    let svg = chart.svg();
    check(&svg);
    let found = bars(&svg);
    let (right, bottom) = (f64::from(chart.width()), f64::from(chart.height()));
    for [x, y, width, height] in &found {
        assert!(*width > 0.0 && *height > 0.0, "{svg}");
        assert!(*x >= 0.0 && *y >= 0.0 && x + width <= right && y + height <= bottom, "{svg}");
    }
    assert!(!text_of(&svg, "title").is_empty() && !text_of(&svg, "desc").is_empty());
    (svg, found)
}

/// Checks that the lengths of bars are proportional to the copies, with a visible minimum.
fn check_lengths(lengths: &[f64], copies: &[u128]) {
    assert_eq!(lengths.len(), copies.len());
    let float = |number: u128| number.to_string().parse::<f64>().unwrap();
    let most = float(copies.iter().copied().max().unwrap_or(1));
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    for (length, copies) in lengths.iter().zip(copies) {
        let expected = (longest * float(*copies) / most).max(1.5);
        assert!((length - expected).abs() < 0.11, "{length} {expected} for {copies}");
    }
}

fn counts() -> impl Strategy<Value = u64> {
    prop_oneof![3 => Just(0), 9 => 1_u64..60, 2 => 1_u64..5_000_001, 1 => any::<u64>()]
}

fn curves() -> impl Strategy<Value = CurveChart<'static>> {
    let first = prop_oneof![-60_i64..60, any::<i64>(), Just(i64::MAX), Just(i64::MIN)];
    let sides = (counts(), counts(), counts(), counts());
    (first, prop::collection::vec(counts(), 0..60), sides).prop_map(|(first, counts, sides)| {
        let (fewer, more, without, unclear) = sides;
        let title = "Ranks of this deck".into();
        CurveChart { title, axis: "Rank".into(), first, counts, fewer, more, without, unclear }
    })
}

fn all_options() -> impl Strategy<Value = ChartOptions> {
    let themes = prop_oneof![Just(ChartTheme::Light), Just(ChartTheme::Dark)];
    (320_u32..=1_200, themes).prop_map(|(width, theme)| options(width, theme))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn curves_show_the_given_numbers(curve in curves(), options in all_options()) {
        check_curve(&curve, options);
    }

    #[test]
    fn shares_show_the_given_numbers(
        copies in prop::collection::vec(counts(), 0..30),
        other in (0_u64..4, counts()),
        total in counts(),
        options in all_options(),
    ) {
        let other = OtherShares { values: other.0, copies: other.1 };
        check_shares(&copies, other, total, options);
    }

    #[test]
    fn any_text_is_harmless(text in "\\PC{0,80}|[\\x00-\\x7F]{0,60}|.{0,40}", options in all_options()) {
        for chart in named(&text, options) {
            checked(&chart);
        }
    }
}

fn check_curve(curve: &CurveChart<'_>, options: ChartOptions) {
    let (svg, drawn) = checked(&Chart::curve(curve, options));
    let (inside, behind) = curve.counts.split_at(curve.counts.len().min(CURVE_BARS_MAX));
    let more = behind.iter().fold(curve.more, |sum, one| sum.saturating_add(*one));
    let outside = |copies: u64| (copies > 0).then_some(copies);
    let all = outside(curve.fewer).into_iter().chain(inside.iter().copied()).chain(outside(more));
    let all: Vec<u128> = all.map(u128::from).collect();
    let message = text_of(&svg, "desc");
    assert_eq!(described_copies(&message), all);
    let total = format!("Cards by Rank: {}.", all.iter().sum::<u128>());
    assert!(message.replace(',', "").starts_with(&total), "{message}");

    let seen: Vec<u128> = all.into_iter().filter(|copies| *copies > 0).collect();
    check_lengths(&drawn.iter().map(|bar| bar[3]).collect::<Vec<_>>(), &seen);
    for pair in drawn.windows(2) {
        assert!(pair[0][0] + pair[0][2] < pair[1][0], "bars beside each other: {svg}");
    }
    for (label, copies) in [("Without a value", curve.without), ("Unclear", curve.unclear)] {
        assert_eq!(message.contains(label), copies > 0, "{message}");
        assert_eq!(svg.matches(label).count(), if copies > 0 { 2 } else { 0 }, "told and drawn");
    }
    assert!(svg.len() <= 8_192, "{} bytes: {svg}", svg.len());
}

fn check_shares(copies: &[u64], other: OtherShares, total: u64, options: ChartOptions) {
    let names: Vec<String> = (0..copies.len()).map(|place| format!("Value {place}")).collect();
    let chart = SharesChart {
        title: "Types".into(),
        bars: names.iter().zip(copies).map(|(name, copies)| bar(name, *copies)).collect(),
        other,
        total,
        ..SharesChart::default()
    };
    let (svg, drawn) = checked(&Chart::shares(&chart, options));
    let has_other = other.values > 0 || copies.len() > SHARES_MAX;
    let rows = copies.len().min(SHARES_MAX) + usize::from(has_other);
    let labels = svg.matches(">Value ").count() + svg.matches(">other (").count();
    assert_eq!(labels, rows, "a label for each: {svg}");
    let all = described_copies(&text_of(&svg, "desc"));
    assert_eq!(all.len(), rows);
    let others = if has_other { u128::from(other.copies) } else { 0 };
    let sum = copies.iter().copied().map(u128::from).sum::<u128>() + others;
    assert_eq!(all.iter().sum::<u128>(), sum);

    let seen: Vec<u128> = all.into_iter().filter(|copies| *copies > 0).collect();
    check_lengths(&drawn.iter().map(|bar| bar[2]).collect::<Vec<_>>(), &seen);
    for pair in drawn.windows(2) {
        assert!(pair[0][1] + pair[0][3] < pair[1][1], "bars below each other: {svg}");
    }
    assert!(svg.len() <= 8_192, "{} bytes: {svg}", svg.len());
}

/// Charts in which all texts are this text.
fn named(text: &str, options: ChartOptions) -> [Chart; 2] {
    let curve = CurveChart {
        title: text.into(),
        axis: text.into(),
        counts: vec![3, 0, 5_000_000],
        fewer: 1,
        more: 2,
        ..CurveChart::default()
    };
    let other = OtherShares { values: 3, copies: 9 };
    let bars = vec![bar(text, 5_000_000), bar("", 1), bar(text, 0)];
    let shares =
        SharesChart { title: text.into(), bars, other, total: 7, ..SharesChart::default() };
    [Chart::curve(&curve, options), Chart::shares(&shares, options)]
}

/// Charts with as many bars and as long numbers as possible.
fn crowded(options: ChartOptions) -> Vec<Chart> {
    let firsts = [-25, 1, 1_000_000, i64::MIN, i64::MAX - 49];
    let curve = |first, copies| CurveChart {
        title: "Everything at once, with a title of about sixty letters".into(),
        axis: "A number with a long name".into(),
        first,
        counts: vec![copies; 50],
        fewer: copies,
        more: copies,
        without: copies,
        unclear: copies,
    };
    let curves = firsts.into_iter().flat_map(|first| {
        [7, 99, 999, 5_000_000, u64::MAX].map(|copies| Chart::curve(&curve(first, copies), options))
    });
    let shares = [7, 5_000_000, u64::MAX].map(|copies| {
        let bars = vec![bar("A value with a long name", copies); 30];
        let (title, other) = ("Everything at once".into(), OtherShares { values: 1, copies });
        let shares =
            SharesChart { title, bars, other, total: copies, without: copies, unclear: copies };
        Chart::shares(&shares, options)
    });
    curves.chain(shares).collect()
}

/// No text leaves the chart or overlaps a bar, so the contrast of texts to the background is what counts.
#[test]
fn texts_do_not_leave_the_chart_in_any_font() {
    let readers = readers();
    let options = [320, 1_200].map(|width| options(width, ChartTheme::Light));
    for options in options {
        let hostile = hostile_texts();
        let charts = hostile.iter().flat_map(|text| named(text, options)).chain(crowded(options));
        for chart in charts {
            let (svg, bars) = checked(&chart);
            assert!(svg.len() <= 16_384, "{} bytes", svg.len());
            for (name, reader) in &readers {
                for (message, [left, top, right, bottom]) in text_boxes(&svg, reader) {
                    // With these fonts, the renderer applies the fixed length only to the first glyph of a cluster.
                    if message.contains(['\u{200D}', '\u{E007F}', '\u{FE0F}'])
                        || message.chars().any(is_combining_mark)
                    {
                        continue;
                    }
                    let [left, top, right, bottom] = [left, top, right, bottom].map(f64::from);
                    let is_inside = left >= 4.0
                        && top >= 0.0
                        && right <= f64::from(chart.width()) - 4.0
                        && bottom <= f64::from(chart.height());
                    assert!(is_inside, "{name}: {left} {top} {right} {bottom}: {message}");
                    for [x, y, width, height] in &bars {
                        let beside = right <= *x || left >= x + width;
                        let apart = beside || bottom <= y + 0.5 || top >= y + height - 0.5;
                        assert!(apart, "{name}: {message} stands on a bar: {svg}");
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_do_not_overlap() {
    for width in [320, 1_200] {
        for chart in crowded(options(width, ChartTheme::Dark)) {
            let svg = chart.svg();
            for (name, reader) in &readers() {
                let boxes = text_boxes(&svg, reader);
                for (at, (message, one)) in boxes.iter().enumerate() {
                    for (other_said, other) in &boxes[at + 1..] {
                        // Boxes are higher than letters, so those of lines of one text overlap a little.
                        let apart = one[2] <= other[0] + 0.5
                            || other[2] <= one[0] + 0.5
                            || one[3] <= other[1] + 4.0
                            || other[3] <= one[1] + 4.0;
                        assert!(apart, "{name}: {message} and {other_said}: {svg}");
                    }
                }
            }
        }
    }
}

/// Even charts with the maximum number of bars have at most 8 KiB.
#[test]
fn charts_are_small() {
    for width in (320..=1_200).step_by(40) {
        for chart in crowded(options(width, ChartTheme::Dark)) {
            let svg = chart.svg();
            assert!(svg.len() <= 8_192, "{} bytes: {svg}", svg.len());
        }
    }
}

#[test]
fn copies_are_above_bars_if_they_fit() {
    let curve = |counts: Vec<u64>| CurveChart { first: 1, counts, ..CurveChart::default() };
    let svg = |counts| Chart::curve(&curve(counts), ChartOptions::default()).svg();
    assert_eq!(svg(vec![7; 3]).matches(">7</text>").count(), 3);
    assert!(svg(vec![5_000_000; 3]).contains(">5,000,000</text>"));
    assert!(!svg(vec![5_000_000; 50]).contains(">5,000,000</text>"));
    assert!(svg(vec![5_000_000; 50]).contains(">50</text>"));
    assert!(!svg(vec![5_000_000; 50]).contains(">49</text>"), "every second number");
    // The minus sign of negative numbers must be in the bundled font, too.
    let negative = CurveChart { first: -9, counts: vec![7; 50], ..CurveChart::default() };
    assert!(Chart::curve(&negative, ChartOptions::default()).svg().contains(">-8</text>"));
}

#[test]
fn long_labels_are_cut_but_described_completely() {
    let long = "A very long name ".repeat(11);
    let shares = SharesChart { bars: vec![bar(&long, 3)], total: 3, ..SharesChart::default() };
    let chart = Chart::shares(&shares, ChartOptions::default());
    assert!(chart.is_cut());
    let svg = chart.svg();
    assert!(svg.contains("…</text>"));
    assert!(text_of(&svg, "desc").contains(long.trim()));
}

/// The values with the most copies keep their bars, in their order. The others share a hatched bar, which can be
/// distinguished without colours.
#[test]
fn the_smallest_values_are_summed() {
    let names: Vec<String> = (0..14).map(|place| format!("v{place}")).collect();
    let bars = (0_u64..).zip(&names).map(|(place, name)| bar(name, 20 - place % 2 * 7));
    let shares = SharesChart { bars: bars.collect(), total: 200, ..SharesChart::default() };
    let svg = Chart::shares(&shares, ChartOptions::default()).svg();
    // Every second value has 13 copies; two of these do not get a bar.
    let message = text_of(&svg, "desc");
    assert!(message.ends_with("v10: 20 · 10%; v12: 20 · 10%; other (2): 26 · 13%."), "{message}");
    assert!(
        text_of(&svg, "desc").starts_with("Cards: 200. v0: 20 · 10%; v1: 13 · 6.5%; v2: "),
        "{svg}"
    );
    assert_eq!(svg.matches("fill=\"url(#").count(), 1);
}

#[test]
fn empty_input_gives_a_chart() {
    for options in [ChartOptions::default(), options(320, ChartTheme::Dark)] {
        let charts = [
            Chart::curve(&CurveChart::default(), options),
            Chart::shares(&SharesChart::default(), options),
            Chart::curve(&CurveChart { counts: vec![0; 9], ..CurveChart::default() }, options),
        ];
        for chart in charts {
            let (svg, bars) = checked(&chart);
            assert!(bars.is_empty() && svg.contains(">No cards</text>"), "{svg}");
        }
    }
    assert_eq!(ChartWidth::new(319), None);
    assert_eq!(ChartWidth::new(u32::MAX), None);
}

/// Several charts can be in one page, where ids must be unique.
#[test]
fn ids_follow_from_the_content() {
    let id = |fewer: u64, theme| {
        let curve = CurveChart { fewer, ..CurveChart::default() };
        let svg = Chart::curve(&curve, options(640, theme)).svg();
        svg.split("aria-labelledby=\"").nth(1).unwrap()[..10].to_owned()
    };
    assert_eq!(id(1, ChartTheme::Light), id(1, ChartTheme::Light));
    assert_ne!(id(1, ChartTheme::Light), id(2, ChartTheme::Light));
    assert_ne!(id(1, ChartTheme::Light), id(1, ChartTheme::Dark), "their hatching differs");
}
