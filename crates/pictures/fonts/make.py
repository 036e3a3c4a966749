#!/usr/bin/env python3
"""Makes the bundled fonts and the fonts of the tests. Needs fontTools 4.

    make.py NOTO_FOLDER DEJAVU_FOLDER EMOJI_FONT

The folders hold NotoSans-*.ttf and DejaVu*.ttf, as Debian's fonts-noto-core and fonts-dejavu-core have them; the last is NotoColorEmoji.ttf of
fonts-noto-color-emoji.
"""
import sys
from pathlib import Path

from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "tests" / "fixtures"

# Latin, Greek, Cyrillic, Vietnamese; punctuation, currency; what stands over and under letters.
TEXT = (
    "20-7E A0-17F 180 192 1A0-1A1 1AF-1B0 1CD-1DC 1E6-1E7 218-21B 237 250-259 2BB-2BC 2C6-2C7 2D8-2DD 300-304 306-30C 323 327-328"
    " 370-3FF 400-45F 490-491 4D8-4D9 4E8-4E9 1E80-1E85 1E9E 1EA0-1EF9 2010-2027 2030 2032-2033 2039-203A 203C 2044 2070-208E"
    " 20A0-20BF 2116 2122 2212 FB01-FB02 FFFD"
)
# Arrows, some mathematics, shapes, symbols, dingbats, faces.
SYMBOLS = (
    "2190-21FF 2200 2202-2208 220B 220F 2211 2213-221E 2227-222B 2234-2237 223C 2248 2260-2265 2282-2287 2295-2299 22A5 22C5 22EE-22F1"
    " 2302 231A-231B 2318 23CE-23CF 23E9-23F3 2460-2473 25A0-25FF 2600-26FF 2701-27BF 2B00-2B1A 2B1F-2B24 2B50-2B54 1F600-1F64F"
)
LATIN = "20-7E A0-17F 2010-2027 2212 391-3C9 410-44F"
EMOJI = "20 31 FE0F 200D 20E3 1F642 1F602 2764 1F468-1F469 1F467 1F466 1F3FD 1F44D 1F1E9-1F1EA 1F525 1F3B9 2B50"


def subset(source, unicodes, features):
    options = Options()
    options.hinting = False
    options.layout_features = features
    options.notdef_outline = True
    options.drop_tables += ["DSIG", "MVAR", "STAT", "FFTM"]
    font = TTFont(source)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=parse_unicodes(unicodes.replace(" ", ",")))
    subsetter.subset(font)
    return font


def rename(font, family):
    """A changed font has a name of its own."""
    style = font["name"].getDebugName(2)
    full = family if style in ("Regular", "Book") else f"{family} {style}"
    for record in list(font["name"].names):
        texts = {1: family, 3: full, 4: full, 6: full.replace(" ", "")}
        if record.nameID in texts:
            record.string = texts[record.nameID]
        elif record.nameID not in (0, 2, 5, 7, 13, 14):
            font["name"].removeNames(nameID=record.nameID)


def add_stand_in(font, at):
    """What stands for a picture that no font has: a rounded outline around a diamond. In em squares of 2048."""
    pen = TTGlyphPen(None)

    def rounded(x0, y0, x1, y1, r, clockwise):
        points = [
            [(x0 + r, y0), (x1 - r, y0)], [(x1, y0)], [(x1, y0 + r), (x1, y1 - r)], [(x1, y1)],
            [(x1 - r, y1), (x0 + r, y1)], [(x0, y1)], [(x0, y1 - r), (x0, y0 + r)], [(x0, y0)],
        ]
        contour = [(point, len(group) == 2) for group in points for point in group]
        if clockwise:
            contour = [contour[0]] + contour[:0:-1]
        draw(contour)

    def draw(contour):
        pen.moveTo(contour[0][0])
        control = None
        for point, on_curve in contour[1:] + contour[:1]:
            if not on_curve:
                control = point
            elif control:
                pen.qCurveTo(control, point)
                control = None
            else:
                pen.lineTo(point)
        pen.closePath()

    rounded(330, -300, 2230, 1600, 420, True)
    rounded(470, -160, 2090, 1460, 300, False)
    draw([(point, True) for point in [(1280, 1170), (1800, 650), (1280, 130), (760, 650)]])
    draw([(point, True) for point in [(1280, 960), (970, 650), (1280, 340), (1590, 650)]])
    name = "standin"
    font.setGlyphOrder(font.getGlyphOrder() + [name])
    font["glyf"][name] = pen.glyph()
    font["hmtx"][name] = (2560, 330)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[at] = name


def main(noto, dejavu, emoji):
    for style in ("Regular", "Bold", "Italic"):
        font = subset(Path(noto) / f"NotoSans-{style}.ttf", TEXT, ["kern", "mark", "mkmk", "ccmp"])
        rename(font, "Cardscape Sans")
        font.save(HERE / f"CardscapeSans-{style}.ttf")
    font = subset(Path(dejavu) / "DejaVuSans.ttf", SYMBOLS, [])
    rename(font, "Cardscape Symbols")
    assert font["head"].unitsPerEm == 2048
    add_stand_in(font, 0xE000)
    font.save(HERE / "CardscapeSymbols.ttf")
    for name in ("DejaVuSerif", "DejaVuSansMono"):
        font = subset(Path(dejavu) / f"{name}.ttf", LATIN, ["mark", "mkmk"])
        rename(font, f"Test {name.removeprefix('DejaVu')}")
        font.save(FIXTURES / f"{name}.ttf")
    font = subset(emoji, EMOJI, ["*"])
    rename(font, "Test Emoji")
    font.save(FIXTURES / "emoji.ttf")


if __name__ == "__main__":
    main(*sys.argv[1:])
