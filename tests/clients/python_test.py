#!/usr/bin/env python3
"""The Python client (python3-kubernetes of Debian) against our server.

    python_test.py KUBE_APISERVER [unittest options]
"""
import os
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
DEBIAN_PYTHON = "/usr/bin/python3"
try:
    import kubernetes
except ImportError:
    # Debian's packages belong to Debian's interpreter, which need not be the first on PATH.
    if os.path.exists(DEBIAN_PYTHON) and "SKIFF_PYTHON" not in os.environ:
        os.execve(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-B", *sys.argv],
                  {**os.environ, "SKIFF_PYTHON": DEBIAN_PYTHON})
    kubernetes = None

from kubectl import config_map, deployment
from server import ApiServer

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else ""
WAIT_SECONDS = 120
SERVER = None


def setUpModule():
    global SERVER
    if kubernetes is None:
        raise unittest.SkipTest("python3-kubernetes is not installed")
    SERVER = ApiServer(BINARY)
    SERVER.request("POST", "/api/v1/namespaces", {"metadata": {"name": "python"}})


def tearDownModule():
    if SERVER:
        SERVER.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.api = kubernetes.config.new_client_from_config(str(SERVER.kubeconfig))
        self.addCleanup(self.api.close)
        self.core = kubernetes.client.CoreV1Api(self.api)
        self.apps = kubernetes.client.AppsV1Api(self.api)

    def assert_refused(self, status, reason, call, *arguments, **options):
        with self.assertRaises(kubernetes.client.ApiException) as refused:
            call(*arguments, **options)
        self.assertEqual(refused.exception.status, status)
        self.assertIn(f'"reason":"{reason}"', refused.exception.body)


