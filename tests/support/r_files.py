"""Objects of R in its XDR format, byte by byte as R's own saveRDS and save write them."""

import struct

UTF_8, ASCII = 1 << 15, 1 << 18  # bits that R sets for the encoding of a text
CLASS, ATTRIBUTES, TAG = 1 << 8, 1 << 9, 1 << 10
NIL = struct.pack(">i", 254)


def word(*numbers):
    return struct.pack(f">{len(numbers)}i", *numbers)


def text(word_):
    flag = ASCII if word_.isascii() else UTF_8
    data = word_.encode()
    return word(9 | flag, len(data)) + data


def symbol(name):
    return word(1) + text(name)


def reals(values, flags=0):
    return word(14 | flags, len(values)) + struct.pack(f">{len(values)}d", *values)


def integer(value):
    return word(13, 1, value)


def logical(value):
    return word(10, 1, int(value))


def texts(words):
    return word(16, len(words)) + b"".join(map(text, words))


def listed(**parts):
    """Return a pairlist, as R keeps attributes and the objects of a file."""
    cells = (word(2 | TAG) + symbol(name) + part for name, part in parts.items())
    return b"".join(cells) + NIL


def dist(values, size, labels=None):
    """Return a dist, with the attributes that R's function of this name gives it."""
    named = {} if labels is None else {"Labels": texts(labels)}
    call = word(6) + symbol("dist") + word(2 | TAG) + symbol("x") + symbol("meadow") + NIL
    attributes = {
        "Size": integer(size),
        **named,
        "Diag": logical(False),
        "Upper": logical(False),
        "method": texts(["euclidean"]),
        "call": call,
        "class": texts(["dist"]),
    }
    return reals(values, CLASS | ATTRIBUTES) + listed(**attributes)


def matrix(values, rows, columns, dimensions):
    """Return a matrix with names of its rows and columns, whose dimensions have names too."""
    flags = word(19 | ATTRIBUTES, 2)
    names = flags + texts(rows) + texts(columns) + listed(names=texts(dimensions))
    attributes = {"dim": word(13, 2, len(rows), len(columns)), "dimnames": names}
    return reals(values.ravel(order="F"), ATTRIBUTES) + listed(**attributes)


def frame(columns, rows):
    """Return a data.frame without names of its rows."""
    parts = word(19 | CLASS | ATTRIBUTES, len(columns)) + b"".join(columns.values())
    counted = word(13, 2, -(2**31), -rows)  # as R keeps the names 1, 2, 3 and so on
    attributes = {"names": texts(list(columns)), "class": texts(["data.frame"])}
    return parts + listed(**attributes, **{"row.names": counted})


HEADER = word(3, 0x00040301, 0x00030500, 5) + b"UTF-8"


def rds(thing):
    return b"X\n" + HEADER + thing


def rda(**things):
    return b"RDX3\nX\n" + HEADER + listed(**things)
