"""What kubectl changes: create, apply, patch, edit, replace, scale, delete, and roll-outs."""
import json
import re

from kubectl import config_map, deployment, manifest, pod, pod_template, service


# What a workload of each kind needs besides a selector and a template.
WORKLOADS = {"Deployment": {}, "ReplicaSet": {}, "DaemonSet": {},
             "StatefulSet": {"serviceName": "s"}}


class Creating:
    def test_create_makes_objects_from_words(self):
        self.kubectl("create", "configmap", "words", "--from-literal=a=1", "--from-literal=b=2")
        self.assertEqual(self.kubectl.json("get", "cm", "words")["data"], {"a": "1", "b": "2"})
        self.kubectl("create", "secret", "generic", "words", "--from-literal=key=value")
        self.assertEqual(self.kubectl.json("get", "secret", "words")["data"], {"key": "dmFsdWU="})
        self.kubectl("create", "deployment", "words", "--image=registry.example/app:1")
        self.kubectl("create", "service", "clusterip", "words", "--tcp=80:8080")
        self.kubectl("create", "job", "words", "--image=registry.example/app:1")
        self.kubectl("create", "quota", "words", "--hard=pods=10")
        self.kubectl("run", "words", "--image=registry.example/app:1")
        self.kubectl("expose", "deployment", "words", "--name=exposed", "--port=80")
        self.assertEqual(self.kubectl.json("get", "svc", "exposed")["spec"]["selector"],
                         {"app": "words"})

    def test_create_makes_several_objects_of_a_file_in_yaml(self):
        path = self.kubectl.home / "several.yaml"
        path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: several-1\n---\n"
                        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n"
                        "  kind: ConfigMap\n  metadata:\n    name: several-2\n  data:\n"
                        "    text: |\n      two\n      lines\n")
        self.assertEqual(self.kubectl("create", "-f", str(path), "-o", "name").split(),
                         ["configmap/several-1", "configmap/several-2"])
        self.assertEqual(self.kubectl.json("get", "cm", "several-2")["data"],
                         {"text": "two\nlines\n"})

    def test_create_with_a_generated_name_makes_a_new_one_each_time(self):
        generated = {**config_map(""), "metadata": {"generateName": "made-"}}
        names = {self.kubectl("create", "-f", "-", "-o", "name", stdin=generated)
                 for _ in range(2)}
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertRegex(name, r"^configmap/made-[a-z0-9]{5}\n$")

    def test_create_of_what_is_there_is_a_conflict(self):
        self.kubectl("create", "configmap", "twice")
        self.assertIn('(AlreadyExists): ', self.kubectl.refused(
            "create", "-f", "-", stdin=config_map("twice")))

    def test_a_dry_run_of_the_server_keeps_nothing(self):
        shown = json.loads(self.kubectl("create", "-f", "-", "--dry-run=server", "-o", "json",
                                        stdin=config_map("dry")))
        self.assertIn("uid", shown["metadata"])
        self.assertFalse(self.kubectl.exists("cm", "dry"))

    def test_an_invalid_name_is_explained(self):
        message = self.kubectl.refused("create", "-f", "-", stdin=config_map("Not_A_Name"))
        self.assertIn('"Not_A_Name" is invalid: metadata.name: Invalid value', message)

    def test_a_namespace_that_is_not_there_is_named(self):
        message = self.kubectl.refused("create", "-f", "-",
                                       stdin=config_map("lost", namespace="elsewhere"))
        self.assertIn("does not match the namespace", message)

    def test_an_unknown_field_is_refused_or_warned_about(self):
        wrong = {**config_map("wrong-field"), "datum": {"a": "b"}}
        self.assertRegex(self.kubectl.refused("create", "-f", "-", "--validate=true", stdin=wrong),
                         r'unknown field "(ConfigMap\.)?datum"|unknown field "datum" in')
        if self.minor >= 25:
            done = self.kubectl.run("create", "-f", "-", "--validate=warn", stdin=manifest(wrong))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('unknown field "datum"', done.stderr)

    def test_labels_and_annotations_come_and_go(self):
        self.kubectl("create", "configmap", "marked")
        self.kubectl("label", "cm", "marked", "a=1", "b=2")
        self.kubectl("annotate", "cm", "marked", "note=some words")
        self.assertIn("--overwrite is false", self.kubectl.refused("label", "cm", "marked", "a=2"))
        self.kubectl("label", "cm", "marked", "a=3", "b-", "--overwrite")
        metadata = self.kubectl.json("get", "cm", "marked")["metadata"]
        self.assertEqual(metadata["labels"], {"a": "3"})
        self.assertEqual(metadata["annotations"], {"note": "some words"})
        self.kubectl("label", "cm", "-l", "a=3", "all=yes")
        self.assertEqual(self.kubectl("get", "cm", "-l", "all=yes", "-o", "name"),
                         "configmap/marked\n")