class Objects(Case):
    def test_an_object_lives_from_create_to_delete(self):
        made = self.core.create_namespaced_config_map("python", config_map("life", {"a": "1"}))
        self.assertEqual((made.metadata.name, made.data), ("life", {"a": "1"}))
        self.assertIsNotNone(made.metadata.creation_timestamp.tzinfo)
        read = self.core.read_namespaced_config_map("life", "python")
        self.assertEqual(read.metadata.uid, made.metadata.uid)
        read.data = {"a": "2"}
        replaced = self.core.replace_namespaced_config_map("life", "python", read)
        self.assertNotEqual(replaced.metadata.resource_version, made.metadata.resource_version)
        names = [item.metadata.name for item in
                 self.core.list_namespaced_config_map("python").items]
        self.assertIn("life", names)
        status = self.core.delete_namespaced_config_map("life", "python")
        self.assertEqual(status.status, "Success")
        self.assert_refused(404, "NotFound", self.core.read_namespaced_config_map, "life", "python")

    def test_typed_objects_of_the_client_round_trip(self):
        client = kubernetes.client
        labels = {"app": "typed"}
        wanted = client.V1Deployment(
            metadata=client.V1ObjectMeta(name="typed", labels=labels),
            spec=client.V1DeploymentSpec(
                replicas=2, selector=client.V1LabelSelector(match_labels=labels),
                template=client.V1PodTemplateSpec(
                    metadata=client.V1ObjectMeta(labels=labels),
                    spec=client.V1PodSpec(containers=[client.V1Container(
                        name="app", image="registry.example/app:1",
                        ports=[client.V1ContainerPort(container_port=80)],
                        resources=client.V1ResourceRequirements(requests={"cpu": "100m"}))]))))
        self.apps.create_namespaced_deployment("python", wanted)
        found = self.apps.read_namespaced_deployment("typed", "python")
        self.assertEqual(found.spec.replicas, 2)
        (container,) = found.spec.template.spec.containers
        self.assertEqual(container.resources.requests, {"cpu": "100m"})
        self.assertEqual(container.ports[0].container_port, 80)

    def test_create_twice_and_update_of_an_old_version_are_conflicts(self):
        old = self.core.create_namespaced_config_map("python", config_map("contended", {"a": "1"}))
        self.assert_refused(409, "AlreadyExists", self.core.create_namespaced_config_map, "python",
                            config_map("contended"))
        self.core.patch_namespaced_config_map("contended", "python", {"data": {"a": "2"}})
        self.assert_refused(409, "Conflict", self.core.replace_namespaced_config_map, "contended",
                            "python", old)

    def test_an_invalid_object_is_refused_with_the_field(self):
        self.assert_refused(422, "Invalid", self.core.create_namespaced_config_map, "python",
                            config_map("Not_A_Name"))

    def test_lists_come_in_pages(self):
        for number in range(5):
            self.core.create_namespaced_config_map(
                "python", config_map(f"page-{number}", labels={"set": "pages"}))
        names, more = [], None
        while more != "":
            page = self.core.list_namespaced_config_map(
                "python", label_selector="set=pages", limit=2, _continue=more)
            self.assertLessEqual(len(page.items), 2)
            names += [item.metadata.name for item in page.items]
            more = page.metadata._continue or ""
        self.assertEqual(names, [f"page-{number}" for number in range(5)])

    def test_a_collection_is_deleted_by_selector(self):
        for number in range(3):
            self.core.create_namespaced_config_map(
                "python", config_map(f"many-{number}", labels={"set": "many"}))
        self.core.delete_collection_namespaced_config_map("python", label_selector="set=many")
        self.assertEqual(self.core.list_namespaced_config_map(
            "python", label_selector="set=many").items, [])

    def test_scale_and_status_are_subresources(self):
        self.apps.create_namespaced_deployment("python", deployment("scaled"))
        self.apps.patch_namespaced_deployment_scale("scaled", "python", {"spec": {"replicas": 4}})
        scale = self.apps.read_namespaced_deployment_scale("scaled", "python")
        self.assertEqual(scale.spec.replicas, 4)
        self.apps.patch_namespaced_deployment_status(
            "scaled", "python", {"status": {"replicas": 4}, "spec": {"replicas": 9}})
        found = self.apps.read_namespaced_deployment_status("scaled", "python")
        self.assertEqual((found.status.replicas, found.spec.replicas), (4, 4))

    def test_patches_of_each_kind(self):
        self.apps.create_namespaced_deployment("python", deployment("patched"))
        sidecar = {"name": "sidecar", "image": "registry.example/sidecar:1"}
        body = {"spec": {"template": {"spec": {"containers": [sidecar]}}}}

        def patched(kind, body):
            header = self.api.select_header_content_type
            self.api.select_header_content_type = lambda *_, **__: kind
            try:
                found = self.apps.patch_namespaced_deployment("patched", "python", body)
            finally:
                self.api.select_header_content_type = header
            return [each.name for each in found.spec.template.spec.containers]
        self.assertEqual(sorted(patched("application/strategic-merge-patch+json", body)),
                         ["app", "sidecar"])
        self.assertEqual(patched("application/merge-patch+json", body), ["sidecar"])
        path = "/spec/template/spec/containers/0/name"
        self.assertEqual(patched("application/json-patch+json", [
            {"op": "replace", "path": path, "value": "renamed"}]), ["renamed"])

    def test_the_dynamic_client_finds_resources_by_discovery(self):
        dynamic = kubernetes.dynamic.DynamicClient(self.api)
        maps = dynamic.resources.get(api_version="v1", kind="ConfigMap")
        maps.create(body=config_map("dynamic", {"a": "1"}), namespace="python")
        self.assertEqual(maps.get(name="dynamic", namespace="python").data.a, "1")
        maps.patch(name="dynamic", namespace="python", body={"data": {"a": "2"}},
                   content_type="application/merge-patch+json")
        roles = dynamic.resources.get(api_version="rbac.authorization.k8s.io/v1",
                                      kind="ClusterRole")
        self.assertIn("cluster-admin", [role.metadata.name for role in roles.get().items])
        maps.delete(name="dynamic", namespace="python")


