"""A server of admission webhooks for tests: each path behaves in one way, good or bad.

An answer is a function of the review that came; what is below its HTTP, such as hanging or ending
early, is a method of Behaviour.
"""
import base64
import json
import socket
import ssl
import subprocess
import threading

CERTIFICATE_DAYS = "7"


def certificate(folder, name, subject_alt_name):
    """A key and a certificate that is its own authority: the paths of both."""
    cert, key = folder / f"{name}.crt", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", CERTIFICATE_DAYS, "-subj", f"/CN={name}", "-addext",
         f"subjectAltName={subject_alt_name}", "-keyout", key, "-out", cert],
        check=True, capture_output=True)
    return cert, key


def review(asked, **response):
    return {"apiVersion": asked["apiVersion"], "kind": "AdmissionReview",
            "response": {"uid": asked["request"]["uid"], "allowed": True, **response}}


def patch(*operations):
    return {"patchType": "JSONPatch",
            "patch": base64.b64encode(json.dumps(operations).encode()).decode()}


class WebhookServer:
    """HTTPS on a free port. `scripts` maps a path to what is done with a connection that asked for
    it: called with (server, connection, review), it sends what it likes. Keeps count of
    connections and of requests by path."""

    def __init__(self, folder, subject_alt_name="IP:127.0.0.1,DNS:localhost"):
        cert, key = certificate(folder, "webhook", subject_alt_name)
        self.ca_bundle = base64.b64encode(cert.read_bytes()).decode()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(cert, key)
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=2048)
        self.port = self._socket.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        self.scripts = {}
        self.connections = 0
        self.asked = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._closing.set()
        self._socket.close()

    def wait(self, seconds):
        """Until the time is over, or the test."""
        self._closing.wait(seconds)

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain):
        try:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                with self._lock:
                    self.connections += 1
                while self._serve_one(connection):
                    pass
        except (OSError, ValueError):
            pass

    def _serve_one(self, connection):
        head = b""
        while b"\r\n\r\n" not in head:
            more = connection.recv(65536)
            if not more:
                return False
            head += more
        head, body = head.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        target = lines[0].split(" ")[1]
        headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(1 << 20)
        asked = json.loads(body)
        path = target.partition("?")[0]
        with self._lock:
            self.asked.append((target, headers, asked))
        return self.scripts[path](self, connection, asked) is not False

    def count(self, path):
        with self._lock:
            return sum(target.startswith(path) for target, _, _ in self.asked)


def reply(connection, body, code=200, content_type="application/json", headers=()):
    """Keeps the connection."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in headers)
    connection.sendall(f"HTTP/1.1 {code} X\r\nContent-Type: {content_type}\r\n{more}"
                       f"Content-Length: {len(data)}\r\n\r\n".encode() + data)


def answers(**response):
    """Allows, unless the response says otherwise."""
    return lambda server, connection, asked: reply(connection, review(asked, **response))


def says(body, **how):
    return lambda server, connection, asked: reply(connection, body, **how)


def hangs(server, connection, asked):
    server.wait(120)
    return False


def hangs_until(event):
    """Allows once the event is set."""
    def script(server, connection, asked):
        event.wait(120)
        reply(connection, review(asked))
    return script


def answers_late(seconds):
    def script(server, connection, asked):
        server.wait(seconds)
        reply(connection, review(asked))
    return script


def ends_at_once(server, connection, asked):
    return False


def sends_half(server, connection, asked):
    data = json.dumps(review(asked)).encode()
    connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\n\r\n".encode() +
                       data[:len(data) // 2])
    connection.unwrap()
    return False


def floods(size):
    """An answer of so many bytes, which never ends earlier."""
    def script(server, connection, asked):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                           b"Content-Length: %d\r\n\r\n" % size)
        piece = b" " * (1 << 20)
        for _ in range(size >> 20):
            connection.sendall(piece)
        return False
    return script


def drips(server, connection, asked):
    """A byte now and then, and never the end of the head."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not server._closing.wait(0.2):  # pylint: disable=protected-access
        connection.sendall(b"a")
    return False
