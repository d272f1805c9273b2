"""What kubectl shows: discovery, lists in every form, watches, descriptions, access questions."""
import json

from kubectl import config_map, deployment, pod, service
from server import ADMIN

PAGE_OBJECTS = 7


class Discovery:
    def test_api_resources_lists_built_in_resources_with_their_short_names(self):
        lines = [line.split() for line in self.kubectl("api-resources").splitlines()]
        pods = next(line for line in lines if line[0] == "pods")
        self.assertEqual(pods[:2], ["pods", "po"])
        self.assertEqual(pods[-2:], ["true", "Pod"])
        names = {line[0] for line in lines}
        for name in ("configmaps", "deployments", "clusterroles", "leases", "ingresses",
                     "horizontalpodautoscalers", "storageclasses", "customresourcedefinitions"):
            self.assertIn(name, names)

    def test_api_resources_can_be_narrowed_to_a_group_a_scope_and_a_verb(self):
        names = self.kubectl("api-resources", "--api-group=apps", "--namespaced=true",
                             "--verbs=deletecollection", "-o", "name").split()
        self.assertEqual(sorted(names), [
            f"{kind}.apps" for kind in ("controllerrevisions", "daemonsets", "deployments",
                                        "replicasets", "statefulsets")])

    def test_api_versions_lists_groups(self):
        versions = self.kubectl("api-versions").split()
        for version in ("v1", "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1"):
            self.assertIn(version, versions)

    def test_version_names_the_server(self):
        version = self.kubectl.json("version")["serverVersion"]
        self.assertEqual((version["major"], version["minor"]), ("1", "36"))
        self.assertTrue(version["gitVersion"].startswith("v1.36."), version["gitVersion"])

    def test_explain_knows_fields_and_their_types(self):
        text = self.kubectl("explain", "deployments.spec")
        self.assertRegex(text, r"replicas\s+<integer>")
        self.assertRegex(text, r"template\s+<(Object|PodTemplateSpec)> *(-required-)?")
        self.assertRegex(self.kubectl("explain", "pod.spec.containers.image"), r"<string>")
        self.assertIn("containers", self.kubectl("explain", "pods.spec", "--recursive"))
        self.assertIn("does not exist", self.kubectl.refused("explain", "pod.spec.nonsense"))

    def test_explain_says_what_types_and_fields_mean(self):
        self.assertRegex(self.kubectl("explain", "pod.spec.containers"),
                         r"DESCRIPTION:\n +[A-Z][^\n]{10,}\n(.|\n)*"
                         r"\n +image\t<string>\n +[A-Z][^\n]{10,}\n")
        self.assertNotIn("<empty>", self.kubectl("explain", "pods"))

    def test_cluster_info_names_the_control_plane(self):
        self.assertIn(self.server.url, self.kubectl("cluster-info"))

    def test_a_new_cluster_has_its_namespaces_and_the_service_of_its_own_api(self):
        for name in ("default", "kube-node-lease", "kube-public", "kube-system"):
            self.until_true(lambda name=name: self.kubectl.exists("namespace", name),
                            f"there is no namespace {name}")
        self.until_true(lambda: self.kubectl.run(
            "get", "service", "kubernetes", "--namespace=default").returncode == 0,
            "there is no service kubernetes")
        self.assertRegex(self.kubectl("get", "svc", "kubernetes", "--namespace=default"),
                         r"\nkubernetes +ClusterIP +10\.0\.0\.1 +<none> +443/TCP")

    def test_raw_paths_answer_as_they_are(self):
        self.assertEqual(self.kubectl("get", "--raw", "/readyz").strip(), "ok")
        self.assertEqual(json.loads(self.kubectl("get", "--raw", "/api"))["kind"], "APIVersions")
        self.assertIn("/healthz", json.loads(self.kubectl("get", "--raw", "/"))["paths"])
        self.assertIn("# HELP", self.kubectl("get", "--raw", "/metrics"))
        path = f"/api/v1/namespaces/{self.namespace}/configmaps"
        self.kubectl("create", "--raw", path, "-f", "-", stdin=config_map("raw"))
        self.assertEqual(json.loads(self.kubectl("get", "--raw", f"{path}/raw"))["kind"],
                         "ConfigMap")
        self.kubectl("delete", "--raw", f"{path}/raw")
        self.assertFalse(self.kubectl.exists("configmap", "raw"))

    def test_component_statuses_have_a_table(self):
        self.assertRegex(self.kubectl("get", "componentstatuses"), r"\netcd-0 +Healthy +ok")

    def test_config_is_what_the_kubeconfig_says(self):
        self.assertEqual(self.kubectl("config", "current-context").strip(), "admin")
        self.assertIn(self.server.url, self.kubectl("config", "view"))
        self.assertEqual(self.kubectl("config", "get-contexts", "-o", "name").split(),
                         ["admin", "bob"])

    def test_an_unknown_kind_is_named_in_the_complaint(self):
        self.assertIn('the server doesn\'t have a resource type "gadgets"',
                      self.kubectl.refused("get", "gadgets"))
        gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}}
        self.assertRegex(self.kubectl.refused("create", "-f", "-", stdin=gadget),
                         r'no matches for kind "Gadget" in version "example.com/v1"')


