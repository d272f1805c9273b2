"""Handshakes of WebSocket that are none, and what a client may send after a proper one."""
import struct

from case import WireCase, smuggled
from http1 import GET_VERSION, Http1
from server import ADMIN

WATCH = b"/api/v1/namespaces/default/configmaps?watch=1"
HANDSHAKE = {
    b"Connection": b"Upgrade", b"Upgrade": b"websocket", b"Sec-WebSocket-Version": b"13",
    b"Sec-WebSocket-Key": b"dGhlIHNhbXBsZSBub25jZQ==",
    b"Authorization": b"Bearer " + ADMIN.encode(),
}
MASK = b"\x01\x02\x03\x04"


def lines(**changes):
    """The fields of a handshake; names are written with _ for -, None leaves one out."""
    fields = dict(HANDSHAKE)
    for name, value in changes.items():
        fields[name.encode().replace(b"_", b"-")] = value
    return [name + b": " + value for name, value in fields.items() if value is not None]


def frame(first, payload=b"", length=None, masked=True):
    size = len(payload) if length is None else length
    mark = 0x80 if masked else 0
    if size < 126:
        head = bytes([first, mark | size])
    elif size < 65536:
        head = bytes([first, mark | 126]) + struct.pack(">H", size)
    else:
        head = bytes([first, mark | 127]) + struct.pack(">Q", size)
    hidden = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload)) if masked else payload
    return head + (MASK if masked else b"") + hidden


class WebSockets(WireCase):
    def test_a_handshake_that_is_none_is_refused(self):
        for changes in ({"Sec_WebSocket_Key": None}, {"Sec_WebSocket_Key": b"short"},
                        {"Sec_WebSocket_Key": b"*" * 24}, {"Sec_WebSocket_Version": None},
                        {"Sec_WebSocket_Version": b"12"}, {"Sec_WebSocket_Version": b"x"}):
            with self.subTest(changes), Http1(self.server) as connection:
                answer = connection.request("GET", WATCH, headers=lines(**changes))
                self.assert_refused(answer, changes)
        with Http1(self.server) as connection:
            self.assert_refused(connection.request("POST", WATCH, b"", headers=lines()), "POST")
            self.assert_refused(
                connection.request("GET", WATCH, headers=lines(Authorization=None)), "nobody")

    def test_what_has_no_stream_is_answered_as_ever(self):
        with Http1(self.server) as connection:
            head = b"GET /version HTTP/1.1\r\nHost: skiff\r\n" + b"\r\n".join(lines()) + b"\r\n\r\n"
            answer = connection.ask(head + GET_VERSION)
            self.assertEqual(answer.code, 200)
            self.assertEqual(connection.answer().code, 200)

    def test_frames_that_break_the_rules_end_the_connection(self):
        large = 4 * 1024 * 1024
        for what, data in {
                "not masked": frame(0x81, b"hello", masked=False),
                "reserved bits": frame(0xf1, b"hello"),
                "an unknown kind": frame(0x83, b"hello"),
                "an unknown control": frame(0x8b, b"hello"),
                "a ping in fragments": frame(0x09, b"hello"),
                "a ping that is too long": frame(0x89, b"x" * 126),
                "the rest of nothing": frame(0x80, b"hello"),
                "a second beginning": frame(0x01, b"a") + frame(0x01, b"b"),
                "no UTF-8": frame(0x81, b"\xc0\xaf"),
                "a length beyond all": frame(0x82, b"", length=1 << 63),
                "a message that is too large": frame(0x82, b"", length=large),
                "a close without a reason": frame(0x88, b"\x03"),
                "a request": smuggled(),
        }.items():
            with self.subTest(what), Http1(self.server) as connection:
                self.assertEqual(connection.request("GET", WATCH, headers=lines()).code, 101)
                connection.send(data)
                while not connection.is_closed():
                    connection.forget()

    def test_pings_that_nobody_wants_answers_to_are_bounded(self):
        with Http1(self.server) as connection:
            self.assertEqual(connection.request("GET", WATCH, headers=lines()).code, 101)
            connection.send(frame(0x89, b"x" * 100) * 20_000 + frame(0x88, b"\x03\xe8"))
            while not connection.is_closed():
                connection.forget()
