"""Two API servers on one etcd: what is written through one counts at once at the other.

    shared_etcd_test.py KUBE_APISERVER

Each serves from a watch cache that is behind the other's writes for a moment, so that everything
here asks one server right after it has told the other.
"""
import shutil
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from on_etcd import Etcd, EtcdApiServer
from surface import ask

ROUNDS = 40
THREADS = 16


class SharedEtcdTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("etcd") is None:
            raise unittest.SkipTest("etcd is not installed")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.etcd = Etcd(Path(folder.name))
        cls.addClassCleanup(cls.etcd.stop)
        cls.servers = []
        for _ in range(2):
            server = EtcdApiServer(cls.binary, cls.etcd)
            cls.addClassCleanup(server.stop)
            cls.servers.append(server)

    def tell(self, server, method, path, body, code):
        answer = ask(server, method, path, body)
        self.assertEqual(answer.code, code, f"{method} {path}: {answer.text}")
        return answer.json

    def test_a_namespace_of_one_server_takes_objects_at_the_other(self):
        def make(i):
            here, there = self.servers if i % 2 == 0 else reversed(self.servers)
            name = f"shared-{i}"
            self.tell(here, "POST", "/api/v1/namespaces", {"metadata": {"name": name}}, 201)
            self.tell(there, "POST", f"/api/v1/namespaces/{name}/configmaps",
                      {"metadata": {"name": "c"}}, 201)

        # Many at a time, so that the caches fall behind.
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(make, range(THREADS * ROUNDS)):
                pass

    def test_an_object_in_a_new_namespace_is_updated_at_the_other_server(self):
        here, there = self.servers
        for i in range(ROUNDS):
            name = f"updated-{i}"
            self.tell(here, "POST", "/api/v1/namespaces", {"metadata": {"name": name}}, 201)
            path = f"/api/v1/namespaces/{name}/configmaps"
            made = self.tell(here, "POST", path, {"metadata": {"name": "c"}}, 201)
            made["data"] = {"round": str(i)}
            self.tell(there, "PUT", path + "/c", made, 200)
            here, there = there, here

    def test_a_pod_finds_the_service_account_and_priority_class_that_were_just_made(self):
        here, there = self.servers
        for i in range(ROUNDS):
            name = f"pods-{i}"
            self.tell(here, "POST", "/api/v1/namespaces", {"metadata": {"name": name}}, 201)
            self.tell(here, "POST", f"/api/v1/namespaces/{name}/serviceaccounts",
                      {"metadata": {"name": "runner"}}, 201)
            self.tell(here, "POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
                      {"metadata": {"name": name}, "value": i}, 201)
            pod = self.tell(there, "POST", f"/api/v1/namespaces/{name}/pods", {
                "metadata": {"name": "p"},
                "spec": {"serviceAccountName": "runner", "priorityClassName": name,
                         "containers": [{"name": "c", "image": "example.com/app:1"}]}}, 201)
            self.assertEqual(pod["spec"]["priority"], i)
            here, there = there, here

    def test_nothing_new_comes_into_a_namespace_that_was_just_deleted(self):
        def make(i):
            name, server = f"going-{i}", self.servers[i % 2]
            self.tell(server, "POST", "/api/v1/namespaces", {"metadata": {"name": name}}, 201)
            self.tell(server, "DELETE", f"/api/v1/namespaces/{name}", None, 200)
            self.tell(server, "POST", f"/api/v1/namespaces/{name}/configmaps",
                      {"metadata": {"name": "c"}}, 403)

        with ThreadPoolExecutor(THREADS) as pool:
            for _ in pool.map(make, range(THREADS * ROUNDS)):
                pass

    def test_of_writers_at_both_servers_one_wins(self):
        path = "/api/v1/namespaces/default/configmaps"
        made = self.tell(self.servers[0], "POST", path, {"metadata": {"name": "counter"}}, 201)
        for i in range(ROUNDS):
            changed = {**made, "data": {"round": str(i)}}
            newer = self.tell(self.servers[i % 2], "PUT", path + "/counter", changed, 200)
            self.tell(self.servers[(i + 1) % 2], "PUT", path + "/counter",
                      {**made, "data": {"late": str(i)}}, 409)
            made = newer

    def test_what_is_deleted_at_one_server_is_gone_at_the_other(self):
        here, there = self.servers
        path = "/api/v1/namespaces/default/configmaps"
        for i in range(ROUNDS):
            self.tell(here, "POST", path, {"metadata": {"name": f"gone-{i}"}}, 201)
            self.tell(there, "DELETE", f"{path}/gone-{i}", None, 200)
            self.tell(here, "GET", f"{path}/gone-{i}", None, 404)
            here, there = there, here


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    SharedEtcdTest.binary = sys.argv.pop(1)
    unittest.main()
