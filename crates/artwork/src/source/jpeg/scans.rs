//! Limits the total work of a JPEG's scans. Each scan processes the whole picture, and may need hardly a byte in the
//! file: a file of some kilobytes can occupy a decoder for hours. See libjpeg-turbo, "Two Issues with the JPEG
//! Standard", LJT-01-003.

use crate::error::ArtworkError;
use crate::limits::Limits;

/// Most scans of a progressive picture. Image programs write about ten.
const SCANS_MAX: usize = 64;

/// How often, on average, each of a component's 64 coefficients may be coded. Image programs need three or four times.
const VISITS_MAX: u32 = 5;

/// A frame, and the scans of it so far.
pub(super) struct Scans {
    pub(super) size: (u32, u32),
    is_progressive: bool,
    components: Vec<Component>,
    count: usize,
}

struct Component {
    id: u8,
    /// Total number of coefficients per block that the scans have coded.
    visits: u32,
}

impl Scans {
    /// Parses the header of a frame.
    pub(super) fn of_frame(
        is_progressive: bool,
        body: &[u8],
        limits: &Limits,
    ) -> Result<Self, ArtworkError> {
        let [precision, h1, h2, w1, w2, count, components @ ..] = body else {
            return Err(ArtworkError::broken("the header is too short"));
        };
        let height = u32::from(u16::from_be_bytes([*h1, *h2]));
        let width = u32::from(u16::from_be_bytes([*w1, *w2]));
        limits.check_size(width, height)?;
        if *precision != 8 {
            return Err(ArtworkError::unsupported(format!("{precision} bits for each colour")));
        }
        match count {
            1 | 3 => {}
            4 => return Err(ArtworkError::Cmyk),
            count => return Err(ArtworkError::unsupported(format!("{count} components"))),
        }
        let (components, rest) = components.as_chunks::<3>();
        if components.len() != usize::from(*count) || !rest.is_empty() {
            return Err(ArtworkError::broken("the header has a wrong length"));
        }
        let components = components.iter().map(|[id, ..]| Component { id: *id, visits: 0 });
        let components = components.collect();
        Ok(Self { size: (width, height), is_progressive, components, count: 0 })
    }

    /// Adds a scan from its header.
    pub(super) fn add(&mut self, body: &[u8]) -> Result<(), ArtworkError> {
        let broken = || ArtworkError::broken("a scan's header makes no sense");
        let (count, rest) = body.split_first().ok_or_else(broken)?;
        let (components, &[first, last, _]) = rest.split_last_chunk::<3>().ok_or_else(broken)?;
        let (components, odd) = components.as_chunks::<2>();
        if components.len() != usize::from(*count) || !odd.is_empty() {
            return Err(broken());
        }
        // Scans of a picture that is not progressive contain all coefficients, whatever their header says.
        let visits = match (self.is_progressive, last.checked_sub(first)) {
            (true, Some(more)) if last < 64 => u32::from(more) + 1,
            (true, _) => return Err(broken()),
            (false, _) => 64,
        };
        let visits_max = if self.is_progressive { 64 * VISITS_MAX } else { 64 };
        for [id, _] in components {
            let component = self.components.iter_mut().find(|known| known.id == *id);
            let component = component.ok_or_else(broken)?;
            component.visits += visits;
            if component.visits > visits_max {
                return Err(ArtworkError::TooComplex { reason: "too many scans" });
            }
        }
        self.count += 1;
        if self.count > SCANS_MAX {
            return Err(ArtworkError::TooComplex { reason: "too many scans" });
        }
        Ok(())
    }
}
