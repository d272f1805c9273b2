#!/usr/bin/env python3
"""The parts of the API server that are no resources, and those resources that are not stored.

    surface_test.py KUBE_APISERVER [unittest options]
"""
import contextlib
import gzip
import os
import shutil
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from protobuf import fields  # noqa: E402
from surface import BOB, SANITIZED, ServerCase, connect  # noqa: E402

ServerCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""


class Profile:
    """What pprof would read: functions and samples."""

    def __init__(self, compressed):
        message = list(fields(gzip.decompress(compressed)))
        self.strings = [value.decode() for number, value in message if number == 6]
        functions = [dict(fields(value)) for number, value in message if number == 5]
        self.functions = [self.strings[each[2]] for each in functions]
        self.sample_types = [self.strings[dict(fields(value))[1]]
                             for number, value in message if number == 1]
        self.samples = [dict(fields(value)) for number, value in message if number == 2]
        self.single = {number: value for number, value in message if isinstance(value, int)}


def names_our_functions(profile):
    return len(profile.samples) > 2 and any("skiff::" in name for name in profile.functions)


class EventLoops(ServerCase):
    def test_a_check_and_a_metric_tell_of_loops_that_do_not_turn(self):
        for endpoint in ("livez", "readyz", "healthz"):
            self.assertIn("event-loops", self.get(f"/{endpoint}?verbose").text)
        self.assertIn('skiff_event_loop_stuck_total{loop="http-0"}', self.get("/metrics").text)
        # There is another that can answer.
        self.assertIn('skiff_event_loop_stuck_total{loop="http-1"}', self.get("/metrics").text)

    def test_loops_that_call_other_servers_are_watched_too(self):
        hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
        services = "/apis/apiregistration.k8s.io/v1/apiservices"
        for path, body in (
                (hooks, {"metadata": {"name": "absent"}, "webhooks": [{
                    "name": "absent.example.com", "sideEffects": "None", "failurePolicy": "Ignore",
                    "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://[::1]:1/"},
                    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                               "resources": ["configmaps"]}]}]}),
                ("/api/v1/namespaces/default/services", {"metadata": {"name": "absent"}, "spec": {
                    "type": "ExternalName", "externalName": "localhost"}}),
                (services, {"metadata": {"name": "v1.absent.example.com"}, "spec": {
                    "group": "absent.example.com", "version": "v1", "groupPriorityMinimum": 1,
                    "versionPriority": 1, "insecureSkipTLSVerify": True,
                    "service": {"namespace": "default", "name": "absent", "port": 1}}})):
            made = self.ask("POST", path, body)
            self.assertEqual(made.code, 201, made.body)
            self.addCleanup(self.ask, "DELETE", f"{path}/{body['metadata']['name']}")
        for loop in ("webhooks", "aggregator"):
            counted = f'skiff_event_loop_stuck_total{{loop="{loop}"}} 0'
            deadline = time.monotonic() + 60
            while counted not in self.get("/metrics").text:
                self.assertLess(time.monotonic(), deadline, loop)
                self.ask("POST", "/api/v1/namespaces/default/configmaps?dryRun=All",
                         {"metadata": {"name": "m"}})
                time.sleep(0.05)


