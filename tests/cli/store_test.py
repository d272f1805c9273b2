#!/usr/bin/env python3
"""`skiff store` as those who keep a cluster meet it, on real stores.

    store_test.py BINARY WRITER [unittest options]
    store_test.py BINARY WRITER --record FILE.case...    writes what the binary does into case files

WRITER is the program of store_writer.cc. Cases that are text stand in store/*.case (see cases.py).
Copies to and from etcd need the etcd executable; without it they are skipped.
"""

import contextlib
import fcntl
import json
import os
import pty
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import cases

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
from ports import free_port  # noqa: E402

HERE = Path(__file__).resolve().parent
BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
WRITER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
COUNT = 200
KEYS = COUNT + 4  # what store_writer.cc adds, the one outside of the prefix included


class CaseFiles(unittest.TestCase):
    def test_cases_print_what_they_promise(self):
        paths = sorted(HERE.glob("store/*.case"))
        self.assertTrue(paths)
        for path in paths:
            for case in cases.read_cases(path):
                with self.subTest(f"{path.name}: {case.title}"):
                    outcome = cases.run_case(BINARY, case)
                    for what, wanted, got in cases.faults_of(case, outcome):
                        self.fail(f"{what}:\nwanted {wanted!r}\ngot    {got!r}\n"
                                  f"stderr {outcome.stderr!r}")


