"""What of a stored object must be the same whoever stored it.

Uids and times differ by nature. They have the same length in every encoding, so they are replaced
byte by byte and nothing else moves. managedFields can be left out by field number.
"""

import datetime
import json
import re

MAGIC = b"k8s\0"
METADATA, MANAGED_FIELDS = 1, 17  # of every object; of ObjectMeta
RAW = 2                           # of runtime.Unknown
UID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z"')


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """(number, bytes of the whole field, bytes of its value where it has a length) of a message."""
    position = 0

    def number():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(data):
        start = position
        tag = number()
        inner = None
        match tag & 7:
            case 0: number()
            case 1: position += 8
            case 5: position += 4
            case 2:
                length = number()
                inner = data[position:position + length]
                position += length
            case kind: raise ValueError(f"wire type {kind}")
        yield tag >> 3, data[start:position], inner


def rewritten(data, number, change):
    """The message with the value of one field put through `change`."""
    out = b""
    for field, whole, inner in fields(data):
        if field == number and inner is not None:
            inner = change(inner)
            whole = varint(field << 3 | 2) + varint(len(inner)) + inner
        out += whole
    return out


def without_managed_fields(value):
    def strip(metadata):
        return b"".join(whole for field, whole, _ in fields(metadata) if field != MANAGED_FIELDS)

    def raw(message):
        return rewritten(message, METADATA, strip)

    if not value.startswith(MAGIC):
        stored = json.loads(value)
        stored.get("metadata", {}).pop("managedFields", None)
        return json.dumps(stored, separators=(",", ":")).encode()
    return MAGIC + rewritten(value[len(MAGIC):], RAW, raw)


def normalized(value, answer, keep_managed_fields):
    """`value` as it is stored, `answer` the same object as JSON: where its times are learned from."""
    if not keep_managed_fields:
        value = without_managed_fields(value)
    value = UID.sub(b"U" * 36, value)
    for text in set(TIME.findall(answer)):
        moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
        seconds = varint(int(moment.timestamp()))
        if moment.year >= 2020:
            value = value.replace(b"\x08" + seconds, b"\x08" + b"T" * len(seconds)).replace(text.encode(), b"T" * len(text))
    return value
