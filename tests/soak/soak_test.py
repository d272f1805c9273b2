#!/usr/bin/env python3
"""Mixed load on a server that is killed and restarted at random: nothing that it acknowledged is
lost, nobody's update is overwritten, no watch has a gap, and memory stays flat.

    soak_test.py KUBE_APISERVER

SKIFF_SOAK_SECONDS (25): how long. For the first two thirds the server is killed (kill -9) or ended
in order, and started again on the same data; in the last third it is left alone, so that what it
holds at the beginning and at the end of it can be compared.
SKIFF_SOAK_SEED: that of an earlier run, which its failure has printed. Threads and the network are
not repeated by it, the choices are.
"""
import os
import random
import statistics
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients")]
from api import MAPS, Client
from informer import Informer
from ledger import Ledger
from server import ApiServer, Figures
from writer import COUNTERS, Writer

SECONDS = float(os.environ.get("SKIFF_SOAK_SECONDS") or 25)
SEED = os.environ.get("SKIFF_SOAK_SEED") or str(random.randrange(10 ** 9))
WRITERS = 5
LIFE_SECONDS = (1.5, 12)  # of a server between two faults
CATCH_UP_SECONDS = 60
# What the last third of the quiet time may hold beyond the first.
MORE_MB, MORE_PART, MORE_FILES = 24, 1.2, 8


class Soak:
    def __init__(self, binary):
        self.server = ApiServer(binary)
        self.ledger = Ledger()
        self._random = random.Random(SEED)
        self._client = Client(self.server)
        self._prepare()
        self.writers = [Writer(i, SEED, self.server, self.ledger) for i in range(WRITERS)]
        self.informers = [Informer(mode, SEED, self.server, self.ledger)
                          for mode in ("pages", "cache", "stream")]
        self.samples = []

    def _prepare(self):
        self.server.request("POST", "/api/v1/namespaces", {"metadata": {"name": "soak"}})
        for i in range(COUNTERS):
            self.server.request("POST", MAPS, {"metadata": {"name": f"counter-{i}"},
                                               "data": {"total": "0"}})

    def run(self):
        writing = [self._start(each.work, self.ledger.at_rest) for each in self.writers]
        for each in self.informers:
            self._start(each.work, self.ledger.over)
        self._disturb(time.monotonic() + SECONDS * 2 / 3)
        # However late the last start was: what it holds is compared over that time.
        self._rest(time.monotonic() + SECONDS / 3)
        self.ledger.at_rest.set()
        for thread in writing:
            thread.join()
        if not self.ledger.failures:
            self._check()

    def _start(self, work, until):
        thread = threading.Thread(target=self.ledger.guard, args=(work, until), daemon=True)
        thread.start()
        return thread

    def _disturb(self, end):
        while time.monotonic() < end and not self.ledger.over.is_set():
            life = min(self._random.uniform(*LIFE_SECONDS), SECONDS / 8)
            self.ledger.over.wait(life)
            if self.server.process.poll() is not None:
                return self.ledger.fail(None, "the server died:\n" + self.server.log())
            if self._random.random() < 0.6:
                self.server.kill()
                self.ledger.count("kills")
            else:
                self.server.stop()
                self.ledger.count("restarts in order")
            self.server.start()

    def _rest(self, end):
        while time.monotonic() < end and not self.ledger.over.wait(0.5):
            self.samples.append(Figures(self.server))

    def _check(self):
        """At rest: everybody has the same objects, and has seen all that led to them."""
        for writer in self.writers:
            writer.check_all()
        _, answer = self._client.request("GET", MAPS)
        wanted = {item["metadata"]["name"]: item["metadata"]["resourceVersion"]
                  for item in answer["items"]}
        deadline = time.monotonic() + CATCH_UP_SECONDS
        for informer in self.informers:
            while informer.objects() != wanted and time.monotonic() < deadline:
                time.sleep(0.1)
            found = informer.objects()
            for name in sorted({*wanted, *found}):
                if wanted.get(name) != found.get(name):
                    self.ledger.fail(name, f"{informer.mode} ends with {found.get(name)}, "
                                           f"the server with {wanted.get(name)}")
            informer.check_gaps()
        self._check_figures()

    def _check_figures(self):
        third = len(self.samples) // 3
        if third == 0:
            return
        first, last = self.samples[:third], self.samples[-third:]
        mb = [statistics.median(each.resident_mb for each in part) for part in (first, last)]
        files = [statistics.median(each.files for each in part) for part in (first, last)]
        print(f"  at rest from faults: {mb[0]:.1f} MB and {files[0]:.0f} files at first, "
              f"{mb[1]:.1f} MB and {files[1]:.0f} files at last")
        if mb[1] > mb[0] * MORE_PART + MORE_MB or files[1] > files[0] + MORE_FILES:
            self.ledger.fail(None, f"grew from {first} to {last}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(f"soak of {SECONDS:.0f} s, SKIFF_SOAK_SEED={SEED}", flush=True)
    soak = Soak(sys.argv[1])
    try:
        soak.run()
    finally:
        soak.ledger.at_rest.set()
        soak.ledger.over.set()
        log = soak.server.log()
        soak.server.close()
    ledger = soak.ledger
    print(f"  {len(ledger.written)} writes acknowledged; " +
          ", ".join(f"{count} {what}" for what, count in sorted(ledger.counts.items())))
    if ledger.failures:
        sys.exit("\n".join([*ledger.failures[:10], "the end of the server's log:", log[-3000:],
                            f"FAILED, SKIFF_SOAK_SEED={SEED}"]))


if __name__ == "__main__":
    main()