class Changing:
    def test_apply_creates_then_changes_then_leaves_alone(self):
        wanted = {**deployment("applied"), "metadata": {"name": "applied", "labels": {"v": "1"}}}
        self.assertIn("created", self.kubectl("apply", "-f", "-", stdin=wanted))
        self.assertIn("unchanged", self.kubectl("apply", "-f", "-", stdin=wanted))
        wanted["metadata"]["labels"] = {"w": "2"}
        wanted["spec"]["template"] = pod_template({"app": "applied"}, "registry.example/app:2")
        self.assertIn("configured", self.kubectl("apply", "-f", "-", stdin=wanted))
        found = self.kubectl.json("get", "deploy", "applied")
        self.assertEqual(found["metadata"]["labels"], {"w": "2"})
        (container,) = found["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["image"], "registry.example/app:2")
        self.assertIn('"w": "2"', json.dumps(json.loads(
            self.kubectl("apply", "view-last-applied", "deploy/applied", "-o", "json"))))

    def test_apply_keeps_what_others_set(self):
        self.kubectl("apply", "-f", "-", stdin=config_map("shared", {"mine": "1", "old": "1"}))
        self.kubectl("patch", "cm", "shared", "-p", '{"data":{"theirs":"1"}}')
        self.kubectl("apply", "-f", "-", stdin=config_map("shared", {"mine": "2"}))
        self.assertEqual(self.kubectl.json("get", "cm", "shared")["data"],
                         {"mine": "2", "theirs": "1"})

    def apply_on_server(self, wanted, *words):
        return self.kubectl("apply", "--server-side", "-f", "-", *words, stdin=wanted)

    def managers_of(self, kind, name):
        words = ["get", kind, name] + (["--show-managed-fields"] if self.minor >= 21 else [])
        return {(each["manager"], each["operation"])
                for each in self.kubectl.json(*words)["metadata"]["managedFields"]}

    def test_server_side_apply_owns_what_it_says_and_drops_what_it_no_longer_says(self):
        self.assertIn("serverside-applied",
                      self.apply_on_server(config_map("owned", {"a": "1", "b": "1"})))
        self.assertEqual(self.managers_of("cm", "owned"), {("kubectl", "Apply")})
        before = self.kubectl.json("get", "cm", "owned")["metadata"]["resourceVersion"]
        self.apply_on_server(config_map("owned", {"a": "1", "b": "1"}))
        self.assertEqual(self.kubectl.json("get", "cm", "owned")["metadata"]["resourceVersion"],
                         before)
        self.apply_on_server(config_map("owned", {"a": "2"}))
        self.assertEqual(self.kubectl.json("get", "cm", "owned")["data"], {"a": "2"})

    def test_server_side_apply_meets_a_conflict_and_may_force_it(self):
        self.apply_on_server(config_map("contested", {"a": "1"}), "--field-manager=first")
        refused = self.kubectl.refused("apply", "--server-side", "-f", "-",
                                       "--field-manager=second",
                                       stdin=config_map("contested", {"a": "2"}))
        self.assertIn('conflict with "first"', refused)
        self.assertIn(".data.a", refused)
        self.apply_on_server(config_map("contested", {"a": "2"}), "--field-manager=second",
                             "--force-conflicts")
        self.assertEqual(self.kubectl.json("get", "cm", "contested")["data"], {"a": "2"})
        self.assertIn(("second", "Apply"), self.managers_of("cm", "contested"))

    def test_an_object_moves_from_client_side_to_server_side_apply(self):
        if self.minor < 26:
            self.skipTest(f"kubectl {self.version} leaves the fields of client-side apply alone")
        self.kubectl("apply", "-f", "-", stdin=config_map("moving", {"a": "1", "b": "1"}))
        self.apply_on_server(config_map("moving", {"a": "1", "b": "1"}))
        self.apply_on_server(config_map("moving", {"a": "1"}))
        self.assertEqual(self.kubectl.json("get", "cm", "moving")["data"], {"a": "1"})
        self.assertNotIn(("kubectl-client-side-apply", "Update"), self.managers_of("cm", "moving"))

    def test_diff_on_the_server_shows_what_an_apply_would_change(self):
        self.apply_on_server(config_map("compared", {"a": "before"}))
        same = self.kubectl.run("diff", "--server-side", "-f", "-",
                                stdin=manifest(config_map("compared", {"a": "before"})))
        self.assertEqual((same.returncode, same.stdout), (0, ""), same.stderr)
        other = self.kubectl.run("diff", "--server-side", "-f", "-",
                                 stdin=manifest(config_map("compared", {"a": "after"})))
        self.assertEqual(other.returncode, 1, other.stderr)
        self.assertIn("+  a: after", other.stdout)

    def test_apply_prunes_what_is_no_longer_in_the_files(self):
        both = [config_map(name, labels={"pruned": "yes"}) for name in ("kept", "dropped")]
        self.kubectl("apply", "-f", "-", stdin=both)
        self.kubectl("apply", "-f", "-", "--prune", "-l", "pruned=yes",
                     "--prune-whitelist=core/v1/ConfigMap" if self.minor < 26 else
                     "--prune-allowlist=core/v1/ConfigMap", stdin=both[:1])
        self.assertTrue(self.kubectl.exists("cm", "kept"))
        self.assertFalse(self.kubectl.exists("cm", "dropped"))

    def test_diff_shows_what_apply_would_change(self):
        self.kubectl("apply", "-f", "-", stdin=config_map("differing", {"a": "before"}))
        same = self.kubectl.run("diff", "-f", "-",
                                stdin=manifest(config_map("differing", {"a": "before"})))
        self.assertEqual((same.returncode, same.stdout), (0, ""), same.stderr)
        other = self.kubectl.run("diff", "-f", "-",
                                 stdin=manifest(config_map("differing", {"a": "after"})))
        self.assertEqual(other.returncode, 1, other.stderr)
        self.assertRegex(other.stdout, r"\n-  a: before\n\+  a: after\n")
        self.assertEqual(self.kubectl.json("get", "cm", "differing")["data"], {"a": "before"})

    def test_patches_of_each_kind(self):
        self.kubectl("create", "-f", "-", stdin=deployment("patched"))

        def patch(kind, what):
            return json.loads(self.kubectl("patch", "deploy", "patched", f"--type={kind}", "-p",
                                           json.dumps(what), "-o", "json"))["spec"]
        sidecar = {"name": "sidecar", "image": "registry.example/sidecar:1"}
        added = patch("strategic", {"spec": {"template": {"spec": {"containers": [sidecar]}}}})
        self.assertEqual({each["name"] for each in added["template"]["spec"]["containers"]},
                         {"app", "sidecar"})
        replaced = patch("merge", {"spec": {"template": {"spec": {"containers": [sidecar]}}}})
        self.assertEqual([each["name"] for each in replaced["template"]["spec"]["containers"]],
                         ["sidecar"])
        path = "/spec/template/spec/containers/0/image"
        changed = patch("json", [
            {"op": "test", "path": path, "value": "registry.example/sidecar:1"},
            {"op": "replace", "path": path, "value": "registry.example/sidecar:2"}])
        self.assertEqual(changed["template"]["spec"]["containers"][0]["image"],
                         "registry.example/sidecar:2")

    def test_a_patch_that_cannot_be_applied_is_refused(self):
        self.kubectl("create", "configmap", "unpatched")
        refused = self.kubectl.refused("patch", "cm", "unpatched", "--type=json", "-p",
                                       '[{"op":"test","path":"/metadata/name","value":"other"}]')
        self.assertRegex(refused, r"(?i)test|invalid|unprocessable")
        self.assertIn("not found", self.kubectl.refused("patch", "cm", "absent", "-p", "{}"))

    def test_patch_says_when_nothing_changed(self):
        self.kubectl("create", "configmap", "patched-twice", "--from-literal=a=1")
        before = self.kubectl.json("get", "cm", "patched-twice")["metadata"]["resourceVersion"]
        self.assertIn("(no change)", self.kubectl("patch", "cm", "patched-twice", "-p",
                                                  '{"data":{"a":"1"}}'))
        after = self.kubectl.json("get", "cm", "patched-twice")["metadata"]["resourceVersion"]
        self.assertEqual(before, after)

    def test_edit_saves_what_the_editor_wrote(self):
        self.kubectl("create", "configmap", "edited", "--from-literal=word=before")
        editor = {"KUBE_EDITOR": "sed -i s/before/after/"}
        self.assertIn("edited", self.kubectl("edit", "cm", "edited", environment=editor))
        self.assertEqual(self.kubectl.json("get", "cm", "edited")["data"], {"word": "after"})
        untouched = self.kubectl.run("edit", "cm", "edited", environment={"KUBE_EDITOR": "true"})
        self.assertIn("no changes made", untouched.stdout + untouched.stderr)

    def test_replace_writes_the_whole_object(self):
        self.kubectl("create", "configmap", "replaced", "--from-literal=a=1")
        self.kubectl("replace", "-f", "-", stdin=config_map("replaced", {"b": "2"}))
        self.assertEqual(self.kubectl.json("get", "cm", "replaced")["data"], {"b": "2"})
        self.assertIn("not found", self.kubectl.refused("replace", "-f", "-",
                                                        stdin=config_map("absent")))

    def test_replace_of_an_outdated_object_is_a_conflict(self):
        self.kubectl("create", "configmap", "contended", "--from-literal=a=1")
        outdated = self.kubectl.json("get", "cm", "contended")
        self.kubectl("patch", "cm", "contended", "-p", '{"data":{"a":"2"}}')
        message = self.kubectl.refused("replace", "-f", "-", stdin=outdated)
        self.assertIn("(Conflict)", message)
        self.assertIn("the object has been modified", message)

    def test_replace_by_force_makes_a_new_object(self):
        self.kubectl("create", "configmap", "forced")
        before = self.kubectl.json("get", "cm", "forced")["metadata"]["uid"]
        self.kubectl("replace", "--force", "-f", "-", stdin=config_map("forced"))
        self.assertNotEqual(self.kubectl.json("get", "cm", "forced")["metadata"]["uid"], before)

    def test_set_changes_images_and_variables(self):
        self.kubectl("create", "-f", "-", stdin=deployment("set"))
        self.kubectl("set", "image", "deploy/set", "app=registry.example/app:9")
        self.kubectl("set", "env", "deploy/set", "COLOR=red")
        (container,) = self.kubectl.json(
            "get", "deploy", "set")["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["image"], "registry.example/app:9")
        self.assertEqual(container["env"], [{"name": "COLOR", "value": "red"}])


class Scaling:
    def test_every_workload_is_applied_updated_and_scaled(self):
        for kind, extra in WORKLOADS.items():
            for way in ((), ("--server-side",)):
                name = f"{kind.lower()}-{'server' if way else 'client'}"
                with self.subTest(name):
                    self.try_workload(kind, name, extra, way)

    def try_workload(self, kind, name, extra, way):
        labels = {"app": name}
        wanted = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
                  "spec": {"selector": {"matchLabels": labels},
                           "template": pod_template(labels, "registry.example/app:1"), **extra}}
        resource = f"{kind.lower()}/{name}"
        self.kubectl("apply", *way, "-f", "-", stdin=wanted)
        self.assertEqual(self.generation(resource), 1)
        self.kubectl("apply", *way, "-f", "-", stdin=wanted)
        self.assertEqual(self.generation(resource), 1)
        wanted["spec"]["template"] = pod_template(labels, "registry.example/app:2")
        self.kubectl("apply", *way, "-f", "-", stdin=wanted)
        self.assertEqual(self.generation(resource), 2)
        self.kubectl("set", "env", resource, "WORD=other")
        self.assertEqual(self.generation(resource), 3)
        if kind != "DaemonSet":
            self.kubectl("scale", resource, "--replicas=4")
            found = self.kubectl.json("get", resource)
            self.assertEqual((found["spec"]["replicas"], found["metadata"]["generation"]), (4, 4))
        if kind != "ReplicaSet":
            before = self.generation(resource)
            self.kubectl("rollout", "restart", resource)
            self.assertEqual(self.generation(resource), before + 1)
        other = {"app": "another"}
        wanted["spec"]["selector"] = {"matchLabels": other}
        wanted["spec"]["template"] = pod_template(other, "registry.example/app:2")
        refused = self.kubectl.refused("replace", "-f", "-", stdin=wanted)
        self.assertIn("are forbidden" if kind == "StatefulSet" else "field is immutable", refused)

    def generation(self, resource):
        return self.kubectl.json("get", resource)["metadata"]["generation"]

    def test_scale_sets_replicas_if_they_are_what_one_thinks(self):
        self.kubectl("create", "-f", "-", stdin=deployment("scaled", replicas=1))
        self.kubectl("scale", "deploy/scaled", "--replicas=3")
        self.assertEqual(self.kubectl.json("get", "deploy", "scaled")["spec"]["replicas"], 3)
        self.kubectl("scale", "deploy/scaled", "--current-replicas=3", "--replicas=5")
        self.assertIn("Expected replicas", self.kubectl.refused(
            "scale", "deploy/scaled", "--current-replicas=3", "--replicas=4"))
        self.assertEqual(self.kubectl.json("get", "deploy", "scaled")["spec"]["replicas"], 5)

    def test_autoscale_makes_an_autoscaler(self):
        self.kubectl("create", "-f", "-", stdin=deployment("auto"))
        self.kubectl("autoscale", "deploy", "auto", "--min=1", "--max=4")
        self.assertEqual(self.kubectl.json("get", "hpa", "auto")["spec"]["maxReplicas"], 4)

    def test_rollout_status_follows_the_status_of_a_deployment(self):
        self.kubectl("create", "-f", "-", stdin=deployment("rolled"))
        with self.kubectl.follow("rollout", "status", "deploy/rolled", "--timeout=120s") as status:
            status.until(lambda line: line.startswith("Waiting for deployment"))
            self.server.request(
                "PATCH", f"/apis/apps/v1/namespaces/{self.namespace}/deployments/rolled/status",
                {"status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1,
                            "readyReplicas": 1, "availableReplicas": 1}},
                "application/merge-patch+json")
            self.assertEqual(status.result(), 0, status.lines)
            self.assertIn('deployment "rolled" successfully rolled out', status.lines)

    def test_rollout_history_reads_the_revisions_of_replica_sets(self):
        self.kubectl("create", "-f", "-", stdin=deployment("past"))
        owner = self.kubectl.json("get", "deploy", "past")["metadata"]["uid"]
        self.kubectl("create", "-f", "-", stdin={
            "apiVersion": "apps/v1", "kind": "ReplicaSet",
            "metadata": {"name": "past-1", "labels": {"app": "past"},
                         "annotations": {"deployment.kubernetes.io/revision": "1",
                                         "kubernetes.io/change-cause": "the first"},
                         "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment",
                                              "name": "past", "uid": owner, "controller": True}]},
            "spec": {"selector": {"matchLabels": {"app": "past"}},
                     "template": pod_template({"app": "past"})}})
        self.assertRegex(self.kubectl("rollout", "history", "deploy/past"), r"\n1 +the first\n")

    def test_rollout_pause_resume_and_restart_change_the_deployment(self):
        self.kubectl("create", "-f", "-", stdin=deployment("driven"))
        self.kubectl("rollout", "pause", "deploy/driven")
        self.assertTrue(self.kubectl.json("get", "deploy", "driven")["spec"]["paused"])
        self.kubectl("rollout", "resume", "deploy/driven")
        self.kubectl("rollout", "restart", "deploy/driven")
        found = self.kubectl.json("get", "deploy", "driven")["spec"]
        self.assertNotIn("paused", found)
        self.assertIn("kubectl.kubernetes.io/restartedAt",
                      found["template"]["metadata"]["annotations"])


