#!/usr/bin/env python3
"""Requests and answers, written as text: cases/*.case.

  cases_test.py KUBE_APISERVER [NAME]...

A file holds cases; each has a namespace {ns} of its own and is a list of requests with what must
come back:

  case A budget that allows nothing refuses an eviction
  POST /api/v1/namespaces/{ns}/pods/p/eviction
    {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
  -> 429 {"reason": "TooManyRequests"}

Lines that begin with # say something; indented lines are the body, or go on with the answer. PATCH
is a merge patch, `PATCH:json`, `PATCH:strategic` and `PATCH:apply` are the others; `bob:` before
the method makes it bob's, who may do nothing that no role gives him, and `await:` asks again until
the answer is what it should be. A line `accept TYPE` before
the body says what the client takes. The answer has at least the members that the case names: "*"
stands for any value, null for one that must be absent, and lists must be as long as here.
"@warnings" are the texts of the warnings that came with it.
"""
import json
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

FOLLOW_SECONDS = 30
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "clients"))
from server import ADMIN, BOB, ApiServer  # noqa: E402

PATCHES = {"PATCH": "merge-patch+json", "PATCH:merge": "merge-patch+json",
           "PATCH:json": "json-patch+json", "PATCH:strategic": "strategic-merge-patch+json",
           "PATCH:apply": "apply-patch+yaml"}


class Step:
    def __init__(self, line, number):
        self.number = number
        self.token = BOB if line.startswith("bob:") else ADMIN
        self.awaits = line.startswith("await:")
        self.method, self.path = line.removeprefix("bob:").removeprefix("await:").split(" ", 1)
        self.body, self.code, self.answer = "", None, ""
        self.accept = "application/json"


def read_cases(path):
    """(title, steps) of each case."""
    cases, step = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("case "):
            cases.append((line.removeprefix("case "), []))
            step = None
        elif line.startswith("accept "):
            step.accept = line.removeprefix("accept ")
        elif line.startswith("-> "):
            code, _, step.answer = line.removeprefix("-> ").partition(" ")
            step.code = int(code)
        elif line.startswith(" "):
            if step.code is None:
                step.body += line.strip() + "\n"
            else:
                step.answer += line.strip() + "\n"
        else:
            step = Step(line, number)
            cases[-1][1].append(step)
    return cases


def missing(wanted, got, path=""):
    """What of `wanted` is not in `got`, or None."""
    if wanted == "*":
        return None
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return f"{path or 'the answer'}: {got!r} is no object"
        for key, value in wanted.items():
            if value is None:
                if key in got:
                    return f"{path}.{key}: {got[key]!r} should not be there"
                continue
            if key not in got:
                return f"{path}.{key} is not there"
            wrong = missing(value, got[key], f"{path}.{key}")
            if wrong:
                return wrong
        return None
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return f"{path}: {got!r} should be {wanted!r}"
        for index, pair in enumerate(zip(wanted, got)):
            wrong = missing(*pair, f"{path}[{index}]")
            if wrong:
                return wrong
        return None
    return None if wanted == got else f"{path}: {got!r} should be {wanted!r}"


def ask(server, step, namespace):
    """Code, body and warnings of the answer."""
    fill = lambda text: text.replace("{ns}", namespace)  # noqa: E731
    kind = PATCHES.get(step.method)
    headers = {"Authorization": f"Bearer {step.token}", "Accept": step.accept,
               "User-Agent": "cases", "Content-Type": f"application/{kind or 'json'}"}
    request = urllib.request.Request(server.url + fill(step.path), method=step.method.split(":")[0],
                                     data=fill(step.body).encode() or None, headers=headers)
    trusting = ssl._create_unverified_context()
    try:
        with urllib.request.urlopen(request, context=trusting, timeout=60) as answer:
            return answer.status, answer.read(), warnings_of(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), warnings_of(error)


def warnings_of(answer):
    return [json.loads(each.split(" ", 2)[2]) for each in answer.headers.get_all("Warning") or []]


def play(server, steps, namespace):
    """What is wrong with the first step that fails, or None."""
    made = Step("POST /api/v1/namespaces", 0)
    made.body = json.dumps({"metadata": {"name": namespace}})
    ask(server, made, namespace)
    account = Step("POST /api/v1/namespaces/{ns}/serviceaccounts", 0)
    account.body = json.dumps({"metadata": {"name": "default"}})
    ask(server, account, namespace)
    for step in steps:
        wrong = play_step(server, step, namespace)
        if wrong:
            return f"line {step.number}: {step.method} {step.path}: {wrong}"
    return None


def play_step(server, step, namespace):
    """What is wrong with the answer, or None. The authorizer follows roles and bindings: rights
    that were just given come a moment later, and until then another one may be what lacks."""
    end = time.monotonic() + FOLLOW_SECONDS
    while True:
        code, body, warnings = ask(server, step, namespace)
        wrong = differs(step, namespace, code, body, warnings)
        follows = step.awaits or (step.token == BOB and code == 403)
        if not wrong or not follows or time.monotonic() > end:
            return wrong
        time.sleep(0.02)


def differs(step, namespace, code, body, warnings):
    if code != step.code:
        return f"{code}, not {step.code}: {body.decode(errors='replace')[:600]}"
    if not step.answer.strip():
        return None
    wanted = json.loads(step.answer.replace("{ns}", namespace))
    return missing(wanted, {**json.loads(body), "@warnings": warnings})


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    files = sorted((HERE / "cases").glob("*.case"))
    wanted = sys.argv[2:]
    failed = count = 0
    server = ApiServer(sys.argv[1])
    try:
        for path in files:
            if wanted and path.stem not in wanted:
                continue
            for index, (title, steps) in enumerate(read_cases(path)):
                wrong = play(server, steps, f"{path.stem.replace('_', '-')}-{index}")
                count += 1
                if wrong:
                    failed += 1
                    print(f"FAIL {path.name}: {title}: {wrong}")
    finally:
        server.stop()
    print(f"{count} cases, {failed} failed")
    sys.exit(1 if failed or not count else 0)


if __name__ == "__main__":
    main()
