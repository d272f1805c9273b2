"""What etcd_same_test.py asks of an etcd: cases, each a list of steps on an etcd that begins empty.

A step is a path of the JSON gateway and its request, in which keys and values are plain text; or
"watch" with the requests of a stream of watches, and the steps that are done while it is open.
"""
import random

END = "\0"  # as a range_end: all keys from the first on


def put(key, value="", **more):
    return ("kv/put", {"key": key, "value": value, **more})


def get(key, end=None, **more):
    return ("kv/range", {"key": key, **({"range_end": end} if end else {}), **more})


def delete(key, end=None, **more):
    return ("kv/deleterange", {"key": key, **({"range_end": end} if end else {}), **more})


def txn(compare=(), success=(), failure=()):
    return ("kv/txn", {"compare": list(compare), "success": [_op(step) for step in success],
                       "failure": [_op(step) for step in failure]})


def _op(step):
    names = {"kv/put": "request_put", "kv/range": "request_range",
             "kv/deleterange": "request_delete_range", "kv/txn": "request_txn"}
    return {names[step[0]]: step[1]} if step else {}


def when(target, key, result="EQUAL", end=None, **value):
    return {"target": target, "key": key, "result": result,
            **({"range_end": end} if end else {}), **value}


def compact(revision, **more):
    return ("kv/compaction", {"revision": revision, **more})


def create(key, end=None, **more):
    return {"create_request": {"key": key, **({"range_end": end} if end else {}), **more}}


def alarm(action, kind="NONE", member=5):
    return ("maintenance/alarm", {"action": action, "alarm": kind, "memberID": member})


THREE = [put("a", "3"), put("b", "1"), put("c", "2"), put("b", "9")]
LEASE = ("lease/grant", {"ID": 77, "TTL": 300})

