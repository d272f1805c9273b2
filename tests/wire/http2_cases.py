"""Malformed HTTP/2, floods of it, and what HTTP/2 forbids in requests."""
import os
import struct

import http2 as h2
from case import WireCase
from http1 import GET_VERSION
from http2 import Ended, Http2, Reset, bearer, field, fields, frame, get, integer
from server import ADMIN, BOB

SECRET = b"/api/v1/namespaces/default/configmaps/secret"
HEAD = fields(get())
WHOLE = h2.END_HEADERS | h2.END_STREAM
SETTINGS = frame(h2.SETTINGS)
POST = get(b"/api/v1/namespaces/default/configmaps",
           (b"content-type", b"application/json"), bearer(ADMIN), method=b"POST")


def setting(name, value):
    return frame(h2.SETTINGS, payload=struct.pack(">HI", name, value))


def head(stream, block=HEAD, flags=WHOLE):
    return frame(h2.HEADERS, flags, stream, block)


# Each ends the connection, with one of these codes.
FATAL = [
    ("DATA without a stream", frame(h2.DATA, 0, 0, b"x"), {1}),
    ("HEADERS without a stream", head(0), {1}),
    ("a stream of the server's", head(2), {1}),
    ("DATA for a stream that is not there", frame(h2.DATA, 0, 7, b"x"), {1}),
    ("a reset of a stream that is not there", frame(h2.RST_STREAM, 0, 9, b"\0\0\0\0"), {1}),
    ("a reset of the connection", frame(h2.RST_STREAM, 0, 0, b"\0\0\0\0"), {1}),
    ("a window of a stream that is not there", frame(h2.WINDOW_UPDATE, 0, 9, b"\0\0\0\1"), {1}),
    ("a frame that is too large", frame(h2.DATA, 0, 1, b"", 256 * 1024 + 1), {6}),
    ("the largest frame there is", frame(h2.HEADERS, 4, 1, b"", 0xffffff), {6}),
    ("a short PING", frame(h2.PING, 0, 0, b"short"), {6}),
    ("a PING of a stream", frame(h2.PING, 0, 1, b"12345678"), {1}),
    ("a short GOAWAY", frame(h2.GOAWAY, 0, 0, b"1234"), {6}),
    ("a long RST_STREAM", head(1) + frame(h2.RST_STREAM, 0, 1, b"\0" * 5), {6}),
    ("a short PRIORITY", frame(h2.PRIORITY, 0, 1, b"\0\0\0"), {6}),
    ("SETTINGS of a stream", frame(h2.SETTINGS, 0, 1), {1}),
    ("half a setting", frame(h2.SETTINGS, 0, 0, b"\0\1\0"), {6}),
    ("an acknowledgement with settings", frame(h2.SETTINGS, h2.ACK, 0, b"\0" * 6), {6}),
    ("a push that is neither on nor off", setting(2, 2), {1}),
    ("a window beyond all bounds", setting(4, 1 << 31), {3}),
    ("frames smaller than allowed", setting(5, 100), {1}),
    ("no more room in the window", frame(h2.WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff"), {3}),
    ("a window that grows by nothing", frame(h2.WINDOW_UPDATE, 0, 0, b"\0\0\0\0"), {1}),
    ("a push by the client", frame(h2.PUSH_PROMISE, 4, 1, b"\0\0\0\2"), {1}),
    ("CONTINUATION of nothing", frame(h2.CONTINUATION, 4, 1, HEAD), {1}),
    ("something between HEADERS and CONTINUATION",
     head(1, flags=0) + frame(h2.PING, 0, 0, b"12345678"), {1}),
    ("CONTINUATION of another stream", head(1, flags=0) + frame(h2.CONTINUATION, 4, 3), {1}),
    ("more padding than frame", frame(h2.HEADERS, WHOLE | h2.PADDED, 1, b"\xff" + HEAD[:20]), {1}),
    ("padding without a length", frame(h2.DATA, h2.PADDED, 0, b""), {1, 6}),
    ("CONTINUATION without end",
     head(1, flags=0) + frame(h2.CONTINUATION, 0, 1, field(b"a", b"b")) * 200, {None, 1, 11}),
    ("CONTINUATION without content", head(1, flags=0) + frame(h2.CONTINUATION, 0, 1) * 2000,
     {None, 1, 11}),
    ("an index that is not there", head(1, HEAD + b"\xff\x7f"), {9}),
    ("the index zero", head(1, HEAD + b"\x80"), {9}),
    ("an index beyond all integers", head(1, HEAD + b"\xff" + b"\xff" * 20 + b"\x01"), {9}),
    ("a string longer than the frame", head(1, HEAD + b"\x00\x7f\xff\x7f"), {9}),
    ("a table larger than allowed", head(1, integer(1 << 20, 5, 0x20) + HEAD), {9}),
    ("a table resized too late", head(1, HEAD + b"\x20"), {9}),
    ("no Huffman code", head(1, HEAD + b"\x00\x81\xff\x01x"), {9}),
    ("the end of Huffman codes amid one", head(1, HEAD + b"\x00\x84\xff\xff\xff\xff\x01x"), {9}),
]

# Each is refused for itself, and the connection goes on.
IMPROPER = [
    ("no method", get()[1:]),
    ("no scheme", [get()[0], *get()[2:]]),
    ("no path", get()[:3]),
    ("an empty path", get(b"")),
    ("a path without a slash", get(b"version")),
    ("a star as the path of a GET", get(b"*")),
    ("a URL as the path", get(b"https://skiff/version")),
    ("a blank in the path", get(b"/ver sion")),
    ("NUL in the path", get(b"/ver\0sion")),
    ("two paths", get() + [(b":path", b"/api")]),
    ("two methods", get() + [(b":method", b"DELETE")]),
    ("a pseudo-header after a header", [*get()[:3], (b"a", b"b"), get()[3]]),
    ("an unknown pseudo-header", get() + [(b":unknown", b"x")]),
    ("a pseudo-header of answers", [(b":status", b"200"), *get()]),
    ("CONNECT with a path", get(method=b"CONNECT")),
    ("a method that is none", get(method=b"G T")),
    ("capitals in a name", get() + [(b"Upper", b"x")]),
    ("an empty name", get() + [(b"", b"x")]),
    ("a blank in a name", get() + [(b"a b", b"x")]),
    ("NUL in a value", get() + [(b"a", b"b\0c")]),
    ("CR LF in a value", get() + [(b"a", b"b\r\nc: d")]),
    ("connection", get() + [(b"connection", b"close")]),
    ("keep-alive", get() + [(b"keep-alive", b"300")]),
    ("proxy-connection", get() + [(b"proxy-connection", b"close")]),
    ("transfer-encoding", get() + [(b"transfer-encoding", b"chunked")]),
    ("upgrade", get() + [(b"upgrade", b"websocket")]),
    ("te with more than trailers", get() + [(b"te", b"gzip")]),
    ("a length that is none", get() + [(b"content-length", b"x")]),
    ("a length below zero", get() + [(b"content-length", b"-1")]),
    ("two lengths", get() + [(b"content-length", b"0"), (b"content-length", b"5")]),
    ("a length without a body", get() + [(b"content-length", b"5")]),
    ("two hosts", get() + [(b"host", b"other")] * 2),
    ("no host at all", [get()[0], get()[1], get()[3]]),
]


class MalformedHttp2(WireCase):
    def test_what_is_no_http2_ends_the_connection(self):
        for first in (GET_VERSION, b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
                      b"\0" * 100, b"\xff" * 1000, h2.PREFACE + head(1), h2.PREFACE + b"\0" * 9):
            with self.subTest(first[:40]), Http2(self.server, before=first) as connection:
                self.assertIn(connection.end(), (None, 1, 6))

    def test_frames_that_break_the_rules_end_the_connection(self):
        for what, data, codes in FATAL:
            with self.subTest(what), Http2(self.server) as connection:
                connection.send(data)
                self.assertIn(connection.end(), codes)

    def test_requests_that_break_the_rules_are_refused_alone(self):
        with Http2(self.server) as connection:
            for what, pairs in IMPROPER:
                with self.subTest(what):
                    try:
                        self.assert_refused(connection.ask(pairs), what)
                    except Reset as reset:
                        self.assertEqual(reset.code, h2.PROTOCOL_ERROR)
                    self.assertEqual(connection.ask(get()).code, 200)

    def test_a_body_of_another_length_is_refused(self):
        body = b'{"metadata":{"name":"length"}}'
        for length in (0, 1, len(body) - 1, len(body) + 1, 10 ** 6):
            with self.subTest(length), Http2(self.server) as connection:
                with self.assertRaises(Reset) as reset:
                    connection.ask(POST + [(b"content-length", b"%d" % length)], body)
                self.assertEqual(reset.exception.code, h2.PROTOCOL_ERROR)
                path = b"/api/v1/namespaces/default/configmaps/length"
                self.assertEqual(connection.ask(get(path, bearer(ADMIN))).code, 404)

    def test_what_comes_after_the_end_of_a_request_is_refused(self):
        for more in (head(1), frame(h2.DATA, 0, 1, b"x"), frame(h2.DATA, h2.END_STREAM, 1)):
            with self.subTest(more[:10]), Http2(self.server) as connection:
                connection.send(head(1) + more)
                try:
                    connection.answer(1)
                except (Ended, Reset) as end:
                    self.assertIn(end.code, (h2.PROTOCOL_ERROR, h2.STREAM_CLOSED))

    def test_trailers_are_held_to_the_rules_too(self):
        for trailers, flags in (([(b":path", b"/api")], WHOLE), ([(b"A", b"b")], WHOLE),
                                ([(b"a", b"b")], h2.END_HEADERS)):
            with self.subTest(trailers), Http2(self.server) as connection:
                stream = connection.head(POST, ends=False)
                connection.send(frame(h2.DATA, 0, stream, b"{}") +
                                frame(h2.HEADERS, flags, stream, fields(trailers)))
                with self.assertRaises((Reset, Ended)):
                    connection.answer(stream)

    def test_a_stream_older_than_the_last_is_never_opened(self):
        with Http2(self.server) as connection:
            connection.send(head(5) + head(3) + head(7))
            self.assertEqual([connection.answer(5).code, connection.answer(7).code], [200, 200])
            self.assertFalse(connection.has_heard_of(3))

    def test_unknown_frames_and_settings_are_passed_over(self):
        with Http2(self.server) as connection:
            connection.send(frame(0xbe, 0xff, 0, b"whatever") + setting(0xbeef, 1))
            self.assertEqual(connection.ask(get()).code, 200)

    def test_bytes_by_chance_do_no_harm(self):
        for _ in range(100):
            with Http2(self.server) as connection:
                connection.send(b"".join(
                    frame(os.urandom(1)[0] % 10, os.urandom(1)[0], os.urandom(1)[0] % 8,
                          os.urandom(20)) for _ in range(20)) + frame(h2.DATA, 0, 0, b"x"))
                connection.end()


class Http2Floods(WireCase):
    """What costs the server more than the client is cut off."""

    def assert_cut_off(self, data, before=b""):
        with Http2(self.server) as connection:
            connection.send(before)
            connection.send(data)
            self.assertIn(connection.end(), (h2.ENHANCE_YOUR_CALM, h2.PROTOCOL_ERROR, None))

    def test_requests_that_are_reset_at_once(self):
        self.assert_cut_off(b"".join(
            head(id) + frame(h2.RST_STREAM, 0, id, b"\0\0\0\x08") for id in range(1, 8001, 2)))

    def test_requests_that_the_server_is_made_to_reset(self):
        bad = fields(get() + [(b"connection", b"close")])
        self.assert_cut_off(b"".join(head(id, bad) for id in range(1, 8001, 2)))
        self.assert_cut_off(b"".join(
            head(id, flags=h2.END_HEADERS) + frame(h2.WINDOW_UPDATE, 0, id, b"\x7f\xff\xff\xff")
            for id in range(1, 8001, 2)))

    def test_pings_settings_and_priorities(self):
        self.assert_cut_off(frame(h2.PING, 0, 0, b"12345678") * 5000)
        self.assert_cut_off(SETTINGS * 5000)
        self.assert_cut_off(setting(1, 0) * 5000)
        self.assert_cut_off(frame(h2.PRIORITY, 0, 1001, b"\0" * 5) * 5000)
        self.assert_cut_off(frame(h2.DATA, 0, 1) * 5000, head(1, fields(POST), h2.END_HEADERS))

    def test_few_bytes_that_stand_for_many(self):
        large = field(b"a", b"x" * 4000, remembered=True)
        self.assert_cut_off(head(1, HEAD + large + b"\xbe" * 16000))
        with Http2(self.server) as connection:
            connection.send(head(1, HEAD + large + b"\xbe" * 500))
            self.assert_refused(connection.answer(1), "a list of 2 MB", (431,))

    def test_more_streams_than_allowed(self):
        with Http2(self.server) as connection:
            for stream in range(1, 401, 2):
                connection.send(head(stream, fields(POST), h2.END_HEADERS))
            refused = connection.first_refusal()
            self.assertIn(refused, (h2.REFUSED_STREAM, h2.PROTOCOL_ERROR, h2.ENHANCE_YOUR_CALM))

    def test_bodies_beyond_the_window_and_beyond_the_bound(self):
        with Http2(self.server) as connection:
            stream = connection.head(POST, ends=False)
            connection.send(frame(h2.DATA, 0, stream, b" " * 65536) * 80)
            try:
                self.assert_refused(connection.answer(stream), "5 MB", (413,))
            except (Reset, Ended) as end:
                self.assertIn(end.code, (h2.FLOW_CONTROL_ERROR, h2.NO_ERROR, None))


class ReusedHttp2(WireCase):
    def test_a_token_is_good_for_its_own_stream_alone(self):
        admin, bob, other = (get(SECRET, bearer(each)) for each in (ADMIN, BOB, "x"))
        wanted = [(admin, 200), (get(SECRET), 403), (bob, 403), (other, 401)] * 10
        with Http2(self.server) as connection:
            streams = [(connection.head(pairs), code) for pairs, code in wanted]
            for stream, code in streams:
                self.assertEqual(connection.answer(stream).code, code)

    def test_a_token_in_the_table_is_used_only_where_it_is_named(self):
        name, value = bearer(ADMIN)
        plain = fields(get(SECRET))
        with Http2(self.server) as connection:
            connection.send(head(1, plain + field(name, value, remembered=True)))
            connection.send(head(3, plain) + head(5, plain + b"\xbe") + head(7, plain))
            codes = [connection.answer(stream).code for stream in (1, 3, 5, 7)]
        self.assertEqual(codes, [200, 403, 200, 403])

    def test_a_request_that_is_refused_leaves_nothing_to_the_next(self):
        with Http2(self.server) as connection:
            stream = connection.head(get(SECRET, bearer(ADMIN), (b"Upper", b"x")))
            with self.assertRaises(Reset):
                connection.answer(stream)
            self.assertEqual(connection.ask(get(SECRET)).code, 403)
            self.assertEqual(connection.ask(get(SECRET, bearer(ADMIN))).code, 200)
