#!/usr/bin/env python3
"""Quotas are charged for what is written, whoever changes it on the way and however often others
get ahead.

    quota_test.py KUBE_APISERVER [unittest options]
"""
import os
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from surface import ask  # noqa: E402
from webhook_server import answers, answers_late, patch  # noqa: E402
from webhooks_case import WebhookCase  # noqa: E402

WebhookCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

NAMESPACE = "/api/v1/namespaces/default"
PODS = {"resources": ["pods"], "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"]}
WRITERS = 24


def pod(name, cpu, hook):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": {"hook": hook}},
            "spec": {"automountServiceAccountToken": False, "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}


class ChargedPodsTest(WebhookCase):
    FLAGS = ("--disable-admission-plugins=ServiceAccount",)

    def setUp(self):
        """A quota that somebody has counted."""
        hard = {"requests.cpu": "100", "pods": "1000"}
        path = f"{NAMESPACE}/resourcequotas"
        made = self.ask("POST", path, {"apiVersion": "v1", "kind": "ResourceQuota",
                                       "metadata": {"name": "q"}, "spec": {"hard": hard}})
        self.assertEqual(made.code, 201, made.text)
        quota = made.json
        quota["status"] = {"hard": hard, "used": {"requests.cpu": "0", "pods": "0"}}
        told = self.ask("PUT", f"{path}/q/status", quota)
        self.assertEqual(told.code, 200, told.text)
        self.addCleanup(self.ask, "DELETE", f"{path}/q")

    def used(self):
        return self.get(f"{NAMESPACE}/resourcequotas/q").json["status"]["used"]

    def make(self, name, cpu, hook):
        return ask(self.server, "POST", f"{NAMESPACE}/pods", pod(name, cpu, hook))

    def test_what_a_webhook_adds_is_charged(self):
        self.configure("more", answers(**patch(
            {"op": "replace", "path": "/spec/containers/0/resources/requests/cpu", "value": "3"})),
            mutating=True, rules=[PODS])
        self.await_effect("more", lambda: self.ask(
            "POST", f"{NAMESPACE}/pods?dryRun=All", pod("probe", "1", "more")))
        self.assertEqual(self.used(), {"requests.cpu": "0", "pods": "0"})
        self.assertEqual(self.make("more", "1", "more").code, 201)
        self.assertEqual(self.used(), {"requests.cpu": "3", "pods": "1"})

    def test_many_at_once_are_charged_once_and_their_webhooks_asked_once(self):
        self.configure("slow", answers_late(0.1), mutating=True, rules=[PODS], timeoutSeconds=10)
        self.await_effect("slow", lambda: self.ask(
            "POST", f"{NAMESPACE}/pods?dryRun=All", pod("probe", "1", "slow")))
        before = self.webhooks.count("/slow")
        with ThreadPoolExecutor(WRITERS) as pool:
            codes = list(pool.map(lambda i: self.make(f"slow-{i}", "1", "slow").code,
                                  range(WRITERS)))
        self.assertEqual(codes, [201] * WRITERS)
        self.assertEqual(self.used(), {"requests.cpu": str(WRITERS), "pods": str(WRITERS)})
        self.assertEqual(self.webhooks.count("/slow") - before, WRITERS)


if __name__ == "__main__":
    unittest.main()