class Printing:
    """One Deployment, one Service and labelled ConfigMaps, seen in every form."""

    @classmethod
    def make_printed(cls):
        cls.kubectl("create", "-f", "-", stdin=[
            deployment("seen", replicas=2, labels={"tier": "front"}), pod("seen"), service("seen"),
            *(config_map(f"page-{number}", {"number": str(number)},
                         labels={"set": "pages", "parity": "odd" if number % 2 else "even"})
              for number in range(PAGE_OBJECTS))])

    def test_get_prints_columns_of_the_kind(self):
        head, row = self.kubectl("get", "deployment", "seen").splitlines()
        self.assertEqual(head.split(), ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"])
        self.assertEqual(row.split()[:4], ["seen", "0/2", "0", "0"])

    def test_get_wide_prints_more_columns(self):
        head, row = self.kubectl("get", "deployment/seen", "-o", "wide").splitlines()
        self.assertEqual(head.split()[5:], ["CONTAINERS", "IMAGES", "SELECTOR"])
        self.assertEqual(row.split()[5:], ["app", "registry.example/app:1", "app=seen"])

    def test_get_without_headers_and_with_labels(self):
        self.assertRegex(self.kubectl("get", "cm", "page-1", "--no-headers", "--show-labels"),
                         r"^page-1 +1 +\S+ +parity=odd,set=pages\n$")
        self.assertRegex(self.kubectl("get", "cm", "page-1", "-L", "parity").splitlines()[0],
                         r"PARITY$")

    def test_get_yaml_and_json_show_the_object(self):
        self.assertIn("replicas: 2", self.kubectl("get", "deploy", "seen", "-o", "yaml"))
        seen = self.kubectl.json("get", "deploy", "seen")
        self.assertEqual((seen["kind"], seen["apiVersion"]), ("Deployment", "apps/v1"))
        self.assertEqual(self.kubectl.json("get", "cm", "-l", "set=pages")["kind"], "List")

    def test_get_jsonpath_templates_and_custom_columns_pick_fields(self):
        self.assertEqual(self.kubectl(
            "get", "cm", "-l", "set=pages", "-o", "jsonpath={.items[*].data.number}"),
            " ".join(map(str, range(PAGE_OBJECTS))))
        self.assertEqual(self.kubectl("get", "cm", "page-3", "-o", "go-template={{.data.number}}"),
                         "3")
        self.assertEqual(self.kubectl(
            "get", "deploy", "seen", "-o", "custom-columns=N:.metadata.name,R:.spec.replicas"
        ).split(), ["N", "R", "seen", "2"])

    def test_get_sorts_by_a_field(self):
        rows = self.kubectl("get", "cm", "-l", "set=pages", "--sort-by={.data.number}",
                            "--no-headers").splitlines()
        self.assertEqual([row.split()[0] for row in rows],
                         [f"page-{number}" for number in range(PAGE_OBJECTS)])

    def test_get_in_chunks_prints_each_object_once(self):
        done = self.kubectl.run("get", "cm", "-l", "set=pages", "--chunk-size=2", "--no-headers",
                                "-v=6")
        names = [row.split()[0] for row in done.stdout.splitlines()]
        self.assertEqual(names, [f"page-{number}" for number in range(PAGE_OBJECTS)])
        self.assertIn("limit=2", done.stderr)
        self.assertIn("continue=", done.stderr)

    def test_selectors_by_label(self):
        def names(*words):
            return self.kubectl("get", "cm", *words, "-o", "name").split()
        self.assertEqual(names("-l", "set=pages,parity=odd"),
                         ["configmap/page-1", "configmap/page-3", "configmap/page-5"])
        self.assertEqual(names("-l", "set in (pages),parity notin (even)"),
                         names("-l", "set=pages,parity!=even"))
        self.assertEqual(len(names("-l", "set,parity")), PAGE_OBJECTS)
        self.assertEqual(names("-l", "set=pages,!parity"), [])

    def test_selectors_by_field(self):
        def names(*words):
            return self.kubectl("get", *words, "-o", "name").split()
        self.assertEqual(names("cm", "--field-selector=metadata.name=page-2"), ["configmap/page-2"])
        self.assertEqual(names("pod", "--field-selector=status.phase=Running"), [])
        self.assertIn("field label not supported",
                      self.kubectl.refused("get", "pods", "--field-selector=spec.color=red"))

    def test_all_namespaces_show_the_namespace(self):
        rows = [row.split()[:2] for row in self.kubectl("get", "cm", "-A").splitlines()]
        self.assertEqual(rows[0], ["NAMESPACE", "NAME"])
        self.assertIn([self.namespace, "page-0"], rows)

    def test_several_kinds_and_the_category_all(self):
        names = self.kubectl("get", "deploy,svc", "-o", "name").split()
        self.assertIn("deployment.apps/seen", names)
        self.assertIn("service/seen", names)
        shown = self.kubectl("get", "all")
        for name in ("pod/seen", "service/seen", "deployment.apps/seen"):
            self.assertIn(name, shown)

    def test_an_object_that_is_not_there_is_a_clear_error(self):
        self.assertIn('configmaps "absent" not found',
                      self.kubectl.refused("get", "configmap", "absent"))
        self.assertEqual(self.kubectl("get", "cm", "absent", "--ignore-not-found"), "")

    def test_describe_tells_about_an_object_and_its_events(self):
        uid = self.kubectl.json("get", "pod", "seen")["metadata"]["uid"]
        self.kubectl("create", "-f", "-", stdin=an_event("seen.1", self.namespace, uid))
        text = self.kubectl("describe", "pod", "seen")
        self.assertRegex(text, r"Name: +seen\n")
        self.assertIn("something happened", text)
        self.assertRegex(self.kubectl("describe", "deploy", "seen"), r"Replicas: +2 desired")
        self.assertIn("number:", self.kubectl("describe", "cm", "-l", "set=pages"))
        self.assertRegex(self.kubectl("describe", "svc", "seen"), r"Port: +<unset> +80/TCP")

    def test_events_are_listed(self):
        self.kubectl("create", "-f", "-", stdin=an_event("listed.1", self.namespace, "1"))
        self.assertIn("something happened", self.kubectl("get", "events"))
        if self.minor >= 26:
            self.assertIn("something happened", self.kubectl("events"))
            self.assertIn("something happened", self.kubectl("events", "--for=pod/seen"))

    def test_logs_of_a_pod_that_runs_nowhere_are_empty(self):
        self.assertEqual(self.kubectl("logs", "seen"), "")
        refused = self.kubectl.refused("logs", "seen", "-c", "none")
        self.assertIn("container none is not valid", refused)

    def test_get_subresource_shows_status_and_scale(self):
        if self.minor < 27:
            self.skipTest(f"kubectl {self.version} has no --subresource for get")
        scale = self.kubectl.json("get", "deploy", "seen", "--subresource=scale")
        self.assertEqual((scale["kind"], scale["spec"]["replicas"]), ("Scale", 2))


class Watching:
    def test_watch_prints_what_is_there_and_then_each_change(self):
        self.kubectl("create", "configmap", "watched")
        with self.kubectl.follow("get", "cm", "-w", "--output-watch-events",
                                 "--field-selector=metadata.name=watched") as watch:
            watch.until(lambda line: line.startswith("ADDED") and " watched " in line)
            self.kubectl("patch", "cm", "watched", "-p", '{"data":{"a":"b"}}')
            watch.until(lambda line: line.startswith("MODIFIED") and " watched " in line)
            self.kubectl("delete", "cm", "watched")
            watch.until(lambda line: line.startswith("DELETED") and " watched " in line)

    def test_watch_prints_fields_of_each_change(self):
        with self.kubectl.follow("get", "cm", "-w", "-l", "seen-by=watch", "-o",
                                 "jsonpath={.metadata.name} {.data.step}{\"\\n\"}") as watch:
            # Objects made before the watch begins are listed, those after are watched: either way
            # a line is printed.
            for step in "ab":
                self.kubectl("apply", "-f", "-", stdin=config_map(
                    "stepped", {"step": step}, labels={"seen-by": "watch"}))
                watch.until(lambda line, step=step: line == f"stepped {step}")

    def test_wait_sees_a_deletion(self):
        self.kubectl("create", "configmap", "goes")
        with self.kubectl.follow("wait", "--for=delete", "configmap/goes", "--timeout=120s",
                                 "-v=6") as waiting:
            # Some take an object that is gone before they look for one that never was.
            waiting.until(lambda line: "watch=true" in line)
            self.kubectl("delete", "configmap", "goes")
            self.assertEqual(waiting.result(), 0, waiting.lines)

    def test_wait_sees_a_condition(self):
        self.kubectl("create", "-f", "-", stdin=pod("waited"))
        with self.kubectl.follow("wait", "--for=condition=Ready", "pod/waited", "--timeout=120s",
                                 "-v=6") as waiting:
            waiting.until(lambda line: "watch=true" in line)
            self.server.request(
                "PATCH", f"/api/v1/namespaces/{self.namespace}/pods/waited/status",
                {"status": {"phase": "Running",
                            "conditions": [{"type": "Ready", "status": "True"}]}},
                "application/merge-patch+json")
            self.assertEqual(waiting.result(), 0, waiting.lines)
            self.assertIn("pod/waited condition met", waiting.lines)

    def test_wait_sees_a_field(self):
        if self.minor < 23:
            self.skipTest(f"kubectl {self.version} cannot wait for a field")
        self.kubectl("create", "configmap", "filled", "--from-literal=a=b")
        self.assertIn("condition met", self.kubectl("wait", "--for=jsonpath={.data.a}=b",
                                                    "cm/filled", "--timeout=120s"))

    def test_wait_gives_up_in_the_end(self):
        self.kubectl("create", "configmap", "stays")
        self.assertIn("timed out", self.kubectl.refused(
            "wait", "--for=delete", "cm/stays", "--timeout=1s"))


class Access:
    def test_can_i_answers_for_the_user_at_hand(self):
        self.assertEqual(self.kubectl("auth", "can-i", "delete", "nodes").split()[-1], "yes")
        refused = self.kubectl.run("auth", "can-i", "delete", "pods", "--context=bob")
        self.assertEqual((refused.returncode, refused.stdout.split()[0]), (1, "no"))
        self.assertIn("*.*", self.kubectl("auth", "can-i", "--list"))

    def test_a_role_gives_a_user_what_it_says_and_no_more(self):
        self.kubectl("create", "role", "reader", "--verb=get,list", "--resource=configmaps")
        self.kubectl("create", "rolebinding", "reader", "--role=reader", "--user=bob")
        self.until_true(lambda: self.kubectl.run(
            "get", "cm", "--context=bob").returncode == 0, "bob may not list")
        self.assertIn("forbidden", self.kubectl.refused("get", "secrets", "--context=bob"))
        self.assertIn("forbidden", self.kubectl.refused("delete", "cm", "x", "--context=bob"))

    def test_whoami_names_the_user(self):
        if self.minor < 28:
            self.skipTest(f"kubectl {self.version} has no auth whoami of version 1")
        text = self.kubectl("auth", "whoami", "--context=bob")
        self.assertRegex(text, r"Username +bob\n")
        self.assertRegex(text, r"Groups +\[dev system:authenticated\]")

    def kubeconfig_with(self, token):
        path = self.kubectl.home / "other-token"
        path.write_text(self.server.kubeconfig.read_text().replace(ADMIN, token))
        return f"--kubeconfig={path}"

    def test_a_wrong_token_is_not_let_in(self):
        wrong = self.kubeconfig_with("wrongtoken")
        self.assertRegex(self.kubectl.refused("get", "cm", wrong),
                         r"(?i)unauthorized|must be logged in")

    def test_a_token_of_a_service_account_is_that_account(self):
        if self.minor < 24:
            self.skipTest(f"kubectl {self.version} has no create token")
        self.kubectl("create", "serviceaccount", "robot")
        token = self.kubectl("create", "token", "robot", "--duration=1h").strip()
        self.assertEqual(token.count("."), 2)
        refused = self.kubectl.refused("get", "cm", self.kubeconfig_with(token))
        self.assertIn(f'User "system:serviceaccount:{self.namespace}:robot" cannot list', refused)


def an_event(name, namespace, uid):
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name},
            "involvedObject": {"apiVersion": "v1", "kind": "Pod", "name": "seen", "uid": uid,
                               "namespace": namespace},
            "reason": "Happened", "message": "something happened", "type": "Normal", "count": 1,
            "source": {"component": "test"}, "firstTimestamp": "2026-01-01T00:00:00Z",
            "lastTimestamp": "2026-01-01T00:00:00Z"}
