//! Labels to print: the QR code of each code of a run, as a PDF for label sheets.

use std::io::{self, Write as _};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect, Ref, Str};
use qrcode::{Color, EcLevel, QrCode};
use zeroize::Zeroizing;

/// Most labels of one file: a thousand pages. Larger runs are printed from the column `address` of the print file.
pub(super) const MAX_LABELS: u64 = 24_000;

/// Points in a millimetre.
const MM: f32 = 72.0 / 25.4;
/// Width and height of a page: A4.
const PAGE: (f32, f32) = (210.0 * MM, 297.0 * MM);
/// Width and height of a label: three times eight fill a page, as on the usual sheets of labels of 70 × 37 mm.
const LABEL: (f32, f32) = (70.0 * MM, 37.0 * MM);
const COLUMNS: usize = 3;
const ROWS: usize = 8;
/// Side of a QR code. The label leaves at least the four modules around it that readers need (ISO/IEC 18004, 6.3.8).
const QR: f32 = 27.0 * MM;
/// Distance from the edges of a label to its QR code.
const MARGIN: f32 = 5.0 * MM;
/// Distance from the QR code to the text beside it.
const GAP: f32 = 4.0 * MM;

const CODE_FONT: Name = Name(b"Code");
const TEXT_FONT: Name = Name(b"Text");
const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const CODE_FONT_REF: Ref = Ref::new(3);
const TEXT_FONT_REF: Ref = Ref::new(4);
/// Each page has two objects, which follow the four above.
const FIRST_PAGE: i32 = 5;

/// The content of a label.
pub(super) struct Label<'a> {
    /// The plain code, `7KQ2-X0FM-93TD-AW5G`.
    pub(super) code: &'a str,
    /// The content of the QR code.
    pub(super) address: &'a str,
    /// The codes of game and set.
    pub(super) set: (&'a str, &'a str),
    /// The card's number and the code of its rarity.
    pub(super) printing: (&'a str, &'a str),
    /// The line of the print file, from 1, without the header; packing lists refer to it.
    pub(super) line: u64,
}

/// A file of labels that is being created. It is in memory until it is complete: at most some 25 MB. Unlike the buffer
/// of the print file, the data that it is created from is not wiped: the process of `mint` ends soon after.
pub(super) struct LabelSheet {
    pdf: Pdf,
    pages: Vec<Ref>,
    page: Content,
    labels: usize,
}

impl LabelSheet {
    pub(super) fn new() -> Self {
        let mut pdf = Pdf::new();
        pdf.catalog(CATALOG).pages(PAGES);
        // Two of the fonts that every reader has (ISO 32000-1, 9.6.2.2).
        pdf.type1_font(CODE_FONT_REF).base_font(Name(b"Courier-Bold"));
        pdf.type1_font(TEXT_FONT_REF).base_font(Name(b"Helvetica"));
        Self { pdf, pages: Vec::new(), page: Content::new(), labels: 0 }
    }

