"""Reads protobuf without a schema: enough to compare two encodings of what should be one message.

Length-delimited fields do not say what they hold. The same bytes are always read the same way, so
a wrong guess costs readability, never a difference.
"""

MAGIC = b"k8s\0"


class WireError(Exception):
    pass


def decode_envelope(body):
    """A `k8s\\0` body: type, encoding and content type, and the object itself."""
    if not body.startswith(MAGIC):
        raise WireError("no k8s envelope")
    unknown = {}
    for number, value in fields(body[len(MAGIC):]):
        unknown[number] = value
    if not set(unknown) <= {1, 2, 3, 4}:
        raise WireError("not a runtime.Unknown")
    out = {"type": message(unknown.get(1, b"")), "raw": message(unknown.get(2, b""))}
    for number, name in ((3, "contentEncoding"), (4, "contentType")):
        if number in unknown:
            out[name] = unknown[number].decode()
    return out


def fields(data):
    """(number, value) pairs: ints for numbers, bytes for the rest."""
    position, found = 0, []
    while position < len(data):
        tag, position = varint(data, position)
        number, kind = tag >> 3, tag & 7
        if number == 0:
            raise WireError("field number 0")
        if kind == 0:
            value, position = varint(data, position)
        elif kind in (1, 5):
            width = 8 if kind == 1 else 4
            value, position = int.from_bytes(take(data, position, width), "little"), position + width
        elif kind == 2:
            length, position = varint(data, position)
            value, position = take(data, position, length), position + length
        else:
            raise WireError(f"wire type {kind}")
        found.append((number, value))
    return found


def varint(data, position):
    value = shift = 0
    while position < len(data) and shift < 64:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise WireError("bad varint")


def take(data, position, length):
    if position + length > len(data):
        raise WireError("cut short")
    return data[position:position + length]


def message(data):
    """{"<number>": [values]}, in the order they came."""
    out = {}
    for number, value in fields(data):
        out.setdefault(str(number), []).append(value if isinstance(value, int) else guess(value))
    return out


def guess(data):
    """Text if it reads as text, else a message if it parses as one, else hexadecimal."""
    try:
        text = data.decode()
        if text.isprintable():
            return text
    except UnicodeDecodeError:
        text = None
    try:
        return message(data)
    except WireError:
        return text if text is not None else "hex:" + data.hex()