CASES = {
    "ranges": THREE + [
        get("a"), get("none"), get(""), get("a", "c"), get("a", END), get(END, END), get("b", END),
        get("c", "a"), get("a", "a"), get("a", "b", keys_only=True),
        get("a", END, count_only=True), get("a", END, count_only=True, limit=1),
        get("a", END, count_only=True, keys_only=True, limit=2, min_mod_revision=4),
        get("a", END, limit=1), get("a", END, limit=2, keys_only=True), get("a", END, limit=3),
        get("a", END, limit=-1), get("a", END, limit=9), get("a", END, serializable=True),
    ],
    "order": THREE + [
        get("a", END, sort_order=order, sort_target=target, **more)
        for target in ("KEY", "VERSION", "CREATE", "MOD", "VALUE")
        for order in ("NONE", "ASCEND", "DESCEND")
        for more in ({}, {"limit": 1}, {"limit": 2, "keys_only": True})
    ],
    "bounds of revisions": THREE + [
        get("a", END, **{bound: revision}, **more)
        for bound in ("min_mod_revision", "max_mod_revision", "min_create_revision",
                      "max_create_revision")
        for revision in (-1, 1, 3, 4, 99)
        for more in ({}, {"limit": 1}, {"count_only": True})
    ] + [get("a", END, min_mod_revision=3, max_mod_revision=4, sort_target="MOD",
             sort_order="DESCEND")],
    "older revisions": THREE + [delete("a")] + [
        get("a", END, revision=revision) for revision in (-1, 1, 2, 3, 4, 5, 6)
    ] + [get("a", END, revision=7), get("a", revision=99), compact(4),
         get("a", END, revision=3), get("a", END, revision=4), get("a", END, revision=2),
         compact(4), compact(3), compact(0), compact(-1), compact(99), compact(6, physical=True),
         get("a", END), get("b", END, revision=5)],
    "compaction of nothing": [compact(0), compact(1), compact(1), compact(2), compact(-5)],
    "puts": [
        put("a", "1"), put("a", "2", prev_kv=True), put("b", "1", prev_kv=True), put(""),
        put("a", "x", ignore_value=True), put("a", ignore_value=True, prev_kv=True),
        put("none", ignore_value=True), put("none", "1", ignore_lease=True),
        put("a", "3", lease=77), LEASE, put("a", "3", lease=77),
        put("a", "4", ignore_lease=True), put("a", "4", ignore_lease=True, lease=77),
        put("a", "4", lease=-1), get("a"), put("a", ignore_value=True, lease=0), get("a"),
        put("a", ignore_value=True, ignore_lease=True), get("a"), put("z"), get("z"),
    ],
    "deletions": THREE + [
        delete(""), delete("none"), delete("a", prev_kv=True), delete("a", prev_kv=True),
        delete("b", "a"), delete("b", END, prev_kv=True), delete(END, END), get(END, END),
        put("a"), get("a"),
    ],
    "transactions": [
        txn(), txn(success=[put("a", "1")]), txn(success=[put("a", "2", prev_kv=True), get("a")]),
        txn([when("VERSION", "a", version=2)], [get("a")], [put("x")]),
        txn([when("VERSION", "a", version=9)], [put("x")], [get("a", keys_only=True)]),
        txn([when("CREATE", "none", create_revision=0)], [put("none", "1"), delete("a")]),
        txn([when("MOD", "none", "GREATER", mod_revision=1)], [get("none")]),
        txn([when("VALUE", "none", value="1")], [get("none")]),
        txn([when("VALUE", "missing", value="")], [get("none")], [get("a")]),
        txn([when("VALUE", "missing", "NOT_EQUAL", value="1")], [get("none")], [get("a")]),
        txn([when("VERSION", "missing", version=0)], [get("none")], [get("a")]),
        txn([when("LEASE", "missing", lease=0)], [get("none")], [get("a")]),
        txn([when("LEASE", "none", "LESS", lease=5)], [get("none")], [get("a")]),
        txn([when("VERSION", "none")], [get("none")], [get("a")]),
        txn([when("VALUE", "none")], [get("none")], [get("a")]),
        txn([when("VERSION", "none", "GREATER", END, version=0)], [get("none")], [get("a")]),
        txn([when("VERSION", "x", "GREATER", END, version=0)], [get("none")], [get("a")]),
        txn([when("VALUE", "x", "EQUAL", END, value="")], [get("none")], [get("a")]),
        txn([when("MOD", "a", end="a", mod_revision=0)], [get("none")], [get("a")]),
        txn([when("VERSION", "", version=0)], [get("none")]),
        txn(success=[get("")]), txn(success=[put("")]), txn(success=[delete("")]),
        txn(failure=[put("")]), txn(success=[None]),
        txn(success=[delete("none"), delete("none"), delete("a", END)]),
        txn(success=[put("p", "1"), get("p"), put("q", "2"), get("p", END), delete("r", END)]),
        get("a", END),
    ],
    "keys that are written twice": [
        txn(success=[put("a"), put("a")]), txn(failure=[put("a"), put("a")]),
        txn(success=[put("a")], failure=[put("a")]),
        txn(success=[put("a"), delete("a")]), txn(success=[delete("a"), put("a")]),
        txn(success=[put("b"), delete("a", "c")]), txn(success=[put("c"), delete("a", "c")]),
        txn(success=[delete("a"), delete("a", "c")]),
        txn(success=[put("a"), txn(success=[put("a")])]),
        txn(success=[put("a"), txn(failure=[put("a")])]),
        txn(success=[put("a"), txn(success=[put("b")], failure=[put("b")])]),
        txn(success=[txn(success=[put("a")]), txn(success=[put("a")])]),
        txn(success=[txn(success=[put("a")]), txn(failure=[put("a")])]),
        txn(success=[txn(success=[delete("a")]), put("a")]),
        txn(success=[delete("a"), txn(success=[put("a")])]),
        txn(success=[txn(success=[delete("a")]), txn(success=[put("a")])]),
        txn(success=[txn(success=[txn(success=[put("a")])]), put("a")]),
        get("a", END),
    ],
    "transactions within transactions": [
        put("a", "1"),
        txn([when("VERSION", "a", version=1)],
            [txn([when("VALUE", "a", value="1")], [put("b", "inner")], [put("c", "other")]),
             get("b", END)]),
        txn(success=[put("d", "1"), txn([when("VERSION", "d", version=0)], [put("e", "before")],
                                         [put("e", "after")])]),
        txn(success=[txn([when("VERSION", "a", version=5)], [put("f")],
                         [txn(success=[get("a"), put("g", "deep", prev_kv=True)])])]),
        txn(success=[txn(), txn(success=[get("none")])]),
        txn(success=[txn([when("VERSION", "")])]), txn(success=[txn(success=[put("")])]),
        txn(success=[put("h"), txn(success=[get("a", revision=99)])]), get("h"),
        txn(success=[put("h"), get("a", revision=1)]), get("h"),
        txn(success=[get("a", revision=99), txn(success=[put("h", lease=5)])]),
        txn(success=[get("a", revision=99), put("i", ignore_value=True), put("h", lease=5)]),
        txn(success=[put("h", lease=5)]), txn(success=[put("h"), put("i", ignore_value=True)]),
        get("a", END),
    ],
    "leases": [
        LEASE, LEASE, ("lease/grant", {"ID": 5, "TTL": 0}), ("lease/revoke", {"ID": 5}),
        ("lease/grant", {"ID": 6, "TTL": -1}), ("lease/revoke", {"ID": 6}),
        ("lease/grant", {"ID": 7, "TTL": 9000000001}),
        ("lease/grant", {"ID": 8, "TTL": 9000000000}),
        ("lease/grant", {"ID": -9, "TTL": 60}),
        put("a", "1", lease=77), put("b", "1", lease=77), put("c", "1", lease=8),
        ("lease/timetolive", {"ID": 99}), ("lease/timetolive", {"ID": 99, "keys": True}),
        ("lease/timetolive", {"ID": 8, "keys": True}), ("lease/revoke", {"ID": 99}),
        ("lease/leases", {}), ("lease/keepalive", {"ID": 99}), ("lease/keepalive", {"ID": 8}),
        put("b", "2"), ("lease/revoke", {"ID": 77}), get("a", END), put("d", "1", lease=77),
        txn(success=[put("c", ignore_value=True)]), ("lease/revoke", {"ID": 8}), get("a", END),
        ("kv/lease/revoke", {"ID": 8}), ("kv/lease/timetolive", {"ID": 8}), ("lease/revoke", {}),
    ],
    "alarms": [
        put("a"), alarm("GET"), alarm("ACTIVATE", "NOSPACE"), put("a"),
        delete("a"), get("a"), LEASE, txn(success=[put("a")]), txn(success=[get("a")]),
        txn(success=[delete("a")]), txn(success=[get("a")], failure=[put("a")]), compact(2),
        alarm("GET", member=0), alarm("GET", "CORRUPT"), alarm("GET", "NOSPACE"),
        alarm("DEACTIVATE"), alarm("DEACTIVATE", "NOSPACE", member=6),
        alarm("DEACTIVATE", "CORRUPT"), alarm("DEACTIVATE", "NOSPACE"), put("a", "1"), LEASE,
        alarm("ACTIVATE", "CORRUPT"), alarm("ACTIVATE", "CORRUPT"), put("a"), delete("a"), get("a"),
        txn(success=[get("a")]), txn(success=[delete("a")]), compact(3),
        ("lease/grant", {"ID": 9, "TTL": 300}), ("lease/revoke", {"ID": 77}),
        ("lease/timetolive", {"ID": 99}), ("lease/leases", {}),
        alarm("GET"), alarm("DEACTIVATE", "CORRUPT"), put("a", "2"), get("a"),
    ],
    "sizes": [
        txn(success=[put(f"k{i:03}") for i in range(128)]),
        txn(success=[put(f"k{i:03}") for i in range(129)]),
        txn(failure=[get("a")] * 129), txn([when("VERSION", "a")] * 129),
        txn([when("VERSION", "a")] * 128, [get("a", count_only=True)]),
        txn(success=[txn(success=[get("a", count_only=True)] * 127)]),
        txn(success=[txn(success=[get("a")] * 128)]),
        txn(success=[get("a", count_only=True)] * 64 + [txn(success=[get("b")] * 64)]),
        put("a", "x" * 1500000), put("a", "x" * 1572900), get("a", keys_only=True),
        put("k" * 5000, "long"), get("k" * 5000), get("k" * 100000), put("k" * 100000, "longer"),
        get("k" * 4999, END, keys_only=True, limit=1), delete("k" * 5000, END),
        ("maintenance/transfer-leadership", {"targetID": 5}),
    ],
    "watches of the past": THREE + [delete("a"), put("a", "new")] + [
        ("watch", [create("a", END, start_revision=1)], []),
        ("watch", [create("a", start_revision=3)], []),
        ("watch", [create("a", END, start_revision=4, prev_kv=True)], []),
        ("watch", [create("a", END, start_revision=1, filters=["NOPUT"])], []),
        ("watch", [create("a", END, start_revision=1, filters=["NODELETE"], prev_kv=True)], []),
        ("watch", [create("a", END, start_revision=1, filters=["NOPUT", "NODELETE"])], []),
        ("watch", [create("", END, start_revision=5)], []),
        ("watch", [create("", start_revision=5)], []),
        ("watch", [create("c", "a"), create("c", "c"), create("c", "d", start_revision=2)], []),
        ("watch", [create("a", start_revision=-1)], []),
        compact(5),
        ("watch", [create("a", END, start_revision=2)], []),
        ("watch", [create("a", END, start_revision=4)], []),
        ("watch", [create("a", END, start_revision=5)], []),
        ("watch", [create("a", END, start_revision=6)], []),
    ],
    "watches of what comes": THREE + [
        ("watch", [create("a", END)],
         [put("a", "5"), delete("a"), delete("a"), txn(success=[put("x"), put("y"), delete("b")]),
          delete("c", END)]),
        ("watch", [create("a", "b", prev_kv=True, filters=["NODELETE"])],
         [put("a", "1"), put("a", "2"), delete("a"), put("b", "no"), put("a", "3")]),
        ("watch", [create("a", start_revision=22)], [put("a", "5"), put("a", "6"), put("a", "7"),
                                                     put("a", "8"), put("a", "9")]),
        ("watch", [create("a", watch_id=5), create("b", watch_id=5), create("c"), create("d"),
                   create("e", watch_id=9)], [put("c", "1"), put("e", "1"), put("a", "1")]),
        ("watch", [create("a"), {"cancel_request": {"watch_id": 0}},
                   {"cancel_request": {"watch_id": 7}}], [put("a", "1")]),
        ("watch", [create("a"), create("b", prev_kv=True), {"progress_request": {}}], []),
    ],
    "previous values and compactions": [
        put("a", "1"), put("a", "2"), put("b", "1"), delete("b"), put("a", "3"), delete("a"),
        put("a", "4"), compact(4),
        ("watch", [create("a", END, start_revision=4, prev_kv=True)], []),
        ("watch", [create("a", END, start_revision=6, prev_kv=True)], []),
        compact(6), ("watch", [create("a", END, start_revision=6, prev_kv=True)], []),
        compact(7), ("watch", [create("a", END, start_revision=7, prev_kv=True)], []),
        ("watch", [create("a", END, start_revision=8, prev_kv=True)], [delete("a"), delete("a")]),
        get("a", revision=7), get("a", revision=8), get("a"), put("a", "5"), get("a"),
        compact(10), get("a"), get("a", revision=10), put("a", "6", prev_kv=True), get("a"),
    ],
    "lives of a key": [
        put("a", "1"), put("a", "2"), delete("a"), put("a", "3"), get("a"), get("a", revision=3),
        get("a", revision=4), txn(success=[delete("a"), get("a")]), get("a", revision=5),
        txn([when("VERSION", "a", version=0), when("CREATE", "a", create_revision=0),
             when("MOD", "a", mod_revision=0)], [put("a", "4"), get("a"), put("b", "1")]),
        get("a", END, sort_target="CREATE", sort_order="DESCEND"),
        txn([when("CREATE", "a", "EQUAL", END, create_revision=7)], [get("a", END)]),
        txn([when("MOD", "a", "LESS", END, mod_revision=8)], [get("a", END, revision=3)]),
        txn([when("VALUE", "a", "GREATER", value="3"), when("VALUE", "b", "LESS", value="2")],
            [get("a", END, limit=1, sort_order="DESCEND")]),
        LEASE, put("a", "5", lease=77), txn([when("LEASE", "a", lease=77)], [get("a")]),
        txn([when("LEASE", "a", "NOT_EQUAL", END, lease=77)], [get("a")], [get("b")]),
        txn([when("LEASE", "a", "GREATER", lease=76)], [put("c", "1", lease=77)]),
        ("lease/grant", {"ID": 78, "TTL": 300}), put("a", "6", lease=78),
        ("lease/revoke", {"ID": 77}), get("a", END), ("lease/revoke", {"ID": 78}), get("a", END),
        txn(success=[put("x", "1", lease=78), put("y", "1")]), get("y"),
    ],
    "odd requests of watches": THREE + [
        ("watch", [create("a", watch_id=-1)], [put("a", "1")]),
        ("watch", [create("a", watch_id=-7), create("b", watch_id=-7)], [put("a", "1")]),
        ("watch", [create("a"), {"cancel_request": {}}, create("a")], [put("a", "2")]),
        ("watch", [create("a", watch_id=1), create("b"), create("c"), create("a")],
         [put("a", "3"), put("b", "3"), put("c", "3")]),
        ("watch", [create("a"), create("a"), create("a", prev_kv=True)], [put("a", "4")]),
        ("watch", [{}, create("a")], [put("a", "5")]),
        ("watch", [create("a", start_revision=9, filters=["NOPUT"])], [put("a", "6"), delete("a")]),
    ],
    "watches of leases": [
        LEASE, put("a", "1", lease=77), put("b", "1", lease=77),
        ("watch", [create("a", END, prev_kv=True)], [("lease/revoke", {"ID": 77})]),
    ],
}



