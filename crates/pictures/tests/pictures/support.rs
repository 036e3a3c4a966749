//! Helpers of the tests: cards, fonts and pixels.

use std::sync::Arc;

use cardscape_engine::{Game, SetDefinition};
use cardscape_pictures::{CardFace, EffectText, Fact, Figure, Finish};
use resvg::usvg::{FontResolver, Node, Options, TextChunk, Tree, fontdb};

/// A set of the shipped data, with its game.
pub(crate) fn seed(game: &str, set: &str) -> (Game, SetDefinition) {
    let folder = format!("{}/../../seed-data/games/{game}", env!("CARGO_MANIFEST_DIR"));
    let read = |path: String| std::fs::read_to_string(path).unwrap();
    let manifest = Game::from_toml(&read(format!("{folder}/game.toml"))).unwrap();
    let cards = serde_json::from_str(&read(format!("{folder}/sets/{set}.json"))).unwrap();
    (manifest, cards)
}

pub(crate) const SEEDS: [(&str, &str); 6] = [
    ("ttcg", "hearth"),
    ("ttcg", "veil"),
    ("emoji-tcg", "feed"),
    ("uno-emoji", "box"),
    ("emojito", "box"),
    ("emojo-dojo", "box"),
];

/// A face in which all texts are this text.
pub(crate) fn filled(text: &str, finish: Finish) -> CardFace<'_> {
    let figure = || Figure { label: text.into(), value: text.into() };
    CardFace {
        game: text.into(),
        title: text.into(),
        type_line: text.into(),
        badge: Some(figure()),
        glyph: Some(text.into()),
        stats: vec![figure(), figure(), figure()],
        facts: vec![Fact { label: text.into(), value: text.into() }; 3],
        effects: vec![EffectText { label: text.into(), text: text.into() }; 3],
        lore: Some(text.into()),
        designer: Some(text.into()),
        set: text.into(),
        number: text.into(),
        rarity: text.into(),
        tiers: 6,
        theme: text.into(),
        finish,
        artwork: None,
    }
}

/// Unusual and malicious texts that players may write.
pub(crate) fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "\0\u{1}\u{8}\u{B}\u{C}\u{1F}\u{7F}\u{80}\u{9F}",
        "\u{FFFE}\u{FFFF}\u{FDD0}\u{10FFFF}\u{E000}",
        "</text><script>alert(1)</script>",
        "<foreignObject><body onload='alert(1)'/></foreignObject>",
        "<image href=\"https://example.org/x.png\"/>",
        "\"/><a href=\"javascript:alert(1)\">",
        "' onload='alert(1)",
        "& &amp; &#0; &#x1F; &lt; &quot; &unknown;",
        "]]>",
        "<![CDATA[ <!-- --> <?xml version=\"1.0\"?> <!DOCTYPE svg [<!ENTITY a \"b\">]> &a;",
        "javascript:alert(1) url(javascript:alert(1)) url(#x) expression(1)",
        "{{ 7 * 7 }} {% include \"/etc/passwd\" %}",
        "\u{202E}reversed\u{202C} \u{2066}isolated\u{2069} \u{200F}mark\u{200E}",
        "\u{200D}\u{200D}\u{200D}a\u{200D}b\u{200C}\u{200B}\u{FEFF}\u{2060}c",
        "שלום עולם, זה טקסט ארוך מימין לשמאל עם (סוגריים) ומספרים 123 ועוד מילים רבות",
        "مرحبا بالعالم، هذا نص طويل من اليمين إلى اليسار ﷽ ﷽ ﷽ ﷽ ﷽ ﷽ ﷽ ﷽",
        "日本語のとても長いテキストがスペースなしで続いていくので折り返しが必要です。中文也一样",
        "👨\u{200D}👩\u{200D}👧\u{200D}👦 and 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} and 1\u{FE0F}\u{20E3} 👍🏽 🇩🇪🇩🇪🇩",
        "𒐫𒐫𒐫𒐫𒐫𒐫𒐫𒐫𒐫𒐫 ꧅꧅꧅꧅꧅꧅ ⸻⸻⸻⸻⸻⸻⸻",
        "\u{FE0F}\u{301}\u{20E3}",
    ]
    .map(str::to_owned)
    .to_vec();
    let zalgo: String = "Zalgo comes"
        .chars()
        .map(|character| format!("{character}{}", "\u{310}\u{489}\u{323}".repeat(30)))
        .collect();
    texts.push(zalgo);
    for word in
        ["x", "W", "i", "mW", "😀", "👨\u{200D}", "\u{301}", "\u{FDFD}", "a b ", "é", "‱", "<&>"]
    {
        texts.push(word.repeat(2_000));
    }
    texts.push("Draw two cards, then discard one card for each of them. ".repeat(60));
    texts
}

/// Renderer options with a single font for all texts, like the browser of a reader who has only this font.
pub(crate) fn reader(font: &'static [u8]) -> Options<'static> {
    let mut database = fontdb::Database::new();
    let source = fontdb::Source::Binary(Arc::new(font));
    let id = database.load_font_source(source)[0];
    Options {
        font_resolver: FontResolver {
            select_font: Box::new(move |_, _| Some(id)),
            select_fallback: Box::new(|_, _, _| None),
        },
        fontdb: Arc::new(database),
        ..Options::default()
    }
}

/// Each text of a picture, with its left, top, right and bottom.
pub(crate) fn text_boxes(svg: &str, options: &Options<'_>) -> Vec<(String, [f32; 4])> {
    fn walk(group: &resvg::usvg::Group, found: &mut Vec<(String, [f32; 4])>) {
        for node in group.children() {
            match node {
                Node::Group(group) => walk(group, found),
                Node::Text(text) => {
                    let message = text.chunks().iter().map(TextChunk::text).collect();
                    let [whole, drawn] =
                        [text.abs_bounding_box(), text.flattened().abs_bounding_box()];
                    found.push((
                        message,
                        [
                            whole.left().min(drawn.left()),
                            whole.top().min(drawn.top()),
                            whole.right().max(drawn.right()),
                            whole.bottom().max(drawn.bottom()),
                        ],
                    ));
                }
                _ => {}
            }
        }
    }
    let tree = Tree::from_str(svg, options).unwrap();
    let mut found = Vec::new();
    walk(tree.root(), &mut found);
    found
}

/// The pixels of a card's PNG as red, green, blue and alpha.
pub(crate) fn pixels(file: &[u8]) -> Vec<[u8; 4]> {
    let (size, pixels) = sized_pixels(file);
    assert_eq!(size, (500, 700));
    pixels
}

/// Width, height and pixels of a PNG.
pub(crate) fn sized_pixels(file: &[u8]) -> ((u32, u32), Vec<[u8; 4]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgba);
    ((info.width, info.height), bytes.as_chunks::<4>().0.to_vec())
}
