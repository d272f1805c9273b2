#!/usr/bin/env python3
"""Admission webhooks that misbehave: every way in which one can fail has a clear end, costs its
time-out and nobody else anything.

    webhooks_test.py KUBE_APISERVER [unittest options]
"""
import base64
import os
import re
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from surface import SANITIZED, Figures, ask, connect  # noqa: E402
from webhook_server import (answers, answers_late, certificate, drips, ends_at_once,  # noqa: E402
                            floods, hangs, hangs_until, patch, reply, review, says,
                            sends_half)
from webhooks_case import APPLIED_SECONDS, CONFIG_MAPS, WebhookCase  # noqa: E402

WebhookCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

DEAD_WEBHOOKS, WRITERS, READS = 20, 1000, 20
# What the server may hold more than before while it waits for 64 calls of each.
ROOM_MB = 200


class BadAnswersTest(WebhookCase):
    def test_every_failure_is_told_in_the_words_of_kubernetes(self):
        failed = r'^Internal error occurred: failed calling webhook "bad\.example\.com": '
        posted = r'failed to call webhook: Post "https://127\.0\.0\.1:\d+/bad\?timeout=2s": '
        invalid = "received invalid webhook response: "
        cases = [
            ("hangs", hangs, posted + "context deadline exceeded"),
            ("drips", drips, posted + "context deadline exceeded"),
            ("ends", ends_at_once, posted + "EOF"),
            ("half", sends_half, posted + "(EOF|.*)"),
            ("not JSON", says(b"<html>"), "failed to call webhook: couldn't get version/kind; "
                                          "json parse error: "),
            ("empty", says(b""), "failed to call webhook: 0-length response with status code: 200"),
            ("no kind", says({}), "failed to call webhook: Object 'Kind' is missing in '{}'"),
            ("other kind", says({"apiVersion": "v1", "kind": "Pod"}),
             'failed to call webhook: no kind "Pod" is registered for version "v1"'),
            ("no response", says({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}),
             invalid + "webhook response was absent"),
            ("wrong uid", answers(uid="other"),
             invalid + 'expected response.uid="[0-9a-f-]{36}", got "other"'),
            ("a patch", answers(**patch({"op": "add", "path": "/data/x", "value": "y"})),
             invalid + r"validating webhook may not return response\.patch"),
            ("redirect", says(b"", code=302, headers=[("Location", self.webhooks.url + "/other")]),
             "failed to call webhook: the server responded with the status code 302 but did not "
             "return more information"),
            ("permanent redirect",
             says(b"", code=307, headers=[("Location", self.webhooks.url + "/other")]),
             "failed to call webhook: the server responded with the status code 307"),
            ("404", says(b"gone", code=404, content_type="text/plain"),
             "failed to call webhook: the server could not find the requested resource"),
            ("500", says(b"oops", code=500, content_type="text/plain"),
             'failed to call webhook: an error on the server \\("oops"\\) has prevented the '
             "request from succeeding"),
            ("503", says(b"", code=503), "failed to call webhook: the server is currently unable "
                                         "to handle the request"),
            ("status", says({"apiVersion": "v1", "kind": "Status", "status": "Failure",
                             "message": "broken today", "code": 500}, code=500),
             "failed to call webhook: broken today"),
            ("100 MB", floods(100 << 20), posted + "its answer is too large"),
        ]
        self.webhooks.scripts["/other"] = answers()
        self.configure("bad", answers())
        self.await_effect("bad")
        for what, script, pattern in cases:
            with self.subTest(what):
                self.webhooks.scripts["/bad"] = script
                began = time.monotonic()
                answer = self.create("c", "bad")
                self.assert_message(answer, 500, failed + pattern)
                self.assertEqual(answer.json["reason"], "InternalError")
                self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(self.webhooks.count("/other"), 0, "a redirect was followed")
        # It is well again, and nothing of the above is in its way.
        self.webhooks.scripts["/bad"] = answers()
        self.assertEqual(self.create("c", "bad").code, 201)

    def test_failures_are_ignored_by_who_wants_that_and_refusals_never(self):
        self.configure("lax", answers(), failurePolicy="Ignore")
        self.await_effect("lax")
        for what, script in [("hangs", hangs), ("garbage", says(b"{{")),
                             ("error", says(b"", code=500)), ("flood", floods(100 << 20))]:
            with self.subTest(what):
                self.webhooks.scripts["/lax"] = script
                self.assertEqual(self.create("x-" + what, "lax").code, 201)
        self.webhooks.scripts["/lax"] = answers(
            allowed=False, status={"message": "no", "code": 418, "reason": "Teapot"})
        refused = self.create("refused", "lax")
        self.assert_message(refused, 418,
                            '^admission webhook "lax.example.com" denied the request: no$')
        self.assertEqual(refused.json["reason"], "Teapot")

    def test_patches_that_break_the_object_are_faults(self):
        self.configure("patch", answers(), mutating=True)
        self.await_effect("patch")
        cases = [
            ([{"op": "remove", "path": "/spec/none"}], 500, "Internal error occurred: "),
            ([{"op": "replace", "path": "/kind", "value": "Secret"}], 500,
             "Internal error occurred: "),
            ([{"op": "add", "path": "/data", "value": "text"}], 500, "Internal error occurred: "),
            ([{"op": "add", "path": "/data/bad key", "value": "x"}], 422,
             'ConfigMap "p" is invalid'),
            ([{"op": "add", "path": "/metadata/namespace", "value": "kube-system"}], 400,
             "the namespace of the provided object does not match the namespace sent"),
        ]
        for operations, code, pattern in cases:
            with self.subTest(operations):
                self.webhooks.scripts["/patch"] = answers(**patch(*operations))
                self.assert_message(self.create("p", "patch", data={"a": "b"}), code, pattern)
        for what, response, pattern in [
                ("no type", {"patch": "W10="}, "response.patch but not response.patchType"),
                ("no patch", {"patchType": "JSONPatch"}, "response.patchType but not"),
                ("other type", {"patchType": "Merge", "patch": "W10="},
                 'unsupported patch type "M'),
                ("no JSON", {"patchType": "JSONPatch", "patch": "eHg="},
                 "received undecodable patch in webhook response")]:
            with self.subTest(what):
                self.webhooks.scripts["/patch"] = answers(**response)
                self.assert_message(self.create("p", "patch"), 500, re.escape(pattern)[:30])
        # What only the server sets stays what it is.
        self.webhooks.scripts["/patch"] = answers(**patch(
            {"op": "add", "path": "/metadata/uid", "value": "mine"},
            {"op": "add", "path": "/data", "value": {"by": "webhook"}}))
        made = self.create("p", "patch")
        self.assertEqual(made.code, 201, made.text)
        self.assertNotEqual(made.json["metadata"]["uid"], "mine")
        self.assertEqual(made.json["data"], {"by": "webhook"})

    def test_certificates_must_fit(self):
        other, _ = certificate(Path(self.folder.name), "other", "IP:127.0.0.1")
        wrong = base64.b64encode(other.read_bytes()).decode()
        cases = [
            ("untrusted", {"url": f"{self.webhooks.url}/tls", "caBundle": wrong},
             "tls: failed to verify certificate: x509: certificate signed by unknown authority"),
            ("unreachable", {"url": "https://127.0.0.1:1/tls"},
             r"dial tcp 127\.0\.0\.1:1: connect: connection refused"),
            ("no-name", {"url": "https://no-such-host.invalid/tls"},
             "dial tcp: lookup no-such-host.invalid: no such host"),
            ("no-service", {"service": {"namespace": "default", "name": "none", "path": "/tls"}},
             r'Post "https://none\.default\.svc:443/tls\?timeout=2s": service "none" not found'),
            ("no-ca", {"url": f"{self.webhooks.url}/tls", "caBundle": "eHg="},
             "could not get REST client: unable to load root certificates"),
        ]
        for name, config, pattern in cases:
            with self.subTest(name):
                self.configure(name, clientConfig=config)
                deadline = time.monotonic() + APPLIED_SECONDS
                while (answer := self.create("c", name, dry_run=True)).code == 201:
                    self.assertLess(time.monotonic(), deadline)
                self.assert_message(answer, 500, pattern)

    def test_a_dry_run_asks_only_who_has_no_side_effects(self):
        # Validation takes no others today; what was stored before may have them.
        self.configure("dry", answers(), sideEffects="NoneOnDryRun")
        self.await_effect("dry")
        self.assertEqual(self.create("c", "dry", dry_run=True).code, 201)

    def test_warnings_reach_the_client_once(self):
        self.configure("warn", answers(warnings=["mind the gap", "mind the gap"]))
        self.await_effect("warn")
        answer = self.create("w", "warn", dry_run=True)
        self.assertEqual(answer.headers.get_all("Warning"), ['299 - "mind the gap"'])

    def test_service_references_go_to_the_cluster_ip(self):
        # Nothing forwards cluster IPs here, but an ExternalName is a service, too.
        made = ask(self.server, "POST", "/api/v1/namespaces/default/services",
                   {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "outside"},
                    "spec": {"type": "ExternalName", "externalName": "localhost"}})
        self.assertEqual(made.code, 201, made.text)
        self.configure("service", answers(), clientConfig={
            "service": {"namespace": "default", "name": "outside", "port": self.webhooks.port,
                        "path": "/service"}, "caBundle": self.webhooks.ca_bundle})
        deadline = time.monotonic() + APPLIED_SECONDS
        while (answer := self.create("c", "service", dry_run=True)).code == 201:
            self.assertLess(time.monotonic(), deadline)
        # It was reached, and must be called outside.default.svc.
        self.assert_message(answer, 500, "tls: failed to verify certificate: x509: certificate is "
                                         "not valid for the name that was asked for")


