//! Finishes of printings: six, each with all features of the ones below it.

/// The finish of a printing.
///
/// They add up (rule T-4.6d of the shipped TTCG rules): a holographic card has the shiny borders of the rare one and the shiny text of the
/// uncommon one. Each adds a pattern of its own besides colour, so that they are told apart in grey, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Finish {
    /// Plain: dark letters on light plates.
    #[default]
    Matte,
    /// And shiny text: light metallic letters with an outline on dark plates that are ruled twice.
    ShinyText,
    /// And shiny borders: a metallic edge with a row of beads.
    ShinyBorders,
    /// And a holographic overlay: diagonal bands over the artwork.
    Holographic,
    /// And foil accents: ornaments in the corners, a scalloped seal.
    FoilAccents,
    /// And prismatic: facets that radiate over the whole card.
    Prismatic,
}

impl Finish {
    /// All, from the lowest up.
    pub const ALL: [Self; 6] = [
        Self::Matte,
        Self::ShinyText,
        Self::ShinyBorders,
        Self::Holographic,
        Self::FoilAccents,
        Self::Prismatic,
    ];

    /// The finish of a rarity's tier. Tiers count from 1; 0 is taken as 1, and everything above 6 as 6. A game with one rarity is matte.
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

    /// The tier that the finish stands for, from 1 to 6.
    pub fn tier(self) -> u32 {
        self as u32 + 1
    }

    /// Whether it has what `other` adds.
    pub fn has(self, other: Self) -> bool {
        self >= other
    }
}
