"""Malformed HTTP/1.1, and requests that two readers might see differently."""
import socket

from case import JSON, WireCase, smuggled
from http1 import ANSWER_SECONDS, GET_VERSION, Http1, ask
from server import ADMIN, BOB

HOST = b"Host: skiff\r\n"
GET = b"GET /version HTTP/1.1\r\n"
POST = b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\n" + HOST + \
    b"Authorization: Bearer " + ADMIN.encode() + b"\r\n" + JSON + b"\r\n"

MALFORMED = [
    b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /version\r\n\r\n",
    b"GET  /version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /version  HTTP/1.1\r\n" + HOST + b"\r\n",
    b" GET /version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET\t/version\tHTTP/1.1\r\n" + HOST + b"\r\n",
    b"G@T /version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GE\0T /version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"\xff\xfe /version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET ftp://skiff/version HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET * HTTP/1.1\r\n" + HOST + b"\r\n",
    b"CONNECT skiff:443 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /ver\0sion HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /ver\x7fsion HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /version http/1.1\r\n" + HOST + b"\r\n",
    b"GET /version HTTP/1.1x\r\n" + HOST + b"\r\n",
    b"GET /version HTTP/11\r\n" + HOST + b"\r\n",
    b"GET /version HTTP/1.\r\n" + HOST + b"\r\n",
    b"GET /version HTTP/-1.1\r\n" + HOST + b"\r\n",
    GET + b"\r\n",
    GET + HOST + HOST + b"\r\n",
    GET + HOST + b"host: other\r\n\r\n",
    GET + b"Host: a b\r\n\r\n",
    GET + b"Host: a/b\r\n\r\n",
    GET + b"Host: a@b\r\n\r\n",
    GET + HOST + b"No-Colon\r\n\r\n",
    GET + HOST + b": empty\r\n\r\n",
    GET + HOST + b"A b: c\r\n\r\n",
    GET + HOST + b"A\0: c\r\n\r\n",
    GET + HOST + b"A: b\0c\r\n\r\n",
    GET + HOST + b"A: b\x01c\r\n\r\n",
    GET + HOST + b"A: b\x7fc\r\n\r\n",
    GET + HOST + b"\xc3\xa4: c\r\n\r\n",
    GET + HOST + b"A: b\r\n folded\r\n\r\n",
    GET + HOST + b"A: b\r\n\tfolded\r\n\r\n",
    GET + b" Host: skiff\r\n\r\n",
    GET + HOST + b"A: b\rc: d\r\n\r\n",
    GET + HOST + b"A: b\nC: d\r\n\r\n",
    GET + HOST + b"A: b\r\r\n\r\n",
    b"GET /version HTTP/1.1\nHost: skiff\n\n",
    b"GET /version HTTP/1.1\rHost: skiff\r\r",
    GET + HOST + b"Expect: miracles\r\n\r\n",
]

# Each ends with a request within what may or may not be the body. None of them may be answered
# but the first, and that with a refusal.
AMBIGUOUS = [
    POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    POST + b"Content-Length: 0\r\nContent-Length: 5\r\n\r\n",
    POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    POST + b"Content-Length: 0, 5\r\n\r\n",
    POST + b"Content-Length: +0\r\n\r\n",
    POST + b"Content-Length: -1\r\n\r\n",
    POST + b"Content-Length: 0x0\r\n\r\n",
    POST + b"Content-Length: 0 0\r\n\r\n",
    POST + b"Content-Length:\r\n\r\n",
    POST + b"Content-Length: 18446744073709551616\r\n\r\n",
    POST + b"Content-Length : 0\r\n\r\n",
    POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
    POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"X: a\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST + b"X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    POST.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
]
# What RFC 9112 and Go answer with 501: no reader can tell where such a body ends.
UNKNOWN_ENCODINGS = [b"identity", b"xchunked", b"chunked, identity", b"gzip, chunked", b"chunked;a",
                     b"\"chunked\"", b"chunked, chunked", b"",
                     b"chunked\r\nTransfer-Encoding: gzip"]
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
BAD_CHUNKS = [
    b"G\r\n", b"-1\r\n", b"+1\r\nx\r\n0\r\n\r\n", b"0x1\r\nx\r\n0\r\n\r\n", b" 1\r\nx\r\n0\r\n\r\n",
    b"\r\n", b"1\nx\r\n0\r\n\r\n", b"1\rx\r\n0\r\n\r\n", b"1\r\nxy\r\n0\r\n\r\n",
    b"1\r\nx0\r\n\r\n", b"1\r\nx\n0\r\n\r\n", b"10000000000000000\r\n", b"1" + b"0" * 40 + b"\r\n",
    b"1;" + b"e" * 300 + b"\r\nx\r\n0\r\n\r\n", b"1;\0\r\nx\r\n0\r\n\r\n", b"1 x\r\nx\r\n0\r\n\r\n",
    b"0\r\nA b: c\r\n\r\n", b"0\r\nA: b\r\n c\r\n\r\n", b"0\r\n" + b"A: b\r\n" * 3000 + b"\r\n",
    b"1;a=b\r\n \r\n" * 20000 + b"0\r\n\r\n",
]


