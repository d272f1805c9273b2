"""What tests of admission webhooks have in common."""
import tempfile
import time
from pathlib import Path

from surface import ServerCase, ask
from webhook_server import WebhookServer

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
APPLIED_SECONDS = 20


class WebhookServerCase(ServerCase):
    """A server, and a webhook server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.webhooks = WebhookServer(Path(cls.folder.name))

    @classmethod
    def tearDownClass(cls):
        cls.webhooks.close()
        cls.folder.cleanup()
        super().tearDownClass()


class WebhookCase(WebhookServerCase):
    """Configurations hold for config maps with their label."""

    def configure(self, name, script=None, mutating=False, label=None, **more):
        """A configuration with one webhook, in effect; gone with the test."""
        label = label or name
        if script is not None:
            self.webhooks.scripts["/" + name] = script
        kind = "MutatingWebhookConfiguration" if mutating else "ValidatingWebhookConfiguration"
        path = f"{REGISTRATION}/{kind.lower()}s"
        hook = {
            "name": f"{name}.example.com", "admissionReviewVersions": ["v1"],
            "sideEffects": "None", "timeoutSeconds": 2, "failurePolicy": "Fail",
            "clientConfig": {"url": f"{self.webhooks.url}/{name}",
                             "caBundle": self.webhooks.ca_bundle},
            "objectSelector": {"matchLabels": {"hook": label}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                       "operations": ["CREATE", "UPDATE"]}], **more}
        made = ask(self.server, "POST", path,
                   {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
                    "metadata": {"name": name}, "webhooks": [hook]})
        self.assertEqual(made.code, 201, made.text)
        self.addCleanup(ask, self.server, "DELETE", f"{path}/{name}")

    def create(self, name, label, dry_run=False, data=None, connection=None):
        return ask(self.server, "POST", CONFIG_MAPS + ("?dryRun=All" if dry_run else ""),
                   {"apiVersion": "v1", "kind": "ConfigMap", "data": data or {},
                    "metadata": {"name": name, "labels": {"hook": label}}},
                   connection=connection)

    def await_effect(self, label, probe=None):
        """Until the webhook is called: configurations take effect a moment after their answer."""
        before = self.webhooks.count("/" + label)
        deadline = time.monotonic() + APPLIED_SECONDS
        while self.webhooks.count("/" + label) == before:
            self.assertLess(time.monotonic(), deadline, f"{label} is not called")
            probe() if probe else self.create("probe", label, dry_run=True)

    def assert_message(self, answer, code, pattern):
        self.assertEqual(answer.code, code, answer.text)
        self.assertRegex(answer.json["message"], pattern)
