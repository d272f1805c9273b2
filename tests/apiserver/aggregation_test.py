#!/usr/bin/env python3
"""Requests that are passed on to extension API servers, good and bad ones.

    aggregation_test.py KUBE_APISERVER [unittest options]
"""
import http.client
import json
import os
import socket
import ssl
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from aggregation_case import (API_SERVICES, APPLIED_SECONDS, GROUP, NAME,  # noqa: E402
                              AggregationCase, ExtensionCase)
from extension_server import ROOT, THINGS, ExtensionServer, begin, reply, send  # noqa: E402
from surface import ADMIN, SANITIZED, Figures, connect  # noqa: E402

AggregationCase.BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
MEGABYTE = 1 << 20
LARGE = 100 * MEGABYTE
# What a server may need more while it passes on bodies of any length.
ROOM_MB = 24
DISCOVERY_SECONDS = 5


def raw_connection(server):
    """A connection whose every byte is ours."""
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    return ssl._create_unverified_context().wrap_socket(plain)


def read_head(connection):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        more = connection.recv(1)
        if not more:
            raise ConnectionError(f"ended after {head!r}")
        head += more
    return head.decode()


class ForwardingTest(ExtensionCase):
    def test_the_server_hears_who_asks_and_nothing_that_the_client_says_of_it(self):
        self.extension.scripts[THINGS] = lambda connection, asked: reply(connection, {"a": 1})
        headers = {
            "X-Remote-User": "root", "X-Remote-Group": "system:masters", "X-Remote-Uid": "0",
            "X-Remote-Extra-Scopes": "all", "Proxy-Authorization": "Basic eA==", "TE": "trailers",
            "Connection": "keep-alive, X-Secret", "X-Secret": "mine", "X-Custom": "kept",
            "X-Forwarded-For": "192.0.2.7", "Keep-Alive": "timeout=5",
            "Authorization": "Bearer bobtoken"}
        self.allow_bob()
        answer = self.get(THINGS + "?b=2&a=%2F1", headers=headers)
        self.assertEqual((answer.code, answer.json), (200, {"a": 1}), answer.text)
        asked = self.extension.last(THINGS)
        self.assertEqual(asked.target, THINGS + "?a=%2F1&b=2")
        self.assertEqual(asked.peer, "front-proxy-client")
        self.assertEqual(asked.all("x-remote-user"), ["bob"])
        self.assertEqual(asked.all("x-remote-uid"), ["2"])
        self.assertEqual(asked.all("x-remote-group"), ["dev", "system:authenticated"])
        self.assertEqual(asked.all("x-remote-extra-scopes"), [])
        for name in ("authorization", "proxy-authorization", "te", "x-secret", "keep-alive"):
            self.assertEqual(asked.all(name), [], name)
        self.assertEqual(asked.all("x-custom"), ["kept"])
        self.assertEqual(asked.all("x-forwarded-for"), ["192.0.2.7, 127.0.0.1"])
        self.assertEqual(asked.all("host"), [f"localhost:{self.extension.port}"])
        self.assertEqual(asked.all("audit-id"), [answer.headers["Audit-Id"]])

    def allow_bob(self):
        rules = "/apis/rbac.authorization.k8s.io/v1"
        self.make(rules + "/clusterroles", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "ext"},
            "rules": [{"apiGroups": [GROUP], "resources": ["*"], "verbs": ["*"]}]})
        self.make(rules + "/clusterrolebindings", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "ext"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": "ext"},
            "subjects": [{"kind": "User", "name": "bob",
                          "apiGroup": "rbac.authorization.k8s.io"}]})
        self.addCleanup(self.ask, "DELETE", rules + "/clusterroles/ext")
        self.addCleanup(self.ask, "DELETE", rules + "/clusterrolebindings/ext")
        deadline = time.monotonic() + APPLIED_SECONDS
        while self.get(THINGS, token="bobtoken").code == 403:
            self.assertLess(time.monotonic(), deadline)

    def test_who_may_not_is_told_so_here(self):
        refused = self.get(THINGS, token="bobtoken")
        self.expect_status(refused, 403, "Forbidden")
        self.assertEqual(self.extension.count(THINGS), 0)

    def test_answers_pass_with_their_code_headers_and_body(self):
        self.extension.scripts[THINGS] = lambda connection, asked: reply(
            connection, {"kind": "Status", "code": 422}, code=422,
            headers=[("Warning", '299 - "mind"'), ("Access-Control-Allow-Origin", "*"),
                     ("ETag", '"7"'), ("Connection", "keep-alive, X-Mine"), ("X-Mine", "a")])
        answer = self.ask("POST", THINGS, {"kind": "Thing"})
        self.assertEqual((answer.code, answer.json["code"]), (422, 422))
        self.assertEqual(answer.headers["Warning"], '299 - "mind"')
        self.assertEqual(answer.headers["ETag"], '"7"')
        for name in ("Access-Control-Allow-Origin", "X-Mine"):
            self.assertIsNone(answer.headers[name], name)

    def test_a_watch_flows_event_by_event(self):
        more, gone = threading.Semaphore(0), threading.Event()

        def watch(connection, asked):
            begin(connection)
            for number in range(3):
                send(connection, json.dumps({"type": "ADDED", "n": number}).encode() + b"\n")
                more.acquire()
            connection.recv(1)  # the end of the proxy's connection
            gone.set()
            return False
        self.extension.scripts[THINGS] = watch
        connection = connect(self.server)
        connection.request("GET", THINGS + "?watch=1", headers={"Authorization": f"Bearer {ADMIN}"})
        response = connection.getresponse()
        for number in range(3):
            self.assertEqual(json.loads(response.readline())["n"], number)
            more.release()
        response.close()
        connection.close()
        self.assertTrue(gone.wait(20), "the server does not hear that the client has gone")

    def test_a_server_that_dies_breaks_the_watch_off(self):
        def watch(connection, asked):
            begin(connection)
            send(connection, b'{"type":"ADDED"}\n')
            time.sleep(60)
            return False
        self.extension.scripts[THINGS] = watch
        connection = connect(self.server)
        connection.request("GET", THINGS + "?watch=1", headers={"Authorization": f"Bearer {ADMIN}"})
        response = connection.getresponse()
        self.assertEqual(response.readline(), b'{"type":"ADDED"}\n')
        self.extension.close()
        with self.assertRaises((http.client.IncompleteRead, ConnectionError, ssl.SSLError)):
            response.read()
        connection.close()
        refused = self.get(THINGS)
        self.assertEqual(refused.code, 503)
        self.assertRegex(refused.text, "connection refused|service unavailable")
        self.assertEqual(self.await_condition("False")["reason"], "FailedDiscoveryCheck")
        self.assertEqual(self.get(THINGS).text, "service unavailable: FailedDiscoveryCheck\n")
        self.extension.open()
        self.await_condition("True", "Passed")

    def test_large_bodies_pass_in_both_directions_and_are_not_kept(self):
        got = []

        def take(connection, asked):
            got.append(sum(map(len, asked.pieces())))
            begin(connection)
            piece = bytes(MEGABYTE)
            for _ in range(LARGE // MEGABYTE):
                send(connection, piece)
            connection.sendall(b"0\r\n\r\n")
        self.extension.scripts[THINGS] = take
        figures = Figures(self.server)
        figures.forget_peak()
        for how in ("length", "chunks"):
            with self.subTest(how):
                # A machine that is busy with such bodies may keep a probe waiting for too long.
                self.await_condition("True")
                self.await_forwarding()
                connection = connect(self.server)
                headers = {"Authorization": f"Bearer {ADMIN}"}
                if how == "length":
                    headers["Content-Length"] = str(LARGE)
                pieces = (bytes(MEGABYTE) for _ in range(LARGE // MEGABYTE))
                connection.request("POST", THINGS, pieces, headers,
                                   encode_chunked=how == "chunks")
                if how == "chunks":
                    self.assertNotIn("Content-Length", headers)
                response = connection.getresponse()
                size = 0
                said = b""
                while piece := response.read(MEGABYTE):
                    said = piece[:100]
                    size += len(piece)
                connection.close()
                self.assertEqual((response.status, got[-1], size), (200, LARGE, LARGE), said)
        if not SANITIZED:
            self.assertLess(Figures(self.server).peak_mb - figures.resident_mb, ROOM_MB)

    def test_a_client_that_reads_nothing_holds_its_server_back(self):
        sent, stop = [0], threading.Event()

        def flood(connection, asked):
            begin(connection)
            piece = bytes(MEGABYTE)
            connection.settimeout(3)
            try:
                while sent[0] < 1024:
                    send(connection, piece)
                    sent[0] += 1
            except TimeoutError:
                pass
            stop.set()
            return False
        self.extension.scripts[THINGS] = flood
        figures = Figures(self.server)
        connection = raw_connection(self.server)
        connection.sendall(f"GET {THINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN}"
                           "\r\n\r\n".encode())
        self.assertTrue(stop.wait(60))
        self.assertLess(sent[0], 64, "more was taken than buffers of the system hold")
        if not SANITIZED:
            self.assertLess(Figures(self.server).resident_mb - figures.resident_mb, ROOM_MB)
        connection.close()

    def test_a_server_that_reads_nothing_holds_its_client_back(self):
        go_on = threading.Event()

        def ignore(connection, asked):
            go_on.wait(60)
            return False
        self.extension.scripts[THINGS] = ignore
        connection = raw_connection(self.server)
        connection.sendall(f"POST {THINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN}"
                           f"\r\nContent-Length: {1 << 30}\r\n\r\n".encode())
        connection.settimeout(3)
        sent, piece = 0, bytes(MEGABYTE)
        with self.assertRaises(TimeoutError):
            while sent < 1024:
                connection.sendall(piece)
                sent += 1
        self.assertLess(sent, 64)
        connection.close()
        go_on.set()

    def test_redirects_are_refused_and_never_followed(self):
        target = THINGS + "/elsewhere"
        self.extension.scripts[target] = lambda connection, asked: reply(connection, {})
        for code in (301, 302, 307, 308):
            self.extension.scripts[THINGS] = lambda connection, asked, code=code: reply(
                connection, {}, code=code,
                headers=[("Location", f"https://localhost:{self.extension.port}{target}")])
            answer = self.get(THINGS)
            self.assertEqual(answer.code, 502)
            self.assertEqual(answer.text, "the backend attempted to redirect this request, "
                                          "which is not permitted\n")
        self.assertEqual(self.extension.count(target), 0)
        self.extension.scripts[THINGS] = lambda connection, asked: connection.sendall(
            b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")
        self.assertEqual(self.get(THINGS).code, 304)

    def test_garbage_is_a_fault_of_the_server_behind(self):
        def says(text, end=True):
            def script(connection, asked):
                connection.sendall(text)
                return not end
            return script
        cases = {
            "nothing": says(b""), "no HTTP": says(b"\x00\x01\x02" * 100),
            "half a head": says(b"HTTP/1.1 200 OK\r\nContent-Le"),
            "no code": says(b"HTTP/1.1 abc OK\r\n\r\n"),
            "two lengths": says(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n"
                                b"\r\nab"),
            "huge head": says(b"HTTP/1.1 200 OK\r\nX: " + b"x" * (4 << 20) + b"\r\n\r\n"),
            "unasked upgrade": says(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nbytes"),
            "half a body": says(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        }
        for what, script in cases.items():
            with self.subTest(what):
                self.extension.scripts[THINGS] = script
                answer = self.get(THINGS)
                self.assertEqual(answer.code, 503, answer.text)
                self.assertEqual(answer.headers["Content-Type"], "text/plain; charset=utf-8")
        for what, body in {"bad chunk": b"zz\r\nabc\r\n", "cut chunk": b"5\r\nab"}.items():
            with self.subTest(what):
                self.extension.scripts[THINGS] = says(
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
                with self.assertRaises((http.client.IncompleteRead, ConnectionError,
                                        http.client.HTTPException, ssl.SSLError)):
                    self.get(THINGS)
        self.extension.scripts[THINGS] = lambda connection, asked: reply(connection, {"ok": 1})
        self.assertEqual(self.get(THINGS).json, {"ok": 1})

    def test_what_a_version_serves_must_be_said_soon(self):
        hang = threading.Event()

        def wait(connection, asked):
            hang.wait(60)
            return False
        self.extension.scripts[ROOT] = wait
        began = time.monotonic()
        answer = self.get(ROOT)
        self.assertLess(time.monotonic() - began, 4 * DISCOVERY_SECONDS)
        self.assertEqual((answer.code, answer.text), (503, "context deadline exceeded\n"))
        hang.set()

    def test_a_client_that_goes_before_there_is_an_answer_is_noticed(self):
        begun, gone = threading.Event(), threading.Event()

        def wait(connection, asked):
            begun.set()
            connection.recv(1)
            gone.set()
            return False
        self.extension.scripts[THINGS] = wait
        connection = raw_connection(self.server)
        connection.sendall(f"GET {THINGS}?watch=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                           f"{ADMIN}\r\n\r\n".encode())
        self.assertTrue(begun.wait(20))
        connection.close()
        self.assertTrue(gone.wait(20))

    def test_a_client_that_goes_amid_its_body_cuts_it_off_behind(self):
        cut = threading.Event()

        def read(connection, asked):
            try:
                asked.body()
            except (ConnectionError, ssl.SSLError):
                cut.set()
            return False
        self.extension.scripts[THINGS] = read
        connection = raw_connection(self.server)
        connection.sendall(f"POST {THINGS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN}"
                           f"\r\nContent-Length: 9000000\r\n\r\n".encode() + b"half of it")
        deadline = time.monotonic() + 20
        while not self.extension.count(THINGS):
            self.assertLess(time.monotonic(), deadline)
        connection.close()
        self.assertTrue(cut.wait(20))


class UpgradeTest(ExtensionCase):
    def upgrade(self, protocol="SPDY/3.1", method="POST", early=b""):
        connection = raw_connection(self.server)
        self.addCleanup(connection.close)
        connection.sendall(
            f"{method} {THINGS}/one/exec HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN}\r\n"
            f"Connection: Upgrade\r\nUpgrade: {protocol}\r\nX-Remote-User: root\r\n"
            "Content-Length: 0\r\nX-Stream-Protocol-Version: v4\r\n\r\n".encode() + early)
        return connection

    def answer(self, script):
        self.extension.scripts[THINGS + "/one/exec"] = script

    def test_bytes_pass_in_both_directions(self):
        ended = threading.Event()

        def echo(connection, asked):
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                               b"Upgrade: " + asked.all("upgrade")[0].encode() +
                               b"\r\nX-Stream-Protocol-Version: v4\r\n\r\nwelcome")
            while piece := asked.read(1 << 16):
                connection.sendall(piece)
            ended.set()
            return False
        self.answer(echo)
        for protocol, method in (("SPDY/3.1", "POST"), ("websocket", "GET")):
            with self.subTest(protocol):
                ended.clear()
                connection = self.upgrade(protocol, method)
                head = read_head(connection)
                self.assertTrue(head.startswith("HTTP/1.1 101 "), head)
                self.assertIn(f"upgrade: {protocol}", head.lower().replace("spdy", "SPDY"))
                self.assertIn("x-stream-protocol-version: v4", head.lower())
                self.assertEqual(connection.recv(100), b"welcome")
                data = os.urandom(4 * MEGABYTE)
                sender = threading.Thread(target=connection.sendall, args=(data,))
                sender.start()
                back = b""
                while len(back) < len(data):
                    piece = connection.recv(1 << 16)
                    self.assertTrue(piece)
                    back += piece
                sender.join()
                self.assertEqual(back, data)
                connection.close()
                self.assertTrue(ended.wait(20), "the server does not hear of the end")
                asked = self.extension.last(THINGS + "/one/exec")
                self.assertEqual(asked.all("x-remote-user"), ["admin"])
                self.assertEqual(asked.all("authorization"), [])

    def test_the_client_hears_that_the_server_has_ended(self):
        def once(connection, asked):
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                               b"Upgrade: SPDY/3.1\r\n\r\nbye")
            return False
        self.answer(once)
        connection = self.upgrade()
        read_head(connection)
        got = b""
        while piece := connection.recv(100):
            got += piece
        self.assertEqual(got, b"bye")

    def test_a_refusal_passes_and_other_answers_are_faults(self):
        self.answer(lambda connection, asked: reply(connection, {"no": 1}, code=403))
        connection = self.upgrade()
        head = read_head(connection)
        self.assertTrue(head.startswith("HTTP/1.1 403 "), head)
        self.answer(lambda connection, asked: reply(connection, {}))
        connection = self.upgrade()
        head = read_head(connection)
        self.assertTrue(head.startswith("HTTP/1.1 503 "), head)
        self.assertIn(b"invalid upgrade response: status code 200", connection.recv(1000))

    def test_a_half_closed_stream_ends_both_sides(self):
        ended = threading.Event()

        def listen(connection, asked):
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                               b"Upgrade: SPDY/3.1\r\n\r\n")
            while asked.read(100):
                pass
            ended.set()
            return False
        self.answer(listen)
        plain = socket.create_connection(("127.0.0.1", self.server.port), timeout=20)
        connection = ssl._create_unverified_context().wrap_socket(plain)
        connection.sendall(
            f"POST {THINGS}/one/exec HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN}\r\n"
            "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n\r\n".encode())
        read_head(connection)
        connection.sendall(b"last words")
        socket.socket.shutdown(connection, socket.SHUT_WR)
        self.assertTrue(ended.wait(20))
        connection.close()


class AvailabilityTest(AggregationCase):
    def extension(self, **how):
        made = ExtensionServer(how.get("cert", self.cert), how.get("key", self.key),
                               self.proxy_ca.cert)
        self.addCleanup(made.close)
        return made

    def test_what_is_wrong_is_said_with_the_reasons_of_kubernetes(self):
        extension = self.extension()
        self.register(extension.port, "absent")
        found = self.await_condition("False", "ServiceNotFound")
        self.assertEqual(found["message"], 'service/absent in "default" is not present')
        self.assertEqual(self.get(THINGS).text, "service unavailable: ServiceNotFound\n")
        services = "/api/v1/namespaces/default/services"
        self.make(services, {"kind": "Service", "apiVersion": "v1", "metadata": {"name": "absent"},
                             "spec": {"ports": [{"port": 8443, "name": "api"}]}})
        self.addCleanup(self.ask, "DELETE", services + "/absent")
        found = self.await_condition("False", "ServicePortError")
        self.assertEqual(found["message"], f'service/absent in "default" is not listening on port '
                                           f"{extension.port}")
        self.ask("PATCH", services + "/absent",
                 json.dumps({"spec": {"ports": [{"port": extension.port, "name": "api"}]}}),
                 headers={"Content-Type": "application/merge-patch+json"})
        found = self.await_condition("False", "EndpointsNotFound")
        self.assertEqual(found["message"],
                         'cannot find endpointslices for service/absent in "default"')
        slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
        self.make(slices, {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
                           "metadata": {"name": "absent-1",
                                        "labels": {"kubernetes.io/service-name": "absent"}},
                           "addressType": "IPv4", "ports": [{"name": "other", "port": 1}],
                           "endpoints": [{"addresses": ["192.0.2.1"]}]})
        self.addCleanup(self.ask, "DELETE", slices + "/absent-1")
        found = self.await_condition("False", "MissingEndpoints")
        self.assertEqual(found["message"], 'endpointslices for service/absent in "default" have '
                                           'no addresses with port name "api"')

    def assert_metric(self, line):
        self.assertTrue(line + "\n" in self.get("/metrics").text, line)

    def look_again(self, priority):
        """At once: an APIService that changes is looked at."""
        self.ask("PATCH", f"{API_SERVICES}/{NAME}",
                 json.dumps({"spec": {"versionPriority": priority}}),
                 headers={"Content-Type": "application/merge-patch+json"})

    def test_a_server_that_does_not_answer_well_is_unavailable(self):
        extension = self.extension()
        self.make_service()
        self.register(extension.port)
        found = self.await_condition("True", "Passed")
        self.assertEqual(found["message"], "all checks passed")
        # Discovery asks without groups.
        probes = [each for each in extension.asked
                  if each.path == ROOT and each.all("x-remote-group")]
        self.assertEqual(len(probes), 1, "one attempt is enough that succeeds")
        self.assertEqual(probes[0].all("x-remote-user"), ["system:kube-aggregator"])
        self.assertEqual(probes[0].all("x-remote-group"), ["system:masters"])
        extension.scripts[ROOT] = lambda connection, asked: reply(connection, {}, code=500)
        self.look_again(11)
        found = self.await_condition("False", "FailedDiscoveryCheck")
        url = f"https://localhost:{extension.port}{ROOT}"
        self.assertEqual(found["message"],
                         f"failing or missing response from {url}: bad status from {url}: 500")
        self.assert_metric(f'aggregator_unavailable_apiservice{{name="{NAME}"}} 1')
        self.assert_metric("aggregator_unavailable_apiservice_total"
                           f'{{name="{NAME}",reason="FailedDiscoveryCheck"}} 1')
        self.assert_metric('aggregator_unavailable_apiservice{name="v1.apps"} 0')
        extension.scripts[ROOT] = lambda connection, asked: reply(connection, {})
        self.await_condition("True", "Passed")
        self.assert_metric(f'aggregator_unavailable_apiservice{{name="{NAME}"}} 0')

    def test_certificates_are_believed_as_the_service_says(self):
        other, key = self.proxy_ca.issue("stranger", "DNS:ext.default.svc")
        extension = self.extension(cert=other, key=key)
        self.make_service()
        self.register(extension.port)
        found = self.await_condition("False", "FailedDiscoveryCheck")
        self.assertIn("x509: certificate signed by unknown authority", found["message"])
        self.ask("DELETE", f"{API_SERVICES}/{NAME}")
        self.register(extension.port, insecureSkipTLSVerify=True)
        self.await_condition("True", "Passed")
        misnamed, key = self.ca.issue("misnamed", "DNS:other.default.svc")
        extension = self.extension(cert=misnamed, key=key)
        self.ask("DELETE", f"{API_SERVICES}/{NAME}")
        self.register(extension.port)
        found = self.await_condition("False", "FailedDiscoveryCheck")
        self.assertIn("certificate is not valid for the name", found["message"])

    def test_local_services_are_available_whatever_was_said_before(self):
        extension = self.extension()
        self.make_service()
        self.register(extension.port)
        self.await_condition("True", "Passed")
        self.ask("PATCH", f"{API_SERVICES}/{NAME}",
                 json.dumps({"spec": {"service": None, "caBundle": None}}),
                 headers={"Content-Type": "application/merge-patch+json"})
        found = self.await_condition("True", "Local")
        self.assertEqual(found["message"], "Local APIServices are always available")
        self.assertEqual(self.get(THINGS).code, 404)

    def test_the_proxys_certificate_is_read_again_when_it_changes(self):
        extension = self.extension()
        self.make_service()
        self.register(extension.port)
        self.await_condition("True", "Passed")
        self.await_forwarding()
        before = Path(self.proxy_cert).read_bytes(), Path(self.proxy_key).read_bytes()
        cert, key = self.proxy_ca.issue("renewed")
        os.replace(key, self.proxy_key)
        os.replace(cert, self.proxy_cert)
        deadline = time.monotonic() + APPLIED_SECONDS
        while self.get(ROOT) and extension.last(ROOT).peer != "renewed":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        Path(self.proxy_cert).write_bytes(before[0])
        Path(self.proxy_key).write_bytes(before[1])

    def test_readiness_names_what_runs(self):
        text = self.get("/readyz?verbose").text
        for check in ("aggregator-reload-proxy-client-cert", "apiservice-registration-controller",
                      "apiservice-status-local-available-controller",
                      "apiservice-status-remote-available-controller"):
            self.assertIn(f"[+]poststarthook/{check} ok\n", text)


class LaxTest(ExtensionCase):
    MORE_FLAGS = ("--aggregator-reject-forwarding-redirect=false",)

    def test_redirects_may_pass_but_are_not_followed(self):
        self.extension.scripts[THINGS] = lambda connection, asked: reply(
            connection, {}, code=302, headers=[("Location", "https://elsewhere.example.com/x")])
        answer = self.get(THINGS)
        self.assertEqual((answer.code, answer.headers["Location"]),
                         (302, "https://elsewhere.example.com/x"))


class RoutingTest(AggregationCase):
    MORE_FLAGS = ("--enable-aggregator-routing",)

    def test_endpoints_are_asked_instead_of_the_cluster_ip(self):
        self.make("/api/v1/namespaces/default/services",
                  {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "ext"},
                   "spec": {"ports": [{"port": 443, "name": "api"}]}})
        self.make("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
                  {"kind": "EndpointSlice", "apiVersion": "discovery.k8s.io/v1",
                   "metadata": {"name": "ext-1", "labels": {"kubernetes.io/service-name": "ext"}},
                   "addressType": "IPv4", "ports": [{"name": "api", "port": 9}],
                   "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": False}},
                                 {"addresses": ["10.255.255.1"]}]})
        self.register(443)
        found = self.await_condition("False", "FailedDiscoveryCheck")
        self.assertIn("failing or missing response from https://10.255.255.1:9" + ROOT,
                      found["message"])


if __name__ == "__main__":
    unittest.main()