class MalformedHttp1(WireCase):
    def test_what_cannot_be_read_is_400_and_closes(self):
        for data in MALFORMED:
            with self.subTest(data), Http1(self.server) as connection:
                self.assert_refused(connection.ask(data + smuggled()), data, (400, 417))
                self.assertTrue(connection.is_closed(), data)

    def test_versions_that_are_not_spoken_are_505(self):
        for version in (b"HTTP/2.0", b"HTTP/1.2", b"HTTP/0.9", b"HTTP/3.0"):
            with self.subTest(version):
                data = b"GET /version " + version + b"\r\n" + HOST + b"\r\n"
                self.assert_refused(ask(self.server, data), version, (400, 505))

    def test_methods_that_nobody_knows_are_refused(self):
        for method in (b"get", b"PRI", b"TRACE", b"PROPFIND", b"LIST", b"X" * 200):
            for path in (b"/version", b"/api/v1/namespaces/default/configmaps/kept", b"/apis"):
                with self.subTest(method + path):
                    data = method + b" " + path + b" HTTP/1.1\r\n" + HOST + \
                        b"Authorization: Bearer " + ADMIN.encode() + b"\r\n\r\n"
                    self.assert_refused(ask(self.server, data), data)

    def test_a_request_that_breaks_off_is_nobody_elses(self):
        for data in (b"", b"GE", GET, GET + HOST, POST + b"Content-Length: 100\r\n\r\n{",
                     CHUNKED + b"5\r\nab", CHUNKED + b"5\r\nabcde\r\n"):
            with self.subTest(data), Http1(self.server) as connection:
                connection.send(data)
        self.assertEqual(ask(self.server, GET_VERSION).code, 200)

    def test_plain_http_on_the_port_of_tls_is_told_so(self):
        with socket.create_connection(("127.0.0.1", self.server.port), ANSWER_SECONDS) as plain:
            plain.sendall(GET_VERSION)
            self.assertIn(b"400 Bad Request", plain.recv(1000))
        for garbage in (b"\0" * 1000, b"\x16\x03\x01\xff\xff" + b"\xff" * 70000, b"\x80\x2e\x01"):
            with socket.create_connection(("127.0.0.1", self.server.port), 10) as plain:
                try:
                    plain.sendall(garbage)
                    plain.shutdown(socket.SHUT_WR)
                    while plain.recv(1000):
                        pass
                except OSError:
                    pass


