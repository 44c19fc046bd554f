"""PDF files written by hand: objects, streams, and what no program would write."""

from __future__ import annotations

import zlib

CHINESE = "天网搜集系统从一九九七年开始运行，收集了中国的网页。"


def stream(data: bytes, **entries: str) -> bytes:
    words = "".join(f"/{name} {value} " for name, value in entries.items())
    return b"<< %s/Length %d >>\nstream\n%s\nendstream" % (words.encode(), len(data), data)


def flate(data: bytes, **entries: str) -> bytes:
    return stream(zlib.compress(data, 9), Filter="/FlateDecode", **entries)


def file_of(
    objects: dict[int, bytes], *, root: int = 1, version: str = "1.7", extra: str = ""
) -> bytes:
    """A file with a cross-reference table."""
    out = bytearray(f"%PDF-{version}\n%\xe2\xe3\xcf\xd3\n".encode("latin-1"))
    places = {}
    for number, data in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    start = len(out)
    size = max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += (
            b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 00000 f \n"
        )
    out += b"trailer\n<< /Size %d /Root %d 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (
        size, root, extra.encode(), start,
    )  # fmt: skip
    return bytes(out)


HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def page_file(
    content: bytes, *, resources: str = "", more: dict[int, bytes] | None = None, n: int = 1
) -> bytes:
    """Pages that share a content stream (object 4, as it is given) and Helvetica (5)."""
    kids = " ".join(f"{100 + i} 0 R" for i in range(n))
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {n} >>".encode(),
        4: content,
        5: HELVETICA,
    } | (more or {})
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        f"/Resources << /Font << /F1 5 0 R >> {resources} >> >>"
    ).encode()
    return file_of(objects | {100 + i: page for i in range(n)})


def shown(*lines: str, x: int = 72, y: int = 760, size: int = 12) -> bytes:
    """Lines of Helvetica, one below the other."""
    ops = [f"BT /F1 {size} Tf {x} {y - 16 * i} Td ({line}) Tj ET" for i, line in enumerate(lines)]
    return "\n".join(ops).encode("latin-1")


def composite(text: str, *, to_unicode: bool, encoding: str = "Identity-H") -> bytes:
    """Text in a composite font that is not embedded: codes count the letters."""
    letters = sorted(set(text))
    codes = {letter: 0x100 + i for i, letter in enumerate(letters)}
    hexed = "".join(f"{codes[letter]:04x}" for letter in text)
    content = f"BT /F2 12 Tf 72 700 Td <{hexed}> Tj ET".encode()
    pairs = "".join(
        f"<{code:04x}> <{letter.encode('utf-16-be').hex()}>\n" for letter, code in codes.items()
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CMapName /Made def /CMapType 2 def\n1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{pairs}endbfchar\nendcmap end end"
    )
    unicode_entry = "/ToUnicode 8 0 R " if to_unicode else ""
    more = {
        6: (f"<< /Type /Font /Subtype /Type0 /BaseFont /Made /Encoding /{encoding} "
            f"/DescendantFonts [7 0 R] {unicode_entry}>>").encode(),
        7: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Made /DW 1000 /FontDescriptor 9 0 R "
           b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        8: stream(cmap.encode()),
        9: b"<< /Type /FontDescriptor /FontName /Made /Flags 4 /FontBBox [0 -200 1000 900] "
           b"/ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
    }  # fmt: skip
    data = page_file(stream(content), more=more)
    return data.replace(b"/F1 5 0 R", b"/F1 5 0 R /F2 6 0 R")


# Broken files


def cyclic_pages() -> bytes:
    return file_of({
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 2 /Parent 3 0 R >>",
        3: b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 /Parent 2 0 R >>",
    })  # fmt: skip


def deep_pages(depth: int) -> bytes:
    objects = {
        1: b"<< /Type /Catalog /Pages 10 0 R >>",
        4: stream(shown("deep below")),
        5: HELVETICA,
    }
    for i in range(depth):
        objects[10 + i] = b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (11 + i)
    objects[10 + depth] = (
        b"<< /Type /Page /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>"
    )
    return file_of(objects)


def deep_arrays(depth: int) -> bytes:
    return page_file(stream(b"[" * depth + b"]" * depth + b" TJ " + shown("behind the brackets")))


