#!/usr/bin/env python3
"""Replays the recorded answers of a real server (../shared/fixtures/behaviour) against ours.

  replay_test.py KUBE_APISERVER [--update] [AREA or AREA/NAME]...

Prints how many scenarios of each area agree, and what still differs. Fails when a scenario of
passing.txt does not agree any more; scenarios that agree and are not in that list are named, and
--update adds them to it.

Descriptions of columns and fields are not compared: they are in our own words.
"""
import importlib.util
import io
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent.parent / "shared"
PASSING = HERE / "passing.txt"
NOT_COMPARED = {"description"}
START_SECONDS = 60


def load_replay():
    spec = importlib.util.spec_from_file_location("replay", SHARED / "tools" / "replay.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compare = module.differences

    def without(value):
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in NOT_COMPARED}
        return [without(v) for v in value] if isinstance(value, list) else value

    def differences(expected, got, mode, path="", where=""):
        if not path:
            expected, got = without(expected), without(got)
        yield from compare(expected, got, mode, path, where)

    module.differences = differences
    return module


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ApiServer:
    """The server under test, as fixtures/README.md wants it."""

    def __init__(self, binary, folder, more=("--enable-admission-plugins=NodeRestriction",
                                             "--allow-privileged=true")):
        self.port = free_port()
        folder = Path(folder)
        (folder / "tokens.csv").write_text(
            'admintoken,tokenadmin,1,"system:masters"\nbobtoken,bob,2,"dev"\n')
        key = folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        self.log = open(folder / "log", "wb+")
        self.process = subprocess.Popen([
            binary, f"--data-dir={folder}/data", f"--cert-dir={folder}/certs",
            "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            f"--token-auth-file={folder}/tokens.csv", "--authorization-mode=Node,RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
            *more,
        ], stdout=self.log, stderr=self.log)
        self.wait()

    def wait(self):
        trusting = ssl._create_unverified_context()
        for _ in range(START_SECONDS * 20):
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(f"https://127.0.0.1:{self.port}/readyz",
                                            context=trusting, timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            time.sleep(0.05)
        self.stop()
        self.log.seek(0)
        sys.exit("the server is not ready:\n" + self.log.read().decode(errors="replace"))

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


def scenarios(wanted):
    root = SHARED / "fixtures" / "behaviour"
    found = sorted(root.glob("*/*.json"))
    names = [str(path.relative_to(root))[:-len(".json")] for path in found]
    return [(name, path) for name, path in zip(names, found)
            if not wanted or any(name == w or name.startswith(w + "/") for w in wanted)]


def play(replay, port, path):
    """What differs first, or None."""
    class Arguments:
        server, ca, insecure = f"https://127.0.0.1:{port}", None, True
        token, token_bob = "admintoken", "bobtoken"
    import json
    scenario = json.loads(path.read_text(encoding="utf-8"))
    try:
        return replay.Run(replay.Server(Arguments), scenario).play(False)
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}"


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if not arguments:
        sys.exit(__doc__)
    if not SHARED.is_dir():
        print("skipped: the recorded answers of a real server are not there (../shared)")
        return
    replay = load_replay()
    chosen = scenarios(arguments[1:])
    with tempfile.TemporaryDirectory() as folder:
        server = ApiServer(arguments[0], folder)
        try:
            with ThreadPoolExecutor(4) as pool:
                verdicts = dict(zip((name for name, _ in chosen), pool.map(
                    lambda each: play(replay, server.port, each[1]), chosen)))
            died = server.process.poll()
        finally:
            server.stop()
        if died is not None:
            server.log.seek(0)
            sys.exit(f"the server died with {died}:\n" +
                     server.log.read().decode(errors="replace")[-4000:])
    report(verdicts, "--update" in sys.argv, not arguments[1:])


def report(verdicts, update, whole):
    areas = {}
    for name, wrong in verdicts.items():
        counts = areas.setdefault(name.split("/")[0], [0, 0])
        counts[0 if wrong is None else 1] += 1
    for name, wrong in verdicts.items():
        if wrong is not None:
            print(f"differs: {name} {wrong[:400]}")
    for area, (same, other) in areas.items():
        print(f"{area:15} {same:3} agree, {other:3} differ")
    passing = set(PASSING.read_text().split()) if PASSING.exists() else set()
    good = {name for name, wrong in verdicts.items() if wrong is None}
    new = sorted(good - passing)
    if update:
        PASSING.write_text("".join(name + "\n" for name in sorted(passing | good)))
    elif new:
        print("agree, but are not in passing.txt yet: " + " ".join(new))
    lost = sorted(name for name in passing if verdicts.get(name) is not None)
    if whole:
        lost += sorted(name for name in passing if name not in verdicts)
    if lost:
        sys.exit("no longer agree: " + " ".join(lost))


if __name__ == "__main__":
    main()