    /// Adds a label; its texts are ASCII, as all codes of games, sets and rarities and all numbers of cards are.
    pub(super) fn add(&mut self, label: &Label<'_>) -> io::Result<()> {
        let modules = qr_code(label.address)?;
        let (column, row) = (self.labels % COLUMNS, self.labels / COLUMNS);
        let left = to_f32(column) * LABEL.0;
        let top = PAGE.1 - (PAGE.1 - to_f32(ROWS) * LABEL.1) / 2.0 - to_f32(row) * LABEL.1;
        let page = &mut self.page;
        page.save_state();
        // Nothing is drawn outside of the label, so that a long text does not reach the next label.
        page.rect(left, top - LABEL.1, LABEL.0, LABEL.1).clip_nonzero().end_path();
        draw_qr_code(page, &modules, (left + MARGIN, top - MARGIN));
        let text_left = left + MARGIN + QR + GAP;
        let mut baseline = top - MARGIN - 4.0 * MM;
        let (first, second) = label.code.split_at(label.code.len().min(9));
        let (card, rarity) = label.printing;
        let set = format!("{} {}", label.set.0, label.set.1);
        let card = format!("{card} {rarity}");
        let line = format!("line {}", label.line);
        let texts: [(&str, Name<'_>, f32, f32); 5] = [
            (first, CODE_FONT, 11.0, 5.0),
            (second.trim_start_matches('-'), CODE_FONT, 11.0, 7.0),
            (&set, TEXT_FONT, 7.0, 3.5),
            (&card, TEXT_FONT, 7.0, 3.5),
            (&line, TEXT_FONT, 7.0, 3.5),
        ];
        for (text, font, size, leading) in texts {
            page.begin_text().set_font(font, size).next_line(text_left, baseline);
            page.show(Str(text.as_bytes())).end_text();
            baseline -= leading * MM;
        }
        page.restore_state();
        self.labels += 1;
        if self.labels == COLUMNS * ROWS { self.end_page() } else { Ok(()) }
    }

    /// The complete file.
    pub(super) fn finish(mut self) -> io::Result<Zeroizing<Vec<u8>>> {
        if self.labels > 0 {
            self.end_page()?;
        }
        let count = i32::try_from(self.pages.len()).map_err(io::Error::other)?;
        self.pdf.pages(PAGES).kids(self.pages.iter().copied()).count(count);
        Ok(Zeroizing::new(self.pdf.finish()))
    }

    fn end_page(&mut self) -> io::Result<()> {
        let page = std::mem::replace(&mut self.page, Content::new()).finish();
        self.labels = 0;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(page.as_slice())?;
        let packed = packed.finish()?;
        let place = i32::try_from(self.pages.len()).map_err(io::Error::other)?;
        let page = Ref::new(FIRST_PAGE + 2 * place);
        let content = Ref::new(FIRST_PAGE + 2 * place + 1);
        let mut head = self.pdf.page(page);
        head.parent(PAGES).media_box(Rect::new(0.0, 0.0, PAGE.0, PAGE.1)).contents(content);
        head.resources().fonts().pair(CODE_FONT, CODE_FONT_REF).pair(TEXT_FONT, TEXT_FONT_REF);
        head.finish();
        self.pdf.stream(content, &packed).filter(Filter::FlateDecode);
        self.pages.push(page);
        Ok(())
    }
}

/// The modules of a QR code, which can still be read if 15 % of it is damaged.
fn qr_code(text: &str) -> io::Result<QrCode> {
    QrCode::with_error_correction_level(text, EcLevel::M).map_err(io::Error::other)
}

/// Draws a QR code with its upper left corner at a point: a rectangle for each run of dark modules.
fn draw_qr_code(page: &mut Content, code: &QrCode, (left, top): (f32, f32)) {
    let width = code.width();
    let module = QR / to_f32(width);
    page.save_state().transform([module, 0.0, 0.0, -module, left, top]);
    for (row, modules) in code.to_colors().chunks(width).enumerate() {
        let mut column = 0;
        for run in modules.chunk_by(|one, next| one == next) {
            if run[0] == Color::Dark {
                page.rect(to_f32(column), to_f32(row), to_f32(run.len()), 1.0);
            }
            column += run.len();
        }
    }
    page.fill_nonzero().restore_state();
}

/// Numbers of labels and modules, which are small.
fn to_f32(count: usize) -> f32 {
    u16::try_from(count).map_or(f32::NAN, f32::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    const ADDRESS: &str = "https://cards.example/submit#7KQ2X0FM93TDAW5G";

    fn label(line: u64) -> Label<'static> {
        Label {
            code: "7KQ2-X0FM-93TD-AW5G",
            address: ADDRESS,
            set: ("ttcg", "veil"),
            printing: ("001", "mythic_rare"),
            line,
        }
    }

    #[test]
    fn a_reader_finds_the_address_in_the_code() {
        let code = qr_code(ADDRESS).unwrap();
        // Five dots for each module, and the empty margin of four modules around the QR code.
        let (modules, side) = (code.to_colors(), (code.width() + 8) * 5);
        let mut picture = rqrr::PreparedImage::prepare_from_greyscale(side, side, |x, y| {
            let (column, row) = ((x / 5).wrapping_sub(4), (y / 5).wrapping_sub(4));
            let is_inside = column < code.width() && row < code.width();
            let is_dark = is_inside && modules[row * code.width() + column] == Color::Dark;
            if is_dark { 0 } else { 255 }
        });
        let grids = picture.detect_grids();
        assert_eq!(grids.len(), 1);
        assert_eq!(grids[0].decode().unwrap().1, ADDRESS);
    }

    #[test]
    fn the_space_around_a_code_is_four_modules_wide() {
        // A host has 253 characters at most.
        for address in [ADDRESS, &format!("https://{}/submit#7KQ2X0FM93TDAW5G", "x".repeat(253))] {
            let module = QR / to_f32(qr_code(address).unwrap().width());
            assert!(MARGIN.min(GAP) >= 4.0 * module, "{address}: {module}");
            assert!(MARGIN + QR + 4.0 * module <= LABEL.1);
        }
    }

    #[test]
    fn each_page_has_24_labels() {
        let mut sheet = LabelSheet::new();
        for line in 1..=25 {
            sheet.add(&label(line)).unwrap();
        }
        let pdf = sheet.finish().unwrap();
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.starts_with("%PDF-1.") && text.trim_end().ends_with("%%EOF"));
        assert!(text.contains("/Count 2"), "two pages");
        let pages = contents(&pdf);
        let labels: Vec<usize> = pages.iter().map(|page| page.matches("(line ").count()).collect();
        assert_eq!(labels, [24, 1]);
        assert!(pages[1].contains("(line 25)") && pages[1].contains("(001 mythic_rare)"));
        assert!(pages[1].contains("(7KQ2-X0FM)") && pages[1].contains("(93TD-AW5G)"));
    }

    /// The content of the pages, uncompressed.
    fn contents(pdf: &[u8]) -> Vec<String> {
        let marks = |mark: &[u8]| -> Vec<usize> {
            let places = pdf.windows(mark.len()).enumerate();
            places.filter(|(_, bytes)| *bytes == mark).map(|(place, _)| place).collect()
        };
        let (starts, ends) = (marks(b"\nstream\n"), marks(b"\nendstream"));
        let pairs = starts.into_iter().zip(ends);
        let unpack = |(start, end): (usize, usize)| {
            let mut text = String::new();
            flate2::read::ZlibDecoder::new(&pdf[start + 8..end]).read_to_string(&mut text).unwrap();
            text
        };
        pairs.map(unpack).collect()
    }
}
