#!/usr/bin/env python3
"""Admission as clients of a server see it: what waits, what is committed together, and the flags.

  admission_test.py KUBE_APISERVER
"""
import json
import ssl
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from replay_test import ApiServer

RIGHTS_SECONDS = 60

failures = []


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: expected {wanted!r}, got {got!r}")


class Client:
    def __init__(self, port):
        self.base = f"https://127.0.0.1:{port}"
        self.trusting = ssl._create_unverified_context()

    def ask(self, method, path, body=None, headers=None):
        """The code and the object of the answer."""
        request = urllib.request.Request(
            self.base + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer admintoken", "Content-Type": "application/json",
                     **(headers or {})})
        try:
            with urllib.request.urlopen(request, context=self.trusting, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def create(self, path, kind, name, version="v1", headers=None, **rest):
        prefix = "/api/" if "/" not in version else "/apis/"
        metadata = {"name": name, **rest.pop("metadata", {})}
        return self.ask("POST", prefix + version + path,
                        {"apiVersion": version, "kind": kind, "metadata": metadata, **rest},
                        headers)


def pod_spec(**more):
    return {"containers": [{"name": "c", "image": "example.com/app:1"}], **more}


def create_before_its_account(client, seconds):
    """The answer to the creation of a pod whose account is created a while after."""
    answers = []
    creating = threading.Thread(target=lambda: answers.append(
        client.create("/namespaces/early/pods", "Pod", "p", spec=pod_spec())))
    creating.start()
    time.sleep(seconds)
    client.create("/namespaces/early/serviceaccounts", "ServiceAccount", "default")
    creating.join()
    return answers[0]


def check_service_account(client):
    """A pod that is created right after its namespace waits for the account of a controller."""
    expect("namespace", client.create("/namespaces", "Namespace", "early")[0], 201)
    # It waits for a second, in which a busy machine may not come to create the account.
    for seconds in (0.4, 0.4, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05):
        code, pod = create_before_its_account(client, seconds)
        if code == 201:
            break
        client.ask("DELETE", "/api/v1/namespaces/early/serviceaccounts/default")
    expect("the pod is created", code, 201)
    expect("its account", pod["spec"].get("serviceAccountName"), "default")
    code, status = client.create("/namespaces/early/pods", "Pod", "q",
                                 spec=pod_spec(serviceAccountName="never"))
    expect("an account that does not come", code, 403)
    expect("its message", status["message"],
           'pods "q" is forbidden: error looking up service account early/never: '
           'serviceaccount "never" not found')


def check_namespaces(client):
    code, status = client.create("/namespaces/missing/configmaps", "ConfigMap", "c")
    expect("a missing namespace", (code, status["message"]),
           (404, 'namespaces "missing" not found'))
    code, status = client.ask("DELETE", "/api/v1/namespaces/kube-public")
    expect("an immortal namespace", (code, status["message"]),
           (403, 'namespaces "kube-public" is forbidden: this namespace may not be deleted'))
    client.create("/namespaces", "Namespace", "going")
    client.ask("DELETE", "/api/v1/namespaces/going")
    code, status = client.create("/namespaces/going/configmaps", "ConfigMap", "c")
    expect("a namespace that goes", (code, status["details"]["causes"][0]["reason"]),
           (403, "NamespaceTerminating"))


def check_nodes(client):
    """A kubelet is held to its own node, and a binding brings the zone of the node to the pod."""
    # Roles let it do anything, so that what is refused is refused by admission.
    client.create("/clusterrolebindings", "ClusterRoleBinding", "n1",
                  version="rbac.authorization.k8s.io/v1",
                  roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                           "name": "cluster-admin"},
                  subjects=[{"apiGroup": "rbac.authorization.k8s.io", "kind": "User",
                             "name": "system:node:n1"}])
    kubelet = {"Impersonate-User": "system:node:n1", "Impersonate-Group": "system:nodes"}
    # A role binding counts once the authorizer has heard of it.
    deadline = time.monotonic() + RIGHTS_SECONDS
    while (client.ask("GET", "/api/v1/secrets", headers=kubelet)[0] != 200
           and time.monotonic() < deadline):
        time.sleep(0.02)
    code, status = client.create("/nodes", "Node", "n2", headers=kubelet)
    expect("another node", (code, status["message"]),
           (403, 'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"'))
    code, status = client.ask("POST", "/api/v1/namespaces/early/serviceaccounts/default/token",
                              {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                               "spec": {}}, kubelet)
    expect("a token for no pod", (code, status["message"]),
           (403, 'serviceaccounts "default" is forbidden: node requested token not bound to a pod'))
    labels = {"topology.kubernetes.io/zone": "z1", "other": "o"}
    code, made = client.create("/nodes", "Node", "n1", metadata={"labels": labels})
    expect("the taint of a new node", made["spec"]["taints"],
           [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}])
    code, status = client.ask("POST", "/api/v1/namespaces/early/pods/p/binding",
                              {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"},
                               "target": {"kind": "Node", "name": "n1"}})
    expect("binding", code, 201)
    code, pod = client.ask("GET", "/api/v1/namespaces/early/pods/p")
    expect("labels of the bound pod", pod["metadata"].get("labels"),
           {"topology.kubernetes.io/zone": "z1"})


