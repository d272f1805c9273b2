"""Clients that hold on to the server without asking anything, or ask as slowly as they can."""
import contextlib
import resource
import socket
import ssl
import struct
import threading
import time

import http2 as h2
from case import JSON, PROMPT_SECONDS, Figures, WireCase
from http1 import ANSWER_SECONDS, GET_VERSION, Http1, dial
from http2 import Http2, bearer, fields, frame, get
from server import ADMIN

CROWD, CONNECTION_KB = 10_000, 32
# As src/base/limits.h has them.
HANDSHAKE_SECONDS, HEADER_SECONDS, BODY_SECONDS, IDLE_SECONDS = 10, 32, 60, 90
LATE_SECONDS = 20  # that a cut may come late on a busy machine
LIST = b"/api/v1/namespaces/kube-system/configmaps"
ONE = b"/api/v1/namespaces/default/configmaps/kept"


def raise_file_limit():
    """Ours, and that of the server, which inherits it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Crowd(WireCase):
    """As many of them by TLS as can shake hands in a while, with an answer behind them; the others
    have not begun to."""
    TLS_SECONDS = 20

    def open(self, size):
        crowd, idle = [], []
        began = time.monotonic()
        while len(crowd) < size and time.monotonic() - began < self.TLS_SECONDS:
            connection = Http1(self.server)
            crowd.append(connection)
            self.assertEqual(connection.ask(GET_VERSION).code, 200)
            self.answered.append(time.monotonic())
        while len(crowd) + len(idle) < size:
            idle.append(socket.create_connection(("127.0.0.1", self.server.port), ANSWER_SECONDS))
            self.opened.append(time.monotonic())
        return crowd, idle

    def until_files(self, bound, seconds):
        deadline = time.monotonic() + seconds
        while (figures := Figures(self.server)).files > bound:
            self.assertLess(time.monotonic(), deadline, figures)
            time.sleep(0.1)

    def test_ten_thousand_that_are_idle_keep_nobody_from_being_served(self):
        room = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200
        size = min(CROWD, room)
        before = Figures(self.server)
        self.opened = []  # when each of those came that do not shake hands
        self.answered = []  # when each of the others had its answer
        crowd, idle = self.open(size)
        # Without those before: what earlier tests have left may be gone by now.
        self.until_crowded(len(crowd) - 50)
        during = Figures(self.server)
        began = time.monotonic()
        with Http1(self.server) as fresh:
            self.assertEqual(fresh.request("GET", ONE, token=ADMIN).code, 200)
        took = time.monotonic() - began
        print(f"\n  {len(crowd)} idle connections by TLS and {len(idle)} before it: "
              f"{during}, from {before}; a fresh request took {took * 1000:.1f} ms", flush=True)
        self.assertLess(took, PROMPT_SECONDS)
        self.assert_memory_below(during, before.resident_mb + CONNECTION_KB * size / 1024)
        for connection, answered in list(zip(crowd, self.answered))[::100]:
            # On a busy machine the first of them may have been idle for too long by now.
            if time.monotonic() - answered < IDLE_SECONDS / 2:
                self.assertEqual(connection.ask(GET_VERSION).code, 200)
        # Those that do not shake hands are gone without anybody's doing.
        self.until_files(before.files + len(crowd) + 20, HANDSHAKE_SECONDS + LATE_SECONDS)
        for connection in crowd + idle:
            connection.close()
        self.until_files(before.files + 20, PROMPT_SECONDS)
        if size < CROWD:
            self.skipTest(f"only {size} of {CROWD} idle connections: the limit on open files")

    def until_crowded(self, files):
        """That many, and those whose time for a handshake is not over already."""
        deadline = time.monotonic() + PROMPT_SECONDS
        while True:
            in_time = time.monotonic() - HANDSHAKE_SECONDS + 1
            figures = Figures(self.server)
            if figures.files >= files + sum(opened > in_time for opened in self.opened):
                return
            self.assertLess(time.monotonic(), deadline, figures)
            time.sleep(0.1)

    def test_connections_that_come_and_go_leave_nothing(self):
        before = Figures(self.server)
        for i in range(3000):
            with socket.create_connection(("127.0.0.1", self.server.port)) as it:
                if i % 3 == 1:
                    it.sendall(b"\x16\x03\x01\x02\x00\x01")
                elif i % 3 == 2:
                    it.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.until_files(before.files + 20, PROMPT_SECONDS)


class Slow(threading.Thread):
    """Sends one byte a second until the server has had enough."""

    def __init__(self, what, connection, data, patience):
        super().__init__(daemon=True)
        self.what, self.patience = what, patience
        self._socket, self._data = connection, data
        self.ended = None

    def run(self):
        self._socket.settimeout(1)
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            for at in range(self.patience + LATE_SECONDS):
                if at < len(self._data):
                    self._socket.sendall(self._data[at:at + 1])
                if not self._hear():
                    break
            else:
                return
        self.ended = time.monotonic()
        self._socket.close()

    def _hear(self):
        """False once the server has ended the connection or this request."""
        end = time.monotonic() + 1
        while time.monotonic() < end:
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                return True
            if not data or data[3:4] in (bytes([h2.RST_STREAM]), bytes([h2.HEADERS])):
                return False
        return True


class DoesNotRead(threading.Thread):
    """Asks for much and takes none of it."""
    what, patience, ended = "an answer that is not read", BODY_SECONDS, None

    def __init__(self, server):
        super().__init__(daemon=True)
        self._connection = Http1(server, receive_buffer=4096)
        self._connection.send(b"GET " + LIST + b" HTTP/1.1\r\nHost: skiff\r\n" +
                              b"Authorization: Bearer " + ADMIN.encode() + b"\r\n\r\n")

    def run(self):
        time.sleep(BODY_SECONDS + LATE_SECONDS)
        self._connection.socket.settimeout(ANSWER_SECONDS)
        try:
            is_whole = self._connection.answer() is not None
        except AssertionError:
            is_whole = False
        if not is_whole:
            self.ended = time.monotonic()


class PingsWithoutReading(threading.Thread):
    """Asks for much and gives no window for it, but pings and reads what comes back."""
    what, patience, ended = "pings beside an answer that is not taken", BODY_SECONDS, None

    def __init__(self, server):
        super().__init__(daemon=True)
        self._connection = Http2(server)
        self._connection.grants = False
        self._connection.head(get(LIST, bearer(ADMIN)))

    def run(self):
        with contextlib.suppress(h2.Ended):
            for _ in range(BODY_SECONDS + LATE_SECONDS):
                self._connection.settle()
                time.sleep(1)
            return
        self.ended = time.monotonic()


class SlowClients(WireCase):
    """They begin before all other tests, so that these pass the time."""
    clients, began = [], 0
    MAPS, MAP_BYTES = 16, 900_000  # what is more than the kernel takes for one who does not read

    @classmethod
    def begin(cls):
        server = cls.server
        for i in range(cls.MAPS):
            server.request("POST", LIST.decode(),
                           {"metadata": {"name": f"large{i}"}, "data": {"a": "x" * cls.MAP_BYTES}})
        cls.began = time.monotonic()
        tcp = lambda: socket.create_connection(("127.0.0.1", server.port))
        post = (b"POST " + LIST + b" HTTP/1.1\r\nHost: skiff\r\n" + JSON +
                b"\r\nAuthorization: Bearer " + ADMIN.encode() + b"\r\n")
        body = b'{"metadata": {"name": "never", "labels": {' + b" " * 100
        slow_body, slow_chunks, slow_stream, slow_head = (
            Http1(server), Http1(server), Http2(server), Http2(server))
        slow_body.send(post + b"Content-Length: 500\r\n\r\n")
        slow_chunks.send(post + b"Transfer-Encoding: chunked\r\n\r\n")
        pairs = get(LIST, (b"content-type", b"application/json"), bearer(ADMIN), method=b"POST")
        slow_stream.head(pairs, ends=False)
        slow_stream.send(frame(h2.DATA, 0, 1, b"", length=500))
        slow_head.send(frame(h2.HEADERS, 0, 1, fields(pairs)) +
                       frame(h2.CONTINUATION, 0, 1, b"", length=500))
        cls.clients = [
            Slow("no handshake", tcp(), b"", HANDSHAKE_SECONDS),
            Slow("a slow handshake", tcp(),
                 b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 99, HANDSHAKE_SECONDS),
            Slow("no request", dial(server), b"", HEADER_SECONDS),
            Slow("no request of HTTP/2", dial(server, "h2"), b"", HEADER_SECONDS),
            Slow("a slow head", dial(server), GET_VERSION[:-4] + b"\r\nA: " + b"x" * 99,
                 HEADER_SECONDS),
            Slow("a slow body", slow_body.socket, body, BODY_SECONDS),
            Slow("slow chunks", slow_chunks.socket, b"1\r\n{\r\n" * 99, BODY_SECONDS),
            Slow("a slow body of HTTP/2", slow_stream.socket, body, BODY_SECONDS),
            Slow("a slow head of HTTP/2", slow_head.socket, b"\0\1a\1b" * 99, BODY_SECONDS),
            DoesNotRead(server),
            PingsWithoutReading(server),
        ]
        for client in cls.clients:
            client.start()

    def test_who_reads_in_small_pieces_gets_the_whole(self):
        if not self.clients:
            self.skipTest("the large objects are made when all tests are run")
        with Http1(self.server, receive_buffer=4096) as connection:
            answer = connection.request("GET", LIST, token=ADMIN)
        self.assertEqual(answer.code, 200)
        self.assertGreater(len(answer.body), self.MAPS * self.MAP_BYTES)

    def test_they_are_cut_off(self):
        for client in self.clients:
            client.join()
        for client in self.clients:
            with self.subTest(client.what):
                self.assertIsNotNone(client.ended, "was never cut off")
                lasted = client.ended - self.began
                self.assertGreater(lasted, client.patience - 1)
                print(f"\n  {client.what}: {lasted:.0f} s", end="", flush=True)
