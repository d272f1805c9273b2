#!/usr/bin/env python3
"""`skiff convert` as its users meet it.

    convert_test.py BINARY [unittest options]
    convert_test.py BINARY --record FILE.case...     writes what the binary does into case files

Cases that are text stand in convert/*.case (see cases.py); here is what needs a terminal, a pipe,
a full disk or many bytes, and the recorded objects of ../shared/fixtures/wire where those are.
"""

import json
import os
import pty
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import cases

HERE = Path(__file__).resolve().parent
WIRE = HERE.parent.parent.parent / "shared" / "fixtures" / "wire"
BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

CONFIG_MAP = b"kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n"


class CaseFiles(unittest.TestCase):
    def test_cases_print_what_they_promise(self):
        paths = sorted(HERE.glob("convert/*.case"))
        self.assertTrue(paths)
        for path in paths:
            for case in cases.read_cases(path):
                with self.subTest(f"{path.name}: {case.title}"):
                    outcome = cases.run_case(BINARY, case)
                    for what, wanted, got in cases.faults_of(case, outcome):
                        self.fail(f"{what}:\nwanted {wanted!r}\ngot    {got!r}\n"
                                  f"stderr {outcome.stderr!r}")


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "a.yaml").write_bytes(CONFIG_MAP)

    def convert(self, *arguments, stdin=b"", **options):
        return subprocess.run([BINARY, "convert", *arguments], cwd=self.folder, input=stdin,
                              capture_output=True, timeout=cases.TIMEOUT_SECONDS, **options)

    def assert_fails(self, done, text, code=1):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, b"")

    @staticmethod
    def seconds_used():
        """Of the processor, by what has been run: whatever else the machine does."""
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())