class Profiles(ServerCase):
    def test_the_cpu_profile_names_what_the_server_does(self):
        end = threading.Event()

        def work():
            with contextlib.closing(connect(self.server)) as connection:
                while not end.is_set():
                    self.get("/api/v1/pods", connection=connection)

        worker = threading.Thread(target=work)
        worker.start()
        # On a busy machine the server may get little time in one second.
        for seconds in (1, 2, 4, 8, 16):
            began = time.monotonic()
            answer = self.get(f"/debug/pprof/profile?seconds={seconds}")
            took = time.monotonic() - began
            if answer.code != 200 or names_our_functions(Profile(answer.body)):
                break
        end.set()
        worker.join()
        self.assertEqual(answer.code, 200, answer.body[:200])
        self.assertGreaterEqual(took, seconds)
        self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
        self.assertEqual(answer.headers["Content-Disposition"], 'attachment; filename="profile"')
        profile = Profile(answer.body)
        self.assertEqual(profile.strings[0], "")
        self.assertEqual(profile.sample_types, ["samples", "cpu"])
        self.assertTrue(names_our_functions(profile), profile.functions)
        self.assertEqual(profile.single[12], 10_000_000)

    def test_a_second_profile_at_a_time_is_refused(self):
        answers = []

        def ask_until_one_is_refused():
            while all(answer.code == 200 for answer in answers):
                answers.append(self.get("/debug/pprof/profile?seconds=1"))

        first = threading.Thread(target=ask_until_one_is_refused)
        first.start()
        ask_until_one_is_refused()
        first.join()
        refused = next(answer for answer in answers if answer.code != 200)
        self.assertEqual(refused.code, 500)
        self.assertIn("already in use", refused.text)
        self.assertEqual(self.get("/debug/pprof/profile?seconds=1").code, 200)

    def test_the_heap_profile_and_its_text(self):
        profile = Profile(self.get("/debug/pprof/heap").body)
        self.assertEqual(profile.sample_types, ["inuse_space"])
        # A sanitizer has an allocator of its own, which malloc's figures know nothing of.
        if not SANITIZED:
            self.assertIn("malloc", profile.functions)
        self.assertIn("anonymous memory", profile.functions)
        text = self.get("/debug/pprof/heap?debug=1&gc=1")
        self.assertEqual(text.headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertIn("<malloc version=", text.text)

    def test_index_command_line_symbols_and_what_there_is_not(self):
        self.assertIn('href="profile"', self.get("/debug/pprof/").text)
        moved = self.get("/debug/pprof")
        self.assertEqual((moved.code, moved.headers["Location"]), (302, "/debug/pprof/"))
        self.assertIn("--authorization-mode=RBAC",
                      self.get("/debug/pprof/cmdline").text.split("\0"))
        self.assertEqual(self.get("/debug/pprof/symbol").text, "num_symbols: 1\n")
        with open(f"/proc/{self.server.process.pid}/maps", encoding="ascii") as maps:
            start = next(line.split("-")[0] for line in maps
                         if "r-xp" in line and "skiff" in line)
        address = hex(int(start, 16) + 0x1000)
        symbols = self.ask("POST", "/debug/pprof/symbol", f"{address}+0x1").text
        self.assertTrue(symbols.startswith("num_symbols: 1\n" + address + " "), symbols)
        self.assertEqual(self.get("/debug/pprof/trace?seconds=1").code, 501)
        unknown = self.get("/debug/pprof/goroutine")
        self.assertEqual((unknown.code, unknown.text), (404, "Unknown profile\n"))
        self.assertEqual(unknown.headers["X-Go-Pprof"], "1")
        self.assertEqual(self.get("/debug/pprof/profile?seconds=99999").code, 400)

    def test_kubectl_gets_one(self):
        kubectl = shutil.which("kubectl")
        if kubectl is None:
            self.skipTest("there is no kubectl")
        made = subprocess.run(
            [kubectl, "--kubeconfig", self.server.kubeconfig, "get", "--raw",
             "/debug/pprof/profile?seconds=1"], capture_output=True, check=True, timeout=60)
        self.assertEqual(Profile(made.stdout).sample_types, ["samples", "cpu"])

    def test_only_who_may_gets_one(self):
        status = self.expect_status(self.get("/debug/pprof/heap", token=BOB), 403, "Forbidden")
        self.assertIn('User "bob" cannot get path "/debug/pprof/heap"', status["message"])
        self.grant("bob", [{"nonResourceURLs": ["/debug/pprof/*"], "verbs": ["get"]}])
        deadline = time.monotonic() + 60
        while self.get("/debug/pprof/heap", token=BOB).code != 200:
            self.assertLess(time.monotonic(), deadline, "bob may, and yet may not")
            time.sleep(0.05)

    def test_a_server_that_stops_sends_what_it_has(self):
        answers = []

        def ask_until_taken():
            while not answers or answers[-1].code == 500:
                answers.append(self.get("/debug/pprof/profile?seconds=600"))

        asking = threading.Thread(target=ask_until_taken)
        asking.start()
        while self.get("/debug/pprof/profile?seconds=1").code == 200:
            pass
        began = time.monotonic()
        self.server.stop()
        asking.join()
        self.assertLess(time.monotonic() - began, 120)
        self.assertEqual(Profile(answers[-1].body).sample_types, ["samples", "cpu"])
        self.server.start()


class WithoutProfiles(ServerCase):
    FLAGS = ("--profiling=false", "--contention-profiling")

    def test_there_are_none(self):
        for path in ("/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile?seconds=1"):
            answer = self.get(path)
            self.assertEqual((answer.code, answer.text), (404, "404 page not found\n"), path)

    def test_there_are_no_logs_either(self):
        self.assertEqual(self.get("/logs/").code, 404)
        self.assertNotIn("/logs", self.get("/").json["paths"])


class Logs(ServerCase):
    FLAGS = ("--enable-logs-handler",)

    def test_directories_are_links_and_files_are_bytes(self):
        self.assertIn("/logs", self.get("/").json["paths"])
        listing = self.get("/logs/")
        self.assertEqual((listing.code, listing.headers["Content-Type"]),
                         (200, "text/html; charset=utf-8"))
        self.assertTrue(listing.text.startswith("<pre>\n"))
        moved = self.get("/logs")
        self.assertEqual((moved.code, moved.headers["Location"]), (301, "logs/"))
        plain = [path for path in Path("/var/log").iterdir()
                 if path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)]
        for path in plain[:3]:
            before = path.read_bytes()
            answer = self.get(f"/logs/{path.name}")
            self.assertEqual(answer.code, 200)
            self.assertTrue(answer.body.startswith(before[:1000]))
            self.assertIn(f'">{path.name}</a>', listing.text)

    def test_nothing_outside_is_served(self):
        for path in ("/logs/../../etc/passwd", "/logs/%2e%2e/%2e%2e/etc/passwd",
                     "/logs/..%2f..%2fetc/passwd", "/logs//etc/passwd", "/logs/nothing-there",
                     "/logs/a%00b"):
            answer = self.get(path)
            self.assertIn(answer.code, (400, 404), path)
            self.assertNotIn(b"root:", answer.body)
        self.assertEqual(self.get("/logs/", token=BOB).code, 403)
        self.assertEqual(self.ask("DELETE", "/logs/x").code, 405)


