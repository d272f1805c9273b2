#!/usr/bin/env python3
"""Bad input over the wire, against the whole server: it is refused, the server goes on as before,
and no request gets anything of another.

    wire_test.py KUBE_APISERVER [unittest options]

One server takes all of it. At the end its memory and its open files are about what they were.
"""
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from budget_cases import Budgets
from case import Figures, WireCase
from crowd_cases import Crowd, SlowClients, raise_file_limit
from http1_cases import MalformedHttp1, ReusedConnections, Smuggling
from http2_cases import Http2Floods, MalformedHttp2, ReusedHttp2
from path_cases import Paths
from server import SANITIZED, ApiServer
from size_cases import Sizes
from websocket_cases import WebSockets

ORDER = (MalformedHttp1, Smuggling, ReusedConnections, MalformedHttp2, Http2Floods, ReusedHttp2,
         WebSockets, Paths, Sizes, Budgets, Crowd, SlowClients)
MORE_FILES, MORE_MB = 20, 96
SETTLING_SECONDS = 60


class Afterwards(WireCase):
    """What all of it has left behind."""
    before = None

    def test_files_and_memory_are_about_what_they_were(self):
        # What was freed goes back to the system now and then.
        deadline = time.monotonic() + SETTLING_SECONDS
        while not self.has_settled(after := Figures(self.server)) and time.monotonic() < deadline:
            time.sleep(0.2)
        print(f"\n  {after}, from {self.before} ", end="", flush=True)
        self.assertLessEqual(after.files, self.before.files + MORE_FILES)
        self.assert_memory_below(after, self.before.resident_mb + MORE_MB)
        self.assertEqual(self.server.request("GET", "/readyz"), "ok")

    def has_settled(self, after):
        return (after.files <= self.before.files + MORE_FILES and
                (SANITIZED or after.resident_mb < self.before.resident_mb + MORE_MB))


def load_tests(loader, *_):
    return unittest.TestSuite(
        loader.loadTestsFromTestCase(each) for each in (*ORDER, Afterwards))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    raise_file_limit()
    server = ApiServer(sys.argv.pop(1))
    try:
        WireCase.prepare(server)
        Afterwards.before = Figures(server)
        # Not when somebody asks for a test by its name.
        if not [a for a in sys.argv[1:] if not a.startswith("-")]:
            SlowClients.begin()
        program = unittest.main(verbosity=2, exit=False)
    finally:
        server.close()
    sys.exit(not program.result.wasSuccessful())


if __name__ == "__main__":
    main()
