#!/usr/bin/env python3
"""Writes of many clients, and of one client again and again, as they are seen from outside.

    writes_test.py KUBE_APISERVER [unittest options]
"""
import json
import os
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from surface import ServerCase, connect  # noqa: E402

ServerCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
CLIENTS, CREATES = 16, 10
CONTAINERS = {"containers": [{"name": "c", "image": "registry.example/app:1",
                              "ports": [{"containerPort": 80}],
                              "resources": {"limits": {"cpu": "0.5", "memory": "64Mi"}}}]}


def template(**spec):
    return {"metadata": {"labels": {"app": "a"}},
            "spec": {**CONTAINERS, "serviceAccountName": "robot", **spec}}


def workload(**spec):
    return {"selector": {"matchLabels": {"app": "a"}}, "template": template(), **spec}


CLAIM = {"metadata": {"name": "data"},
         "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}

# What controllers and people write again and again: group and version, resource, the rest.
OBJECTS = [
    ("v1", "configmaps", "ConfigMap", {"data": {"a": "b"}, "binaryData": {"c": "eA=="}}),
    ("v1", "secrets", "Secret", {"stringData": {"password": "clear"}, "data": {"user": "eA=="}}),
    ("v1", "serviceaccounts", "ServiceAccount", {"automountServiceAccountToken": True}),
    ("v1", "services", "Service", {"spec": {
        "selector": {"app": "a"}, "type": "NodePort",
        "ports": [{"port": 80, "targetPort": "http", "name": "http"}]}}),
    ("v1", "persistentvolumeclaims", "PersistentVolumeClaim", {"spec": CLAIM["spec"]}),
    ("v1", "podtemplates", "PodTemplate", {"template": template()}),
    ("v1", "replicationcontrollers", "ReplicationController", {"spec": {
        "replicas": 1, "selector": {"app": "a"}, "template": template()}}),
    ("v1", "pods", "Pod", {"spec": {**CONTAINERS, "automountServiceAccountToken": False}}),
    ("v1", "resourcequotas", "ResourceQuota", {"spec": {"hard": {"pods": "1k", "cpu": "1000m"}}}),
    ("apps/v1", "deployments", "Deployment", {"spec": workload(replicas=2)}),
    ("apps/v1", "replicasets", "ReplicaSet", {"spec": workload()}),
    ("apps/v1", "daemonsets", "DaemonSet", {"spec": workload()}),
    ("apps/v1", "statefulsets", "StatefulSet", {"spec": workload(
        serviceName="s", volumeClaimTemplates=[CLAIM])}),
    ("batch/v1", "jobs", "Job", {"spec": {"template": {
        "spec": {**CONTAINERS, "restartPolicy": "Never", "serviceAccountName": "robot"}}}}),
    ("batch/v1", "cronjobs", "CronJob", {"spec": {
        "schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": {
            "spec": {**CONTAINERS, "restartPolicy": "OnFailure",
                     "serviceAccountName": "robot"}}}}}}),
    ("networking.k8s.io/v1", "ingresses", "Ingress", {"spec": {"rules": [{
        "host": "a.example", "http": {"paths": [{
            "path": "/", "pathType": "Prefix",
            "backend": {"service": {"name": "a", "port": {"number": 80}}}}]}}]}}),
    ("networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", {"spec": {
        "podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}}),
    ("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", {"spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
        "maxReplicas": 3, "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}}}),
    ("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", {"spec": {
        "minAvailable": "50%", "selector": {"matchLabels": {"app": "a"}}}}),
    ("rbac.authorization.k8s.io/v1", "roles", "Role", {
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]}),
    ("coordination.k8s.io/v1", "leases", "Lease", {"spec": {"holderIdentity": "a"}}),
    # What has two names or is made of something else.
    ("v1", "services", "Service", {"spec": {"clusterIP": "None", "ports": [{"port": 80}]}}),
    ("v1", "services", "Service", {"spec": {
        "type": "ExternalName", "externalName": "a.example", "sessionAffinity": "ClientIP"}}),
    ("v1", "persistentvolumeclaims", "PersistentVolumeClaim", {"spec": {
        **CLAIM["spec"], "dataSource": {"kind": "PersistentVolumeClaim", "name": "other"}}}),
    ("v1", "pods", "Pod", {"spec": {
        **CONTAINERS, "automountServiceAccountToken": False, "serviceAccount": "default",
        "terminationGracePeriodSeconds": -5, "hostNetwork": True,
        "volumes": [{"name": "v"}, {"name": "s", "secret": {"secretName": "s"}}]}}),
    ("v1", "endpoints", "Endpoints", {"subsets": [
        {"addresses": [{"ip": "10.1.0.2"}, {"ip": "10.1.0.1"}], "ports": [{"port": 80}]}]}),
    ("v1", "limitranges", "LimitRange", {"spec": {"limits": [
        {"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "100m"}}]}}),
    ("discovery.k8s.io/v1", "endpointslices", "EndpointSlice", {
        "addressType": "IPv4", "endpoints": [{"addresses": ["10.1.0.1"]}],
        "ports": [{"port": 80}]}),
    ("autoscaling/v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler", {"spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
        "maxReplicas": 3, "targetCPUUtilizationPercentage": 50}}),
]


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

    def path_of(self, version, resource, namespace):
        root = "/api/v1" if version == "v1" else f"/apis/{version}"
        return f"{root}/namespaces/{namespace}/{resource}"

    def test_what_is_applied_again_stays_as_it_is(self):
        self.make_namespace("again")
        for number, (version, resource, kind, rest) in enumerate(OBJECTS):
            with self.subTest(resource, number=number):
                name = f"applied-{number}"
                path = self.path_of(version, resource, "again") + f"/{name}?fieldManager=m"
                config = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}
                made = self.call("PATCH", path, config, APPLY, code=201)
                for _ in range(3):
                    again = self.call("PATCH", path, config, APPLY, code=200)
                    self.assertEqual(again, made)
                forced = self.call("PATCH", path + "&force=true", config, APPLY, code=200)
                self.assertEqual(forced, made)

    def test_what_is_updated_with_itself_stays_as_it_is(self):
        self.make_namespace("same")
        for number, (version, resource, kind, rest) in enumerate(OBJECTS):
            with self.subTest(resource, number=number):
                path, name = self.path_of(version, resource, "same"), f"updated-{number}"
                given = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **rest}
                made = self.call("POST", path, given, code=201)
                path += "/" + name
                self.assertEqual(self.call("PUT", path, made, code=200), made)
                self.assertEqual(self.call("PATCH", path, {}, MERGE, code=200), made)
                seen = self.call("GET", path, code=200)
                self.assertEqual(seen, made)
                self.assertEqual(self.call("PUT", path, seen, code=200), made)

    def test_what_was_created_and_what_was_applied_are_the_same(self):
        self.make_namespace("roads")
        own = {"name", "uid", "creationTimestamp", "resourceVersion", "managedFields"}
        for number, (version, resource, kind, rest) in enumerate(OBJECTS):
            with self.subTest(resource, number=number):
                path, name = self.path_of(version, resource, "roads"), f"applied-{number}"
                given = {"apiVersion": version, "kind": kind, **rest}
                made = self.call("POST", path, {
                    **given, "metadata": {"name": f"posted-{number}"}}, code=201)
                applied = self.call("PATCH", f"{path}/{name}?fieldManager=m",
                                    {**given, "metadata": {"name": name}}, APPLY, code=201)
                for each in (made, applied):
                    for name in own:
                        each["metadata"].pop(name, None)
                self.assertEqual(without_own_values(applied), without_own_values(made))

    def test_a_watch_names_the_kind_of_claim_templates(self):
        self.make_namespace("claims")
        path = self.path_of("apps/v1", "statefulsets", "claims")
        made = self.call("POST", path, {"metadata": {"name": "s"}, "spec": workload(
            serviceName="s", volumeClaimTemplates=[CLAIM])}, code=201)
        (claim,) = made["spec"]["volumeClaimTemplates"]
        self.assertEqual((claim["kind"], claim["apiVersion"], claim["status"]),
                         ("PersistentVolumeClaim", "v1", {"phase": "Pending"}))
        watch = self.ask("GET", path + "?watch=true&timeoutSeconds=1")
        self.assertEqual(json.loads(watch.text.splitlines()[0])["object"], made)
        (listed,) = self.call("GET", path, code=200)["items"]
        self.assertEqual(listed["spec"], made["spec"])
        table = self.call("GET", path + "?includeObject=Object", code=200,
                          headers={"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"})
        self.assertEqual(table["rows"][0]["object"], made)

    def test_a_map_that_is_too_large_as_a_whole_says_so(self):
        self.make_namespace("large")
        answer = self.call("POST", "/api/v1/namespaces/large/configmaps", {
            "metadata": {"name": "m"}, "data": {"a": "x" * (1 << 20), "b": "y"}}, code=422)
        self.assertEqual(answer["message"], 'ConfigMap "m" is invalid: []: Too long: '
                                            'may not be more than 1048576 bytes')
        self.assertEqual(answer["details"]["causes"][0]["field"], "[]")


def without_own_values(value):
    """Without what the server chooses for each object: addresses, ports, labels of a job."""
    chosen = ("clusterIP", "clusterIPs", "nodePort", "controller-uid", "job-name",
              "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name",
              "lastTransitionTime")
    if isinstance(value, dict):
        return {name: without_own_values(each) for name, each in value.items()
                if name not in chosen}
    if isinstance(value, list):
        return [without_own_values(each) for each in value]
    return value


if __name__ == "__main__":
    unittest.main(verbosity=2)
