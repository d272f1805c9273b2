#!/usr/bin/env python3
"""A server of which something is stuck: an event loop, or whoever reads its log. The rest is
served, it is told what does not go on, and SIGTERM ends the process all the same.

    stuck_test.py KUBE_APISERVER [unittest options]

A loop is stuck as a debugger would have it: its thread is stopped amid a turn.
"""
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "clients")]
from http1 import GET_VERSION, Http1
from server import ADMIN, ApiServer

BINARY = None
MAPS = "/api/v1/namespaces/default/configmaps"
PATIENCE_SECONDS = 120
# Of one attempt to stop a loop amid a turn, and not where it waits for the next one.
ATTEMPT_SECONDS = 3
# Until that is logged, unless the loop was stopped where it holds something that is needed for it.
LOGGED_SECONDS = 10
SHORT = "--request-timeout=2s"
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
ALL_THREADS = 0x40000000  # __WALL

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.restype = ctypes.c_long
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, thread):
    if LIBC.ptrace(request, thread, None, None) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Stopped:
    """A thread of another process, which does not go on until release()."""

    def __init__(self, thread):
        self.thread = thread
        ptrace(PTRACE_SEIZE, thread)
        ptrace(PTRACE_INTERRUPT, thread)
        os.waitpid(thread, ALL_THREADS)

    def release(self):
        ptrace(PTRACE_DETACH, self.thread)

    def bury(self):
        """When its process ends, somebody must hear of the end of the thread."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.thread, ALL_THREADS | os.WNOHANG)


def thread_of(process, name):
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        if (task / "comm").read_text().strip() == name:
            return int(task.name)
    raise AssertionError(f"there is no thread {name}")


class Busy:
    """Clients that give every loop something to do."""

    def __init__(self, server, clients=8):
        self._server, self._end = server, threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def _run(self):
        while not self._end.is_set():
            # What is cut off in the end cannot be read.
            with contextlib.suppress(OSError, TypeError, AssertionError), \
                    Http1(self._server) as connection:
                while not self._end.is_set() and connection.request(
                        "GET", (MAPS + "?pretty=1").encode(), token=ADMIN) is not None:
                    pass

    def close(self):
        self._end.set()


class StuckLoop(unittest.TestCase):
    LOOP = "http-0"
    server = stopped = None

    def get(self, path, seconds=ATTEMPT_SECONDS):
        """On a connection of its own; None: no answer."""
        try:
            with Http1(self.server, seconds=seconds) as connection:
                return connection.request("GET", path.encode(), token=ADMIN)
        except OSError:
            return None

    def is_told(self):
        answer = self.get("/livez?verbose")
        return answer is not None and answer.code == 500 and (
            "[-]event-loops" in answer.body.decode())

    def is_logged(self):
        return f'"an event loop does not turn" loop="{self.LOOP}"' in self.server.log()

    @staticmethod
    def holds_within(seconds, what):
        deadline = time.monotonic() + seconds
        while not what():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def stop_loop(self):
        thread = thread_of(self.server.process, self.LOOP)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                stopped = Stopped(thread)
            except PermissionError as error:
                self.skipTest(f"other processes cannot be stopped here: {error}")
            if (self.holds_within(ATTEMPT_SECONDS, self.is_told) and
                    self.holds_within(LOGGED_SECONDS, self.is_logged)):
                return stopped
            stopped.release()
        raise AssertionError("nobody told of a loop that does not turn:\n" + self.server.log())

    def wait_for_end(self):
        """A process has not ended as long as nobody has heard of the end of a stopped thread."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.server.process.poll() is None:
            self.assertLess(time.monotonic(), deadline, "the process does not end")
            if self.stopped:
                self.stopped.bury()
            time.sleep(0.05)

    def end(self):
        if self.server.process.poll() is None:
            self.server.process.kill()
            self.wait_for_end()
        self.server._temporary.cleanup()

    def test_the_others_serve_and_tell_of_it_and_sigterm_ends_the_process(self):
        self.server = ApiServer(BINARY, SHORT)
        self.addCleanup(self.end)
        for i in range(20):
            self.server.request("POST", MAPS, {"metadata": {"name": f"m{i}"},
                                               "data": {"a": "x" * 100_000}})
        busy = Busy(self.server)
        self.addCleanup(busy.close)
        self.stopped = self.stop_loop()
        busy.close()
        # Newcomers come to those that turn.
        for _ in range(20):
            with Http1(self.server) as connection:
                self.assertEqual(connection.ask(GET_VERSION).code, 200)
        metrics = self.get("/metrics", PATIENCE_SECONDS).body.decode()
        self.assertRegex(metrics, f'\nskiff_event_loop_stuck_total{{loop="{self.LOOP}"}} [1-9]')

        self.server.process.terminate()
        self.wait_for_end()
        self.assertEqual(self.server.process.returncode, 1)
        self.assertRegex(self.server.log(),
                         f"it has not stopped in time.*{self.LOOP} has not turned for")


class UnreadLog(ApiServer):
    """What it logs goes into a pipe that somebody has stopped to read."""

    def start(self):
        self.output, given = os.pipe()
        self.process = subprocess.Popen([self._binary, *self.command_flags()], stdout=given,
                                        stderr=given)
        said = b""
        while b"Serving securely" not in said:
            said += os.read(self.output, 4096)
        full = os.open(f"/proc/self/fd/{given}", os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(full, b"x" * 4096)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(full, b"x")
        os.close(full)
        os.close(given)


class StuckLog(unittest.TestCase):
    def test_a_log_that_nobody_reads_keeps_no_server_from_ending(self):
        server = UnreadLog(BINARY, SHORT)
        try:
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(PATIENCE_SECONDS)
        finally:
            if server.process.poll() is None:
                server.kill()
            os.close(server.output)
            server._temporary.cleanup()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