class Output(InFolder):
    def test_a_full_disk_is_an_error(self):
        done = self.convert("--to", "json", "-o", "/dev/full", "a.yaml")
        self.assert_fails(done, b"cannot write /dev/full: No space left on device\n")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "convert", "--to", "json", "a.yaml"], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write standard output: No space left on device\n", done.stderr)

    def test_a_file_that_cannot_be_finished_leaves_the_old_one_and_no_trace(self):
        (self.folder / "out.json").write_text("old")
        big = b"data:\n  a: " + b"x" * 100_000 + b"\n"

        def limit():
            # Writes beyond the limit then fail instead of ending the process.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

        done = self.convert("--to", "json", "-o", "out.json", stdin=CONFIG_MAP + big,
                            preexec_fn=limit, restore_signals=False)
        self.assert_fails(done, b"cannot write out.json: File too large\n")
        self.assertEqual((self.folder / "out.json").read_text(), "old")
        self.assertEqual(self.names(), ["a.yaml", "out.json"])

    def test_a_signal_while_the_file_is_written_leaves_no_trace(self):
        big = b"data:\n  a: " + b"x" * 100_000 + b"\n"

        def limit():  # the kernel sends SIGXFSZ in the middle of the write
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        done = self.convert("--to", "json", "-o", "out.json", stdin=CONFIG_MAP + big,
                            preexec_fn=limit)
        self.assertEqual(done.returncode, -signal.SIGXFSZ)
        self.assertEqual(self.names(), ["a.yaml"])

    def test_ctrl_c_leaves_no_trace(self):
        # Who runs the tests in the background may have that signal ignored.
        heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen([BINARY, "convert", "--to", "json", "-o", "out.json"],
                                   cwd=self.folder, stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, preexec_fn=heed)
        process.stdin.write(CONFIG_MAP)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=cases.TIMEOUT_SECONDS)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(self.names(), ["a.yaml"])

    def test_a_reader_that_goes_away_ends_it_quietly(self):
        big = b"".join(b"---\n" + CONFIG_MAP for _ in range(10_000))
        (self.folder / "big.yaml").write_bytes(big)
        process = subprocess.Popen([BINARY, "convert", "--to", "json", "big.yaml"],
                                   cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.wait(cases.TIMEOUT_SECONDS), -signal.SIGPIPE)
        process.stderr.close()

    def test_where_that_signal_is_ignored_it_is_an_error(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        ignore = lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        done = subprocess.run([BINARY, "convert", "--to", "json", "a.yaml"], cwd=self.folder,
                              stdout=write_end, stderr=subprocess.PIPE, preexec_fn=ignore,
                              restore_signals=False)
        os.close(write_end)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write standard output: Broken pipe\n", done.stderr)

    def test_a_closed_standard_output_is_an_error(self):
        done = subprocess.run(["sh", "-c", '"$0" convert --to json a.yaml >&-', BINARY],
                              cwd=self.folder, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write standard output: Bad file descriptor\n", done.stderr)

    def test_the_mode_of_a_replaced_file_stays_and_a_new_one_follows_the_umask(self):
        (self.folder / "old.json").write_text("")
        (self.folder / "old.json").chmod(0o640)
        for name in ("old.json", "new.json"):
            done = self.convert("--to", "json", "-o", name, "a.yaml",
                                preexec_fn=lambda: os.umask(0o027))
            self.assertEqual(done.returncode, 0, done.stderr)
        modes = [stat.S_IMODE((self.folder / n).stat().st_mode) for n in ("old.json", "new.json")]
        self.assertEqual(modes, [0o640, 0o640])

    def test_a_link_stays_a_link(self):
        (self.folder / "real.json").write_text("old")
        (self.folder / "link.json").symlink_to("real.json")
        done = self.convert("--to", "json", "-o", "link.json", "a.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertEqual(json.loads((self.folder / "real.json").read_text())["kind"], "ConfigMap")

    def test_protobuf_is_not_written_to_a_terminal(self):
        try:
            master, slave = pty.openpty()
        except OSError as error:  # /dev/pts is not mounted in every chroot and container
            self.skipTest(f"there are no terminals here: {error}")
        self.addCleanup(os.close, master)
        for extra, code in ([], 2), (["-o", "-"], 0):
            done = subprocess.run([BINARY, "convert", "--to", "protobuf", "a.yaml", *extra],
                                  cwd=self.folder, stdout=slave, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(b"terminal" in done.stderr, code == 2)
        os.close(slave)


class Input(InFolder):
    def test_a_file_that_may_not_be_read_is_an_error(self):
        (self.folder / "secret.yaml").write_bytes(CONFIG_MAP)
        (self.folder / "secret.yaml").chmod(0)
        if os.access(self.folder / "secret.yaml", os.R_OK):
            self.skipTest("this user may read everything")
        self.assert_fails(self.convert("--to", "json", "secret.yaml"),
                          b"secret.yaml: cannot be read: Permission denied\n")

    def test_a_path_through_a_file_is_an_error(self):
        self.assert_fails(self.convert("--to", "json", "a.yaml/b"),
                          b"a.yaml/b: cannot be read: Not a directory\n")

    def test_a_closed_standard_input_is_an_error(self):
        done = subprocess.run(["sh", "-c", '"$0" convert --to json <&-', BINARY],
                              capture_output=True)
        self.assert_fails(done, b"<stdin>: cannot be read: Bad file descriptor\n")

    def test_complaints_are_bounded(self):
        fields = b"".join(b"f%d: 1\n" % i for i in range(80))
        text = b"".join(b"---\nkind: ConfigMap\napiVersion: v1\n" + fields for _ in range(10))
        done = self.convert("--to", "json", stdin=text)
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 101)
        self.assertEqual(lines[0], b"<stdin>:4:1: f0: unknown field")
        self.assertEqual(lines[-1], b"skiff convert: 700 more not shown")

    def test_the_fault_that_matters_is_not_among_those_left_out(self):
        fields = b"a: b\n" * 300
        done = self.convert("--to", "json", stdin=fields)
        self.assertIn(b"<stdin>:1:1: apiVersion and kind are not set\n", done.stderr)
        done = self.convert("--to", "json", stdin=CONFIG_MAP + fields + b"data: 3\n")
        self.assertIn(b"<stdin>:305:7: data: expected an object, got a number\n", done.stderr)

    def test_long_names_are_shortened(self):
        done = self.convert("--to", "json", stdin=b'{"kind": "ConfigMap", "apiVersion": "v1", "' +
                            b"x" * 5000 + b'": 1}')
        self.assertEqual(done.returncode, 1)
        self.assertLess(len(done.stderr), 1100)
        self.assertTrue(done.stderr.endswith(b"x: unknown field\n"))

    def test_bombs_are_refused_at_once(self):
        depth = 100_000
        aliases = b"a0: &a0 [x, x, x, x, x, x, x, x]\n" + b"".join(
            b"a%d: &a%d [%s]\n" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 8)) for i in range(1, 12))
        for bomb in (b"[" * depth, b'{"a":' * depth, CONFIG_MAP + b"a: " + b"[" * depth,
                     CONFIG_MAP + aliases, b"- " * depth):
            start = self.seconds_used()
            done = self.convert("--to", "json", stdin=bomb)
            self.assertEqual(done.returncode, 1)
            self.assertLess(len(done.stderr), 2000)
            self.assertLess(self.seconds_used() - start, 20)  # on any machine


class Volume(InFolder):
    def test_many_documents_cost_in_proportion(self):
        def seconds(count, text):
            start = self.seconds_used()
            done = self.convert("--to", "json", "--compact", stdin=text * count)
            self.assertEqual(done.returncode, 0, done.stderr[:500])
            self.assertEqual(done.stdout.count(b"\n"), count)
            return self.seconds_used() - start

        line = b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}\n'
        for text in (line, b"---\n" + CONFIG_MAP):
            few, many = seconds(5_000, text), seconds(50_000, text)
            # Ten times the work; a quadratic reader would take a hundred times as long.
            self.assertLess(many, 40 * few + 0.5)

    def test_much_output_arrives_whole(self):
        value = b"x" * 1_000_000
        line = b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"a":"%s"}}\n' % value
        done = self.convert("--to", "json", "--compact", stdin=line * 150)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout == line * 150)
        done = self.convert("--to", "json", "--compact", "-o", "out", stdin=line * 150)
        self.assertTrue((self.folder / "out").read_bytes() == line * 150)


