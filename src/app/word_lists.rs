//! Lists of words in requests.

use super::problem::InputFault;
use super::words::Word;

/// Parses a list of words, of which each counts once, or returns every fault. `pointer`: where the list is.
///
/// A list with more items than there are words is refused as a whole: a body has room for tens of thousands, and each
/// unknown word is compared with all known ones.
pub(crate) fn read_words<W: Word + PartialEq>(
    pointer: &str,
    items: &[String],
) -> Result<Vec<W>, Vec<InputFault>> {
    let most = W::words().len();
    if items.len() > most {
        let detail = format!("must have at most {most} items, not {}", items.len());
        return Err(vec![InputFault::at(pointer, detail)]);
    }
    let (mut words, mut faults) = (Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        match W::read(item) {
            Ok(word) if words.contains(&word) => {}
            Ok(word) => words.push(word),
            Err(fault) => faults.push(InputFault::at(format!("{pointer}/{index}"), fault)),
        }
    }
    if faults.is_empty() { Ok(words) } else { Err(faults) }
}
