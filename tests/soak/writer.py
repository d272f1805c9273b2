"""A client that writes: objects of its own, whose state it knows at any time, and counters that it
shares with others under the optimistic lock."""
import random
import time

from api import MAPS, MERGE_PATCH, Client, Unknown, version_of

OWN_OBJECTS, COUNTERS = 15, 3
PAUSE_SECONDS = 0.02
RETRY_SECONDS = 0.1
LABEL = "x" * 50


class Writer:
    def __init__(self, index, seed, server, ledger):
        self.me = f"w{index}"
        self._random = random.Random(f"{seed}-{index}")
        self._client = Client(server)
        self._ledger = ledger
        self._step = 0
        self._own = {f"{self.me}-{i}": None for i in range(OWN_OBJECTS)}
        self._counted = dict.fromkeys((f"counter-{i}" for i in range(COUNTERS)), 0)

    def work(self):
        name = self._random.choice(list(self._own))
        actions = (self.update, self.patch, self.delete, self.look, self.count_up)
        if self._own[name] is None:
            action = self.create
        else:
            action = self._random.choices(actions, (35, 25, 10, 10, 20))[0]
        action(name)
        self._ledger.count(action.__name__)
        time.sleep(PAUSE_SECONDS * self._random.random() * 2)

    def create(self, name):
        self._write(name, "POST", MAPS, self._body(name))

    def update(self, name):
        body = self._body(name)
        body["metadata"]["resourceVersion"] = str(self._own[name]["version"])
        self._write(name, "PUT", f"{MAPS}/{name}", body)

    def patch(self, name):
        self._step += 1
        body = {"data": {"step": str(self._step)}}
        self._write(name, "PATCH", f"{MAPS}/{name}", body, MERGE_PATCH)

    def delete(self, name):
        body = {"preconditions": {"uid": self._own[name]["uid"]}}
        try:
            code, answer = self._client.request("DELETE", f"{MAPS}/{name}", body)
        except Unknown as unknown:
            return self._find_out(name, unknown, None)
        if code != 200:
            return self._ledger.fail(name, f"delete: {code} {answer}")
        self._ledger.note(name, f"{self.me} deleted {self._own[name]}")
        self._own[name] = None

    def look(self, name):
        """What was acknowledged is what is there."""
        self._find_out(name, None, self._own[name])

    def count_up(self, _):
        name = self._random.choice(list(self._counted))
        counter = self._read_counter(name)
        while counter and not self._ledger.over.is_set():
            data = counter["data"]
            data["total"] = str(int(data["total"]) + 1)
            data[self.me] = str(self._counted[name] + 1)
            floor = self._ledger.latest()
            try:
                code, answer = self._client.request("PUT", f"{MAPS}/{name}", counter)
            except Unknown as unknown:
                self._ledger.note(name, f"{self.me} counts to {data[self.me]}: {unknown}")
                return self._read_counter(name, may_have_counted=True)
            if code == 200:
                self._counted[name] += 1
                return self._acknowledged(name, answer, floor)
            if code != 409:
                return self._ledger.fail(name, f"count up: {code} {answer}")
            self._ledger.count("conflicts")
            counter = self._read_counter(name)

    def check_all(self):
        for name in self._counted:
            self._read_counter(name)
        for name in self._own:
            self.look(name)

    def _read_counter(self, name, may_have_counted=False):
        found = self._get(name)
        if found is None:
            return None if self._ledger.over.is_set() else self._ledger.fail(name, "is gone")
        data = found["data"]
        mine, known = int(data.get(self.me, 0)), self._counted[name]
        shown = sum(int(value) for key, value in data.items() if key != "total")
        if mine == known + 1 and may_have_counted:
            self._counted[name] = mine
        elif mine != known:
            self._ledger.fail(name, f"lost update: {self.me} counted to {known}, found {data}")
        if shown != int(data["total"]):
            self._ledger.fail(name, f"lost update: the parts come to {shown} in {data}")
        return found

    def _body(self, name):
        self._step += 1
        return {"metadata": {"name": name, "labels": {"writer": self.me, "pad": LABEL}},
                "data": {"step": str(self._step)}}

    def _write(self, name, method, path, body, kind="application/json"):
        wanted = body["data"]["step"]
        floor = self._ledger.latest()
        try:
            code, answer = self._client.request(method, path, body, kind)
        except Unknown as unknown:
            return self._find_out(name, unknown, {"step": wanted})
        if code not in (200, 201):
            return self._ledger.fail(name, f"{method} {body}: {code} {answer}")
        if answer["data"]["step"] != wanted:
            self._ledger.fail(name, f"{method} {body} was answered with {answer}")
        self._acknowledged(name, answer, floor)
        self._own[name] = state_of(answer)

    def _acknowledged(self, name, answer, floor):
        version = version_of(answer)
        if version <= floor:
            self._ledger.fail(name, f"version {version} after {floor} had been given out")
        self._ledger.note(name, f"{self.me} wrote {state_of(answer)}")
        self._ledger.acknowledge(name, version)

    def _get(self, name):
        """The object, or None when there is none; waits for a server that is away."""
        while not self._ledger.over.is_set():
            try:
                code, answer = self._client.request("GET", f"{MAPS}/{name}")
            except Unknown:
                time.sleep(RETRY_SECONDS)
                continue
            if code == 404:
                return None
            if code == 200:
                return answer
            self._ledger.fail(name, f"GET: {code} {answer}")
        return None

    def _find_out(self, name, unknown, wanted):
        """After a write without an answer: the object is as before, or as it should be now."""
        before = self._own[name]
        if unknown:
            self._ledger.note(name, f"{self.me} wants {wanted} after {before}: {unknown}")
            self._ledger.count("unknown outcomes")
        floor = self._ledger.latest() if unknown else 0
        found = self._get(name)
        if self._ledger.over.is_set():
            return
        now = found and state_of(found)
        same = now == before
        done = unknown and (now and now["step"]) == (wanted and wanted["step"])
        if not same and not done:
            return self._ledger.fail(name, f"lost write: {before} or {wanted} wanted, found {now}")
        if not same and now:
            if now["version"] <= (before or {"version": 0})["version"]:
                self._ledger.fail(name, f"went back from {before} to {now}")
            self._ledger.acknowledge(name, now["version"])
        self._ledger.note(name, f"{self.me} found {now} (latest was {floor})")
        self._own[name] = now


def state_of(thing):
    return {"uid": thing["metadata"]["uid"], "version": version_of(thing),
            "step": thing["data"].get("step")}
