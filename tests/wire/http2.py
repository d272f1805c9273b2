"""HTTP/2 by hand: frames and header blocks as no library would send them."""
import ssl
import struct

from http1 import Answer, dial

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, \
    CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED, HAS_PRIORITY, ACK = 0x1, 0x4, 0x8, 0x20, 0x1

NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, REFUSED_STREAM, \
    COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 0, 1, 3, 5, 6, 7, 9, 11

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# Of the fields that an answer may begin with (RFC 7541, appendix A), and digits in Huffman code.
STATIC_CODES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}
DIGITS = {**{format(i, "05b"): str(i) for i in range(3)},
          **{format(0x19 + i, "06b"): str(3 + i) for i in range(7)}}


def frame(kind, flags=0, stream=0, payload=b"", length=None):
    size = len(payload) if length is None else length
    return struct.pack(">IBI", (size << 8) | kind, flags, stream) + payload


def integer(value, bits, first=0):
    """An integer of HPACK after the high bits `first`."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    out = bytearray([first | limit])
    value -= limit
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes(out + bytes([value]))


def text(value):
    return integer(len(value), 7) + value


def field(name, value, remembered=False):
    return (b"\x40" if remembered else b"\x00") + text(name) + text(value)


def fields(pairs):
    return b"".join(field(name, value) for name, value in pairs)


def get(path=b"/version", *more, method=b"GET"):
    """The fields of a request."""
    return [(b":method", method), (b":scheme", b"https"), (b":authority", b"skiff"),
            (b":path", path), *more]


def bearer(token):
    return b"authorization", b"Bearer " + token.encode()


STREAM_WINDOW = 256 * 1024  # as the server sets it


class Ended(Exception):
    """The server has ended the connection: the code of its GOAWAY, or None."""

    def __init__(self, code):
        super().__init__(f"connection ended with {code}")
        self.code = code


class Reset(Exception):
    """The server has reset the stream."""

    def __init__(self, code):
        super().__init__(f"stream reset with {code}")
        self.code = code


def code_of(block):
    """The code of an answer from its header block; our side has no table, so that it is plain."""
    while block[0] & 0xe0 == 0x20:
        block = block[1:]
    if block[0] & 0x80:
        return STATIC_CODES[block[0] & 0x7f]
    size = block[1] & 0x7f
    value = block[2:2 + size]
    if not block[1] & 0x80:
        return int(value)
    bits, digits, at = "".join(format(byte, "08b") for byte in value), "", 0
    while len(digits) < 3:
        width = 5 if bits[at:at + 5] in DIGITS else 6
        digits += DIGITS[bits[at:at + width]]
        at += width
    return int(digits)


class Http2:
    """One connection. `before` is sent in place of the preface and the first SETTINGS."""

    def __init__(self, server, before=None, **options):
        self.socket = dial(server, protocol="h2", **options)
        self._input = b""
        self._goaway = None
        self._next = 1
        self._answers = {}
        self._resets = {}
        self._granted = {}
        self.pings = 0
        self.grants = True  # a window for what has come
        if before is not None:
            self.send(before)
            return
        self.send(PREFACE + frame(SETTINGS, payload=struct.pack(">HI", 1, 0)))
        self.settle()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (ConnectionError, ssl.SSLError):
            pass

    def settle(self):
        """Until the server has read all that it was sent, and we its settings."""
        before = self.pings
        self.send(frame(PING, 0, 0, b"12345678"))
        while self.pings == before:
            self.step()

    def stream(self):
        self._next += 2
        return self._next - 2

    def head(self, pairs, stream=None, ends=True):
        """Sends the head of a request: the stream that it was sent on."""
        stream = stream or self.stream()
        flags = END_HEADERS | (END_STREAM if ends else 0)
        self.send(frame(HEADERS, flags, stream, fields(pairs)))
        return stream

    def ask(self, pairs, body=None):
        stream = self.head(pairs, ends=body is None)
        if body is not None:
            self.send(frame(DATA, END_STREAM, stream, body))
        return self.answer(stream)

    def answer(self, stream):
        """The answer on a stream; Reset or Ended when there is none."""
        while True:
            code, body, complete = self._answers.get(stream, (0, b"", False))
            if complete:
                return Answer(code, {}, body)
            if stream in self._resets:
                raise Reset(self._resets[stream])
            self.step()

    def send_as_granted(self, stream, data):
        """Never more than the window of the stream; gives up when the server has answered."""
        sent = 0
        while sent < len(data) and not self.has_heard_of(stream):
            room = STREAM_WINDOW + self._granted.get(stream, 0) - sent
            if room == 0:
                self.step()
                continue
            piece = data[sent:sent + room]
            self.send(frame(DATA, 0, stream, piece))
            sent += len(piece)

    def has_heard_of(self, stream):
        return stream in self._answers or stream in self._resets

    def end(self):
        """Reads until the server ends the connection: the code of its GOAWAY, or None."""
        try:
            while True:
                self.step()
        except Ended as ended:
            return ended.code

    def first_refusal(self):
        """Reads until the server resets a stream or ends the connection: the code."""
        try:
            while not self._resets:
                self.step()
        except Ended as ended:
            return ended.code
        return next(iter(self._resets.values()))

    def step(self):
        """Takes in one frame."""
        head = self._exactly(9)
        word, flags, stream = struct.unpack(">IBI", head)
        kind, payload = word & 0xff, self._exactly(word >> 8)
        if kind == SETTINGS and not flags & ACK:
            self.send(frame(SETTINGS, ACK))
        elif kind == PING:
            self.pings += 1
        elif kind == GOAWAY:
            self._goaway = struct.unpack(">I", payload[4:8])[0]
        elif kind == WINDOW_UPDATE:
            more = struct.unpack(">I", payload)[0]
            self._granted[stream] = self._granted.get(stream, 0) + more
        elif kind == RST_STREAM:
            self._resets[stream] = struct.unpack(">I", payload)[0]
        elif kind in (HEADERS, DATA):
            code, body, _ = self._answers.get(stream, (0, b"", False))
            if kind == HEADERS:
                code = code_of(payload)
            else:
                body += payload
                if payload and self.grants:
                    more = struct.pack(">I", len(payload))
                    self.send(frame(WINDOW_UPDATE, 0, 0, more) +
                              frame(WINDOW_UPDATE, 0, stream, more))
            self._answers[stream] = code, body, bool(flags & END_STREAM)

    def _exactly(self, size):
        while len(self._input) < size:
            try:
                data = self.socket.recv(65536)
            except (ConnectionError, ssl.SSLError):
                data = b""
            if not data:
                raise Ended(self._goaway)
            self._input += data
        piece, self._input = self._input[:size], self._input[size:]
        return piece