class RandomSteps:
    """Requests about a few keys, so that they meet."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def make(self, count):
        leases = [("lease/grant", {"ID": lease, "TTL": 3000}) for lease in (77, 78)]
        return leases + [self._step(count) for _ in range(count)]

    def _step(self, count):
        dice = self._random.random()
        if dice < 0.3:
            return self._range(count)
        if dice < 0.6:
            return self._write()
        if dice < 0.95:
            return self._txn(count, 0)
        if dice < 0.97:
            return compact(self._random.randint(0, count // 3))
        return ("lease/revoke", {"ID": self._random.choice([77, 78, 79])})

    def _key(self):
        return self._random.choice("abcdefg")

    def _some(self, **choices):
        """Each of them now and then."""
        return {name: self._random.choice(values) for name, values in choices.items()
                if self._random.random() < 0.2}

    def _range(self, count):
        return get(self._key(), self._random.choice([None, "d", "h", END]), **self._some(
            limit=[0, 1, 2, 3], sort_order=["NONE", "ASCEND", "DESCEND"],
            sort_target=["KEY", "VERSION", "CREATE", "MOD", "VALUE"], keys_only=[True],
            count_only=[True], min_mod_revision=range(40), max_create_revision=range(40),
            revision=range(count // 2)))

    def _write(self):
        if self._random.random() < 0.3:
            return delete(self._key(), self._random.choice([None, None, "c", "f", "h"]),
                          **self._some(prev_kv=[True]))
        return put(self._key(), self._random.choice(["", "1", "2", "3"]), **self._some(
            prev_kv=[True], lease=[77, 78], ignore_value=[True], ignore_lease=[True]))

    def _compare(self):
        target, name, values = self._random.choice([
            ("VERSION", "version", range(5)), ("CREATE", "create_revision", range(30)),
            ("MOD", "mod_revision", range(60)), ("VALUE", "value", "123"),
            ("LEASE", "lease", [0, 77, 78])])
        return when(target, self._key(),
                    self._random.choice(["EQUAL", "NOT_EQUAL", "GREATER", "LESS"]),
                    self._random.choice([None, None, "d", END]),
                    **{name: self._random.choice(values)})

    def _txn(self, count, depth):
        def operations():
            return [self._txn(count, depth + 1) if depth < 2 and self._random.random() < 0.25 else
                    self._write() if self._random.random() < 0.7 else self._range(count)
                    for _ in range(self._random.randint(0, 3))]
        return txn([self._compare() for _ in range(self._random.randint(0, 2))], operations(),
                   operations())


# Steps that etcd 3.6 answers otherwise than 3.4: by case and index, the answer.
NEWER = {
    "watches of the past": {
        # 3.4 takes a start before the beginning for none.
        15: {"messages": [{"header": {"revision": "7"}, "watch_id": "-1", "created": True,
                           "canceled": True, "cancel_reason": "etcdserver: mvcc: required revision "
                                                              "has been compacted"}],
             "events": {}, "steps": []},
    },
    "previous values and compactions": {
        # 3.4 drops a deletion at the very revision of the compaction.
        13: {"messages": [{"header": {"revision": "8"}, "created": True}],
             "events": {"0": [{"type": "DELETE", "kv": {"key": "a", "mod_revision": "7"}},
                              {"kv": {"key": "a", "create_revision": "8", "mod_revision": "8",
                                      "version": "1", "value": "4"}}]},
             "steps": []},
    },
}
