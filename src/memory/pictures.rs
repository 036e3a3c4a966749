//! Pictures. Drawing a PNG takes a core for tens of milliseconds, so only a few are drawn at a time, and they are
//! cached; public pictures of designs and of open cards are cached in their final form.

use std::sync::Arc;

use bytes::Bytes;
use cardscape_pictures::{Fonts, Picture};
use moka::future::Cache;
use xxhash_rust::xxh3::xxh3_128;

use super::caches::{DroppingCache, Ticket, Weighed};
use super::rendered::Rendered;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::CardId;
use crate::store::catalogue::changes::ChangeBatch;
use crate::work::{BoundedWork, WorkError};

/// Memory for drawn pictures, in bytes: enough for about two hundred.
const CACHE_BYTES: u64 = 16 * 1024 * 1024;
/// How many drawings may wait for each one that runs.
const WAITING: usize = 32;

/// Draws pictures as PNG. Each is cached by the hash of its SVG while there is room; concurrent requests for the same
/// picture wait for one drawing.
pub struct PictureDrawer {
    fonts: Fonts,
    drawn: metrics::Counter,
    cache: Cache<u128, Bytes>,
    work: BoundedWork,
}

/// Everything that the picture of a design depends on. The content of a revision never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PictureKey {
    pub code: DesignCode,
    pub revision: i64,
    /// Revision of the manifest of its game.
    pub game_revision: i64,
    /// Code of the rarity; `None`: the lowest.
    pub rarity: Option<String>,
    /// Whether it is a PNG; an SVG otherwise.
    pub is_png: bool,
}

/// Cached pictures of public designs.
pub type CachedPictures = Weighed<PictureKey, Rendered>;

/// Size of a cached picture without its bytes: key, headers, book-keeping; rounded up.
const OVERHEAD: usize = 1_200;

/// A cache of the same size as the cache of PNGs.
pub fn room_for_pictures() -> CachedPictures {
    Weighed::new(CACHE_BYTES, |_, picture: &Rendered| picture.weight() + OVERHEAD)
}

/// Which picture of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureChoice {
    /// Code of the rarity, in lower case; `None`: the lowest.
    pub rarity: Option<String>,
    /// Whether it is a PNG; an SVG otherwise.
    pub is_png: bool,
}

/// Cached pictures of open cards. All pictures of a card are one entry, so that a change of the card drops them together.
pub struct CardPictures(DroppingCache<CardId, Arc<[(PictureChoice, Rendered)]>>);

impl CardPictures {
    /// A cache of the same size as the cache of PNGs, or of `bytes` bytes if that is less.
    pub(crate) fn new(bytes: u64) -> Self {
        let weigh = |_: &CardId, pictures: &Arc<[(PictureChoice, Rendered)]>| {
            pictures.iter().map(|(_, picture)| picture.weight() + OVERHEAD).sum()
        };
        Self(DroppingCache::new(CACHE_BYTES.min(bytes), weigh))
    }

    /// The picture, if it is cached. Must be used only while the change feed is read.
    pub(crate) fn find(&self, card: CardId, choice: &PictureChoice) -> Option<Rendered> {
        let pictures = self.0.find(&card)?;
        pictures.iter().find(|(of, _)| of == choice).map(|(_, picture)| picture.clone())
    }

    /// Takes a ticket; must be called before the card is read from the database.
    pub(crate) fn ticket(&self) -> Ticket {
        self.0.ticket()
    }

    /// Caches a picture of an open card, unless anything was dropped since the ticket. Everything that the picture shows must be dropped by
    /// [`Self::apply`] when it changes.
    pub(crate) fn insert(
        &self,
        ticket: Ticket,
        card: CardId,
        choice: PictureChoice,
        picture: Rendered,
    ) {
        self.0.insert_with(ticket, card, |pictures| {
            let others = pictures.unwrap_or_default();
            let others = others.iter().filter(|(of, _)| *of != choice).cloned();
            others.chain([(choice.clone(), picture.into_cached())]).collect()
        });
    }

    /// Drops the cards that a batch of changes names; all of them when a manifest changed, because it decides what a picture looks like.
    pub(crate) fn apply(&self, batch: &ChangeBatch) {
        self.0.apply(batch, batch.some_game_changed);
    }

    /// Drops everything.
    pub(crate) fn forget(&self) {
        self.0.forget_all();
    }
}

/// Why a PNG could not be drawn.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DrawError {
    /// Too many drawings are waiting.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The renderer failed.
    #[error("{0}")]
    Renderer(String),
}

