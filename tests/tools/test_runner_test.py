#!/usr/bin/env python3
"""What tools/test makes of builds and tests that pass, fail and skip, with stand-ins for both."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[2] / "tools" / "test"

# Fails to build what $BROKEN names.
BUILD = """#!/bin/sh
echo "$@" >>calls
[ "$1" != "$BROKEN" ]
"""

# Fails tests of the preset that $FAILING names; leaves what ctest would.
CTEST = """#!/bin/sh
echo "ctest $*" >>calls
folder=build; [ "$2" = release ] || folder=build/$2
mkdir -p $folder/Testing/Temporary
cat >$folder/Testing/Temporary/LastTest.log <<'LOG'
1/2 Testing: quick_test
[==========] 7 tests from 2 test suites ran. (12 ms total)
Test time =   0.03 sec
2/2 Testing: patient_test
skipped: there is no kubectl
counts: recorded answers: 12 agree, 1 differs
Test time =  61.20 sec
LOG
[ "$2" != "$FAILING" ]
"""


class TestRunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "tools").mkdir()
        shutil.copy(RUNNER, self.root / "tools/test")
        for path, text in (("tools/build", BUILD), ("ctest", CTEST)):
            (self.root / path).write_text(text)
            (self.root / path).chmod(0o755)

    def run_stages(self, *stages, **environment):
        done = subprocess.run(
            [self.root / "tools/test", *stages], capture_output=True, text=True,
            env={**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}", **environment})
        calls = self.root / "calls"
        return done, calls.read_text().splitlines() if calls.exists() else []

    def test_prints_minutes_by_stage_slowest_tests_and_what_was_skipped(self):
        done, _ = self.run_stages("once")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"configure +build +test\n"
                         r"  release +0\.0 +0\.0 +0\.0  ok +2 tests, with 7 unit test cases\n")
        self.assertRegex(done.stdout, r"1 skipped: there is no kubectl\n")
        self.assertEqual(done.stdout.count(
            "Counted:\n  recorded answers: 12 agree, 1 differs\n"), 1, done.stdout)
        self.assertRegex(done.stdout, r"Slowest tests, in seconds:\n +61  \w+ +patient_test\n")

    def test_no_test_is_run_before_what_it_needs_is_built(self):
        _, calls = self.run_stages("once")
        tested = [i for i, call in enumerate(calls) if call.startswith("ctest --preset release")]
        self.assertLess(calls.index("home"), tested[0])
        tested = [i for i, call in enumerate(calls) if call.startswith("ctest --preset check")]
        self.assertLess(calls.index("check-slow"), tested[0])
        self.assertLess(calls.index("check-home"), tested[1])

    def test_each_label_is_asked_for_once(self):
        _, calls = self.run_stages("once")
        options = sorted(call.split(" ", 5)[5] for call in calls if call.startswith("ctest"))
        self.assertEqual(options, ["-L ^(sanitized|both)$ -L ^slow$",
                                   "-L ^(sanitized|both)$ -LE ^slow$", "-LE ^sanitized$"])

    def test_a_test_that_fails_fails_the_run_but_not_the_other_stages(self):
        done, calls = self.run_stages("once", FAILING="release")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\n  release .* FAILED ")
        self.assertRegex(done.stdout, r"\n  check .* ok ")
        self.assertEqual(sum(call.startswith("ctest") for call in calls), 3)

    def test_what_does_not_build_is_not_tested(self):
        done, calls = self.run_stages("release", "check", BROKEN="release")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\n  release .* FAILED +did not build\n")
        self.assertEqual([call for call in calls if call.startswith("ctest --preset release")], [])
        self.assertRegex(done.stdout, r"\n  check .* ok ")

    def test_an_unknown_stage_runs_nothing(self):
        done, calls = self.run_stages("release", "sometimes")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("usage:", done.stderr)
        self.assertEqual(calls, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
