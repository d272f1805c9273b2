#!/usr/bin/env python3
"""Very many objects of one custom resource, and definitions that come and go in storms.

    custom_crowds_test.py KUBE_APISERVER SKIFF [unittest options]
"""
import gzip
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "wire"))

from http1 import Http1  # noqa: E402
from surface import ADMIN, SANITIZED, Figures, ServerCase, ask, connect  # noqa: E402

SKIFF = ""
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
COUNT = 2_000 if SANITIZED else 20_000
OBJECT_BYTES = 2000
WAIT_SECONDS = 120
ROOM_MB = 120  # what long lists may hold beside the objects
JSON, YAML = "application/json", "application/yaml"
TABLE = ";as=Table;g=meta.k8s.io;v=v1"
STORM_SECONDS = 4
ROUNDS = 3


def definition(group, plural="things", kind="Thing", **names):
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": "Namespaced",
                 "names": {"plural": plural, "kind": kind, **names},
                 "versions": [{
                     "name": "v1", "served": True, "storage": True,
                     "schema": {"openAPIV3Schema": {
                         "type": "object", "properties": {"spec": {
                             "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}},
                     "additionalPrinterColumns": [
                         {"name": "Text", "type": "string", "jsonPath": ".spec.short"}]}]}}


def joined_chunks(body):
    pieces, at = [], 0
    while True:
        line = body.index(b"\r\n", at)
        size = int(body[at:line], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[line + 2:line + 2 + size])
        at = line + 2 + size + 2


class CrowdCase(ServerCase):
    def define(self, body):
        made = self.ask("POST", DEFINITIONS, body)
        self.assertEqual(made.code, 201, made.text)

    def conditions(self, name):
        status = self.get(f"{DEFINITIONS}/{name}").json.get("status", {})
        return {each["type"]: (each["status"], each.get("reason"))
                for each in status.get("conditions") or []}

    def wait(self, what, condition, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.02)
        return found

    def await_established(self, name):
        self.wait(f"{name} is not established",
                  lambda: self.conditions(name).get("Established", ("", ""))[0] == "True")

    def fill(self, group, count=COUNT):
        """Objects bench-0000000000 and so on, of about OBJECT_BYTES each."""
        template = self.server.folder / "thing.json"
        template.write_text(json.dumps({
            "apiVersion": f"{group}/v1", "kind": "Thing",
            "metadata": {"name": "${name}", "namespace": "${namespace}",
                         "labels": {"skiff-bench-run": "${run}"}},
            "spec": {"short": "${generation}", "filler": "x" * OBJECT_BYTES}}))
        run = subprocess.run(
            [SKIFF, "bench", "api", "create", "--template", str(template), "--resource",
             f"{group}/v1/things", "--count", str(count), "--namespace", "default", "--keep",
             "--server", self.server.url, "--token", ADMIN, "--insecure-skip-tls-verify"],
            capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


class LongListsTest(CrowdCase):
    GROUP = "lists.example.com"
    PATH = f"/apis/{GROUP}/v1/namespaces/default/things"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        case.define(definition(cls.GROUP))
        case.await_established(f"things.{cls.GROUP}")
        case.fill(cls.GROUP)

    def read(self, query="", headers=None):
        """The whole answer, as plain curl asks for it over HTTP/1.1."""
        return self.get(self.PATH + query, headers={"User-Agent": "curl/8.5.0", **headers})

    def test_every_form_is_whole_and_takes_little_memory(self):
        forms = {
            "curl": ("", {"Accept": "*/*"}), "compact": ("?pretty=false", {"Accept": JSON}),
            "table": ("", {"Accept": JSON + TABLE}), "yaml": ("", {"Accept": YAML}),
            "pretty": ("?pretty=true", {"Accept": JSON}),
            "packed": ("", {"Accept": JSON, "Accept-Encoding": "gzip"}),
            "yaml table": ("", {"Accept": YAML + TABLE})}
        before = Figures(self.server)
        before.forget_peak()
        for what, (query, headers) in forms.items():
            with self.subTest(what):
                answer = self.read(query, headers)
                self.assertEqual(answer.code, 200)
                body = answer.body
                if answer.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                if "yaml" in answer.headers["Content-Type"]:
                    names = re.findall(rb"^ +name: (bench-\d+)$", body, re.M)
                else:
                    items = json.loads(body)
                    items = items.get("items", items.get("rows"))
                    names = [each.get("object", each)["metadata"]["name"] for each in items]
                self.assertEqual(len(set(names)), COUNT)
                # Plain curl gets several lines.
                self.assertEqual(body.count(b"\n") > COUNT, what != "compact")
        if not SANITIZED:
            self.assertLess(Figures(self.server).peak_mb - before.resident_mb, ROOM_MB)

    def test_a_watch_that_is_not_read_holds_little_and_nobody_up(self):
        listed = self.get(self.PATH + "?limit=1").json["metadata"]["resourceVersion"]
        before = Figures(self.server).resident_mb
        stuck = [Http1(self.server, receive_buffer=4096) for _ in range(20)]
        for each in stuck:
            each.send(f"GET {self.PATH}?watch=true&resourceVersion={listed} HTTP/1.1\r\nHost: s\r\n"
                      f"Authorization: Bearer {ADMIN}\r\n\r\n".encode())
        connection = connect(self.server)
        filler = "y" * 100_000
        for number in range(300):
            answer = self.ask("PATCH", f"{self.PATH}/bench-{number:010}",
                              json.dumps({"spec": {"filler": filler + str(number)}}),
                              headers={"Content-Type": "application/merge-patch+json"},
                              connection=connection)
            self.assertEqual(answer.code, 200, answer.text[:300])
        # One that reads hears of all of it.
        heard = self.get(f"{self.PATH}?watch=true&resourceVersion={listed}&timeoutSeconds=1")
        names = {json.loads(line)["object"]["metadata"]["name"]
                 for line in heard.body.splitlines()}
        self.assertEqual(len(names), 300)
        if not SANITIZED:
            self.assertLess(Figures(self.server).resident_mb - before, ROOM_MB)
        for each in stuck:
            each.close()


class EndsTest(CrowdCase):
    def test_a_definition_goes_while_a_list_of_its_objects_streams(self):
        group = "ends.example.com"
        name, path = f"things.{group}", f"/apis/{group}/v1/namespaces/default/things"
        self.define(definition(group))
        self.await_established(name)
        self.fill(group)
        watch = Http1(self.server)
        begun = self.get(path + "?limit=1").json["metadata"]["resourceVersion"]
        watch.send(f"GET {path}?watch=true&resourceVersion={begun} HTTP/1.1\r\nHost: s\r\n"
                   f"Authorization: Bearer {ADMIN}\r\nConnection: close\r\n\r\n".encode())
        slow = Http1(self.server, receive_buffer=4096)
        slow.send(f"GET {path} HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer {ADMIN}\r\n"
                  "Connection: close\r\n\r\n".encode())
        listed = [slow.socket.recv(1000)]
        began = time.monotonic()
        self.assertEqual(self.ask("DELETE", f"{DEFINITIONS}/{name}").code, 200)
        # From some moment on nobody makes objects, and all the time others are answered.
        codes = []
        while self.get(f"{DEFINITIONS}/{name}").code == 200:
            self.assertLess(time.monotonic() - began, WAIT_SECONDS)
            made = self.ask("POST", path, {"apiVersion": f"{group}/v1", "kind": "Thing",
                                           "metadata": {"name": "late"}})
            codes.append(made.code)
        print(f"{COUNT} objects and their definition were gone after "
              f"{time.monotonic() - began:.1f} s")
        taken = codes.count(201)
        self.assertLessEqual(taken, 1)
        self.assertLessEqual(set(codes[taken + codes.count(409):]), {403, 404, 405}, codes)
        self.assertEqual(self.get(path).code, 404)
        # The list that had begun is what it was when it began.
        while piece := slow.socket.recv(1 << 20):
            listed.append(piece)
        slow.close()
        head, _, body = b"".join(listed).partition(b"\r\n\r\n")
        self.assertIn(b"200 OK", head)
        self.assertEqual(len(json.loads(joined_chunks(body))["items"]), COUNT)
        # The watch has heard of ends only, of none twice, and is at its end as well.
        heard = []
        while piece := watch.socket.recv(1 << 20):
            heard.append(piece)
        watch.close()
        events = [json.loads(line) for line in joined_chunks(
            b"".join(heard).partition(b"\r\n\r\n")[2]).splitlines()]
        if events and events[-1]["type"] == "ERROR":
            self.assertEqual(events.pop()["object"]["code"], 410)
        self.assertLessEqual({each["type"] for each in events}, {"ADDED", "DELETED"})
        ended = [each["object"]["metadata"]["name"] for each in events
                 if each["type"] == "DELETED"]
        self.assertEqual(len(set(ended)), len(ended))
        # Nothing of it comes back.
        self.define(definition(group))
        self.await_established(name)
        self.assertEqual(self.get(path).json["items"], [])

    def test_definitions_that_want_the_same_names_take_turns(self):
        group = "fights.example.com"
        names = {"a": definition(group, "as", "Thing", shortNames=["t"]),
                 "b": definition(group, "bs", "Thing", shortNames=["t"])}
        first, second = names["a"]["metadata"]["name"], names["b"]["metadata"]["name"]
        self.define(names["a"])
        self.await_established(first)
        self.define(names["b"])
        self.wait("the second is refused", lambda: self.conditions(second).get("NamesAccepted") in
                  (("False", "KindConflict"), ("False", "ShortNamesConflict"),
                   ("False", "ListKindConflict")))
        for _ in range(10):
            path = f"/apis/{group}/v1/namespaces/default/{second.partition('.')[0]}"
            self.assertEqual(self.get(path).code, 404)
            self.assertEqual(self.ask("DELETE", f"{DEFINITIONS}/{first}").code, 200)
            self.wait("the first goes",
                      lambda name=first: self.get(f"{DEFINITIONS}/{name}").code == 404)
            self.await_established(second)
            self.assertEqual(self.get(path).code, 200)
            resources = self.get(f"/apis/{group}/v1").json["resources"]
            self.assertEqual([(each["name"], each["kind"], each["shortNames"])
                              for each in resources],
                             [(second.partition(".")[0], "Thing", ["t"])])
            self.define(names["a" if first.startswith("as.") else "b"])
            self.wait("the first is refused now", lambda name=first: self.conditions(name).get(
                "NamesAccepted", ("", ""))[0] == "False")
            first, second = second, first

    def test_of_many_that_want_one_name_one_gets_it(self):
        group = "crowds.example.com"
        plurals = [f"p{number}" for number in range(20)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda plural: self.define(definition(group, plural, "Thing")), plurals))
        left = {f"{plural}.{group}" for plural in plurals}
        while left:
            def holders():
                if any("NamesAccepted" not in self.conditions(name) for name in left):
                    return None
                return [name for name in left
                        if self.conditions(name).get("Established", ("", ""))[0] == "True"]
            holder = self.wait("somebody has the name", holders)
            self.assertEqual(len(holder), 1)
            self.assertEqual(len(self.get(f"/apis/{group}/v1").json["resources"]), 1)
            self.ask("DELETE", f"{DEFINITIONS}/{holder[0]}")
            self.wait("it goes", lambda name=holder[0]:
                      self.get(f"{DEFINITIONS}/{name}").code == 404)
            left.discard(holder[0])


class Storm:
    """Definitions are created and deleted with their objects, by several at once. What was
    acknowledged is noted: by name of the definition, the objects that must be there or None if the
    end of the definition was asked for."""

    def __init__(self, server, groups, seed):
        self.server, self.noted, self.stop = server, {}, threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(group, random.Random(seed + group)))
                        for group in groups]
        for thread in self.threads:
            thread.start()

    def join(self):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def run(self, number, dice):
        group = f"storm{number}.example.com"
        name = f"things.{group}"
        path = f"/apis/{group}/v1/namespaces/default/things"
        try:
            connection = connect(self.server)
            while not self.stop.is_set():
                code = ask(self.server, "POST", DEFINITIONS, definition(group),
                           connection=connection).code
                if code == 201:
                    self.noted[group] = set()
                    for index in range(dice.randrange(30)):
                        one = f"thing-{index}"
                        made = ask(self.server, "POST", path,
                                   {"apiVersion": f"{group}/v1", "kind": "Thing",
                                    "metadata": {"name": one}}, connection=connection)
                        if made.code == 201:
                            self.noted[group].add(one)
                if dice.random() < 0.7:
                    self.noted[group] = None
                    ask(self.server, "DELETE", f"{DEFINITIONS}/{name}", connection=connection)
        except OSError:
            pass  # the server was killed


