//! Reads the part of a manifest about pictures.

use super::reader::Reader;
use crate::images::{Images, ScanTemplate};

pub(super) fn images(reader: &Reader<'_>) -> Images {
    let Some(table) = reader.table("images") else { return Images::default() };
    let scan: Option<String> = table.optional("scan");
    let scan = scan.map(|text| ScanTemplate::parse(&text));
    let read = |read: Result<_, _>| read.map_err(|error| table.fault("scan", format!("{error}")));
    Images { scan: scan.and_then(|scan| read(scan).ok()) }
}