class Honest(ServerCase):
    def test_readiness_tells_of_what_runs_and_of_nothing_else(self):
        told = self.get("/readyz?verbose").text
        for name in ("poststarthook/rbac/bootstrap-roles", "poststarthook/bootstrap-controller",
                     "poststarthook/start-apiextensions-controllers",
                     "poststarthook/crd-informer-synced", "poststarthook/storage-readiness",
                     "poststarthook/priority-and-fairness-config-consumer",
                     "poststarthook/start-service-ip-repair-controllers", "informer-sync",
                     "poststarthook/apiservice-status-remote-available-controller",
                     "poststarthook/apiservice-discovery-controller",
                     "poststarthook/apiservice-openapi-controller",
                     "poststarthook/apiservice-openapiv3-controller"):
            self.assertIn(f"[+]{name} ok\n", told)
        for name in ("audit", "peer-", "coordinated-leader-election"):
            self.assertNotIn(name, told)

    def test_a_watch_in_yaml_is_told_what_watches_are_in(self):
        answer = self.get("/api/v1/pods?watch=1", headers={"Accept": "application/yaml"})
        self.assertEqual(answer.code, 406)
        self.assertIn("application/json;stream=watch, application/vnd.kubernetes.protobuf;"
                      "stream=watch", " ".join(answer.text.split()))

    def test_policies_and_webhooks_of_the_store_hold_from_the_first_request(self):
        registration = "/apis/admissionregistration.k8s.io/v1/"
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
        for path, body in (
                ("validatingadmissionpolicies", {"metadata": {"name": "no-maps"}, "spec": {
                    "matchConstraints": {"resourceRules": [{**rule, "resources": ["configmaps"]}]},
                    "validations": [{"expression": "false", "message": "no maps here"}]}}),
                ("validatingadmissionpolicybindings", {"metadata": {"name": "no-maps"}, "spec": {
                    "policyName": "no-maps", "validationActions": ["Deny"]}}),
                ("validatingwebhookconfigurations", {"metadata": {"name": "absent"}, "webhooks": [{
                    "name": "absent.example.com", "sideEffects": "None", "failurePolicy": "Fail",
                    "admissionReviewVersions": ["v1"],
                    "rules": [{**rule, "resources": ["secrets"]}],
                    "clientConfig": {"url": "https://127.0.0.1:1/"}}]})):
            made = self.ask("POST", registration + path, body)
            self.assertEqual(made.code, 201, made.body)
            self.addCleanup(self.ask, "DELETE", f"{registration}{path}/{body['metadata']['name']}")
            self.assertIsNone(made.headers["Warning"])
        self.server.stop()
        self.server.start()
        refused = self.ask("POST", "/api/v1/namespaces/default/configmaps",
                           {"metadata": {"name": "m"}})
        self.assertEqual(refused.code, 422, refused.body)
        self.assertIn("no maps here", refused.json["message"])
        refused = self.ask("POST", "/api/v1/namespaces/default/secrets",
                           {"metadata": {"name": "s"}})
        self.assertEqual(refused.code, 500, refused.body)
        self.assertIn('failed calling webhook "absent.example.com"', refused.json["message"])