def check_generated_names(client):
    """What refuses a finished object knows the name that the server chose; what comes before does
    not."""
    classes, version = "/priorityclasses", "scheduling.k8s.io/v1"
    code, _ = client.create(classes, "PriorityClass", "first", version, value=1, globalDefault=True)
    expect("a default class", code, 201)
    code, status = client.create(classes, "PriorityClass", "", version, value=1, globalDefault=True,
                                 metadata={"name": "", "generateName": "other-"})
    name = status["details"]["name"]
    expect("another one", (code, name.startswith("other-"), len(name)), (403, True, 11))
    code, status = client.create("/namespaces/default/pods", "Pod", "",
                                 metadata={"name": "", "generateName": "p-"},
                                 spec=pod_spec(serviceAccountName="never"))
    expect("a pod without an account", (code, status["details"]["name"]), (403, "p-"))
    client.ask("DELETE", "/apis/scheduling.k8s.io/v1/priorityclasses/first")


def check_metrics(client):
    request = urllib.request.Request(client.base + "/metrics",
                                     headers={"Authorization": "Bearer admintoken"})
    with urllib.request.urlopen(request, context=client.trusting, timeout=30) as answer:
        text = answer.read().decode()
    name = "apiserver_admission_step_admission_duration_seconds_count"
    line = name + '{operation="CREATE",rejected="true",type="admit"}'
    found = [each for each in text.splitlines() if each.startswith(line)]
    expect("refusals are counted", bool(found) and float(found[0].split()[-1]) > 0, True)


def check_optional_plugins(binary):
    """NamespaceAutoProvision, AlwaysPullImages and a configured EventRateLimit."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "admission.yaml"
        config.write_text("""
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.k8s.io/v1alpha1
    kind: Configuration
    limits:
    - {type: Namespace, qps: 1, burst: 2}
""")
        server = ApiServer(binary, folder, [
            "--enable-admission-plugins=EventRateLimit,AlwaysPullImages,NamespaceAutoProvision",
            "--disable-admission-plugins=ServiceAccount",
            f"--admission-control-config-file={config}"])
        try:
            client = Client(server.port)
            code, pod = client.create("/namespaces/fresh/pods", "Pod", "p", spec=pod_spec())
            expect("a pod in a namespace that is made for it", code, 201)
            expect("its pull policy", pod["spec"]["containers"][0]["imagePullPolicy"], "Always")
            expect("no token", pod["spec"].get("volumes"), None)
            expect("the namespace", client.ask("GET", "/api/v1/namespaces/fresh")[0], 200)
            def create_event(i):
                return client.create("/namespaces/fresh/events", "Event", f"e{i}",
                                     involvedObject={"namespace": "fresh"})[0]

            expect("events", [create_event(i) for i in range(2)], [201, 201])
            # Many at a time, since one after the other they may be as slow as is allowed.
            with ThreadPoolExecutor(16) as pool:
                codes = set(pool.map(create_event, range(2, 50)))
            expect("events beyond the limit", codes - {201}, {429})
        finally:
            server.stop()


def check_wrong_flags(binary):
    for flags, says in [
            (["--enable-admission-plugins=NodeRestrictoin"], "did you mean NodeRestriction?"),
            (["--enable-admission-plugins=ImagePolicyWebhook"], "webhooks cannot be called yet"),
            (["--enable-admission-plugins=Priority", "--disable-admission-plugins=Priority"],
             "Priority is also in --disable-admission-plugins"),
            (["--admission-control-config-file=/nowhere/a.yaml"], "/nowhere/a.yaml")]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                ApiServer(binary, folder, flags).stop()
                text = "it started"
            except SystemExit as refused:
                text = str(refused)
            expect(" ".join(flags), says if says in text else text, says)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        server = ApiServer(binary, folder)
        try:
            client = Client(server.port)
            check_service_account(client)
            check_namespaces(client)
            check_nodes(client)
            check_generated_names(client)
            check_metrics(client)
        finally:
            server.stop()
    check_optional_plugins(binary)
    check_wrong_flags(binary)
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    print("admission does what its page says")


if __name__ == "__main__":
    main()
