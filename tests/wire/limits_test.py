#!/usr/bin/env python3
"""A server that has little: of time, of file descriptors, of memory. It refuses what is too much,
serves the rest, and lives.

    limits_test.py KUBE_APISERVER [unittest options]
"""
import contextlib
import json
import os
import ssl
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients"), str(HERE.parent / "apiserver")]
import http2 as h2
from http1 import GET_VERSION, Http1
from http2 import Ended, Http2, Reset, bearer, get
from server import ADMIN, SANITIZED, ApiServer, Figures
from webhook_server import WebhookServer

MAPS = b"/api/v1/namespaces/default/configmaps"
JSON = b"Content-Type: application/json"
BINARY = None
MB = 1024 * 1024


@contextlib.contextmanager
def serving(*flags, before="true"):
    """A server, started by a shell after a command of its own."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "start"
        script.write_text(f'#!/bin/sh\n{before}\nexec "{BINARY}" "$@"\n')
        script.chmod(0o755)
        server = ApiServer(str(script), *flags)
        try:
            yield server
        finally:
            server.close()


def config_map(name, size):
    return json.dumps({"metadata": {"name": name}, "data": {"a": "x" * size}}).encode()


def create(connection, name, size):
    return connection.request("POST", MAPS, config_map(name, size), token=ADMIN, headers=(JSON,))


class ShortTime(unittest.TestCase):
    def test_a_body_that_does_not_come_ends_with_its_time(self):
        head = (b"POST " + MAPS + b" HTTP/1.1\r\nHost: skiff\r\n" + JSON +
                b"\r\nAuthorization: Bearer " + ADMIN.encode() + b"\r\n")
        with serving("--request-timeout=1s") as server:
            for rest in (b"Content-Length: 500\r\n\r\n{",
                         b"Transfer-Encoding: chunked\r\n\r\n1\r\n{"):
                with self.subTest(rest), Http1(server) as connection:
                    self.assertIn(connection.ask(head + rest).code, (408, 504))
                    self.assertTrue(connection.is_closed())
            with Http2(server) as connection:
                pairs = get(MAPS, (b"content-type", b"application/json"), bearer(ADMIN),
                            method=b"POST")
                stream = connection.head(pairs, ends=False)
                connection.send(h2.frame(h2.DATA, 0, stream, b"{"))
                try:
                    self.assertEqual(connection.answer(stream).code, 504)
                except Reset:
                    pass
                self.assertEqual(connection.ask(get()).code, 200)


class FewDescriptors(unittest.TestCase):
    """Connections leave the store enough to open its files."""
    DESCRIPTORS = 64

    def connect(self, server):
        """None if the server turns us away."""
        try:
            connection = Http1(server, seconds=30)
        except (ConnectionError, ssl.SSLError):
            return None
        answer = connection.ask(GET_VERSION)
        if answer is None:
            connection.close()
            return None
        self.assertEqual(answer.code, 200)
        return connection

    def test_connections_leave_some_for_the_store(self):
        with serving(before=f"ulimit -n {self.DESCRIPTORS}") as server:
            held = []
            while connection := self.connect(server):
                held.append(connection)
                self.assertLess(len(held), self.DESCRIPTORS)
            print(f"\n  {len(held)} connections, {len(os.listdir(self.fds(server)))} descriptors",
                  end="", flush=True)
            self.assertGreater(len(held), 4)
            for _ in range(20):
                self.assertIsNone(self.connect(server))
            # Enough for files to be flushed and merged.
            for i in range(60):
                answer = create(held[i % len(held)], f"map{i}", 500_000)
                self.assertEqual(answer.code, 201, answer)
            for connection in held:
                self.assertEqual(connection.ask(GET_VERSION).code, 200)
            self.assertLess(len(os.listdir(self.fds(server))), self.DESCRIPTORS)
            self.assertNotIn("oo many open files", server.log())
            for connection in held:
                connection.close()
            deadline = time.monotonic() + 60
            while (fresh := self.connect(server)) is None:
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(fresh.request("GET", b"/readyz", token=ADMIN).code, 200)
            answer = fresh.request("GET", MAPS + b"/map59", token=ADMIN)
            self.assertEqual(answer.code, 200)

    def test_what_the_server_asks_others_leaves_some_for_the_store_too(self):
        """Requests of one connection that wait for a webhook, each call of which is one more."""
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            webhooks = WebhookServer(Path(folder))
            stack.callback(webhooks.close)
            webhooks.scripts["/silent"] = lambda *_: webhooks.wait(600)
            server = stack.enter_context(serving(before=f"ulimit -n {self.DESCRIPTORS}"))
            server.request(
                "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
                    "metadata": {"name": "silent"}, "webhooks": [{
                        "name": "silent.example.com", "admissionReviewVersions": ["v1"],
                        "sideEffects": "None", "timeoutSeconds": 30,
                        "clientConfig": {"url": webhooks.url + "/silent",
                                         "caBundle": webhooks.ca_bundle},
                        "rules": [{"apiGroups": [""], "apiVersions": ["v1"],
                                   "resources": ["secrets"], "operations": ["CREATE"]}]}]})
            waiting = stack.enter_context(Http2(server))
            pairs = get(b"/api/v1/namespaces/default/secrets",
                        (b"content-type", b"application/json"), bearer(ADMIN), method=b"POST")
            for i in range(90):
                stream = waiting.head(pairs, ends=False)
                body = json.dumps({"metadata": {"name": f"s{i}"}}).encode()
                waiting.send(h2.frame(h2.DATA, h2.END_STREAM, stream, body))
            waiting.settle()
            connection = stack.enter_context(Http1(server))
            for i in range(60):
                answer = create(connection, f"map{i}", 500_000)
                self.assertEqual(answer.code, 201, answer)
            print(f"\n  {webhooks.connections} calls, {len(os.listdir(self.fds(server)))} "
                  "descriptors", end="", flush=True)
            self.assertGreater(webhooks.connections, 0)
            self.assertNotIn("oo many open files", server.log())
            self.assertEqual(connection.request("GET", b"/readyz", token=ADMIN).code, 200)

    @staticmethod
    def fds(server):
        return f"/proc/{server.process.pid}/fd"


class SmallFiles(unittest.TestCase):
    """The limit of file sizes is like a disk that is full: an error that the store tells of."""
    LIMIT_KB = 20_000

    def test_a_server_whose_files_may_not_grow_lives_and_refuses(self):
        with serving(before=f"ulimit -f {2 * self.LIMIT_KB}") as server:
            with Http1(server) as connection:
                codes = {create(connection, f"map{i}", 900_000).code for i in range(60)}
                self.assertIn(201, codes)
                self.assertLessEqual(codes, {201, 503, 504})
                self.assertEqual(connection.request("GET", b"/livez", token=ADMIN).code, 200)
                self.assertEqual(connection.request("GET", MAPS, token=ADMIN).code, 200)
            self.assertIsNone(server.process.poll(), "the server died")


class LittleMemory(unittest.TestCase):
    LIMIT = 64 * MB

    def fill(self, server):
        """Writes until there is no more room: the names of what was written."""
        names = []
        with Http1(server) as connection:
            while True:
                self.assertLess(len(names), 400, "nothing was refused")
                answer = create(connection, f"map{len(names)}", 500_000)
                if answer.code != 201:
                    break
                names.append(f"map{len(names)}")
            self.assertIn(answer.code, (429, 503))
            self.assertIn("retry-after", answer.headers)
        return names

    def check(self, server):
        names = self.fill(server)
        figures = Figures(server)
        print(f"\n  {len(names)} objects of 500 KB, then refused; {figures}", end="", flush=True)
        threads = [threading.Thread(target=self.press, args=(server,)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertIsNone(server.process.poll(), "the server died")
        with Http1(server) as connection:
            self.assertEqual(connection.request("GET", b"/livez", token=ADMIN).code, 200)
            # What makes room is taken.
            for name in names:
                answer = connection.request("DELETE", MAPS + b"/" + name.encode(), token=ADMIN)
                self.assertEqual(answer.code, 200, answer)

    @staticmethod
    def press(server):
        """Large bodies, many at a time; whether they are refused does not matter."""
        for i in range(4):
            try:
                with Http2(server, seconds=30) as connection:
                    pairs = get(MAPS, (b"content-type", b"application/json"), bearer(ADMIN),
                                method=b"POST")
                    streams = [connection.head(pairs, ends=False) for _ in range(20)]
                    for stream in streams:
                        connection.send(h2.frame(h2.DATA, 0, stream, b" " * 200_000))
                    connection.settle()
            except (Ended, TimeoutError, OSError):
                pass

    @unittest.skipIf(SANITIZED, "a sanitizer needs more memory than that")
    def test_beyond_the_flag_requests_are_refused(self):
        with serving(f"--memory-limit={self.LIMIT}") as server:
            self.check(server)

    @unittest.skipIf(SANITIZED, "a sanitizer needs more memory than that")
    def test_in_a_small_cgroup_the_server_lives(self):
        with contextlib.ExitStack() as stack:
            try:
                folder = stack.enter_context(small_cgroup(self.LIMIT))
            except OSError as error:
                self.skipTest(f"no cgroup can be made here: {error}")
            with serving(before=f"echo $$ > {folder}/cgroup.procs") as server:
                self.check(server)


@contextlib.contextmanager
def small_cgroup(limit):
    """Within our own, of either version."""
    names = dict(line.split(":", 2)[1:]
                 for line in Path("/proc/self/cgroup").read_text().splitlines())
    if "memory" in names:
        above, name = Path("/sys/fs/cgroup/memory" + names["memory"]), "memory.limit_in_bytes"
    else:
        above, name = Path("/sys/fs/cgroup" + names.get("", "/")), "memory.max"
    folder = above / f"skiff-limits-{os.getpid()}"
    folder.mkdir()
    try:
        (folder / name).write_text(str(limit))
        yield folder
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