def self_calling_form() -> bytes:
    form = stream(b"/X Do " + shown("once"), Type="/XObject", Subtype="/Form", BBox="[0 0 595 842]",
                  Resources="<< /XObject << /X 6 0 R >> /Font << /F1 5 0 R >> >>")  # fmt: skip
    content = stream(b"/X Do " + shown("a page whose form calls itself", y=300))
    return page_file(content, resources="/XObject << /X 6 0 R >>", more={6: form})


def forms_of_forms(depth: int, width: int) -> bytes:
    """Each form shows the next one several times: width ** depth lines in all."""
    more = {}
    for i in range(depth):
        inner = b"/X Do " * width if i < depth - 1 else shown("laugh")
        more[10 + i] = stream(inner, Type="/XObject", Subtype="/Form", BBox="[0 0 595 842]",
                              Resources=f"<< /XObject << /X {11 + i} 0 R >> /Font << /F1 5 0 R >> >>")  # fmt: skip
    return page_file(stream(b"/X Do"), resources="/XObject << /X 10 0 R >>", more=more)


def flate_bomb(n_bytes: int, *, twice: bool) -> bytes:
    """A content stream of blanks with text at its end."""
    packer = zlib.compressobj(9)
    block = b" " * (1 << 20)
    data = b"".join(packer.compress(block) for _ in range(n_bytes >> 20))
    data += packer.compress(shown("behind the bomb")) + packer.flush()
    if twice:
        return page_file(stream(zlib.compress(data, 9), Filter="[/FlateDecode /FlateDecode]"))
    return page_file(stream(data, Filter="/FlateDecode"))


def many_pages(n_pages: int) -> bytes:
    return page_file(stream(shown("one of many")), n=n_pages)


def object_stream(n_bytes: int) -> bytes:
    """Pages whose objects lie in a compressed stream that grows beyond all use."""
    head = b"2 0 5 100 "
    pages = b"<< /Type /Pages /Kids [100 0 R] /Count 1 >>".ljust(100)
    body = head + pages + HELVETICA + b" " * n_bytes
    packed = flate(body, Type="/ObjStm", N="2", First=str(len(head)))
    page = (b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> >>")  # fmt: skip
    out = bytearray(b"%PDF-1.5\n")
    places = {}
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 4: stream(shown("in a stream")), 6: packed,
               100: page}  # fmt: skip
    for number, data in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    start = len(out)
    places[101] = start
    rows = bytearray()
    for number in range(102):
        if number in (2, 5):
            rows += bytes([2]) + (6).to_bytes(4, "big") + bytes([(2, 5).index(number)])
        elif number in places:
            rows += bytes([1]) + places[number].to_bytes(4, "big") + bytes([0])
        else:
            rows += bytes(6)
    xref = stream(bytes(rows), Type="/XRef", W="[1 4 1]", Size="102", Root="1 0 R")
    out += b"101 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (xref, start)
    return bytes(out)


def picture_bomb(side: int, *, jbig2: bool = False) -> bytes:
    """A page with a picture of billions of dots and no text."""
    entries = {"Type": "/XObject", "Subtype": "/Image", "Width": str(side), "Height": str(side)}
    if jbig2:
        head = side.to_bytes(4, "big") * 2 + bytes(8) + bytes(3)
        data = bytes(4) + bytes([0x30, 0, 1]) + len(head).to_bytes(4, "big") + head
        image = stream(data, **entries, BitsPerComponent="1", ColorSpace="/DeviceGray",
                       Filter="/JBIG2Decode")  # fmt: skip
    else:
        image = flate(bytes(8 << 20), **entries, BitsPerComponent="8", ColorSpace="/DeviceRGB")
    content = stream(b"q 595 0 0 842 0 0 cm /I Do Q")
    return page_file(content, resources="/XObject << /I 6 0 R >>", more={6: image})


def wide_mapping() -> bytes:
    """A font whose table says that each of two thousand million codes is a letter."""
    cmap = (b"begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange "
            b"1 beginbfrange <00000000> <7fffffff> <4e00> endbfrange endcmap")  # fmt: skip
    data = composite("天网", to_unicode=True)
    return data.replace(b"/ToUnicode 8 0 R", b"/ToUnicode 20 0 R").replace(
        b"xref\n", b"20 0 obj\n" + stream(cmap) + b"\nendobj\nxref\n", 1
    )


def table_that_points_to_itself() -> bytes:
    data = page_file(stream(shown("found by looking through the file")))
    start = int(data.rsplit(b"startxref\n", 1)[1].split()[0])
    return data.replace(b"/Root 1 0 R ", b"/Root 1 0 R /Prev %d " % start)