class Smuggling(WireCase):
    def test_a_body_whose_length_is_in_doubt_is_refused(self):
        for data in AMBIGUOUS:
            with self.subTest(data), Http1(self.server) as connection:
                self.assert_refused(connection.ask(data + smuggled()), data, (400,))
                self.assertTrue(connection.is_closed(), "a second answer")

    def test_encodings_that_are_not_known_are_refused(self):
        for encoding in UNKNOWN_ENCODINGS:
            with self.subTest(encoding), Http1(self.server) as connection:
                data = POST + b"Transfer-Encoding: " + encoding + b"\r\n\r\n0\r\n\r\n"
                self.assert_refused(connection.ask(data + smuggled()), data, (400, 501))
                self.assertTrue(connection.is_closed(), "a second answer")

    def test_chunks_that_are_none_are_refused(self):
        for chunks in BAD_CHUNKS:
            with self.subTest(chunks[:60]), Http1(self.server) as connection:
                self.assert_refused(connection.ask(CHUNKED + chunks + smuggled()), chunks, (400,))
                self.assertTrue(connection.is_closed(), "a second answer")

    def test_extensions_and_trailers_are_read_past(self):
        body = b'4;a=b;c="d"\r\n{"me\r\n19 ;x\r\ntadata":{"name":"chunks"}\r\n1\r\n}\r\n0;z\r\n' \
            b"Authorization: Bearer other\r\nContent-Length: 3\r\n\r\n"
        with Http1(self.server) as connection:
            self.assertEqual(connection.ask(CHUNKED + body).code, 201)
            path = b"/api/v1/namespaces/default/configmaps/chunks"
            self.assertEqual(connection.request("DELETE", path, token=ADMIN).code, 200)

    def test_what_follows_a_body_that_is_too_large_is_not_read_as_a_request(self):
        for head in (b"Content-Length: 4000000\r\n\r\n",
                     b"Transfer-Encoding: chunked\r\n\r\n400000\r\n"):
            with self.subTest(head), Http1(self.server) as connection:
                self.assert_refused(connection.ask(POST + head + smuggled()), head, (413,))
                self.assertTrue(connection.is_closed(), "a second answer")

    def test_a_body_that_is_refused_by_its_content_does_not_hide_a_request(self):
        inner = smuggled()
        length = b"Content-Length: %d\r\n\r\n" % len(inner)
        with Http1(self.server) as connection:
            self.assert_refused(connection.ask(POST + length + inner + GET_VERSION), inner, (400,))
            self.assertEqual(connection.answer().code, 200)
            # Bodies of requests that have no use for one are read all the same.
            data = b"GET /api/v1/namespaces/default/configmaps/nobody HTTP/1.1\r\n" + HOST
            self.assert_refused(connection.ask(data + length + inner + GET_VERSION), inner)
            self.assertEqual(connection.answer().code, 200)


class ReusedConnections(WireCase):
    SECRET = b"/api/v1/namespaces/default/configmaps/secret"

    def test_a_token_is_good_for_its_own_request_alone(self):
        wanted = ((ADMIN, 200), (None, 403), (BOB, 403), ("nobody", 401), (ADMIN, 200), (None, 403))
        with Http1(self.server) as connection:
            for token, code in wanted * 5:
                self.assertEqual(connection.request("GET", self.SECRET, token=token).code, code)

    def test_answers_of_a_pipeline_belong_to_their_requests(self):
        get = b"GET " + self.SECRET + b" HTTP/1.1\r\n" + HOST
        admin = get + b"Authorization: Bearer " + ADMIN.encode() + b"\r\n\r\n"
        bob = get + b"Authorization: Bearer " + BOB.encode() + b"\r\n\r\n"
        with Http1(self.server) as connection:
            connection.send((admin + get + b"\r\n" + bob) * 50)
            codes = [connection.answer().code for _ in range(150)]
        self.assertEqual(codes, [200, 403, 403] * 50)

    def test_fields_of_one_request_are_not_those_of_the_next(self):
        loud = (b"Accept: application/yaml", b"Impersonate-User: bob", JSON,
                b"X-Remote-User: admin", b"Audit-ID: first")
        with Http1(self.server) as connection:
            answer = connection.request("GET", self.SECRET, token=ADMIN, headers=loud)
            self.assertEqual((answer.code, answer.headers["audit-id"]), (403, "first"))
            answer = connection.request("GET", self.SECRET, token=ADMIN)
            self.assertEqual((answer.code, answer.headers["content-type"]),
                             (200, "application/json"))
            self.assertNotEqual(answer.headers["audit-id"], "first")

    def test_two_tokens_are_no_token(self):
        twice = tuple(b"Authorization: Bearer " + each.encode() for each in (BOB, ADMIN))
        with Http1(self.server) as connection:
            answer = connection.request("GET", self.SECRET, headers=twice)
            self.assertIn(answer.code, (400, 401, 403), answer)
            answer = connection.request("GET", self.SECRET,
                                        headers=(b"X-Remote-User: admin",
                                                 b"X-Remote-Group: system:masters"))
            self.assertEqual(answer.code, 403)
