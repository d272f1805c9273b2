"""HTTP/1.1 by hand: bytes as they are, so that nothing puts right what a test got wrong."""
import socket
import ssl

ANSWER_SECONDS = 60
GET_VERSION = b"GET /version HTTP/1.1\r\nHost: skiff\r\n\r\n"


def dial(server, protocol="http/1.1", seconds=ANSWER_SECONDS, receive_buffer=None):
    """A TLS connection to the server."""
    raw = socket.socket()
    raw.settimeout(seconds)
    if receive_buffer:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    raw.connect(("127.0.0.1", server.port))
    raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return tls_context(protocol).wrap_socket(raw)


def tls_context(protocol, known={}):
    if protocol not in known:
        known[protocol] = ssl._create_unverified_context()
        known[protocol].set_alpn_protocols([protocol])
    return known[protocol]


class Answer:
    def __init__(self, code, headers, body=b""):
        self.code, self.headers, self.body = code, headers, body

    def __repr__(self):
        return f"{self.code} {self.body[:200]!r}"


class Http1:
    """One connection. What it reads are answers; when the server has closed, they are None."""

    def __init__(self, server, **options):
        self.socket = dial(server, **options)
        self._input = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        """A server that refuses what it has seen need not read the rest."""
        try:
            self.socket.sendall(data)
        except (ConnectionError, ssl.SSLError):
            pass

    def ask(self, data, method=b""):
        self.send(data)
        return self.answer(method or data[:5])

    def request(self, method, path, body=None, token=None, headers=()):
        """A request in order. `path` and header lines are bytes and go out as they are."""
        lines = [method.encode() + b" " + path + b" HTTP/1.1", b"Host: skiff", *headers]
        if token:
            lines.append(b"Authorization: Bearer " + token.encode())
        if body is not None:
            lines.append(b"Content-Length: %d" % len(body))
        return self.ask(b"\r\n".join(lines) + b"\r\n\r\n" + (body or b""), method.encode())

    def answer(self, method=b""):
        head = self._until(b"\r\n\r\n")
        if head is None:
            return None
        first, *fields = head.decode("latin-1").split("\r\n")
        version, code, *_ = first.split(" ")
        if version not in ("HTTP/1.1", "HTTP/1.0"):
            raise AssertionError(f"no HTTP: {first!r}")
        headers = {}
        for field in fields:
            name, _, value = field.partition(":")
            headers.setdefault(name.lower(), value.strip())
        answer = Answer(int(code), headers)
        if answer.code == 100:
            return self.answer(method)
        if not method.startswith(b"HEAD") and answer.code not in (101, 204, 304):
            answer.body = self._body(headers)
        return answer

    def first_line(self):
        """Of the next answer, which may be one that only announces another."""
        return self._until(b"\r\n\r\n").split(b"\r\n")[0]

    def is_closed(self):
        """Whether the server has nothing more to say and ends the connection."""
        return self._input == b"" and self._more() is False

    def forget(self):
        """What has come in and is of no interest."""
        self._input = b""

    def _body(self, headers):
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while True:
                size = int(self._until(b"\r\n"), 16)
                piece = self._exactly(size + 2)[:-2]
                if size == 0:
                    return body
                body += piece
        if "content-length" in headers:
            return self._exactly(int(headers["content-length"]))
        while self._more():
            pass
        body, self._input = self._input, b""
        return body

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionError, ssl.SSLError):
            data = b""
        self._input += data
        return data != b""

    def _until(self, mark):
        while mark not in self._input:
            if not self._more():
                if self._input:
                    raise AssertionError(f"the answer is cut off: {self._input[:200]!r}")
                return None
        piece, _, self._input = self._input.partition(mark)
        return piece

    def _exactly(self, size):
        while len(self._input) < size:
            if not self._more():
                raise AssertionError("the body is cut off")
        piece, self._input = self._input[:size], self._input[size:]
        return piece


def ask(server, data):
    """The answer to these bytes, on a connection of their own."""
    with Http1(server) as connection:
        return connection.ask(data)
