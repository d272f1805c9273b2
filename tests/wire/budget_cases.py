"""What a client can make the server hold: before anybody knows who it is, or whether it may ask,
and by asking for much and taking little of it."""
import contextlib
import struct
import time

import http2 as h2
from case import JSON, Figures, WireCase
from http1 import Http1
from http2 import Ended, Http2, Reset, bearer, field, fields, frame, get
from server import ADMIN, BOB

MAPS = b"/api/v1/namespaces/default/configmaps"
POST = get(MAPS, (b"content-type", b"application/json"), method=b"POST")
LARGE = field(b"a", b"x" * 4000, remembered=True)  # from then on one byte, AGAIN
AGAIN = b"\xbe"
CONNECTIONS = 30
LARGE_OBJECTS, LARGE_BYTES = 12, 1_000_000
GREEDY, STREAMS = 3, 100
CROWDED = 150
# What is asked for: a path below MAPS, and fields.
MUCH = {
    "an object": (b"/large0", ()),
    "a list": (b"", ()),
    "a list as YAML": (b"", ((b"accept", b"application/yaml"),)),
    "a pretty list": (b"?pretty=1", ()),
    "a compressed list": (b"", ((b"accept-encoding", b"gzip"),)),
    "a watch": (b"?watch=1", ()),
}


def bomb(pairs, flags):
    """Some KB that stand for 800 KB on each of 49 streams, each head within its bound."""
    head = fields(pairs)
    return frame(h2.HEADERS, flags, 1, head + LARGE) + b"".join(
        frame(h2.HEADERS, flags, stream, head + AGAIN * 200) for stream in range(3, 101, 2))