class WireFixtures(InFolder):
    """Every recorded object, which fills every field of its kind, through the executable."""

    def setUp(self):
        if not WIRE.is_dir():
            self.skipTest("../shared/fixtures is not there")
        super().setUp()

    @staticmethod
    def read(path):
        content = path.read_bytes()
        is_text = path.suffix != ".pb"
        return content + b"\n" if is_text and not content.endswith(b"\n") else content

    def check(self, done, expected, what):
        self.assertEqual(done.returncode, 0, done.stderr)
        # Some are of versions that were served once, which is worth a warning.
        for line in done.stderr.splitlines():
            self.assertIn(b"is no longer served", line)
        differs = next((i for i, (one, other) in enumerate(zip(done.stdout, expected))
                        if one != other), min(len(done.stdout), len(expected)))
        self.assertTrue(done.stdout == expected,
                        f"{what} differs from byte {differs} on: {done.stdout[differs:][:200]}")

    def test_each_format_becomes_each_other_exactly(self):
        names = sorted(path.name[:-len(".json")] for path in WIRE.glob("*.json"))
        self.assertTrue(names)
        for source in (".json", ".yaml", ".pb"):
            paths = [str(WIRE / (name + source)) for name in names]
            # Text can hold all of them, which takes one process instead of hundreds.
            for to, separator in (("json", b""), ("yaml", b"---\n")):
                with self.subTest(f"all {source} to {to}"):
                    self.check(self.convert("--to", to, *paths),
                               separator.join(self.read(WIRE / f"{name}.{to}") for name in names),
                               f"{source} to {to}")
            for name, path in zip(names, paths):
                with self.subTest(f"{name}{source} to protobuf"):
                    self.check(self.convert("--to", "protobuf", path),
                               self.read(WIRE / f"{name}.pb"), name)


if __name__ == "__main__":
    if "--record" in sys.argv:
        for case_file in sys.argv[sys.argv.index("--record") + 1:]:
            cases.record(Path(case_file), BINARY)
    else:
        unittest.main(verbosity=2)