class Informer:
    """A list, then watches from where the last one ended; over again when the server says 410."""

    def __init__(self, core, selector):
        self.core, self.selector = core, selector
        self.objects, self.lists, self.watches, self.trouble = {}, 0, 0, []
        self.changed = threading.Condition()
        self.stopping = threading.Event()
        self.watch = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        version = None
        while not self.stopping.is_set():
            try:
                version = version or self.list()
                version = self.follow(version)
            except kubernetes.client.ApiException as error:
                self.note(error)
                version = None if error.status == 410 else version
            except Exception as error:  # pylint: disable=broad-except  # whatever a cut line gives
                self.note(error)

    def list(self):
        found = self.core.list_namespaced_config_map("python", label_selector=self.selector)
        with self.changed:
            self.lists += 1
            self.objects = {item.metadata.name: item.data for item in found.items}
            self.changed.notify_all()
        return found.metadata.resource_version

    def follow(self, version):
        with self.changed:
            self.watches += 1
            self.changed.notify_all()
        self.watch = kubernetes.watch.Watch()
        for event in self.watch.stream(self.core.list_namespaced_config_map, "python",
                                       label_selector=self.selector, resource_version=version,
                                       timeout_seconds=30):
            item = event["object"]
            version = item.metadata.resource_version
            with self.changed:
                if event["type"] == "DELETED":
                    self.objects.pop(item.metadata.name, None)
                else:
                    self.objects[item.metadata.name] = item.data
                self.changed.notify_all()
        return version

    def note(self, error):
        self.trouble.append(error)
        self.stopping.wait(0.1)  # not to spin while the server is away

    def until(self, wanted):
        with self.changed:
            if not self.changed.wait_for(lambda: wanted(self.objects), WAIT_SECONDS):
                raise AssertionError(f"{self.objects}, {self.trouble[-3:]}")

    def stop(self):
        self.stopping.set()
        if self.watch:
            self.watch.stop()


class Watches(Case):
    def test_a_watch_from_a_version_tells_what_happened_since(self):
        start = self.core.list_namespaced_config_map("python").metadata.resource_version
        self.core.create_namespaced_config_map("python", config_map("since", {"a": "1"}))
        self.core.patch_namespaced_config_map("since", "python", {"data": {"a": "2"}})
        self.core.delete_namespaced_config_map("since", "python")
        events = []
        for event in kubernetes.watch.Watch().stream(
                self.core.list_namespaced_config_map, "python", resource_version=start,
                field_selector="metadata.name=since", timeout_seconds=WAIT_SECONDS):
            events.append((event["type"], event["object"].data))
            if event["type"] == "DELETED":
                break
        self.assertEqual(events, [("ADDED", {"a": "1"}), ("MODIFIED", {"a": "2"}),
                                  ("DELETED", {"a": "2"})])

    def test_a_watch_ends_when_its_time_is_over(self):
        watch = kubernetes.watch.Watch()
        self.assertEqual(list(watch.stream(
            self.core.list_namespaced_config_map, "python", label_selector="none=such",
            timeout_seconds=1)), [])

    def test_an_informer_keeps_up_across_restarts_of_the_server(self):
        informer = Informer(self.core, "informed=yes")
        self.addCleanup(informer.stop)

        def make(name):
            SERVER.request("POST", "/api/v1/namespaces/python/configmaps",
                           config_map(name, {"made": name}, labels={"informed": "yes"}))
        make("before")
        informer.until(lambda objects: "before" in objects)
        SERVER.stop()
        SERVER.start()
        make("after-stop")
        informer.until(lambda objects: set(objects) == {"before", "after-stop"})
        SERVER.kill()
        SERVER.start()
        make("after-kill")
        SERVER.request("DELETE", "/api/v1/namespaces/python/configmaps/before")
        informer.until(lambda objects: set(objects) == {"after-stop", "after-kill"})
        # A list may have told it of all that, just before its third watch.
        informer.until(lambda _: informer.watches >= 3)

    def test_a_version_that_is_gone_is_said_to_be(self):
        self.core.create_namespaced_config_map("python", config_map("old"))
        # A server that starts knows no changes from before.
        SERVER.stop()
        SERVER.start()
        with self.assertRaises(kubernetes.client.ApiException) as gone:
            for _ in kubernetes.watch.Watch().stream(
                    self.core.list_namespaced_config_map, "python", resource_version="1",
                    timeout_seconds=WAIT_SECONDS):
                pass
        self.assertEqual(gone.exception.status, 410)


if __name__ == "__main__":
    # The client leaves sockets open.
    unittest.main(verbosity=2, warnings="ignore")
