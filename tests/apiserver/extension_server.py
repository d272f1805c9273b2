"""An extension API server for tests: what it does with a request, the test says.

It takes only clients with a certificate of the front proxy's CA, as real ones do, and remembers
what it was asked.
"""
import json
import socket
import ssl
import subprocess
import threading

GROUP, VERSION = "ext.example.com", "v1"
ROOT = f"/apis/{GROUP}/{VERSION}"
THINGS = f"{ROOT}/namespaces/default/things"
SERVICE_HOST = "ext.default.svc"
RESOURCES = {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": f"{GROUP}/{VERSION}",
             "resources": [{"name": "things", "singularName": "thing", "namespaced": True,
                            "kind": "Thing", "verbs": ["get", "list", "watch", "create"]}]}


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Authority:
    """A CA whose files lie in a folder."""

    def __init__(self, folder, name):
        self.folder = folder
        self.cert, self._key = folder / f"{name}.crt", folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "7", "-subj", f"/CN={name}", "-keyout", self._key, "-out", self.cert)

    def issue(self, name, names="", common_name=None):
        """The paths of a certificate and its key."""
        cert, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        asked, more = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        more.write_text(f"subjectAltName={names}\n" if names else "basicConstraints=CA:FALSE\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                f"/CN={common_name or name}", "-keyout", key, "-out", asked)
        openssl("x509", "-req", "-in", asked, "-CA", self.cert, "-CAkey", self._key, "-days", "7",
                "-CAcreateserial", "-extfile", more, "-out", cert)
        return cert, key


class Asked:
    """A request; its body is still to be read."""

    def __init__(self, connection, head, rest):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = lines[0].split(" ")
        self.path = self.target.partition("?")[0]
        self.headers = [(name.lower(), value) for name, _, value in
                        (line.partition(": ") for line in lines[1:])]
        self.peer = dict(part[0] for part in connection.getpeercert()["subject"])["commonName"]
        self._connection, self._rest = connection, rest

    def all(self, name):
        return [value for each, value in self.headers if each == name]

    def read(self, size):
        """Some of what follows the head."""
        if self._rest:
            piece, self._rest = self._rest[:size], self._rest[size:]
            return piece
        return self._connection.recv(size)

    def _line(self):
        line = b""
        while not line.endswith(b"\r\n"):
            line += self.read(1)
        return line[:-2]

    def pieces(self):
        """The body, as it comes."""
        if self.all("transfer-encoding") == ["chunked"]:
            while size := int(self._line(), 16):
                while size:
                    piece = self.read(min(size, 1 << 16))
                    if not piece:
                        raise ConnectionError("the body was cut off")
                    size -= len(piece)
                    yield piece
                self._line()
            self._line()
            return
        left = int((self.all("content-length") or ["0"])[0])
        while left:
            piece = self.read(min(left, 1 << 16))
            if not piece:
                raise ConnectionError("the body was cut off")
            left -= len(piece)
            yield piece

    def body(self):
        return b"".join(self.pieces())


class ExtensionServer:
    """HTTPS on a free port. `scripts` maps a path to what is done with a request for it: called
    with (connection, asked); what it answers with False ends the connection."""

    def __init__(self, cert, key, client_ca):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(cert, key)
        self._context.load_verify_locations(client_ca)
        self._context.verify_mode = ssl.CERT_REQUIRED
        self.port = 0
        self.scripts = {ROOT: lambda connection, asked: reply(connection, RESOURCES)}
        self.asked = []
        self._lock = threading.Lock()
        self._connections = set()
        self.open()

    def open(self):
        self._socket = socket.create_server(("127.0.0.1", self.port), backlog=1024)
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._socket,), daemon=True).start()

    def close(self):
        """As if the process died: connections go at once."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            connections = list(self._connections)
        for each in connections:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _accept(self, listening):
        while True:
            try:
                plain, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain):
        with self._lock:
            self._connections.add(plain)
        try:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                with self._lock:
                    self._connections.discard(plain)
                    self._connections.add(connection)
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
        head, rest = head.split(b"\r\n\r\n", 1)
        asked = Asked(connection, head, rest)
        with self._lock:
            self.asked.append(asked)
        script = self.scripts.get(asked.path)
        if script is None:
            b"".join(asked.pieces())
            reply(connection, {"kind": "Status", "code": 404}, code=404)
            return True
        return script(connection, asked) is not False

    def last(self, path):
        with self._lock:
            return [each for each in self.asked if each.path == path][-1]

    def count(self, path):
        with self._lock:
            return sum(each.path == path for each in self.asked)


def reply(connection, body, code=200, headers=()):
    """Keeps the connection."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in headers)
    connection.sendall(f"HTTP/1.1 {code} X\r\nContent-Type: application/json\r\n{more}"
                       f"Content-Length: {len(data)}\r\n\r\n".encode() + data)


def begin(connection, code=200, headers=()):
    """An answer in chunks, which send() goes on with."""
    more = "".join(f"{name}: {value}\r\n" for name, value in headers)
    connection.sendall(f"HTTP/1.1 {code} X\r\nContent-Type: application/json\r\n{more}"
                       "Transfer-Encoding: chunked\r\n\r\n".encode())


def send(connection, data):
    connection.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")
