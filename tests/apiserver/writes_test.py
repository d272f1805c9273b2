#!/usr/bin/env python3
"""Writes of many clients at once, as they are seen from outside.

    writes_test.py KUBE_APISERVER [unittest options]
"""
import os
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from surface import ServerCase, connect  # noqa: E402

ServerCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

MERGE = {"Content-Type": "application/merge-patch+json"}
CLIENTS, CREATES = 16, 10
CONTAINERS = {"containers": [{"name": "c", "image": "registry.example/app:1",
                              "ports": [{"containerPort": 80}],
                              "resources": {"limits": {"cpu": "0.5", "memory": "64Mi"}}}]}


class Writes(ServerCase):
    def setUp(self):
        self.connection = connect(self.server)
        self.addCleanup(self.connection.close)

    def call(self, method, path, body=None, headers=None, code=None):
        answer = self.ask(method, path, body, headers=headers, connection=self.connection)
        if code is not None:
            self.assertEqual(answer.code, code, f"{method} {path}: {answer.text[:1000]}")
        return answer.json

    def make_namespace(self, name):
        self.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}}, code=201)
        self.call("POST", f"/api/v1/namespaces/{name}/serviceaccounts",
                  {"metadata": {"name": "default"}}, code=201)

    def create_pods(self, pods, told):
        """What one of many clients does."""
        connection = connect(self.server)
        for _ in range(CREATES):
            answer = self.ask("POST", pods, {"metadata": {"generateName": "crowd-"},
                                             "spec": CONTAINERS}, connection=connection)
            told.append((answer.code, answer.json))
        connection.close()

    def test_pods_that_many_make_under_a_quota_are_there_by_their_names(self):
        self.make_namespace("crowd")
        self.call("POST", "/api/v1/namespaces/crowd/resourcequotas",
                  {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1000"}}}, code=201)
        # What the controller would do; before that nothing is charged.
        self.call("PATCH", "/api/v1/namespaces/crowd/resourcequotas/q/status",
                  {"status": {"hard": {"pods": "1000"}, "used": {"pods": "0"}}}, MERGE, code=200)
        pods, told = "/api/v1/namespaces/crowd/pods", []
        clients = [threading.Thread(target=self.create_pods, args=(pods, told))
                   for _ in range(CLIENTS)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertEqual([code for code, _ in told], [201] * CLIENTS * CREATES)
        names = {pod["metadata"]["name"]: pod["metadata"]["uid"] for _, pod in told}
        listed = {pod["metadata"]["name"]: pod["metadata"]["uid"]
                  for pod in self.call("GET", pods, code=200)["items"]}
        self.assertEqual(names, listed)
        quota = self.call("GET", "/api/v1/namespaces/crowd/resourcequotas/q", code=200)
        self.assertEqual(quota["status"]["used"], {"pods": str(CLIENTS * CREATES)})
        for name, uid in names.items():
            found = self.call("GET", f"{pods}/{name}", code=200)
            self.assertEqual(found["metadata"]["uid"], uid)
            self.call("DELETE", f"{pods}/{name}?gracePeriodSeconds=0", code=200)
        self.assertEqual(self.call("GET", pods, code=200)["items"], [])

    def test_services_that_many_make_at_once_are_there_by_their_names(self):
        self.make_namespace("doors")
        services, told = "/api/v1/namespaces/doors/services", []

        def create():
            connection = connect(self.server)
            for _ in range(4):
                answer = self.ask("POST", services, {
                    "metadata": {"generateName": "door-"},
                    "spec": {"type": "NodePort", "ports": [{"port": 80}]}}, connection=connection)
                told.append((answer.code, answer.json))
            connection.close()

        clients = [threading.Thread(target=create) for _ in range(8)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertEqual([code for code, _ in told], [201] * 32)
        for _, service in told:
            found = self.call("GET", f"{services}/{service['metadata']['name']}", code=200)
            self.assertEqual(found["metadata"]["uid"], service["metadata"]["uid"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
