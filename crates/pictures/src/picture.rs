//! A card or a card back as SVG and PNG.

use askama::Template;
use cardscape_engine::rng::text_number;

use crate::clean::clean;
use crate::description::description;
use crate::emblem::{hatch_path, rays_path};
use crate::face::CardFace;
use crate::finish::Finish;
use crate::fonts::Fonts;
use crate::png::{self, PngError};
use crate::runs::{Rounded, runs};
use crate::shapes::{Area, Block, Ink};
use crate::sheet::{CARD_HEIGHT, CARD_WIDTH, Sheet};
use crate::text::{FAMILIES, TextTemplate, rounded};

/// The picture of every hidden card.
const BACK: &str = include_str!("back.svg");

/// The picture of a hidden card, as SVG: the same for all cards of all games and sets. It contains nothing about the
/// card, not even its number.
///
/// ```
/// assert!(cardscape_pictures::card_back().starts_with("<svg"));
/// ```
pub fn card_back() -> &'static str {
    BACK
}

/// The layout of a picture: a card's face, or the back.
///
/// Only SVGs that this crate writes are drawn as PNG, so no foreign SVG can get to the renderer.
#[derive(Debug)]
pub struct Picture(Content);

#[derive(Debug)]
enum Content {
    Face(Box<Face>),
    Back,
}

#[derive(Debug)]
struct Face {
    sheet: Sheet,
    /// Prefix of ids, so that several pictures can be in one page.
    id: String,
    name: String,
    description: String,
    finish: Finish,
    tiers: u32,
    artwork: Option<String>,
}

impl Picture {
    /// The layout of a card. Equal faces give equal pictures on every machine.
    ///
    /// ```
    /// use cardscape_pictures::{CardFace, Picture};
    ///
    /// let face = CardFace { title: "Salt & <b>Pepper</b>".into(), ..CardFace::default() };
    /// let svg = Picture::card(&face).svg();
    /// assert!(svg.contains("Salt &#38; &#60;b&#62;Pepper"));
    /// ```
    pub fn card(face: &CardFace<'_>) -> Self {
        let name = clean(&face.title, 200);
        let description = description(face);
        let seed = format!("{name}\n{description}\n{:?}", face.finish);
        Self(Content::Face(Box::new(Face {
            sheet: Sheet::new(face),
            id: format!("c{:08x}", text_number(&seed) >> 32),
            name,
            description,
            finish: face.finish,
            tiers: face.tiers.clamp(face.finish.tier(), 6),
            artwork: face.artwork.map(crate::Artwork::data_uri),
        })))
    }

    /// The card back, which is the picture of every hidden card.
    pub fn back() -> Self {
        Self(Content::Back)
    }

    /// Whether something did not fit: a text that was cut with `…`, or more facts, effects or numbers than a card has room
    /// for. Then the complete texts should be shown beside the picture. (The description for screen readers in the SVG
    /// also has them, up to 4,000 characters.)
    pub fn is_cut(&self) -> bool {
        match &self.0 {
            Content::Face(face) => face.sheet.is_cut,
            Content::Back => false,
        }
    }

    /// The picture as SVG, 500 × 700 units: for browsers, which use the fonts of their reader. It contains no scripts, styles
    /// or external addresses, so it can be used in a page as `<img>` or inline.
    pub fn svg(&self) -> String {
        self.drawn(None)
    }

    /// The picture as PNG, 500 × 700 pixels, drawn with the bundled fonts and the additional ones in `fonts`. Characters that
    /// no font has are drawn as a rounded outline.
    ///
    /// # Errors
    /// Failures of the renderer ([`PngError`]); none are known.
    pub fn png(&self, fonts: &Fonts) -> Result<Vec<u8>, PngError> {
        png::draw(&self.drawn(Some(fonts)), (CARD_WIDTH, CARD_HEIGHT), fonts)
    }

    /// The SVG. With `fonts`, texts are split into parts with one font each, as the renderer needs them.
    fn drawn(&self, fonts: Option<&Fonts>) -> String {
        match &self.0 {
            Content::Face(face) => {
                let template = CardTemplate { face, sheet: &face.sheet, id: &face.id, fonts };
                // Writing to a string cannot fail.
                template.render().unwrap_or_default()
            }
            Content::Back => BACK.to_owned(),
        }
    }
}

#[derive(Template)]
#[template(path = "card.svg")]
struct CardTemplate<'a> {
    face: &'a Face,
    sheet: &'a Sheet,
    id: &'a str,
    fonts: Option<&'a Fonts>,
}

impl CardTemplate<'_> {
    fn has(&self, finish: Finish) -> bool {
        self.face.finish.has(finish)
    }

    fn shiny(&self) -> bool {
        self.has(Finish::ShinyText)
    }

    fn text<'a>(&'a self, block: &'a Block) -> TextTemplate<'a> {
        // An outline would make small letters harder to read.
        let shiny = self.shiny() && block.ink == Ink::Shiny && block.size >= 18.0;
        let fill = match block.ink {
            Ink::Shiny if shiny => format!("url(#{}m)", self.id),
            Ink::Shiny if self.shiny() => "#fbf7ec".to_owned(),
            Ink::Dark | Ink::Shiny => "#1b1813".to_owned(),
            Ink::Label => self.sheet.palette.line().to_string(),
            Ink::Light => "#fbf7ec".to_owned(),
        };
        let runs = runs(block, self.fonts);
        TextTemplate { block, fill, outline: shiny, anchor: None, runs }
    }

    /// Colour of the plates behind the name and the numbers.
    fn shiny_plate(&self) -> String {
        let palette = self.sheet.palette;
        let plate = if self.shiny() { palette.dark_plate() } else { palette.plate() };
        plate.to_string()
    }

    /// x of each pip in the foot, and whether it is filled.
    fn pips(&self) -> Vec<(u32, bool)> {
        let (tiers, tier) = (self.face.tiers, self.face.finish.tier());
        let first = 250 - 7 * (tiers - 1);
        (0..tiers).map(|place| (first + 14 * place, place < tier)).collect()
    }

    /// The corners of the artwork, with the rotation of the ornament in degrees.
    fn corners(&self) -> [(Rounded, Rounded, u32); 4] {
        let Area { x, y, width, height } = self.sheet.art;
        let (right, bottom) = (Rounded(x + width), Rounded(y + height));
        [
            (Rounded(x), Rounded(y), 0),
            (right, Rounded(y), 90),
            (right, bottom, 180),
            (Rounded(x), bottom, 270),
        ]
    }

    /// Scale of the emblem: it is as high as the artwork, or larger behind an emoji.
    fn emblem_scale(&self) -> Rounded {
        let room = self.sheet.art.height / if self.sheet.glyph.is_some() { 150.0 } else { 216.0 };
        Rounded(room.min(2.0))
    }

    /// Radius of the disc behind an emoji.
    fn disc(&self) -> Rounded {
        Rounded(self.sheet.glyph.as_ref().map_or(0.0, |glyph| glyph.size * 0.78))
    }
}

/// Facets from the middle of the card outwards.
fn facets() -> String {
    rays_path(14, 460.0)
}

/// The bands of a holographic overlay.
fn hatch(area: &Area) -> String {
    hatch_path(*area)
}