impl PictureDrawer {
    /// A drawer with these fonts.
    pub fn new(fonts: Fonts) -> Self {
        let weight = |_: &u128, png: &Bytes| u32::try_from(png.len()).unwrap_or(u32::MAX);
        Self {
            fonts,
            drawn: metrics::counter!("pictures_drawn_total"),
            cache: Cache::builder().max_capacity(CACHE_BYTES).weigher(weight).build(),
            work: BoundedWork::on_half_the_cores(WAITING),
        }
    }

    /// The picture as PNG, 500 × 700 pixels; `svg` is the same picture as SVG.
    pub async fn png(&self, picture: Picture, svg: &str) -> Result<Bytes, DrawError> {
        let draw = async {
            let fonts = self.fonts.clone();
            let drawn = self.work.run(move || picture.png(&fonts)).await?;
            self.drawn.increment(1);
            drawn.map(Bytes::from).map_err(|error| DrawError::Renderer(error.to_string()))
        };
        let drawn = self.cache.try_get_with(xxh3_128(svg.as_bytes()), draw).await;
        drawn.map_err(|error| DrawError::clone(&error))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::memory::rendered::Freshness;

    fn choice(rarity: Option<&str>, is_png: bool) -> PictureChoice {
        PictureChoice { rarity: rarity.map(str::to_owned), is_png }
    }

    fn picture(text: &str) -> Rendered {
        Rendered::file(Freshness::Public(60), "image/svg+xml", text.to_owned())
    }

    fn card(number: u128) -> CardId {
        CardId(Uuid::from_u128(number))
    }

    fn body(pictures: &CardPictures, card: CardId, choice: &PictureChoice) -> Option<Bytes> {
        pictures.find(card, choice).map(|picture| picture.body().clone())
    }

    #[test]
    fn all_pictures_of_a_card_are_dropped_together() {
        let pictures = CardPictures::new(1 << 20);
        let choices = [choice(None, false), choice(Some("rare"), false), choice(None, true)];
        let fill = || {
            for (at, choice) in choices.iter().enumerate() {
                for of in [card(1), card(2)] {
                    let ticket = pictures.ticket();
                    pictures.insert(ticket, of, choice.clone(), picture(&format!("{at}")));
                }
            }
            for (at, choice) in choices.iter().enumerate() {
                assert_eq!(body(&pictures, card(1), choice), Some(Bytes::from(format!("{at}"))));
            }
        };
        fill();
        assert_eq!(body(&pictures, card(1), &choice(Some("common"), false)), None);
        pictures.apply(&ChangeBatch { cards: vec![card(1)], ..ChangeBatch::default() });
        for choice in &choices {
            assert_eq!(body(&pictures, card(1), choice), None);
            assert!(body(&pictures, card(2), choice).is_some());
        }
        let everything = [
            ChangeBatch { is_broken: true, ..ChangeBatch::default() },
            ChangeBatch { some_went: true, ..ChangeBatch::default() },
            ChangeBatch { some_game_changed: true, ..ChangeBatch::default() },
        ];
        for batch in everything {
            fill();
            pictures.apply(&batch);
            assert_eq!(body(&pictures, card(2), &choices[0]), None, "{batch:?}");
        }
        fill();
        pictures.forget();
        assert_eq!(body(&pictures, card(2), &choices[0]), None);
    }

    #[test]
    fn a_picture_of_a_card_that_was_read_before_a_change_is_not_cached() {
        let pictures = CardPictures::new(1 << 20);
        let early = pictures.ticket();
        pictures.apply(&ChangeBatch { cards: vec![card(1)], ..ChangeBatch::default() });
        pictures.insert(early, card(1), choice(None, false), picture("old"));
        assert_eq!(body(&pictures, card(1), &choice(None, false)), None);
    }

    #[test]
    fn memory_is_bounded() {
        let pictures = CardPictures::new(100_000);
        for number in 0..500 {
            let ticket = pictures.ticket();
            pictures.insert(ticket, card(number), choice(None, false), picture(&"x".repeat(900)));
            pictures.find(card(number), &choice(None, false));
        }
        assert!(pictures.0.bytes() <= 100_000, "{}", pictures.0.bytes());
        assert!(pictures.0.count() > 10, "{}", pictures.0.count());
        let none = CardPictures::new(0);
        none.insert(none.ticket(), card(1), choice(None, false), picture("x"));
        assert_eq!(none.0.bytes(), 0);
        assert_eq!(body(&none, card(1), &choice(None, false)), None);
    }
}