class Writer:
    """A store that is being written to, until stop()."""

    def __init__(self, folder, *words):
        self.process = subprocess.Popen([WRITER, str(folder), str(COUNT), *words], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.process.wait()
            raise AssertionError("the writer did not start")
        self.ready = int(line.split()[1])

    def stop(self):
        out, _ = self.process.communicate(timeout=cases.TIMEOUT_SECONDS)
        return int(out.split()[1])

    def kill(self):
        self.process.kill()
        self.process.communicate()


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def store(self, *arguments, **options):
        return subprocess.run([BINARY, "store", *map(str, arguments)], cwd=self.folder,
                              capture_output=True, timeout=cases.TIMEOUT_SECONDS, **options)

    def succeed(self, *arguments, **options):
        done = self.store(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout

    def fail_with(self, text, *arguments, code=1, **options):
        done = self.store(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr.decode())
        self.assertEqual(done.stdout, b"")

    def interrupted(self, *arguments):
        """Runs the command again and again, interrupted ever later; yields the exit codes."""
        for delay in (0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2):
            process = subprocess.Popen([BINARY, "store", *map(str, arguments)], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
            process.communicate(timeout=cases.TIMEOUT_SECONDS)
            self.assertIn(process.returncode, (0, -signal.SIGINT))
            yield process.returncode

    def inspect(self, *arguments):
        return json.loads(self.succeed("inspect", *arguments, "-o", "json"))

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def make_store(self, name="data"):
        writer = Writer(self.folder / name)
        return writer.stop()


class Made(InFolder):
    """With a store and a backup of it, made once, which no test may change."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.made = Path(holder.name)
        cls.revision = Writer(cls.made / "data").stop()
        subprocess.run([BINARY, "store", "backup", "--data-dir", cls.made / "data",
                        cls.made / "backup"], check=True, stdout=subprocess.DEVNULL,
                       timeout=cases.TIMEOUT_SECONDS)

    def setUp(self):
        super().setUp()
        self.data, self.backup = self.made / "data", self.made / "backup"


class Backup(Made):
    def test_a_backup_of_a_store_in_use_is_of_one_moment(self):
        writer = Writer(self.folder / "live")
        self.addCleanup(writer.kill)
        revisions = []
        for i in range(3):
            self.succeed("backup", "--data-dir", "live", f"b{i}")
            about = self.inspect("--backup", f"b{i}", "--verify")
            self.assertEqual(about["keys"], KEYS)
            revisions.append(about["revision"])
        last = writer.stop()
        self.assertGreaterEqual(revisions[0], writer.ready)
        self.assertEqual(revisions, sorted(revisions))
        self.assertLessEqual(revisions[2], last)
        # The writer writes in turns: of any moment, the rounds follow each other without a gap.
        self.succeed("restore", "b2", "--data-dir", "restored", "--bump-revision", "0")
        rounds = [int(self.inspect("--data-dir", "restored",
                                   f"/registry/configmaps/default/c{i}")["object"]["data"]["round"])
                  for i in range(0, COUNT, 10)]
        self.assertLess(max(rounds) - min(rounds), COUNT)

    def test_only_the_owner_can_read_it(self):
        self.assertEqual(self.backup.stat().st_mode & 0o777, 0o600)

    def test_it_goes_to_a_pipe_too(self):
        done = self.store("backup", "--data-dir", self.data, "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"backed up", done.stderr)
        (self.folder / "piped").write_bytes(done.stdout)
        self.assertEqual(self.inspect("--backup", "piped")["keys"], KEYS)

    def test_a_full_disk_leaves_the_old_backup_and_nothing_else(self):
        (self.folder / "b").write_bytes(b"old")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        self.fail_with('cannot write "b": File too large', "backup", "--data-dir", self.data, "b",
                       preexec_fn=limit)
        self.assertEqual(self.names(), ["b"])
        self.assertEqual((self.folder / "b").read_bytes(), b"old")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "store", "backup", "--data-dir", self.data, "-"],
                                  stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left on device", done.stderr)

    def test_ctrl_c_at_any_time_leaves_all_or_nothing(self):
        for code in self.interrupted("backup", "--data-dir", self.data, "b"):
            self.assertIn(self.names(), ([], ["b"]))
            if code == 0 or self.names() == ["b"]:
                self.inspect("--backup", "b", "--verify")
                (self.folder / "b").unlink()

    def test_progress_is_shown_on_a_terminal_only(self):
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"there are no terminals here: {error}")
        done = subprocess.run([BINARY, "store", "backup", "--data-dir", self.data, "b"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # the end, once all has come through
            while piece := os.read(master, 10_000):
                shown += piece
        os.close(master)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"backing up: ", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)


class Restore(Made):
    def test_what_is_restored_is_what_was_backed_up(self):
        self.succeed("restore", self.backup, "--data-dir", "new")
        self.assertEqual(self.names(), ["new"])
        about = self.inspect("--data-dir", "new", "--verify")
        old = self.inspect("--backup", self.backup)
        self.assertEqual(about["resources"], old["resources"])
        self.assertEqual(about["revision"], old["revision"] + 1_000_000_000)
        self.assertEqual(about["compactedRevision"], about["revision"])
        self.assertEqual(about["leases"], 1)
        event = self.inspect("--data-dir", "new", "/registry/events/default/e")
        self.assertTrue(3000 < event["lease"]["remainingSeconds"] <= 3600, event)
        key = "/registry/secrets/default/s"
        self.assertEqual(self.inspect("--data-dir", "new", key, "--show-secrets"),
                         self.inspect("--data-dir", self.data, key, "--show-secrets"))

    def test_a_restored_store_can_be_written_to_and_backed_up(self):
        self.succeed("restore", self.backup, "--data-dir", "new", "--bump-revision", "5")
        revision = self.inspect("--data-dir", "new")["revision"]
        self.assertEqual(revision, self.revision + 5)
        writer = Writer(self.folder / "new")
        self.assertGreater(writer.ready, revision)
        writer.stop()
        self.succeed("backup", "--data-dir", "new", "again")

    def test_an_empty_directory_will_do_but_no_other(self):
        (self.folder / "new").mkdir()
        self.succeed("restore", self.backup, "--data-dir", "new/")
        self.fail_with("is not empty", "restore", self.backup, "--data-dir", "new")
        (self.folder / "file").write_text("")
        self.fail_with("Not a directory", "restore", self.backup, "--data-dir", "file")
        self.fail_with("No such file or directory", "restore", self.backup, "--data-dir", "no/new")
        self.assertEqual(self.names(), ["file", "new"])

    def test_a_backup_that_is_damaged_anywhere_is_refused(self):
        good = self.backup.read_bytes()
        step = max(1, len(good) // 40)
        for at in [*range(0, 64), *range(64, len(good), step), len(good) - 1]:
            bad = bytearray(good)
            bad[at] ^= 0x10
            (self.folder / "bad").write_bytes(bad)
            done = self.store("restore", "bad", "--data-dir", "new")
            self.assertEqual(done.returncode, 1, at)
            self.assertIn(b"skiff store restore: bad: ", done.stderr)
            self.assertEqual(self.names(), ["bad"])
        (self.folder / "bad").write_bytes(good[:len(good) // 2])
        self.fail_with("it was cut short", "restore", "bad", "--data-dir", "new")
        (self.folder / "bad").write_bytes(good[:8] + b"\x02" + good[9:])
        self.fail_with("format version 2", "restore", "bad", "--data-dir", "new")
        self.assertEqual(self.names(), ["bad"])

    def test_a_full_disk_leaves_no_directory(self):
        # From where nothing can be written to where the last of it cannot.
        for room in (0, 100, 4_000, 8_000, 20_000):
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            done = self.store("restore", self.backup, "--data-dir", "new", preexec_fn=limit)
            self.assertEqual(done.returncode, 1, (room, done.stderr))
            self.assertIn(b"skiff store restore: ", done.stderr)
            self.assertEqual(self.names(), [], room)

    def test_ctrl_c_at_any_time_leaves_all_or_nothing(self):
        for code in self.interrupted("restore", self.backup, "--data-dir", "new"):
            self.assertIn(self.names(), ([], ["new"]))
            if code == 0 or self.names() == ["new"]:
                self.inspect("--data-dir", "new", "--verify")
                shutil.rmtree(self.folder / "new")


    def test_what_a_killed_restore_leaves_the_next_one_removes(self):
        for delay in (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2):
            process = subprocess.Popen([BINARY, "store", "restore", self.backup, "--data-dir",
                                        "new"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.kill()
            process.communicate(timeout=cases.TIMEOUT_SECONDS)
            names = self.names()
            if "new" in names:
                self.inspect("--data-dir", "new", "--verify")
                shutil.rmtree(self.folder / "new")
                continue
            self.assertTrue(all(name.startswith(".new.") for name in names), names)
        # One that is at work is left alone, and so is what only looks alike.
        (self.folder / ".new.other").mkdir()
        (self.folder / ".new.abcdef").mkdir()
        busy = os.open(self.folder / ".new.abcdef", os.O_RDONLY)
        fcntl.flock(busy, fcntl.LOCK_EX)
        (self.folder / ".new.ghijkl").mkdir()
        (self.folder / ".new.ghijkl" / "made").mkdir()
        self.succeed("restore", self.backup, "--data-dir", "new")
        os.close(busy)
        self.assertEqual(self.names(), [".new.abcdef", ".new.other", "new"])
        self.inspect("--data-dir", "new", "--verify")


class Inspect(Made):
    def test_a_store_is_told_in_a_table(self):
        text = self.succeed("inspect", "--data-dir", self.data).decode()
        self.assertRegex(text, r"(?m)^store +.*data \(embedded, format 1\)$")
        self.assertRegex(text, rf"(?m)^revision +{self.revision}$")
        self.assertRegex(text, rf"(?m)^configmaps +{COUNT} +[\d.]+ KiB$")
        self.assertRegex(text, r"(?m)^stable.example.com/crontabs +1 ")
        self.assertNotIn("services", text)  # deleted

    def test_a_backup_and_its_store_agree(self):
        store = self.inspect("--data-dir", self.data, "--verify")
        backup = self.inspect("--backup", self.backup, "--verify")
        for name in ("revision", "keys", "bytes", "leases", "resources", "clusterID"):
            self.assertEqual(store[name], backup[name], name)
        self.assertIn("sound", store["verified"])
        self.assertEqual((store["misplaced"], backup["misplaced"]), (0, 0))

    def test_a_key_that_holds_the_object_of_another_is_reported(self):
        Writer(self.folder / "data", "misplaced").stop()
        about = self.inspect("--data-dir", "data")
        self.assertEqual(about["misplaced"], 1)
        self.assertEqual(about["misplacedKeys"], [
            {"key": "/registry/configmaps/default/borrowed", "object": "default/c0"}])
        table = self.store("inspect", "--data-dir", "data", "--verify")
        self.assertIn(b"/registry/configmaps/default/borrowed holds default/c0", table.stdout)
        self.assertEqual(table.returncode, 1)
        self.assertIn(b"has keys that hold objects of another name", table.stderr)

    def test_one_key(self):
        key = "/registry/configmaps/default/c7"
        for place in (["--data-dir", self.data], ["--backup", self.backup]):
            about = self.inspect(*place, key)
            self.assertEqual(about["object"]["metadata"]["name"], "c7")
            self.assertEqual(about["encoding"], "protobuf v1 ConfigMap")
        yaml = self.succeed("inspect", "--data-dir", self.data, key, "-o", "yaml").decode()
        self.assertIn("\n    name: c7\n", yaml)
        self.fail_with('has no key "/registry/configmaps/default/none"', "inspect", "--data-dir",
                       self.data, "/registry/configmaps/default/none")

    def test_secrets_stay_secret_unless_asked_for(self):
        key = "/registry/secrets/default/s"
        for form in ("table", "json", "yaml"):
            hidden = self.succeed("inspect", "--data-dir", self.data, key, "-o", form)
            self.assertNotIn(b"aHVzaA", hidden)
            self.assertNotIn(b"hush", hidden)
        shown = self.inspect("--data-dir", self.data, key, "--show-secrets")
        self.assertEqual(shown["object"]["data"], {"password": "aHVzaA=="})

    def test_nothing_is_changed_by_looking(self):
        def state():
            return {path.name: (path.stat().st_mtime_ns, path.stat().st_size)
                    for path in self.data.iterdir()}
        before = state()
        self.inspect("--data-dir", self.data, "--verify")
        self.assertEqual(state(), before)

    def test_all_that_is_damaged_is_told_at_once(self):
        self.succeed("restore", self.backup, "--data-dir", "bad")
        self.succeed("defrag", "--data-dir", "bad")
        harmed = flip_blocks(self.folder / "bad", "registry/configmaps/default/c1", 2)
        self.assertEqual(harmed, 2)
        done = self.store("inspect", "--data-dir", "bad", "--verify")
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.decode().splitlines()
        self.assertGreater(len(lines), 2)
        self.assertTrue(all(line.startswith("damaged: ") for line in lines[:-1]), lines)
        self.assertIn("skiff store salvage", lines[-1])

    def test_a_damaged_store_is_noticed(self):
        shutil.copytree(self.data, self.folder / "bad")
        # All tables and logs: wherever the flip is, something that is verified has changed.
        for path in (self.folder / "bad").iterdir():
            if path.suffix in (".sst", ".log") and path.stat().st_size > 0:
                content = bytearray(path.read_bytes())
                content[len(content) // 3] ^= 4
                path.write_bytes(content)
        done = self.store("inspect", "--data-dir", "bad", "--verify")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr)

    def test_what_is_no_store_is_said_to_be_none(self):
        (self.folder / "empty").mkdir()
        (self.folder / "other").mkdir()
        (self.folder / "other" / "file").write_text("x")
        for command in (["inspect"], ["backup", "b"], ["compact"], ["defrag"]):
            for place in ("none", "empty", "other"):
                done = self.store(command[0], "--data-dir", place, *command[1:])
                self.assertEqual(done.returncode, 1, (command, place, done.stderr))
                self.assertIn(place, done.stderr.decode())
        self.assertEqual(self.names(), ["empty", "other"])
        self.assertEqual(os.listdir(self.folder / "empty"), [])
        self.assertEqual(os.listdir(self.folder / "other"), ["file"])

    def test_a_directory_that_may_not_be_read_is_an_error(self):
        (self.folder / "closed").mkdir(mode=0)
        if os.access(self.folder / "closed", os.R_OK):
            self.skipTest("this user may read everything")
        self.fail_with("Permission denied", "inspect", "--data-dir", "closed")


def flip_blocks(folder, text, count):
    """Changes a bit in so many tables, where the text stands; returns in how many."""
    harmed = 0
    for path in sorted(folder.glob("*.sst")):
        content = bytearray(path.read_bytes())
        at = content.find(text.encode())
        if at < 0 or harmed == count:
            continue
        content[at] ^= 1
        path.write_bytes(content)
        harmed += 1
    return harmed


class Salvage(Made):
    """Stores with damaged files, of which everything else is brought to a new one."""

    def setUp(self):
        super().setUp()
        shutil.copytree(self.data, self.folder / "bad")
        self.bad = self.folder / "bad"

    def salvage(self, *arguments):
        done = self.store("salvage", "--data-dir", "bad", "--to", "new", *arguments)
        self.assertTrue((self.folder / "new").exists(), done.stderr)
        self.assertEqual(self.names(), ["bad", "new"])
        about = self.inspect("--data-dir", "new", "--verify")
        return done.returncode, done.stderr.decode(), about["keys"]

    def test_of_a_sound_store_all_comes_along(self):
        code, told, keys = self.salvage("--bump-revision", "0")
        self.assertEqual((code, told, keys), (0, "", KEYS))
        for key in ("/registry/secrets/default/s", "/registry/events/default/e"):
            old = self.inspect("--data-dir", "bad", key)
            new = self.inspect("--data-dir", "new", key)
            for about in (old, new):
                about.get("lease", {}).pop("remainingSeconds", None)
            self.assertEqual(old, new)

    def test_what_cannot_be_read_is_named_and_a_backup_brings_it_back(self):
        self.succeed("defrag", "--data-dir", "bad")
        # The log begins with it: a record, whose key is known from elsewhere.
        for path in self.bad.glob("*.sst"):
            content = bytearray(path.read_bytes())
            at = content.find(b'"password":"aHVzaA==')
            at = content.find(b"password") if at < 0 else at
            if at >= 0:
                content[at] ^= 1
                path.write_bytes(content)
        code, told, keys = self.salvage()
        self.assertEqual(code, 1)
        self.assertIn('lost: "/registry/secrets/default/s"', told)
        self.assertLess(keys, KEYS)
        shutil.rmtree(self.folder / "new")
        code, told, keys = self.salvage("--backup", self.backup)
        self.assertEqual((code, keys), (0, KEYS), told)
        self.assertIn('key "/registry/secrets/default/s" is as it was in the backup', told)

    def test_a_log_that_is_gone_is_told(self):
        for path in self.bad.glob("*.log"):
            if path.stat().st_size > 0:
                path.unlink()
                name = path.name
        done = self.store("inspect", "--data-dir", "bad")
        self.assertEqual(done.returncode, 1)
        self.assertIn(name, done.stderr.decode())
        code, told, _ = self.salvage()
        self.assertIn(name, told)
        shutil.rmtree(self.folder / "new")
        code, told, keys = self.salvage("--backup", self.backup)
        self.assertIn(name, told)

    def test_without_rocksdbs_own_accounts_the_files_are_enough(self):
        for harm in ("CURRENT", "MANIFEST"):
            with self.subTest(harm):
                for path in self.bad.glob(harm + "*"):
                    path.unlink()
                code, told, keys = self.salvage()
                self.assertEqual(keys, KEYS)
                self.assertIn("CURRENT", told)
                shutil.rmtree(self.folder / "new")

    def test_a_store_in_use_and_a_target_that_is_there_are_left_alone(self):
        writer = Writer(self.folder / "live")
        self.addCleanup(writer.kill)
        self.fail_with("is in use by another process", "salvage", "--data-dir", "live", "--to",
                       "new")
        writer.stop()
        self.fail_with("is not empty", "salvage", "--data-dir", "bad", "--to", "live")
        self.fail_with("there is no store", "salvage", "--data-dir", "none", "--to", "new")
        self.assertEqual(self.names(), ["bad", "live"])


    def test_what_is_no_store_is_not_salvaged(self):
        other = self.folder / "other"
        other.mkdir()
        (other / "notes").write_text("nothing to do with it")
        self.fail_with("is not a store and holds other files", "salvage", "--data-dir", "other",
                       "--to", "new")
        (self.folder / "above").mkdir()
        self.bad.rename(self.folder / "above" / "store")
        self.fail_with("the one in it is above/store", "salvage", "--data-dir", "above", "--to",
                       "new", "--backup", self.backup)
        self.assertEqual(self.names(), ["above", "other"])


class OwnDirectory(InFolder):
    def test_nothing_is_made_in_the_directory_of_a_store(self):
        self.make_store()
        (self.folder / "link").symlink_to("data")
        before = sorted(path.name for path in (self.folder / "data").iterdir())
        for command in (["backup", "--data-dir", "data", "data/backup"],
                        ["backup", "--data-dir", "data", "link/backup"],
                        ["copy", "--from", "data", "--to", "data/copy"],
                        ["copy", "--from", "link", "--to", "data/deep/copy"],
                        ["salvage", "--data-dir", "data", "--to", "./data/salvaged"]):
            self.fail_with("lies in the directory of a store", *command)
        self.assertEqual(sorted(path.name for path in (self.folder / "data").iterdir()), before)
        self.succeed("backup", "--data-dir", "data", "data-backup")


class StoreMaintenance(InFolder):
    def test_compact_and_defrag_make_a_store_small_and_change_nothing(self):
        revision = self.make_store()
        before = self.inspect("--data-dir", "data")
        self.assertIn(f"to revision {revision}",
                      self.succeed("compact", "--data-dir", "data").decode())
        self.assertIn("before", self.succeed("defrag", "--data-dir", "data").decode())
        after = self.inspect("--data-dir", "data", "--verify")
        self.assertEqual(after["resources"], before["resources"])
        self.assertEqual((after["revision"], after["compactedRevision"]), (revision, revision))
        self.fail_with("revision", "compact", "--data-dir", "data", "--revision",
                       str(revision + 1000))

    def test_others_cannot_read_what_is_made(self):
        mask = os.umask(0o022)
        self.addCleanup(os.umask, mask)
        self.make_store()
        for each in (self.folder / "data").iterdir():
            each.chmod(0o600)
        self.succeed("backup", "--data-dir", "data", "backup")
        self.succeed("restore", "backup", "--data-dir", "restored")
        self.succeed("copy", "--from", "data", "--to", "copied")
        self.succeed("salvage", "--data-dir", "data", "--to", "salvaged")
        self.succeed("compact", "--data-dir", "data")
        self.succeed("defrag", "--data-dir", "data")
        for name in ("restored", "copied", "salvaged", "data"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o077, 0, name)
            for each in (self.folder / name).iterdir():
                self.assertEqual(each.stat().st_mode & 0o077, 0, each)

    def test_a_store_in_use_is_left_to_its_server(self):
        writer = Writer(self.folder / "data")
        self.addCleanup(writer.kill)
        for command in ("compact", "defrag"):
            self.fail_with("in use", command, "--data-dir", "data")
        self.assertGreaterEqual(writer.stop(), writer.ready)


class CopyBetweenDirectories(Made):
    def test_a_copy_keeps_revisions_and_is_compared(self):
        said = self.succeed("copy", "--from", self.data, "--to", "embedded:new").decode()
        self.assertIn(f"copied {KEYS - 1} keys", said)
        self.assertIn("compared", said)
        key = "/registry/configmaps/default/c5"
        self.assertEqual(self.inspect("--data-dir", "new", key),
                         self.inspect("--data-dir", self.data, key))
        self.assertEqual(self.inspect("--data-dir", "new", "--verify")["revision"], self.revision)
        self.fail_with("has no key", "inspect", "--data-dir", "new", "/elsewhere")
        self.succeed("copy", "--from", self.data, "--to", "all", "--etcd-prefix", "")
        self.assertEqual(self.inspect("--data-dir", "all")["keys"], KEYS)

    def test_a_source_that_changes_is_an_error_that_can_be_allowed(self):
        writer = Writer(self.folder / "live")
        self.addCleanup(writer.kill)
        done = self.copy_while_it_changes()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"has changed since", done.stderr)
        self.assertEqual((done.stdout, self.names()), (b"", ["live"]))
        done = self.copy_while_it_changes("--allow-changes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"warning: live has changed", done.stderr)
        writer.stop()
        self.inspect("--data-dir", "new", "--verify")

    def copy_while_it_changes(self, *flags):
        """Again if nothing was written meanwhile: a busy machine may leave the writer no time."""
        for _ in range(20):
            done = self.store("copy", "--from", "live", "--to", "new", *flags)
            if done.returncode != 0 or b"has changed" in done.stderr:
                break
            shutil.rmtree(self.folder / "new")
        return done

    def test_a_target_that_is_there_is_left_alone(self):
        (self.folder / "new").mkdir()
        (self.folder / "new" / "file").write_text("x")
        self.fail_with("is not empty", "copy", "--from", self.data, "--to", "new")
        self.assertEqual(os.listdir(self.folder / "new"), ["file"])

    def test_no_room_for_the_temporary_file_leaves_nothing(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        self.fail_with("File too large", "copy", "--from", self.data, "--to", "new",
                       "--temporary-dir", self.folder, preexec_fn=limit)
        self.assertEqual(self.names(), [])


@unittest.skipUnless(shutil.which("etcd"), "etcd is not installed")
class CopyToEtcd(Made):
    def setUp(self):
        super().setUp()
        client, peer = free_port(), free_port()
        self.url = f"http://127.0.0.1:{client}"
        peer = f"http://127.0.0.1:{peer}"
        self.etcd = subprocess.Popen(
            ["etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", self.url,
             "--advertise-client-urls", self.url, "--listen-peer-urls", peer,
             "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
             "--log-level", "error"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.etcd.wait)
        self.addCleanup(self.etcd.kill)
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", client), 1).close()
                return
            except OSError:
                self.assertLess(time.monotonic(), deadline, "etcd does not start")
                time.sleep(0.05)

    def copy_there(self, *arguments):
        done = self.store("copy", "--from", self.data, "--to", self.url, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"copied {KEYS - 1} keys", done.stdout.decode())
        return done

    def test_there_and_back_again(self):
        done = self.copy_there()
        # Revisions are etcd's own, and there were fewer transactions.
        self.assertIn(b"restart clients", done.stderr)
        self.succeed("copy", "--from", self.url, "--to", "back")
        here, back = self.inspect("--data-dir", self.data), self.inspect("--data-dir", "back",
                                                                         "--verify")
        resources = lambda about: [r for r in about["resources"] if r["resource"][0] != "/"]
        self.assertEqual(resources(back), resources(here))
        event = self.inspect("--data-dir", "back", "/registry/events/default/e")
        self.assertTrue(3000 < event["lease"]["remainingSeconds"] <= 3600, event)
        for i in (0, 7, COUNT - 1):
            key = f"/registry/configmaps/default/c{i}"
            self.assertEqual(self.inspect("--data-dir", "back", key)["object"],
                             self.inspect("--data-dir", self.data, key)["object"])

    def test_later_objects_keep_later_revisions(self):
        self.copy_there()
        keys = [f"/registry/configmaps/default/c{i}" for i in range(0, COUNT, 20)]
        pairs = sorted((self.inspect("--data-dir", self.data, key)["modRevision"],
                        self.inspect("--etcd-servers", self.url, key)["modRevision"])
                       for key in keys)
        self.assertEqual([there for _, there in pairs], sorted(there for _, there in pairs))

    def test_a_target_with_keys_needs_overwrite(self):
        self.copy_there()
        self.fail_with("the target is not empty", "copy", "--from", self.data, "--to", self.url)
        self.copy_there("--overwrite")

    def test_an_interrupted_copy_is_mended_by_overwriting(self):
        for _ in self.interrupted("copy", "--from", self.data, "--to", self.url, "--overwrite"):
            pass
        self.copy_there("--overwrite")

    def test_backup_inspect_and_compact_work_on_etcd(self):
        self.copy_there()
        self.succeed("backup", "--etcd-servers", self.url, "b")
        self.assertEqual(self.inspect("--backup", "b", "--verify")["keys"], KEYS - 1)
        about = self.inspect("--etcd-servers", self.url, "--verify")
        self.assertEqual((about["engine"], about["keys"]), ("etcd", KEYS - 1))
        self.assertIn("compacted", self.succeed("compact", "--etcd-servers", self.url).decode())
        self.fail_with("etcdctl defrag", "defrag", "--etcd-servers", self.url)

    def test_an_etcd_that_does_not_answer_is_named(self):
        self.etcd.kill()
        self.etcd.wait()
        self.fail_with(self.url, "inspect", "--etcd-servers", self.url)


if __name__ == "__main__":
    if "--record" in sys.argv:
        for case_file in sys.argv[sys.argv.index("--record") + 1:]:
            cases.record(Path(case_file), BINARY)
    else:
        unittest.main(verbosity=2)
