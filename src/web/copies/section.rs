//! The navigation between the pages of the collection and of copies.

use super::words as copy_words;

/// A page of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::web) enum Section {
    Counts,
    Copies,
    Lists,
    Trades,
    Disputes,
}

impl Section {
    const ALL: [Self; 5] = [Self::Counts, Self::Copies, Self::Lists, Self::Trades, Self::Disputes];

    fn path(self) -> &'static str {
        match self {
            Self::Counts => "/my/collection",
            Self::Copies => "/my/copies",
            Self::Lists => "/my/lists",
            Self::Trades => "/trades",
            Self::Disputes => "/disputes",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Counts => copy_words::COUNTS,
            Self::Copies => copy_words::MY_COPIES,
            Self::Lists => copy_words::LISTS,
            Self::Trades => copy_words::TRADES,
            Self::Disputes => copy_words::DISPUTES,
        }
    }

    /// The label of the navigation.
    #[expect(clippy::unused_self, reason = "templates call it on the section that they have")]
    pub(in crate::web) fn label(self) -> &'static str {
        copy_words::OF_COLLECTION
    }

    /// All pages: path, label, and whether it is the current one.
    pub(in crate::web) fn links(self) -> [(&'static str, &'static str, bool); 5] {
        Self::ALL.map(|one| (one.path(), one.name(), one == self))
    }
}
