#!/usr/bin/env python3
"""kube-controller-manager over HTTPS against kube-apiserver: rights, restarts, election, serving.

    manager_test.py KUBE_APISERVER KUBE_CONTROLLER_MANAGER [unittest options]
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from manager import ADMIN, Cluster, Manager, until  # noqa: E402

API_SERVER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
Manager.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""


def write_kubeconfig(path, server, ca=None):
    cluster = {"server": server}
    if ca:
        cluster["certificate-authority-data"] = base64.b64encode(ca).decode()
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{"name": "it", "cluster": cluster}],
        "users": [{"name": "it", "user": {"token": "it"}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}))


class ClusterCase(unittest.TestCase):
    """Each class has an API server, each test managers of its own."""
    API_FLAGS = ()

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.cluster = Cluster(API_SERVER, cls.temporary.name, *cls.API_FLAGS)
        cls.addClassCleanup(cls.cluster.close)

    def start(self, *flags):
        manager = Manager(self.cluster, *flags)
        self.addCleanup(manager.close)
        return manager

    def start_leading(self, *flags):
        manager = self.start(*flags)
        self.assertTrue(until(manager.leads), manager.log())
        return manager

    def expect_deleted(self, name, manager):
        """Only control loops bring the deletion of a namespace to its end."""
        self.cluster.make_namespace(name)
        self.cluster.delete_namespace(name)
        gone = until(lambda: not self.cluster.has(f"/api/v1/namespaces/{name}"))
        self.assertTrue(gone, manager.log())


class OlderServer(ClusterCase):
    """As behind a proxy that knows nothing newer."""
    API_FLAGS = ("--disable-http2-serving",)

    def test_http1_is_enough_for_calls_and_watches(self):
        manager = self.start_leading()
        self.expect_deleted("one", manager)
        self.assertEqual(manager.stop(), 0, manager.log())


class Rights(ClusterCase):
    def test_with_the_rights_of_an_administrator(self):
        admin = self.cluster.user("manager", "system:masters")
        manager = self.start_leading(f"--kubeconfig={admin}",
                                     "--use-service-account-credentials=false")
        self.expect_deleted("one", manager)
        self.assertTrue(until(lambda: self.cluster.has(
            "/api/v1/namespaces/default/serviceaccounts/default")), manager.log())
        self.assertTrue(until(lambda: self.cluster.has(
            "/api/v1/namespaces/default/configmaps/kube-root-ca.crt")), manager.log())
        self.assertNotIn("forbidden", manager.log())
        self.assertEqual(manager.stop(), 0, manager.log())

    def test_each_loop_with_a_service_account_of_its_own(self):
        manager = self.start_leading()
        self.expect_deleted("two", manager)
        for name in ("namespace-controller", "generic-garbage-collector"):
            path = f"/api/v1/namespaces/kube-system/serviceaccounts/{name}"
            self.assertTrue(until(lambda path=path: self.cluster.has(path)), manager.log())
        self.assertNotIn("forbidden", manager.log())
        self.assertEqual(manager.stop(), 0, manager.log())

    def test_objects_of_an_owner_that_is_gone_go(self):
        for content_type in ("application/vnd.kubernetes.protobuf", "application/json"):
            with self.subTest(content_type):
                self.expect_collected(f"--kube-api-content-type={content_type}")

    def expect_collected(self, *flags):
        manager = self.start_leading(*flags)
        maps = "/api/v1/namespaces/default/configmaps"
        owner = self.cluster.ask("POST", maps, {"metadata": {"name": "owner"}})
        self.cluster.ask("POST", maps, {"metadata": {"name": "owned", "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
             "uid": owner["metadata"]["uid"]}]}})
        self.cluster.ask("DELETE", maps + "/owner")
        self.assertTrue(until(lambda: not self.cluster.has(maps + "/owned")), manager.log())
        self.assertEqual(manager.stop(), 0, manager.log())


class Restarts(ClusterCase):
    def test_loops_go_on_after_the_api_server_was_away(self):
        manager = self.start_leading()
        self.expect_deleted("before", manager)
        for name in ("first", "second"):
            self.cluster.server.kill()
            self.cluster.server.start()
            self.expect_deleted(name, manager)
        self.assertEqual(manager.stop(), 0, manager.log())

    def test_who_cannot_renew_the_lease_ends(self):
        manager = self.start_leading("--leader-elect-lease-duration=50s",
                                     "--leader-elect-renew-deadline=12s")
        self.cluster.server.kill()
        try:
            self.assertEqual(manager.process.wait(60), 1, manager.log())
            self.assertIn("leaderelection lost", manager.log())
        finally:
            self.cluster.server.start()


class Elections(ClusterCase):
    def test_another_takes_over_from_one_that_was_killed(self):
        first = self.start_leading("--leader-elect-lease-duration=20s",
                                   "--leader-elect-renew-deadline=19s")
        second = self.start()
        self.assertTrue(until(lambda: second.get("/healthz")), second.log())
        holder = self.cluster.lease()["holderIdentity"]
        self.assertFalse(second.leads())
        first.kill()
        self.assertTrue(until(second.leads), second.log())
        lease = self.cluster.lease()
        self.assertNotEqual(lease["holderIdentity"], holder)
        self.assertEqual(lease["leaseDurationSeconds"], 50)
        self.assertGreaterEqual(lease["leaseTransitions"], 1)
        self.expect_deleted("after", second)

    def test_one_that_stops_gives_the_lease_up(self):
        first = self.start_leading()
        self.assertEqual(first.stop(), 0, first.log())
        self.assertEqual(self.cluster.lease()["holderIdentity"], "")
        second = self.start_leading("--leader-elect-lease-duration=600s",
                                    "--leader-elect-renew-deadline=500s")
        self.assertEqual(second.stop(), 0, second.log())

    def test_without_an_election_it_acts_at_once(self):
        self.start_leading("--leader-elect=false")


class Serving(ClusterCase):
    def setUp(self):
        self.manager = self.start_leading()

    def test_everybody_may_ask_how_it_is(self):
        for path in ("/healthz", "/livez", "/readyz"):
            self.assertEqual(self.manager.get(path), (200, "ok"))

    def test_checks_are_told_one_by_one(self):
        code, text = self.manager.get("/healthz?verbose", token=ADMIN)
        self.assertEqual(code, 200)
        self.assertIn("[+]leaderElection ok\n", text)
        self.assertIn("[+]namespace-controller ok\n", text)
        self.assertTrue(text.endswith("healthz check passed\n"))
        self.assertEqual(self.manager.get("/healthz/leaderElection", token=ADMIN), (200, "ok"))
        self.assertEqual(self.manager.get("/healthz/none", token=ADMIN)[0], 404)

    def test_the_rest_is_for_those_who_may(self):
        code, text = self.manager.get("/metrics")
        self.assertEqual(code, 403)
        self.assertIn('User \\"system:anonymous\\" cannot get path \\"/metrics\\"', text)
        self.assertEqual(self.manager.get("/metrics", token="nobody's")[0], 401)
        self.assertEqual(self.manager.get("/healthz", token="nobody's")[0], 401)
        self.assertEqual(self.manager.get("/metrics", token=ADMIN)[0], 200)

    def test_a_right_that_is_given_counts(self):
        self.assertEqual(self.manager.get("/metrics", token="bobtoken")[0], 403)
        rbac = "/apis/rbac.authorization.k8s.io/v1/"
        self.cluster.ask("POST", rbac + "clusterrolebindings", {
            "metadata": {"name": "bob"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "system:monitoring"},
            "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io",
                          "name": "bob"}]})
        self.assertTrue(until(
            lambda: self.manager.get("/metrics", token="bobtoken")[0] == 200))

    def test_certificates_of_the_cluster_count(self):
        admin = self.cluster.certificate("root", "system:masters")
        self.assertEqual(self.manager.get("/metrics", certificate=admin)[0], 200)
        carl = self.cluster.certificate("carl")
        code, text = self.manager.get("/metrics", certificate=carl)
        self.assertEqual(code, 403)
        self.assertIn("carl", text)

    def test_metrics_and_profiles(self):
        for name in ("process_cpu_seconds_total", "running_managed_controllers",
                     'leader_election_master_status{name="kube-controller-manager"} 1',
                     'workqueue_adds_total{name="',
                     "rest_client_requests_total{",
                     "garbagecollector_controller_resources_sync_error_total 0",
                     'root_ca_cert_publisher_sync_total{code="200"}'):
            # Some are there only once a loop has done something.
            self.assertTrue(until(lambda name=name: name in self.manager.get(
                "/metrics", token=ADMIN)[1]), f"no {name}: {self.manager.log()}")
        self.manager.get("/healthz", token=ADMIN)
        _, text = self.manager.get("/metrics/slis", token=ADMIN)
        self.assertIn('kubernetes_healthcheck{name="leaderElection",type="healthz"} 1', text)
        self.assertIn('kubernetes_healthchecks_total{name="leaderElection",status="success",'
                      'type="healthz"}', text)
        self.assertIn("kube-controller-manager statusz",
                      self.manager.get("/statusz", token=ADMIN)[1])
        self.assertIn("leader-elect-lease-duration=50s",
                      self.manager.get("/flagz", token=ADMIN)[1])
        self.assertEqual(self.manager.get("/debug/pprof/", token=ADMIN)[0], 200)
        self.assertEqual(self.manager.get("/nothing", token=ADMIN)[0], 404)
        config = self.manager.configuration()["kubecontrollermanager.config.k8s.io"]
        self.assertEqual(config["Generic"]["LeaderElection"]["leaseDuration"], "50s")

    def test_the_election_is_told_of_in_an_event(self):
        events = until(lambda: [
            each for each in self.cluster.ask(
                "GET", "/api/v1/namespaces/kube-system/events")["items"]
            # Those before it have also told that they stopped.
            if each["reason"] == "LeaderElection" and each["message"].endswith(" became leader")])
        self.assertTrue(events, self.manager.log())
        self.assertEqual(events[0]["involvedObject"]["kind"], "Lease")
        self.assertTrue(events[0]["involvedObject"]["uid"])


class CommandLine(unittest.TestCase):
    def run_with(self, *flags):
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("KUBERNETES_")}
        return subprocess.run([Manager.BINARY, *flags], capture_output=True, text=True, timeout=60,
                              env=environment, check=False)

    def expect_refused(self, flags, code, *texts):
        done = self.run_with(*flags)
        self.assertEqual(done.returncode, code, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_what_it_cannot_take_is_explained(self):
        self.expect_refused(["--kube-confg=x"], 2, "--kube-confg", "--kubeconfig")
        self.expect_refused(["--controllers=*,-namespce"], 2, "namespce", "namespace")
        self.expect_refused(["--leader-elect-renew-deadline=20s"], 2,
                            "--leader-elect-lease-duration")
        self.expect_refused(["--feature-gates=NoSuchThing=true"], 2, "NoSuchThing")
        self.expect_refused(["--leader-elect-resource-lock=endpoints"], 2, "leases")
        self.expect_refused(["--enable-leader-migration"], 2, "cannot be used")

    def test_without_a_server_to_speak_to_it_does_not_start(self):
        self.expect_refused(["--secure-port=0"], 1, "--kubeconfig")
        self.expect_refused(["--secure-port=0", "--kubeconfig=/nothing"], 1, "/nothing")

    def test_files_that_cannot_be_used_are_told_with_their_flags(self):
        with tempfile.TemporaryDirectory() as folder:
            strange = Path(folder, "strange")
            strange.write_text("hello")
            config = Path(folder, "config")
            write_kubeconfig(config, "https://127.0.0.1:1", ca=b"hello")
            self.expect_refused(["--secure-port=0", f"--kubeconfig={config}"], 1,
                                "--kubeconfig: ", "the certificate of the CA cannot be read")
            write_kubeconfig(config, "https://127.0.0.1:1")
            self.expect_refused(
                ["--secure-port=0", f"--kubeconfig={config}",
                 f"--service-account-private-key-file={strange}"], 1,
                "--service-account-private-key-file: ", str(strange))

    def test_says_why_it_does_not_lead_while_the_server_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "config")
            write_kubeconfig(config, "https://127.0.0.1:1")
            process = subprocess.Popen(
                [Manager.BINARY, "--secure-port=0", f"--kubeconfig={config}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            try:
                said = ""
                while '"Error retrieving lease lock"' not in said:
                    line = process.stderr.readline()
                    self.assertTrue(line, said)
                    said += line
                self.assertIn("127.0.0.1:1", line)
            finally:
                process.terminate()
                process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)

    def test_flags_of_loops_that_are_not_there_are_taken(self):
        done = self.run_with("--concurrent-deployment-syncs=9", "--version")
        self.assertEqual((done.returncode, done.stdout), (0, "Kubernetes v1.36.4\n"))

    def test_help_has_every_section(self):
        done = self.run_with("--help")
        self.assertEqual(done.returncode, 0)
        for text in ("Generic flags:", "Secure serving flags:", "--use-service-account-credentials",
                     "Loops that run:", "Exit codes:"):
            self.assertIn(text, done.stdout)
        run, missing = done.stdout.split("Loops that are not there yet:")
        self.assertIn("namespace-controller", run)
        self.assertIn("deployment-controller", missing.split("Generic flags:")[0])


if __name__ == "__main__":
    unittest.main()
