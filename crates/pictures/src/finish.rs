//! Finishes of printings: six, each with all features of the ones below it.

/// The finish of a printing.
///
/// Each finish includes those before it (rule T-4.6d of the shipped TTCG rules): a holographic card also has the shiny
/// borders of a rare one and the shiny text of an uncommon one. Each adds a pattern, not only a colour, so that finishes
/// can be distinguished without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Finish {
    /// Plain: dark letters on light plates.
    #[default]
    Matte,
    /// Adds shiny text: light metallic letters with an outline, on dark plates with a double border.
    ShinyText,
    /// Adds shiny borders: a metallic edge with a row of beads.
    ShinyBorders,
    /// Adds a holographic overlay: diagonal bands over the artwork.
    Holographic,
    /// Adds foil accents: ornaments in the corners, and a scalloped seal.
    FoilAccents,
    /// Adds a prismatic pattern: facets that radiate over the whole card.
    Prismatic,
}

impl Finish {
    /// All finishes, from the lowest up.
    pub const ALL: [Self; 6] = [
        Self::Matte,
        Self::ShinyText,
        Self::ShinyBorders,
        Self::Holographic,
        Self::FoilAccents,
        Self::Prismatic,
    ];

    /// The finish for the tier of a rarity. Tiers count from 1; 0 is treated as 1, and everything above 6 as 6. So the cards
    /// of a game with only one rarity are matte.
    ///
    /// ```
    /// use cardscape_pictures::Finish;
    /// assert_eq!(Finish::of_tier(1), Finish::Matte);
    /// assert_eq!(Finish::of_tier(4), Finish::Holographic);
    /// assert_eq!(Finish::of_tier(9), Finish::Prismatic);
    /// ```
    pub fn of_tier(tier: u32) -> Self {
        let place = tier.clamp(1, 6) - 1;
        Self::ALL[place as usize]
    }

    /// The tier of the finish, from 1 to 6.
    pub fn tier(self) -> u32 {
        self as u32 + 1
    }

    /// Whether this finish includes `other`.
    pub fn has(self, other: Self) -> bool {
        self >= other
    }
}