class SlowWebhooksTest(WebhookCase):
    def threads(self):
        return len(os.listdir(f"/proc/{self.server.process.pid}/task"))

    def configure_dead(self, seconds):
        names = [f"dead{number}" for number in range(DEAD_WEBHOOKS)]
        for name in names:
            self.configure(name, answers(), label="dead", timeoutSeconds=seconds,
                           failurePolicy="Ignore")
        self.await_calls(names)
        return names

    def await_calls(self, names):
        """Creates until each has been called."""
        deadline = time.monotonic() + APPLIED_SECONDS
        while not all(self.webhooks.count(f"/{name}?") for name in names):
            self.assertLess(time.monotonic(), deadline)
            self.create("probe", "dead", dry_run=True)

    def test_dead_webhooks_hold_no_thread_and_nobody_up(self):
        names = self.configure_dead(seconds=30)
        dead = threading.Event()
        for name in names:
            self.webhooks.scripts["/" + name] = hangs_until(dead)
        threads, memory = self.threads(), Figures(self.server).resident_mb
        called, ended = len(self.webhooks.asked), []

        def write(number):
            code = self.create(f"dead-{number}", "dead").code
            ended.append(number)
            return code

        with ThreadPoolExecutor(WRITERS) as pool:
            writes = [pool.submit(write, number) for number in range(WRITERS)]
            while len(self.webhooks.asked) - called < DEAD_WEBHOOKS:
                time.sleep(0.01)
            # As long as no write has ended, all of them wait for the dead.
            connection, reads = connect(self.server), 0
            while not ended and reads < READS:
                self.assertEqual(ask(self.server, "GET", CONFIG_MAPS + "?limit=1",
                                     connection=connection).code, 200)
                reads += not ended
            most, more_mb = self.threads(), Figures(self.server).resident_mb - memory
            dead.set()
            codes = {each.result() for each in writes}
        print(f"{reads} reads while {WRITERS} writes waited for {DEAD_WEBHOOKS} dead webhooks, "
              f"with {most - threads} threads and {more_mb:.0f} MB more")
        self.assertEqual(codes, {201})
        self.assertEqual(reads, READS)
        self.assertLessEqual(most, threads)
        if not SANITIZED:
            self.assertLess(more_mb, ROOM_MB)

    def test_a_write_past_many_dead_webhooks_takes_one_time_out_and_not_one_for_each(self):
        for name in self.configure_dead(seconds=5):
            self.webhooks.scripts["/" + name] = hangs
        began = time.monotonic()
        self.assertEqual(self.create("one-time-out", "dead").code, 201)
        # One after the other they take a hundred seconds.
        self.assertLess(time.monotonic() - began, 50)

    def test_the_time_of_the_request_bounds_that_of_its_webhooks(self):
        self.configure("slow", hangs, timeoutSeconds=30)
        self.await_effect_of_time("slow")

    def await_effect_of_time(self, label):
        deadline = time.monotonic() + APPLIED_SECONDS
        body = {"apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "t", "labels": {"hook": label}}}
        while True:
            began = time.monotonic()
            answer = ask(self.server, "POST", CONFIG_MAPS + "?dryRun=All&timeout=2s", body)
            if answer.code != 201:
                break
            self.assertLess(time.monotonic(), deadline)
        self.assertIn(answer.code, (500, 504), answer.text)
        self.assertLess(time.monotonic() - began, 10)

    def test_connections_are_used_again(self):
        self.configure("again", answers())
        self.await_effect("again")
        before = self.webhooks.connections
        for number in range(50):
            self.assertEqual(self.create(f"again-{number}", "again").code, 201)
        self.assertLessEqual(self.webhooks.connections - before, 1)

    def test_validating_webhooks_are_asked_at_the_same_time(self):
        for number in range(5):
            self.configure(f"late{number}", answers_late(0.5), label="late", timeoutSeconds=10)
        deadline = time.monotonic() + APPLIED_SECONDS
        while not self.webhooks.count("/late4"):
            self.assertLess(time.monotonic(), deadline)
            self.create("probe", "late", dry_run=True)
        began = time.monotonic()
        self.assertEqual(self.create("late", "late").code, 201)
        self.assertLess(time.monotonic() - began, 1.5)

    def test_nothing_is_lost_when_a_webhook_answers_after_all(self):
        self.configure("racing", answers_late(0.05), mutating=True, timeoutSeconds=10)
        self.await_effect("racing")

        def answer(server, connection, asked):
            data = asked["request"]["object"].get("data") or {}
            reply(connection, review(asked, **patch(
                {"op": "add", "path": "/data", "value": {**data, "seen": "yes"}})))
        self.webhooks.scripts["/racing"] = answer
        names = [f"racing-{number}" for number in range(200)]
        with ThreadPoolExecutor(32) as pool:
            made = list(pool.map(lambda name: self.create(name, "racing", data={"n": name}), names))
        self.assertEqual({each.code for each in made}, {201})
        listed = ask(self.server, "GET", CONFIG_MAPS + "?labelSelector=hook%3Dracing").json
        self.assertEqual({each["metadata"]["name"]: each["data"] for each in listed["items"]},
                         {name: {"n": name, "seen": "yes"} for name in names})

    def test_a_server_that_ends_answers_who_waits(self):
        self.configure("ending", hangs, timeoutSeconds=30)
        deadline = time.monotonic() + APPLIED_SECONDS
        waiting = []

        def write():
            waiting.append(self.create("ending", "ending"))
        thread = threading.Thread(target=write)
        thread.start()
        while not self.webhooks.count("/ending"):
            self.assertLess(time.monotonic(), deadline)
            if waiting:
                waiting.clear()
                thread = threading.Thread(target=write)
                thread.start()
            time.sleep(0.05)
        self.server.stop()
        thread.join(30)
        self.assertFalse(thread.is_alive())
        self.server.start()


if __name__ == "__main__":
    unittest.main()
