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
use crate::runs::{Tidy, runs};
use crate::shapes::{Area, Block, Ink};
use crate::sheet::{CARD_HEIGHT, CARD_WIDTH, Sheet};
use crate::text::{FAMILIES, TextTemplate, tidy};

/// What every hidden card looks like.
const BACK: &str = include_str!("back.svg");

/// The picture of a hidden card, as SVG: one text for all cards of all games and sets. It says nothing of a card, not even its number.
///
/// ```
/// assert!(cardscape_pictures::card_back().starts_with("<svg"));
/// ```
pub fn card_back() -> &'static str {
    BACK
}

/// A picture, laid out: a card's face, or the back.
///
/// Only this crate makes the SVGs that it draws as PNG, so there is no way for an SVG of somebody else into the renderer.
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
    /// What ids begin with, so that several pictures may stand in one page.
    id: String,
    name: String,
    description: String,
    finish: Finish,
    tiers: u32,
    artwork: Option<String>,
}

impl Picture {
    /// Lays a card out. Equal faces give equal pictures, on every machine.
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

    /// The back, which every hidden card shows.
    pub fn back() -> Self {
        Self(Content::Back)
    }

    /// Whether something did not fit: a text that ends with `…` even in its smallest letters, or more facts, effects or numbers than a card
    /// has room for. Then all of it should stand beside the picture. (The description for screen readers has it anyway.)
    pub fn is_cut(&self) -> bool {
        match &self.0 {
            Content::Face(face) => face.sheet.is_cut,
            Content::Back => false,
        }
    }

    /// The picture as SVG, 500 × 700 units: for browsers, which use their reader's fonts. It has no script, no style and no address outside
    /// itself, so it may stand in a page as `<img>` or as part of it.
    pub fn svg(&self) -> String {
        self.drawn(None)
    }

    /// The picture as PNG, 500 × 700 pixels, with the bundled fonts and those that `fonts` has besides. What no font has is drawn as a
    /// rounded outline.
    ///
    /// # Errors
    /// None that is known of: faults of the renderer come as [`PngError`].
    pub fn png(&self, fonts: &Fonts) -> Result<Vec<u8>, PngError> {
        png::draw(&self.drawn(Some(fonts)), (CARD_WIDTH, CARD_HEIGHT), fonts)
    }

    /// The SVG; with `fonts`, texts are in parts of one font each, which the renderer needs.
    fn drawn(&self, fonts: Option<&Fonts>) -> String {
        match &self.0 {
            Content::Face(face) => {
                let template = CardTemplate { face, sheet: &face.sheet, id: &face.id, fonts };
                // Writing to a text does not fail.
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
        // Small letters are not clearer for an outline.
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

    /// Plates under the name and numbers.
    fn shiny_plate(&self) -> String {
        let palette = self.sheet.palette;
        let plate = if self.shiny() { palette.dark_plate() } else { palette.plate() };
        plate.to_string()
    }

    /// Places of the pips in the foot, and whether they are filled.
    fn pips(&self) -> Vec<(u32, bool)> {
        let (tiers, tier) = (self.face.tiers, self.face.finish.tier());
        let first = 250 - 7 * (tiers - 1);
        (0..tiers).map(|place| (first + 14 * place, place < tier)).collect()
    }

    /// Corners of the artwork, and the turn that each needs.
    fn corners(&self) -> [(Tidy, Tidy, u32); 4] {
        let Area { x, y, width, height } = self.sheet.art;
        let (right, bottom) = (Tidy(x + width), Tidy(y + height));
        [(Tidy(x), Tidy(y), 0), (right, Tidy(y), 90), (right, bottom, 180), (Tidy(x), bottom, 270)]
    }

    /// The emblem is as high as the artwork; behind an emoji it is larger.
    fn emblem_scale(&self) -> Tidy {
        let room = self.sheet.art.height / if self.sheet.glyph.is_some() { 150.0 } else { 216.0 };
        Tidy(room.min(2.0))
    }

    /// Radius of the disc behind an emoji.
    fn disc(&self) -> Tidy {
        Tidy(self.sheet.glyph.as_ref().map_or(0.0, |glyph| glyph.size * 0.78))
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
