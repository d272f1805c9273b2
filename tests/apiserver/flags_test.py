#!/usr/bin/env python3
"""What flags of kube-apiserver change, seen from outside, group by group.

    flags_test.py KUBE_APISERVER [unittest options]
"""
import base64
import contextlib
import http.client
import json
import os
import re
import ssl
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from surface import ADMIN, ServerCase, connect  # noqa: E402
from ports import free_port  # noqa: E402
from server import ApiServer  # noqa: E402

BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
ServerCase.BINARY = BINARY
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def until(check, seconds=60):
    """What check() returns once that is true, or in the end."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.05)
    return check()


def handshake(port, server_name=None, **settings):
    """The TLS socket of a connection, or the error that the handshake ended with."""
    context = ssl._create_unverified_context()
    for name, value in settings.items():
        if name == "ciphers":
            context.set_ciphers(value)
        elif name == "curve":
            context.set_ecdh_curve(value)
        else:
            setattr(context, name, value)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        with context.wrap_socket(plain, server_hostname=server_name) as secure:
            return secure.version(), secure.cipher()[0], secure.getpeercert(binary_form=True)


def self_signed(folder, name):
    certificate, key = Path(folder, name + ".crt"), Path(folder, name + ".key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=" + name, "-addext", "subjectAltName=DNS:" + name,
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, key


class Headers(ServerCase):
    FLAGS = ("--cors-allowed-origins=^https://ui\\.example\\.com$",
             "--strict-transport-security-directives=max-age=31536000,includeSubDomains",
             "--goaway-chance=0.02")

    def test_origins_and_transport_security(self):
        origin = {"Origin": "https://ui.example.com"}
        answer = self.get("/version", headers=origin)
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], origin["Origin"])
        self.assertEqual(answer.headers["Strict-Transport-Security"],
                         "max-age=31536000; includeSubDomains")
        preflight = self.ask("OPTIONS", "/api/v1/pods", token=None, headers=origin)
        self.assertEqual((preflight.code, preflight.body), (204, b""))
        other = self.get("/version", headers={"Origin": "https://ui.example.com.org"})
        self.assertNotIn("Access-Control-Allow-Origin", other.headers)

    def test_answers_name_their_flow(self):
        schemas = self.get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas").json["items"]
        uid = {each["metadata"]["name"]: each["metadata"]["uid"] for each in schemas}
        answer = self.get("/api/v1/namespaces/default")
        self.assertEqual(answer.headers["X-Kubernetes-Pf-Flowschema-Uid"], uid["exempt"])
        level = self.get("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/"
                         "exempt").json["metadata"]["uid"]
        self.assertEqual(answer.headers["X-Kubernetes-Pf-Prioritylevel-Uid"], level)
        bob = self.get("/api/v1/pods", token="bobtoken")
        self.assertEqual(bob.code, 403)
        self.assertEqual(bob.headers["X-Kubernetes-Pf-Flowschema-Uid"], uid["global-default"])
        probe = self.get("/healthz", token=None)
        self.assertEqual(probe.headers["X-Kubernetes-Pf-Flowschema-Uid"], uid["probes"])
        unknown = self.get("/none", token="wrong")
        self.assertEqual(unknown.code, 401)
        self.assertNotIn("X-Kubernetes-Pf-Flowschema-Uid", unknown.headers)

    def test_a_new_flow_schema_counts_soon(self):
        made = self.ask("POST", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", {
            "metadata": {"name": "mine"},
            "spec": {"matchingPrecedence": 2, "priorityLevelConfiguration": {"name": "exempt"},
                     "rules": [{"subjects": [{"kind": "User", "user": {"name": "bob"}}],
                                "nonResourceRules": [{"verbs": ["*"],
                                                      "nonResourceURLs": ["/version"]}]}]}})
        self.assertEqual(made.code, 201, made.body)
        uid = made.json["metadata"]["uid"]
        self.assertTrue(until(lambda: self.get("/version", token="bobtoken").headers[
            "X-Kubernetes-Pf-Flowschema-Uid"] == uid))


class WithoutFlows(ServerCase):
    FLAGS = ("--enable-priority-and-fairness=false", "--anonymous-auth=false",
             "--external-hostname=api.example.com", "--min-request-timeout=1",
             "--watch-cache=false", "--livez-grace-period=1h")

    def test_answers_name_no_flow(self):
        self.assertNotIn("X-Kubernetes-Pf-Flowschema-Uid", self.get("/version").headers)

    def test_nobody_is_nobody(self):
        self.expect_status(self.get("/version", token=None), 401, "Unauthorized")

    def test_the_external_name_is_in_discovery(self):
        self.assertEqual(
            self.get("/api").json["serverAddressByClientCIDRs"],
            [{"clientCIDR": "0.0.0.0/0",
              "serverAddress": f"api.example.com:{self.server.port}"}])

    def test_watches_end_after_the_least_time(self):
        # Without that flag it would last for half an hour at least, and the answer come too late.
        self.assertEqual(self.get("/api/v1/pods?watch=1").code, 200)

    def test_what_is_ignored_is_told(self):
        self.assertIn("--watch-cache is ignored: reads are always served from memory",
                      self.server.log())

    def test_livez_is_well_from_the_start(self):
        self.assertIn("[+]etcd ok", self.get("/livez?verbose").text)


class Tls(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        certificate, key = self_signed(cls.folder.name, "sni.example.com")
        cls.sni = ssl.PEM_cert_to_DER_cert(certificate.read_text())
        cls.FLAGS = (f"--tls-sni-cert-key={certificate},{key}", "--tls-curve-preferences=29",
                     "--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
                     "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.folder.cleanup()

    def test_the_name_chooses_the_certificate(self):
        port = self.server.port
        self.assertEqual(handshake(port, "sni.example.com")[2], self.sni)
        self.assertNotEqual(handshake(port, "other.example.com")[2], self.sni)

    def test_every_name_has_http2(self):
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["http/1.1", "h2"])
        for name in ("sni.example.com", "other.example.com"):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as plain:
                with context.wrap_socket(plain, server_hostname=name) as secure:
                    self.assertEqual(secure.selected_alpn_protocol(), "h2", name)

    def test_cipher_suites_are_those_given(self):
        port, old = self.server.port, ssl.TLSVersion.TLSv1_2
        self.assertRegex(handshake(port, maximum_version=old)[1],
                         "^ECDHE-.*-AES256-GCM-SHA384$")
        with self.assertRaises(ssl.SSLError):
            handshake(port, maximum_version=old,
                      ciphers="ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256")

    def test_curves_are_those_given(self):
        self.assertEqual(handshake(self.server.port, curve="X25519")[0], "TLSv1.3")
        with self.assertRaises(ssl.SSLError):
            handshake(self.server.port, curve="prime256v1")


class NewestTls(ServerCase):
    FLAGS = ("--tls-min-version=VersionTLS13", "--permit-port-sharing")

    def test_older_versions_are_refused(self):
        self.assertEqual(handshake(self.server.port)[0], "TLSv1.3")
        with self.assertRaises((ssl.SSLError, ConnectionError)):
            handshake(self.server.port, maximum_version=ssl.TLSVersion.TLSv1_2)

    def test_two_servers_share_a_port(self):
        with contextlib.closing(ApiServer.__new__(ApiServer)) as second:
            second.__dict__.update(self.server.__dict__)
            second._temporary = tempfile.TemporaryDirectory()
            second.folder = Path(second._temporary.name)
            for name in ("tokens.csv", "sa.key"):
                (second.folder / name).write_bytes((self.server.folder / name).read_bytes())
            second.start()
            # Either may have answered; this one must have come as far.
            self.assertTrue(until(lambda: "Serving securely" in second.log()))


class Doors(ServerCase):
    """What kubeadm and the scripts of Kubernetes give, and who comes in by it."""

    @classmethod
    def setUpClass(cls):
        cls.certificates = tempfile.TemporaryDirectory()
        folder = cls.certificates.name
        cls.proxy = self_signed(folder, "front-proxy")
        cls.user = self_signed(folder, "user")
        cls.FLAGS = ("--enable-bootstrap-token-auth", "--storage-media-type=",
                     "--runtime-config=api/v1", f"--client-ca-file={cls.user[0]}",
                     f"--requestheader-client-ca-file={cls.proxy[0]}",
                     "--requestheader-allowed-names=front-proxy",
                     "--requestheader-username-headers=X-Remote-User",
                     "--requestheader-group-headers=X-Remote-Group")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.certificates.cleanup()

    def who_am_i(self, token=None, certificate=None, headers=None):
        context = ssl._create_unverified_context()
        if certificate:
            context.load_cert_chain(*certificate)
        with contextlib.closing(http.client.HTTPSConnection(
                "127.0.0.1", self.server.port, timeout=60, context=context)) as connection:
            answer = self.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {},
                              token, headers, connection)
        return answer.json["status"]["userInfo"] if answer.code == 201 else answer.code

    def test_a_node_joins_with_a_bootstrap_token(self):
        secret = {"metadata": {"name": "bootstrap-token-abcdef"},
                  "type": "bootstrap.kubernetes.io/token",
                  "stringData": {"token-id": "abcdef", "token-secret": "0123456789abcdef",
                                 "usage-bootstrap-authentication": "true",
                                 "auth-extra-groups": "system:bootstrappers:worker"}}
        self.assertEqual(self.who_am_i("abcdef.0123456789abcdef"), 401)
        made = self.ask("POST", "/api/v1/namespaces/kube-system/secrets", secret)
        self.assertEqual(made.code, 201, made.body)
        user = until(lambda: isinstance(self.who_am_i("abcdef.0123456789abcdef"), dict)
                     and self.who_am_i("abcdef.0123456789abcdef"))
        self.assertEqual(user["username"], "system:bootstrap:abcdef")
        self.assertEqual(user["groups"], ["system:bootstrappers", "system:bootstrappers:worker",
                                          "system:authenticated"])
        self.assertEqual(self.who_am_i("abcdef.0123456789abcdee"), 401)

    def test_a_front_proxy_says_who_asks(self):
        headers = {"X-Remote-User": "ann", "X-Remote-Group": "dev"}
        user = self.who_am_i(certificate=self.proxy, headers=headers)
        self.assertEqual((user["username"], user["groups"]),
                         ("ann", ["dev", "system:authenticated"]))
        self.assertEqual(self.who_am_i(certificate=self.proxy), 401)
        user = self.who_am_i(certificate=self.user, headers=headers)
        self.assertEqual(user["username"], "user")
        self.assertNotIn("requestheader", self.server.log())

    def test_others_cannot_look_into_the_store(self):
        store = self.server.folder / "data" / "store"
        for each in (store.parent, store, *store.iterdir()):
            self.assertEqual(each.stat().st_mode & 0o077, 0, each)
        self.server.stop()
        store.chmod(0o755)
        (store / "CURRENT").chmod(0o644)
        self.server.start()
        for each in (store, *store.iterdir()):
            self.assertEqual(each.stat().st_mode & 0o077, 0, each)
        self.assertEqual(self.server.log().count("others could look into the store"), 1)


class Nodes(ServerCase):
    """Kubelets, by the authorizer that is theirs."""
    FLAGS = ("--authorization-mode=Node", "--enable-admission-plugins=NodeRestriction")
    PODS = "/api/v1/namespaces/default/pods"

    def as_node(self, node, method, path, body=None):
        return self.ask(method, path, body, headers={
            "Impersonate-User": "system:node:" + node, "Impersonate-Group": "system:nodes"})

    def test_a_kubelet_reads_what_its_pods_need(self):
        self.ask("POST", "/api/v1/namespaces/default/serviceaccounts",
                 {"metadata": {"name": "default"}})
        for name in ("used", "other"):
            self.ask("POST", "/api/v1/namespaces/default/secrets", {"metadata": {"name": name}})
        made = self.ask("POST", self.PODS, {"metadata": {"name": "p"}, "spec": {
            "nodeName": "n1", "containers": [{"name": "c", "image": "example.com/app:1",
                                              "envFrom": [{"secretRef": {"name": "used"}}]}]}})
        self.assertEqual(made.code, 201, made.body)
        used, other = (f"/api/v1/namespaces/default/secrets/{each}" for each in ("used", "other"))
        self.assertTrue(until(lambda: self.as_node("n1", "GET", used).code == 200))
        refused = self.expect_status(self.as_node("n1", "GET", other), 403, "Forbidden")
        self.assertTrue(refused["message"].endswith(
            "no relationship found between node 'n1' and this object"), refused["message"])
        self.assertEqual(self.as_node("n2", "GET", used).code, 403)
        self.assertEqual(
            self.as_node("n1", "GET", "/api/v1/secrets?fieldSelector=metadata.name%3Dused").code,
            403)
        token = "/api/v1/namespaces/default/serviceaccounts/default/token"
        bound = {"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p",
                                             "uid": made.json["metadata"]["uid"]}}}
        self.assertEqual(self.as_node("n1", "POST", token, bound).code, 201)
        self.assertEqual(self.as_node("n2", "POST", token, bound).code, 403)
        self.ask("DELETE", self.PODS + "/p?gracePeriodSeconds=0")
        self.assertTrue(until(lambda: self.as_node("n1", "GET", used).code == 403))

    def test_a_kubelet_lists_the_pods_of_its_node(self):
        path = "/api/v1/pods?fieldSelector=spec.nodeName%3D"
        self.assertEqual(self.as_node("n1", "GET", path + "n1").code, 200)
        self.assertEqual(self.as_node("n1", "GET", path + "n2").code, 403)
        self.assertEqual(self.as_node("n1", "GET", "/api/v1/pods").code, 403)

    def test_a_kubelet_registers_its_own_node(self):
        self.assertEqual(self.as_node("n1", "POST", "/api/v1/nodes",
                                      {"metadata": {"name": "n1"}}).code, 201)
        refused = self.as_node("n1", "POST", "/api/v1/nodes", {"metadata": {"name": "n2"}}).json
        self.assertEqual(refused["message"], 'nodes "n2" is forbidden: node "n1" is not allowed '
                                             'to modify node "n2"')
        self.assertEqual(self.as_node("n1", "GET", "/api/v1/nodes/n1").code, 200)
        self.assertEqual(self.as_node("n1", "GET", "/api/v1/nodes").code, 403)


class Storage(ServerCase):
    FLAGS = ("--storage-media-type=application/json", "--event-ttl=1s",
             "--delete-collection-workers=4", "--enable-garbage-collector=false")

    def test_objects_kept_as_json_are_read_by_all_means(self):
        self.ask("POST", CONFIG_MAPS, {"metadata": {"name": "a", "labels": {"kept": "json"}},
                                       "data": {"k": "v"}})
        self.server.stop()
        self.server.flags = ()
        self.server.start()
        self.addCleanup(self.start_with_flags)
        self.ask("POST", CONFIG_MAPS, {"metadata": {"name": "b", "labels": {"kept": "json"}}})
        self.assertEqual(self.get(CONFIG_MAPS + "/a").json["data"], {"k": "v"})
        listed = self.get(CONFIG_MAPS + "?labelSelector=kept%3Djson").json["items"]
        self.assertEqual([each["metadata"]["name"] for each in listed], ["a", "b"])
        table = self.get(CONFIG_MAPS + "?labelSelector=kept", headers={
            "Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
        self.assertEqual([each["cells"][:2] for each in table["rows"]], [["a", 1], ["b", 0]])
        self.assertEqual(self.get(CONFIG_MAPS + "/a", headers={
            "Accept": "application/vnd.kubernetes.protobuf"}).body[:4], b"k8s\0")

    def start_with_flags(self):
        self.server.stop()
        self.server.flags = self.FLAGS
        self.server.start()

    def test_events_go_after_their_time(self):
        event = {"metadata": {"name": "e"}, "involvedObject": {"namespace": "default"},
                 "reason": "Test", "message": "m", "type": "Normal"}
        made = self.ask("POST", "/api/v1/namespaces/default/events", event)
        self.assertEqual(made.code, 201, made.body)
        gone = until(lambda: self.get("/api/v1/namespaces/default/events/e").code == 404)
        self.assertTrue(gone)

    def test_collections_are_deleted_by_several_at_once(self):
        for i in range(25):
            self.ask("POST", CONFIG_MAPS, {"metadata": {"name": f"many-{i}",
                                                        "labels": {"many": "yes"}}})
        deleted = self.ask("DELETE", CONFIG_MAPS + "?labelSelector=many%3Dyes")
        self.assertEqual((deleted.code, len(deleted.json["items"])), (200, 25))
        self.assertEqual(self.get(CONFIG_MAPS + "?labelSelector=many%3Dyes").json["items"], [])

    def test_without_a_garbage_collector_nothing_waits_for_it(self):
        self.ask("POST", CONFIG_MAPS, {"metadata": {"name": "owner"}})
        self.ask("DELETE", CONFIG_MAPS + "/owner?propagationPolicy=Foreground")
        self.assertEqual(self.get(CONFIG_MAPS + "/owner").code, 404)


class Metrics(ServerCase):
    def test_stored_objects_are_counted(self):
        for line in ('apiserver_storage_objects{resource="namespaces"} 4',
                     'apiserver_resource_objects{group="apps",resource="deployments"} 0'):
            self.assertTrue(until(lambda line=line: line in self.get("/metrics").text), line)

    def test_requests_are_counted_by_verbs_as_kubernetes_names_them(self):
        name = CONFIG_MAPS + "/counted"
        self.ask("PATCH", name + "?fieldManager=m",
                 '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"counted"}}',
                 headers={"Content-Type": "application/apply-patch+yaml"})
        self.ask("DELETE", CONFIG_MAPS + "?labelSelector=none%3Dsuch")
        self.ask("POST", CONFIG_MAPS, {"metadata": {"name": "more"}})
        self.get("/api/v1/namespaces/default/pods/none/exec?command=ls")
        self.get("/api/v1/namespaces/default/pods/none/log")
        counted = re.findall(r'^apiserver_request_total{(.*)} ', self.get("/metrics").text, re.M)
        seen = {tuple(dict(re.findall(r'(\w+)="([^"]*)"', each))[key] for key in
                      ("verb", "resource", "subresource", "scope", "code")) for each in counted}
        for each in (("APPLY", "configmaps", "", "resource", "201"),
                     ("DELETE", "configmaps", "", "namespace", "200"),
                     ("POST", "configmaps", "", "resource", "201"),
                     ("CONNECT", "pods", "exec", "resource", "404"),
                     ("CONNECT", "pods", "log", "resource", "404")):
            self.assertIn(each, seen)

    def test_an_old_token_leaves_a_date_on_its_secret(self):
        account = self.ask("POST", "/api/v1/namespaces/default/serviceaccounts",
                           {"metadata": {"name": "robot"}}).json
        uid = account["metadata"]["uid"]
        token = self.sign({
            "iss": "kubernetes/serviceaccount", "kubernetes.io/serviceaccount/namespace": "default",
            "kubernetes.io/serviceaccount/secret.name": "robot-token",
            "kubernetes.io/serviceaccount/service-account.name": "robot",
            "kubernetes.io/serviceaccount/service-account.uid": uid,
            "sub": "system:serviceaccount:default:robot"})
        secret = "/api/v1/namespaces/default/secrets/robot-token"
        made = self.ask("POST", "/api/v1/namespaces/default/secrets", {
            "metadata": {"name": "robot-token", "annotations": {
                "kubernetes.io/service-account.name": "robot",
                "kubernetes.io/service-account.uid": uid}},
            "type": "kubernetes.io/service-account-token",
            "data": {"token": base64.b64encode(token.encode()).decode()}})
        self.assertEqual(made.code, 201, made.body)
        self.assertTrue(until(lambda: self.get("/version", token=token).code == 200))
        self.assertEqual(self.get("/api/v1/pods", token=token).code, 403)
        label = until(lambda: self.get(secret).json["metadata"].get("labels", {}).get(
            "kubernetes.io/legacy-token-last-used"))
        self.assertRegex(label or "", r"^\d{4}-\d\d-\d\d$")
        version = self.get(secret).json["metadata"]["resourceVersion"]
        time.sleep(0.2)
        self.get("/version", token=token)
        self.assertEqual(self.get(secret).json["metadata"]["resourceVersion"], version)

    def sign(self, claims):
        def encoded(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

        text = encoded(b'{"alg":"RS256"}') + "." + encoded(json.dumps(claims).encode())
        signed = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.server.folder / "sa.key"],
            input=text.encode(), capture_output=True, check=True).stdout
        return text + "." + encoded(signed)


class CommandLine(unittest.TestCase):
    def run_server(self, *flags):
        with tempfile.TemporaryDirectory() as folder:
            key = self_signed(folder, "tokens")[1]
            return subprocess.run(
                [BINARY, f"--data-dir={folder}/data", f"--cert-dir={folder}/certs",
                 "--bind-address=127.0.0.1", f"--secure-port={free_port()}",
                 "--service-account-issuer=https://kubernetes.default.svc",
                 f"--service-account-signing-key-file={key}", *flags],
                capture_output=True, text=True, timeout=60, check=False)

    def test_what_cannot_be_meant_is_refused(self):
        for flag, said in (
                ("--runtime-config=nothing.example.com/v1=true", "nothing.example.com"),
                ("--feature-gates=NoSuchThing=true", "NoSuchThing"),
                ("--goaway-chance=0.5", "goaway-chance"),
                ("--cors-allowed-origins=(", "cors-allowed-origins"),
                ("--tls-min-version=VersionTLS09", "VersionTLS09"),
                ("--tls-cipher-suites=NONE", "NONE"),
                ("--event-ttl=0s", "event-ttl"),
                ("--shutdown-delay-duration=-1s", "shutdown-delay-duration"),
                ("--max-requests-inflight=-1", "max-requests-inflight"),
                ("--storage-media-type=text/plain", "storage-media-type"),
                ("--etcd-severs=http://127.0.0.1:1", "etcd-servers"),
                ("--min-request-timeout=-1", "min-request-timeout")):
            done = self.run_server(flag)
            self.assertNotEqual(done.returncode, 0, flag)
            self.assertIn(said, done.stderr, flag)


class Shutdown(unittest.TestCase):
    def test_a_delay_serves_on_with_readyz_failing(self):
        server = ApiServer(BINARY, "--shutdown-delay-duration=20s", "--shutdown-send-retry-after",
                           "--shutdown-watch-termination-grace-period=5s")
        with contextlib.closing(connect(server)) as connection:
            server.process.terminate()

            def get(path):
                connection.request("GET", path, headers={"Authorization": f"Bearer {ADMIN}"})
                answer = connection.getresponse()
                answer.read()
                return answer.status

            self.assertTrue(until(lambda: get("/readyz") == 500, 20))
            self.assertEqual(get("/api/v1/namespaces"), 200)
        self.assertEqual(server.process.wait(120), 0)
        server._temporary.cleanup()


if __name__ == "__main__":
    unittest.main()
