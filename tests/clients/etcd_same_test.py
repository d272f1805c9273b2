#!/usr/bin/env python3
"""`skiff etcd` and etcd, step by step: the cases of etcd_requests.py over the JSON gateway, which
must be answered as etcd_answers.json says.

    etcd_same_test.py ETCD [unittest options]      compares
    etcd_same_test.py --record ETCD                asks an etcd and writes the answers
    etcd_same_test.py --compare ETCD ETCD [CASE…]  prints where two differ

The answers are those of Debian's etcd 3.4, but for the steps that etcd_requests.py says 3.6 answers
otherwise. Numbers that name clusters and members are left out, and so are how the events of a watch
are spread over messages and the seconds that a lease has left, if they are nearly all.
"""
import base64
import http.client
import json
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from etcd_requests import CASES, NEWER, RandomSteps
from ports import free_port

ANSWERS = HERE / "etcd_answers.json"
BYTES = {"key", "range_end", "value"}
LEFT_OUT = {"cluster_id", "member_id", "raft_term"}
START_SECONDS = 60
CALL_SECONDS = 60
# After so long a watch has nothing more to say, if nobody knows what it should; and if it has said
# all of that.
QUIET_SECONDS = 0.5
SURPLUS_SECONDS = 0.1
RANDOM_SEEDS = 4
RANDOM_STEPS = 300


def encoded(value):
    """Plain text in fields that are bytes, as base64."""
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: base64.b64encode(inner.encode()).decode()
            if name in BYTES and isinstance(inner, str) else encoded(inner)
            for name, inner in value.items()}


def decoded(value):
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: shown(base64.b64decode(inner).decode())
            if name in BYTES and isinstance(inner, str) else decoded(inner)
            for name, inner in value.items() if name not in LEFT_OUT}


def shown(text):
    return text if len(text) < 100 else f"{text[:10]}… of {len(text)}"


class Gateway:
    """An etcd that runs until it is closed."""

    def __init__(self, binary):
        self._temporary = tempfile.TemporaryDirectory()
        self._port = free_port()
        url = f"http://127.0.0.1:{self._port}"
        self._log = open(Path(self._temporary.name) / "log", "w+b")
        self._process = subprocess.Popen(
            [binary, f"--data-dir={self._temporary.name}/data", f"--listen-client-urls={url}",
             f"--advertise-client-urls={url}",
             f"--listen-peer-urls=http://127.0.0.1:{free_port()}"],
            stdout=self._log, stderr=self._log)
        deadline = time.monotonic() + START_SECONDS
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._log.seek(0)
                raise AssertionError(self._log.read().decode(errors="replace")[-4000:])
            time.sleep(0.05)

    def _is_ready(self):
        try:
            connection, answer = self._post("kv/range", '{"key": "YQ=="}')
            connection.close()
            return answer.status == 200
        except OSError:
            return False

    def close(self):
        self._process.terminate()
        self._process.wait(60)
        self._log.close()
        self._temporary.cleanup()

    def _post(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=CALL_SECONDS)
        connection.request("POST", "/v3/" + path, body)
        return connection, connection.getresponse()

    def play(self, steps, expected=None):
        return [self._watch(*step[1:], expected[index] if expected else None)
                if step[0] == "watch" else self._call(*step)
                for index, step in enumerate(steps)]

    def _call(self, path, request):
        connection, answer = self._post(path, json.dumps(encoded(request)))
        text = answer.readline().decode()
        connection.close()
        if answer.status == 200:
            message = decoded(json.loads(text))
            # It came with 3.5.
            if path == "maintenance/alarm":
                message.pop("header", None)
            if int(message.get("grantedTTL", 0)) - CALL_SECONDS < int(message.get("TTL", 0)) < int(
                    message.get("grantedTTL", 0)):
                message["TTL"] = "nearly all"
            return message
        return {"error": json.loads(text)["message"], "code": json.loads(text)["code"]}

    def _watch(self, requests, steps, expected):
        body = " ".join(json.dumps(encoded(request)) for request in requests)
        connection, answer = self._post("watch", body)
        got = {"messages": [], "events": {}}

        def read():
            message = decoded(json.loads(answer.readline())["result"])
            if "events" in message:
                got["events"].setdefault(message.get("watch_id", "0"), []).extend(message["events"])
            else:
                got["messages"].append(message)

        # The steps come when all watches are there, and those gone that are cancelled.
        created = sum("create_request" in request for request in requests)
        cancelled = count(expected, "canceled") if expected else 0
        while count(got, "created") < created or count(got, "canceled") < cancelled:
            read()
        got["steps"] = self.play(steps)
        socket = answer.fp.raw._sock
        socket.settimeout(CALL_SECONDS if expected else QUIET_SECONDS)
        try:
            while True:
                if expected and size_of(got) >= size_of(expected):
                    socket.settimeout(SURPLUS_SECONDS)
                read()
        except TimeoutError:
            pass
        connection.close()
        return got


def count(watched, name):
    return sum(name in message for message in watched["messages"])


def size_of(watched):
    return len(watched["messages"]) + sum(map(len, watched["events"].values()))


def play(binary, steps, expected=None):
    etcd = Gateway(binary)
    try:
        return etcd.play(steps, expected)
    finally:
        etcd.close()


def record(binary):
    lines = []
    for case in CASES:
        answers = play(binary, CASES[case])
        for step, answer in NEWER.get(case, {}).items():
            answers[step] = answer
        body = ",\n".join("  " + json.dumps(answer, sort_keys=True) for answer in answers)
        lines.append(f'"{case}": [\n{body}\n]')
    ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def compare(one, other, cases):
    for case in cases or CASES:
        for index, (step, *both) in enumerate(
                zip(CASES[case], play(one, CASES[case]), play(other, CASES[case]))):
            if both[0] != both[1]:
                print(f"{case}, step {index}: {step}", *map(json.dumps, both), sep="\n    ")


class Same(unittest.TestCase):
    maxDiff = None

    def test_each_step_is_answered_as_by_etcd(self):
        answers = json.loads(ANSWERS.read_text())
        self.assertEqual(list(answers), list(CASES))
        for case, expected in answers.items():
            got = play(ETCD, CASES[case], expected)
            for index, step in enumerate(CASES[case]):
                with self.subTest(case=case, step=index, request=step):
                    self.assertEqual(got[index], expected[index])

    @unittest.skipUnless(shutil.which("etcd"), "there is no etcd")
    def test_random_requests_are_answered_as_by_the_etcd_of_this_machine(self):
        for seed in range(RANDOM_SEEDS):
            steps = RandomSteps(seed).make(RANDOM_STEPS)
            answers = zip(steps, play(ETCD, steps), play("etcd", steps))
            for index, (step, ours, theirs) in enumerate(answers):
                self.assertEqual(ours, theirs, f"seed {seed}, step {index}: {step}")


if __name__ == "__main__":
    if sys.argv[1] == "--record":
        record(sys.argv[2])
    elif sys.argv[1] == "--compare":
        compare(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        ETCD = sys.argv.pop(1)
        unittest.main()
