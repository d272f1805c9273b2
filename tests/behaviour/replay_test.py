#!/usr/bin/env python3
"""Replays the recorded answers of a real server (../shared/fixtures/behaviour, and some of
behaviour-extensions) against ours.

  replay_test.py KUBE_APISERVER [--update] [AREA or AREA/NAME]...

Prints how many scenarios of each area agree, and what still differs. Fails when a scenario of
passing.txt does not agree any more; scenarios that agree and are not in that list are named, and
--update adds them to it.

The messages of a Status and its causes are compared, too, but for the scenarios of other_words.txt,
where ours are in other words; --update takes those away that have the same by now.

Descriptions of columns and fields are not compared: they are in our own words. Neither are ages of
years and days, which grew since the answers were recorded.
"""
import importlib.util
import io
import os
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
from ports import free_port  # noqa: E402

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent.parent / "shared"
PASSING = HERE / "passing.txt"
OTHER_WORDS = HERE / "other_words.txt"
NOT_COMPARED = {"description"}
AGE_OF_YEARS = re.compile(r"[0-9]+y([0-9]+d)?")
START_SECONDS = 60


def load_replay():
    spec = importlib.util.spec_from_file_location("replay", SHARED / "tools" / "replay.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compare = module.differences

    def without(value):
        if isinstance(value, dict):
            return {k: without(v) for k, v in value.items() if k not in NOT_COMPARED}
        if isinstance(value, str) and AGE_OF_YEARS.fullmatch(value):
            return "<age of years>"
        return [without(v) for v in value] if isinstance(value, list) else value

    def differences(expected, got, mode, path="", where=""):
        if not path:
            expected, got = without(expected), without(got)
        yield from compare(expected, got, mode, path, where)

    module.differences = differences
    return module


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
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
            f"--secure-port={self.port}",
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


# Of ../shared/fixtures/behaviour-extensions, what there is here; named extensions/AREA/NAME.
EXTENSIONS = {"crds", "policies", "webhooks"}


def scenarios(wanted):
    fixtures = SHARED / "fixtures"
    roots = [("", path, fixtures / "behaviour")
             for path in sorted((fixtures / "behaviour").glob("*/*.json"))]
    roots += [("extensions/", path, fixtures / "behaviour-extensions")
              for path in sorted((fixtures / "behaviour-extensions").glob("*/*.json"))
              if path.parent.name in EXTENSIONS]
    found = [path for _, path, _ in roots]
    names = [prefix + str(path.relative_to(root))[:-len(".json")] for prefix, path, root in roots]
    return [(name, path) for name, path in zip(names, found)
            if not wanted or any(name == w or name.startswith(w + "/") for w in wanted)]


def names_in(path):
    return set(path.read_text(encoding="utf-8").split()) if path.exists() else set()


def groups_of(chosen):
    """Scenarios one after the other in each: what rights one gives to bob, others must not see."""
    about_bob = [each for each in chosen if "bob" in each[1].read_text(encoding="utf-8")]
    return [about_bob] + [[each] for each in chosen if each not in about_bob]


def play(replay, port, path, any_words):
    """What differs first, or None."""
    class Arguments:
        server, ca, insecure = f"https://127.0.0.1:{port}", None, True
        token, token_bob = "admintoken", "bobtoken"
    import json
    scenario = json.loads(path.read_text(encoding="utf-8"))
    for step in scenario["steps"]:
        if not any_words:
            step.setdefault("expect", {}).setdefault("messageMode", "exact")
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
    update = "--update" in sys.argv
    other_words = set() if update else names_in(OTHER_WORDS)
    with tempfile.TemporaryDirectory() as folder:
        server = ApiServer(arguments[0], folder)
        try:
            with ThreadPoolExecutor(4) as pool:
                verdicts = {}
                for played in pool.map(
                        lambda group: {name: play(replay, server.port, path, name in other_words)
                                       for name, path in group}, groups_of(chosen)):
                    verdicts.update(played)
                if update:
                    forgive(replay, server.port, chosen, verdicts)
            died = server.process.poll()
        finally:
            server.stop()
        if died is not None:
            server.log.seek(0)
            sys.exit(f"the server died with {died}:\n" +
                     server.log.read().decode(errors="replace")[-4000:])
    report(verdicts, update, not arguments[1:])


def forgive(replay, port, chosen, verdicts):
    """Which of those that differ do so in their words only."""
    before = names_in(OTHER_WORDS)
    for name, path in chosen:
        before.discard(name)
        if verdicts[name] is not None:
            verdicts[name] = play(replay, port, path, True)
            if verdicts[name] is None:
                before.add(name)
    OTHER_WORDS.write_text("".join(name + "\n" for name in sorted(before)), encoding="utf-8")


def report(verdicts, update, whole):
    areas = {}
    for name, wrong in verdicts.items():
        counts = areas.setdefault(name.rsplit("/", 1)[0], [0, 0])
        counts[0 if wrong is None else 1] += 1
    for name, wrong in verdicts.items():
        if wrong is not None:
            print(f"differs: {name} {wrong[:400]}")
    for area, (same, other) in areas.items():
        print(f"{area:21} {same:3} agree, {other:3} differ")
    same, other = (sum(counts[i] for counts in areas.values()) for i in (0, 1))
    print(f"counts: recorded scenarios of kube-apiserver: {same} agree, {other} differ ("
          + ", ".join(f"{area} {counts[0]} of {sum(counts)}" for area, counts in areas.items())
          + ")")
    passing = names_in(PASSING)
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
