"""What the cases of this folder have in common: one server, and objects that must stay as they
are whatever is sent."""
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
from http1 import GET_VERSION, Http1
from server import ADMIN, SANITIZED, Figures

PROMPT_SECONDS = 60  # what takes time out of proportion takes longer; a busy machine does not
JSON = b"Content-Type: application/json"


class WireCase(unittest.TestCase):
    """After each test the server is the one that was started, answers, and has what it had."""
    server = None

    @classmethod
    def prepare(cls, server):
        WireCase.server = server
        for name, namespace in (("kept", "default"), ("secret", "default")):
            server.request("POST", f"/api/v1/namespaces/{namespace}/configmaps",
                           {"metadata": {"name": name}, "data": {"for": name}})

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server died:\n" + self.server.log())
        with Http1(self.server, seconds=PROMPT_SECONDS) as connection:
            self.assertEqual(connection.ask(GET_VERSION).code, 200)
            for name in ("kept", "secret"):
                path = b"/api/v1/namespaces/default/configmaps/" + name.encode()
                answer = connection.request("GET", path, token=ADMIN)
                self.assertEqual(answer.code, 200, answer)
                self.assertEqual(json.loads(answer.body)["data"], {"for": name})

    def assert_memory_below(self, figures, bound_mb):
        if not SANITIZED:
            self.assertLess(figures.resident_mb, bound_mb, figures)

    def assert_refused(self, answer, what, codes=range(400, 500)):
        self.assertIsNotNone(answer, f"no answer to {what}")
        self.assertIn(answer.code, codes, f"{what}: {answer!r}")
        self.assertNotIn(b'"for":', answer.body, what)


def smuggled(name="kept"):
    """A request that would leave its mark if it were taken for one."""
    return (b"DELETE /api/v1/namespaces/default/configmaps/" + name.encode() +
            b" HTTP/1.1\r\nHost: skiff\r\nAuthorization: Bearer " + ADMIN.encode() +
            b"\r\nContent-Length: 0\r\n\r\n")