class KilledTest(CrowdCase):
    def test_definitions_and_objects_survive_what_they_have_to(self):
        for number in range(ROUNDS):
            storm = Storm(self.server, range(8), number * 100)
            time.sleep(STORM_SECONDS)
            self.server.kill()
            storm.join()
            self.server.start()
            self.check(storm.noted)

    def check(self, noted):
        for group, objects in noted.items():
            name, path = f"things.{group}", f"/apis/{group}/v1/namespaces/default/things"
            if objects is not None:
                # It was established once an object was made, and is served from the first moment.
                if not objects:
                    self.await_established(name)
                listed = {each["metadata"]["name"] for each in self.get(path).json["items"]}
                self.assertGreaterEqual(listed, objects)
                self.ask("DELETE", f"{DEFINITIONS}/{name}")
            elif self.get(f"{DEFINITIONS}/{name}").code == 200:
                # The end that was asked for may not have been reached, or not have been begun.
                self.ask("DELETE", f"{DEFINITIONS}/{name}")
            self.wait(f"{name} does not go",
                      lambda name=name: self.get(f"{DEFINITIONS}/{name}").code == 404)
            self.define(definition(group))
            self.await_established(name)
            self.assertEqual(self.get(path).json["items"], [], "an object outlived its definition")
            self.ask("DELETE", f"{DEFINITIONS}/{name}")
            self.wait(f"{name} does not go",
                      lambda name=name: self.get(f"{DEFINITIONS}/{name}").code == 404)


if __name__ == "__main__":
    ServerCase.BINARY = os.path.abspath(sys.argv.pop(1))
    SKIFF = os.path.abspath(sys.argv.pop(1))
    unittest.main()