class Deleting:
    def test_delete_by_name_by_selector_and_all(self):
        self.kubectl("create", "-f", "-", stdin=[
            config_map(f"gone-{each}", labels={"gone": "yes"}) for each in range(3)])
        self.assertIn('configmap "gone-0" deleted', self.kubectl("delete", "cm", "gone-0"))
        self.kubectl("delete", "cm", "-l", "gone=yes")
        self.assertEqual(self.kubectl("get", "cm", "-l", "gone=yes", "-o", "name"), "")
        self.assertIn("(NotFound)", self.kubectl.refused("delete", "cm", "gone-0"))
        self.kubectl("delete", "cm", "gone-0", "--ignore-not-found")
        self.kubectl("create", "quota", "gone", "--hard=pods=100")
        self.kubectl("delete", "resourcequotas", "--all")
        self.assertNotIn("resourcequota/gone", self.kubectl("get", "quota", "-o", "name"))

    def test_delete_from_a_file(self):
        both = [config_map("filed"), service("filed")]
        self.kubectl("create", "-f", "-", stdin=both)
        self.kubectl("delete", "-f", "-", stdin=both)
        self.assertFalse(self.kubectl.exists("svc", "filed"))

    def test_the_cascade_mode_decides_about_finalizers(self):
        for mode, finalizers in (("background", None), ("orphan", ["orphan"]),
                                 ("foreground", ["foregroundDeletion"])):
            with self.subTest(mode=mode):
                name = f"cascade-{mode}"
                self.kubectl("create", "-f", "-", stdin=deployment(name))
                self.kubectl("delete", "deploy", name, f"--cascade={mode}", "--wait=false")
                if finalizers is None:
                    self.assertFalse(self.kubectl.exists("deploy", name))
                    continue
                metadata = self.kubectl.json("get", "deploy", name)["metadata"]
                self.assertIn("deletionTimestamp", metadata)
                self.assertEqual(metadata["finalizers"], finalizers)
                # What the garbage collector would do.
                self.kubectl("patch", "deploy", name, "--type=merge", "-p",
                             '{"metadata":{"finalizers":null}}')
                self.assertFalse(self.kubectl.exists("deploy", name))

    def test_delete_waits_for_finalizers(self):
        self.kubectl("create", "-f", "-", stdin=config_map("held", finalizers=["example.com/hold"]))
        with self.kubectl.follow("delete", "cm", "held", "--timeout=120s") as deleting:
            self.until_true(lambda: "deletionTimestamp" in self.kubectl.json(
                "get", "cm", "held")["metadata"], "the deletion did not begin")
            self.kubectl("patch", "cm", "held", "--type=json", "-p",
                         '[{"op":"remove","path":"/metadata/finalizers"}]')
            self.assertEqual(deleting.result(), 0, deleting.lines)
        self.assertFalse(self.kubectl.exists("cm", "held"))

    def test_delete_now_and_by_force_remove_a_pod_without_a_node(self):
        self.kubectl("create", "-f", "-", stdin=[pod("ends-1"), pod("ends-2")])
        self.kubectl("delete", "pod", "ends-1", "--now")
        self.kubectl("delete", "pod", "ends-2", "--force", "--grace-period=0")
        self.assertFalse(self.kubectl.exists("pod", "ends-1"))
        self.assertFalse(self.kubectl.exists("pod", "ends-2"))

    def test_cordon_and_taint_mark_a_node(self):
        name = re.sub("[^a-z0-9.]", "-", f"node-{self.version}")
        self.kubectl("create", "-f", "-", stdin={"apiVersion": "v1", "kind": "Node",
                                                 "metadata": {"name": name}})
        self.kubectl("cordon", name)
        self.kubectl("taint", "node", name, "colour=red:NoExecute")
        spec = self.kubectl.json("get", "node", name)["spec"]
        self.assertTrue(spec["unschedulable"])
        self.assertIn("colour", [taint["key"] for taint in spec["taints"]])
        self.kubectl("uncordon", name)
        self.kubectl("delete", "node", name)
