"""A plain client of the API server that tells apart what failed and what may have been done."""
import http.client
import json
import ssl

from server import ADMIN

MAPS = "/api/v1/namespaces/soak/configmaps"
MERGE_PATCH = "application/merge-patch+json"
CALL_SECONDS = 60
# A server that starts or stops says these; whether it did anything is to be found out.
UNAVAILABLE = (429, 503, 504)


class Unknown(Exception):
    """No answer: the request may have been carried out, or not."""


class Client:
    """One connection, dialled anew when it is lost. For one thread."""

    def __init__(self, server):
        self._server = server
        self._connection = None

    def request(self, method, path, body=None, kind="application/json"):
        """The code and the decoded answer."""
        response = self._send(method, path, body, kind, CALL_SECONDS)
        try:
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from error
        if response.status in UNAVAILABLE:
            raise Unknown(f"{response.status} {text[:200]!r}")
        return response.status, json.loads(text)

    def stream(self, path, seconds):
        """A watch: the code, and its lines as they come, until it ends or breaks."""
        response = self._send("GET", path, None, None, seconds)
        return response.status, self._lines(response)

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None

    def _lines(self, response):
        try:
            while line := response.readline():
                if not line.endswith(b"\n"):
                    return
                yield json.loads(line)
        except (OSError, http.client.HTTPException):
            return
        finally:
            self.close()

    def _send(self, method, path, body, kind, seconds):
        try:
            if self._connection is None:
                self._connection = http.client.HTTPSConnection(
                    "127.0.0.1", self._server.port, timeout=seconds,
                    context=ssl._create_unverified_context())
            headers = {"Authorization": f"Bearer {ADMIN}"}
            if body is not None:
                headers["Content-Type"] = kind
            self._connection.request(method, path, body and json.dumps(body), headers)
            return self._connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from error

    def _lost(self, error):
        self.close()
        return Unknown(repr(error))


def version_of(thing):
    return int(thing["metadata"]["resourceVersion"])
