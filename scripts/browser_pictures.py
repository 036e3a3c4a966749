"""Pictures of a QR code, for forms and cameras."""

import struct
import zlib

# The QR code of an address, https://cards.example/submit#7KQ2X0FM93TDAW5G: the bits of a row are its modules, 1 for a dark one.
QR_CODE = """
    1fc9c27f 10537141 175f6b5d 174e245d 1750115d 105ae641 1fd5557f 00197d00 1a648076 1ba6c949 09ec4f1e 01a0a266 0c412b4b 043f6380 1be158af
    14258eea 14679aa2 0d8cc8e9 14f904f3 07b23d63 13d743f4 0012bf17 1fd8d152 1047811c 17413df2 17576a7e 1742c49d 105fdfd2 1fdc5d1a
"""
# Grey of dark and light modules.
DARK, LIGHT = b"\x18", b"\xf0"
# Light around a symbol, in modules.
QUIET = 4
# Of a frame of a camera, in pixels.
WIDTH, HEIGHT = 640, 480


def rows_of_code(module):
    """Rows of grey pixels, with the light around the code that readers need. `module`: pixels of a module's side."""
    rows = [int(row, 16) for row in QR_CODE.split()]
    size = len(rows)
    quiet = LIGHT * (QUIET * module)
    lines = [quiet + b"".join((DARK if row >> bit & 1 else LIGHT) * module for bit in reversed(range(size))) + quiet for row in rows]
    empty = [LIGHT * len(lines[0])] * (QUIET * module)
    return empty + [line for line in lines for _ in range(module)] + empty


def png_of_code(module=9):
    """A PNG file of `QR_CODE`, grey."""
    pixels = rows_of_code(module)

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 0, 0, 0, 0)
    # Each line begins with its filter: none.
    content = zlib.compress(b"".join(b"\0" + line for line in pixels))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", content) + chunk(b"IEND", b"")


def video_of_code(module=10):
    """A Y4M file of one frame, in the middle of which `QR_CODE` is. A camera that is none shows it again and again."""
    code = rows_of_code(module)
    left = (WIDTH - len(code[0])) // 2
    top = (HEIGHT - len(code)) // 2
    around = b"\x80"
    lines = [around * WIDTH] * top + [around * left + line + around * (WIDTH - left - len(line)) for line in code]
    lines += [around * WIDTH] * (HEIGHT - len(lines))
    # The colour, of four pixels together each.
    grey = b"\x80" * (WIDTH * HEIGHT // 2)
    return f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F10:1 Ip A1:1 C420\nFRAME\n".encode() + b"".join(lines) + grey