class Budgets(WireCase):
    def test_heads_on_many_streams_of_many_connections(self):
        before = Figures(self.server)
        for what, pairs in (("of nobody", POST), ("who may ask", [*POST, bearer(ADMIN)])):
            with self.subTest(what):
                connections = [Http2(self.server) for _ in range(CONNECTIONS)]
                for connection in connections:
                    connection.send(bomb(pairs, h2.END_HEADERS))
                for connection in connections:
                    try:
                        connection.settle()
                    except Ended as ended:
                        self.assertEqual(ended.code, h2.ENHANCE_YOUR_CALM)
                during = Figures(self.server)
                print(f"\n  {what}: {during}, from {before}", end="", flush=True)
                self.assert_memory_below(during, before.resident_mb + 128)
                for connection in connections:
                    connection.socket.close()

    def test_heads_that_never_end(self):
        before = Figures(self.server)
        head = fields(POST) + LARGE + AGAIN * 240
        connections = [Http2(self.server) for _ in range(200)]
        for connection in connections:
            connection.send(frame(h2.HEADERS, 0, 1, head))
        # All of them have been read when the last one has.
        with Http1(self.server) as other:
            self.assertEqual(other.request("GET", MAPS + b"/kept", token=ADMIN).code, 200)
        during = Figures(self.server)
        print(f"\n  {during}, from {before}", end="", flush=True)
        self.assert_memory_below(during, before.resident_mb + 160)
        for connection in connections:
            connection.socket.close()

    def test_trailers_beyond_the_bound_are_answered(self):
        with Http2(self.server) as connection:
            stream = connection.head([*POST, bearer(ADMIN)], ends=False)
            connection.send(frame(h2.DATA, 0, stream, b"{}") + frame(
                h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, stream, LARGE + AGAIN * 300))
            try:
                self.assert_refused(connection.answer(stream), "trailers of 1.2 MB", (431,))
            except Reset as reset:
                self.assertEqual(reset.code, h2.ENHANCE_YOUR_CALM)
            self.assertEqual(connection.ask(get()).code, 200)

    def test_who_may_not_ask_is_told_before_the_body(self):
        before = Figures(self.server)
        lengths = (b"Content-Length: 3000000", b"Transfer-Encoding: chunked",
                   b"Expect: 100-continue\r\nContent-Length: 3000000")
        waiting = []
        for i in range(3 * CONNECTIONS):
            for token, code in ((b"nobody", 401), (BOB.encode(), 403)):
                connection = Http1(self.server)
                waiting.append(connection)
                head = b"\r\n".join((b"POST " + MAPS + b" HTTP/1.1", b"Host: skiff", JSON,
                                     b"Authorization: Bearer " + token, lengths[i % 3]))
                # As much of the body as a slow client has sent.
                first = b"" if b"Expect" in head else b"40000\r\n" + b" " * 0x40000
                connection.send(head + b"\r\n\r\n" + first)
                answer = connection.answer()
                self.assert_refused(answer, head, (code,))
                self.assertEqual(answer.headers.get("connection"), "close")
        with Http2(self.server) as connection:
            streams = [connection.head([*POST, bearer("nobody")], ends=False) for _ in range(90)]
            for stream in streams:
                connection.send(frame(h2.DATA, 0, stream, b" " * 100_000))
            for stream in streams:
                self.assert_refused(connection.answer(stream), "over HTTP/2", (401,))
            self.assertEqual(connection.ask(get()).code, 200)
        self.assert_memory_below(Figures(self.server), before.resident_mb + 48)
        for connection in waiting:
            connection.close()

    def test_continue_is_said_to_who_may_send(self):
        for token, first in ((ADMIN, b"HTTP/1.1 100 "), (BOB, b"HTTP/1.1 403 ")):
            with self.subTest(first), Http1(self.server) as connection:
                body = b'{"metadata":{"name":"continued"}}'
                connection.send(
                    b"POST " + MAPS + b" HTTP/1.1\r\nHost: skiff\r\n" + JSON +
                    b"\r\nAuthorization: Bearer " + token.encode() +
                    b"\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
                self.assertTrue(connection.first_line().startswith(first))
                if token == ADMIN:
                    connection.send(body)
                    self.assertEqual(connection.answer().code, 201)
                    answer = connection.request("DELETE", MAPS + b"/continued", token=ADMIN)
                    self.assertEqual(answer.code, 200)

    def test_answers_of_which_little_is_taken(self):
        for i in range(LARGE_OBJECTS):
            self.server.request("POST", MAPS.decode(), {
                "metadata": {"name": f"large{i}"}, "data": {"a": "x" * LARGE_BYTES}})
        for what, (path, more) in MUCH.items():
            with self.subTest(what), contextlib.ExitStack() as stack:
                before = Figures(self.server)
                pairs = get(MAPS + path, bearer(ADMIN), *more)
                for _ in range(GREEDY):
                    connection = stack.enter_context(Http2(self.server))
                    # All that the streams have windows for comes, and no more.
                    connection.grants = False
                    connection.send(frame(h2.WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)))
                    for _ in range(STREAMS):
                        connection.head(pairs)
                    for _ in range(3):
                        connection.settle()
                during = Figures(self.server)
                print(f"\n  {what}: {during}, from {before}", end="", flush=True)
                self.assert_memory_below(
                    during, before.resident_mb + 1.5 * GREEDY * STREAMS * LARGE_BYTES / 2 ** 20)
        self.check_connections_of_which_nothing_is_taken()
        for i in range(LARGE_OBJECTS):
            self.server.request("DELETE", f"{MAPS.decode()}/large{i}")

    def check_connections_of_which_nothing_is_taken(self):
        """The same over HTTP/1.1, where each has a connection of its own: one object or less is
        held for each, and no more of it than the kernel has not taken."""
        for what, (path, more) in MUCH.items():
            with self.subTest(what + " over HTTP/1.1"), contextlib.ExitStack() as stack:
                before = Figures(self.server)
                head = b"".join(b"\r\n" + name + b": " + value for name, value in more)
                connections = []
                for _ in range(CROWDED):
                    connection = stack.enter_context(Http1(self.server, receive_buffer=4096))
                    connection.send(b"GET " + MAPS + path + b" HTTP/1.1\r\nHost: skiff\r\n" +
                                    b"Authorization: Bearer " + ADMIN.encode() + head +
                                    b"\r\n\r\n")
                    connections.append(connection.socket)
                for each in connections:
                    self.assertEqual(each.recv(12), b"HTTP/1.1 200")
                during = self.settled()
                print(f"\n  {what} over HTTP/1.1: {during}, from {before}", end="", flush=True)
                self.assert_memory_below(
                    during, before.resident_mb + 2 * CROWDED * LARGE_BYTES / 2 ** 20)

    def settled(self):
        """When the server has given all that it gives: its memory has not grown for a while."""
        figures, unchanged = Figures(self.server), 0
        while unchanged < 10:
            time.sleep(0.1)
            later = Figures(self.server)
            grows = later.resident_mb > figures.resident_mb + 1
            figures, unchanged = (later, 0) if grows else (figures, unchanged + 1)
        return figures