class Unstored(ServerCase):
    def test_component_statuses_are_asked_anew(self):
        answer = self.get("/api/v1/componentstatuses")
        self.assertEqual(answer.code, 200, answer.body)
        self.assertEqual(answer.headers["Warning"],
                         '299 - "v1 ComponentStatus is deprecated in v1.19+"')
        found = answer.json
        self.assertEqual((found["kind"], found["metadata"]), ("ComponentStatusList", {}))
        statuses = {each["metadata"]["name"]: each["conditions"] for each in found["items"]}
        self.assertEqual(sorted(statuses), ["controller-manager", "etcd-0", "scheduler"])
        self.assertEqual(statuses["etcd-0"],
                         [{"type": "Healthy", "status": "True", "message": "ok"}])
        one = self.get("/api/v1/componentstatuses/etcd-0").json
        self.assertEqual((one["kind"], one["metadata"]["name"]), ("ComponentStatus", "etcd-0"))
        self.assertNotIn("resourceVersion", one["metadata"])
        # Unless the machine runs them.
        if statuses["scheduler"][0]["status"] != "True":
            self.assertEqual(statuses["scheduler"][0], {
                "type": "Healthy", "status": "False",
                "message": 'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: '
                           "connect: connection refused"})

    def test_component_statuses_as_a_table_and_selected(self):
        table = self.get("/api/v1/componentstatuses", headers={
            "Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
        self.assertEqual([each["name"] for each in table["columnDefinitions"]],
                         ["Name", "Status", "Message", "Error"])
        self.assertIn(["etcd-0", "Healthy", "ok", ""], [each["cells"] for each in table["rows"]])
        chosen = self.get("/api/v1/componentstatuses?fieldSelector=metadata.name%3Detcd-0").json
        self.assertEqual([each["metadata"]["name"] for each in chosen["items"]], ["etcd-0"])
        none = self.get("/api/v1/componentstatuses?labelSelector=a%3Db").json
        self.assertEqual(none["items"], [])
        self.assertEqual(self.get("/api/v1/componentstatuses", headers={
            "Accept": "application/vnd.kubernetes.protobuf"}).body[:4], b"k8s\0")
        missing = self.expect_status(self.get("/api/v1/componentstatuses/x"), 404, "NotFound")
        self.assertEqual(missing["message"], 'componentstatus "x" not found')
        self.expect_status(self.ask("DELETE", "/api/v1/componentstatuses/etcd-0"), 405,
                           "MethodNotAllowed")

    def test_bindings_may_be_posted_to_their_collection(self):
        pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        account = {"metadata": {"name": "default"}}
        self.ask("POST", "/api/v1/namespaces/default/serviceaccounts", account)
        self.assertEqual(self.ask("POST", "/api/v1/namespaces/default/pods", pod).code, 201)
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "web"},
                   "target": {"apiVersion": "v1", "kind": "Node", "name": "node-1"}}
        path = "/api/v1/namespaces/default/bindings"
        bound = self.ask("POST", path, binding)
        self.assertEqual((bound.code, bound.json["status"]), (201, "Success"))
        self.assertEqual(self.get("/api/v1/namespaces/default/pods/web").json["spec"]["nodeName"],
                         "node-1")
        self.expect_status(self.ask("POST", path, binding), 409, "Conflict")
        binding["metadata"]["name"] = "nobody"
        self.expect_status(self.ask("POST", path, binding), 404, "NotFound")
        self.expect_status(self.get(path), 405, "MethodNotAllowed")


if __name__ == "__main__":
    unittest.main()
