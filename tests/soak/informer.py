"""A client that follows: lists, watches from there, takes the watch up again where it broke, and
lists anew only when it is told that the past is gone."""
import random
import time

from api import MAPS, Client, Unknown, version_of

RETRY_SECONDS = 0.1
WATCH_SECONDS = (3, 20)


class Informer:
    """`mode` is "pages", "cache" (a list of any age) or "stream" (the list comes by the watch)."""

    def __init__(self, mode, seed, server, ledger):
        self.mode = mode
        self._random = random.Random(f"{seed}-{mode}")
        self._client = Client(server)
        self._ledger = ledger
        self._store = {}  # name -> object
        self._version = None  # None: to be listed
        self._highest = 0
        self._segments = []  # [first, last]: every version between the two was to be seen
        self._seen = set()

    def work(self):
        try:
            if self._version is None and self.mode != "stream":
                self._list()
            self._watch()
        except Unknown:
            time.sleep(RETRY_SECONDS)

    def objects(self):
        return {name: each["metadata"]["resourceVersion"]
                for name, each in list(self._store.items())}

    def check_gaps(self):
        """Each write that was acknowledged within a stretch of watching was seen there."""
        missing = []
        for version, name in self._ledger.written:
            within = any(first < version <= last for first, last in self._segments)
            if within and version not in self._seen:
                missing.append((version, name))
        for version, name in missing[:5]:
            self._ledger.fail(name, f"gap: {self.mode} never saw version {version}, "
                                    f"segments {self._segments[-5:]}, {len(missing)} in all")
        return len(self._seen)

    def _list(self):
        items, version, more = {}, None, ""
        while True:
            path = f"{MAPS}?resourceVersion=0" if self.mode == "cache" else f"{MAPS}?limit=7{more}"
            floor = self._ledger.latest()
            code, answer = self._client.request("GET", path)
            if code == 410:  # the server that began this list is gone
                self._ledger.count("410 of a list")
                items, version, more = {}, None, ""
                continue
            if code != 200:
                return self._ledger.fail(None, f"list: {code} {answer}")
            listed = version_of(answer)
            if self.mode == "pages" and version is None and listed < floor:
                self._ledger.fail(None, f"a list of {listed} after {floor} had been given out")
            if version not in (None, listed):
                self._ledger.fail(None, f"a page of {listed} after one of {version}")
            version = listed
            for item in answer["items"]:
                name = item["metadata"]["name"]
                if name in items or (items and name < max(items)) or version_of(item) > version:
                    self._ledger.fail(name, f"in a list of {version}: {item}")
                items[name] = item
            token = answer["metadata"].get("continue")
            if not token:
                break
            more = f"&continue={token}"
        self._ledger.count("lists")
        self._begin(items, version)

    def _begin(self, items, version):
        if version < self._highest and self.mode != "cache":
            self._ledger.fail(None, f"{self.mode} was at {self._highest}, and lists {version}")
        for name, item in items.items():
            old = self._store.get(name)
            if old and old["metadata"]["uid"] == item["metadata"]["uid"] and \
                    version_of(old) > version_of(item) and self.mode != "cache":
                self._ledger.fail(name, f"{self.mode} had {old}, and lists {item}")
        self._store = items
        self._version = version
        self._segments.append([version, version])

    def _watch(self):
        seconds = self._random.randint(*WATCH_SECONDS)
        path = f"{MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds={seconds}"
        starting = None
        if self._version is None:
            path += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
            starting = {}
        else:
            path += f"&resourceVersion={self._version}"
        code, events = self._client.stream(path, seconds + 30)
        if code == 410:
            self._client.close()
            return self._expired()
        if code != 200:
            self._client.close()
            if code in (429, 503, 504):
                raise Unknown(code)
            return self._ledger.fail(None, f"watch from {self._version}: {code}")
        self._ledger.count("watches")
        for event in events:
            if starting is None:
                self._on_event(event)
            elif self._on_initial(event, starting):
                starting = None
            if self._version is None and starting is None or self._ledger.over.is_set():
                break
        self._client.close()

    def _expired(self):
        self._ledger.count("410 of a watch")
        self._version = None

    def _on_initial(self, event, starting):
        """One of the objects that a watch begins with; true at their end."""
        thing = event["object"]
        if event["type"] == "BOOKMARK":
            if thing["metadata"].get("annotations", {}).get("k8s.io/initial-events-end") != "true":
                self._ledger.fail(None, f"a bookmark before the end of the beginning: {event}")
            self._ledger.count("lists by watch")
            self._begin(starting, version_of(thing))
            return True
        if event["type"] != "ADDED" or thing["metadata"]["name"] in starting:
            self._ledger.fail(thing["metadata"].get("name"), f"as a watch begins: {event}")
        starting[thing["metadata"]["name"]] = thing
        return False

    def _on_event(self, event):
        kind, thing = event["type"], event["object"]
        if kind == "ERROR":
            if thing.get("code") == 410:
                return self._expired()
            return self._ledger.fail(None, f"{self.mode}: {event}")
        version = version_of(thing)
        if kind == "BOOKMARK":
            self._ledger.count("bookmarks")
            if version < self._version:
                self._ledger.fail(None, f"{self.mode} at {self._version}: bookmark {version}")
        else:
            self._ledger.count("events")
            self._apply(kind, thing, version)
        self._version = max(self._version, version)
        self._highest = max(self._highest, self._version)
        self._segments[-1][1] = self._version

    def _apply(self, kind, thing, version):
        name = thing["metadata"]["name"]
        line = f"{self.mode} saw {kind} {version} {thing.get('data')}"
        self._ledger.note(name, line)
        if version <= self._version:
            self._ledger.fail(name, f"{line}, having been at {self._version}")
        old = self._store.get(name)
        if (old is not None) != (kind in ("MODIFIED", "DELETED")):
            self._ledger.fail(name, f"{line}, having {old and version_of(old)} of it")
        if old and old["metadata"]["uid"] != thing["metadata"]["uid"]:
            self._ledger.fail(name, f"{line}, without the end of {old['metadata']['uid']}")
        self._seen.add(version)
        if kind == "DELETED":
            self._store.pop(name, None)
        else:
            self._store[name] = thing
