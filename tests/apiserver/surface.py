"""Requests past all clients: what a server says, header by header."""
import http.client
import json
import ssl
import sys
import unittest
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))

from server import ADMIN, BOB, SANITIZED, ApiServer, Figures  # noqa: E402

__all__ = ["ADMIN", "BOB", "SANITIZED", "Answer", "Figures", "ServerCase", "ask", "connect"]
TIMEOUT = 60


class Answer:
    def __init__(self, response):
        self.code = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


def connect(server):
    return http.client.HTTPSConnection("127.0.0.1", server.port, timeout=TIMEOUT,
                                       context=ssl._create_unverified_context())


def ask(server, method, path, body=None, token=ADMIN, headers=None, connection=None):
    """One request over HTTP/1.1."""
    own = connection is None
    connection = connection or connect(server)
    given = dict(headers or {})
    if token:
        given.setdefault("Authorization", f"Bearer {token}")
    data = body
    if isinstance(body, (dict, list)):
        data = json.dumps(body)
        given.setdefault("Content-Type", "application/json")
    try:
        connection.request(method, path, data, given)
        return Answer(connection.getresponse())
    finally:
        if own:
            connection.close()


class ServerCase(unittest.TestCase):
    """A class of tests with a server of its own; BINARY and FLAGS are set by the class."""
    BINARY = ""
    FLAGS = ()
    server = None

    @classmethod
    def setUpClass(cls):
        cls.server = ApiServer(cls.BINARY, *cls.FLAGS)

    @classmethod
    def tearDownClass(cls):
        if cls.server:
            cls.server.close()

    def ask(self, method, path, body=None, token=ADMIN, headers=None, connection=None):
        return ask(self.server, method, path, body, token, headers, connection)

    def get(self, path, **given):
        return self.ask("GET", path, **given)

    def expect_status(self, answer, code, reason):
        self.assertEqual(answer.code, code, answer.body)
        self.assertEqual(answer.json["kind"], "Status")
        self.assertEqual(answer.json["reason"], reason)
        return answer.json

    def grant(self, user, rules):
        """A cluster role of these rules for the user."""
        name = urllib.parse.quote(f"{user}-{abs(hash(json.dumps(rules)))}")
        made = self.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                        {"metadata": {"name": name}, "rules": rules})
        self.assertEqual(made.code, 201, made.body)
        bound = self.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": name},
            "subjects": [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}]})
        self.assertEqual(bound.code, 201, bound.body)
