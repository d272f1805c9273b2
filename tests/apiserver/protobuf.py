"""Protobuf messages without their schema."""


def read_varint(data, at):
    value, shift = 0, 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """Pairs of field number and value, of which there are numbers and bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        else:
            assert key & 7 == 2, key
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes(out + bytes([value]))


def message(*pairs):
    """The message of these fields, whose values are bytes."""
    return b"".join(varint(number << 3 | 2) + varint(len(value)) + value
                    for number, value in pairs)
