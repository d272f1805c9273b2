"""What the server has acknowledged, and what was seen of each object, for all threads of a soak."""
import collections
import threading
import time
import traceback

KEPT_LINES = 40


class Ledger:
    def __init__(self):
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._history = collections.defaultdict(lambda: collections.deque(maxlen=KEPT_LINES))
        self._latest = 0
        self.written = []  # (resourceVersion, name) of every write that was acknowledged
        self.counts = collections.Counter()
        self.at_rest = threading.Event()  # nothing more is written
        self.over = threading.Event()
        self.failures = []

    def latest(self):
        """The highest version that anybody has been told so far."""
        with self._lock:
            return self._latest

    def acknowledge(self, name, version):
        with self._lock:
            self._latest = max(self._latest, version)
            self.written.append((version, name))

    def note(self, name, line):
        """One line of the history of an object."""
        with self._lock:
            self._history[name].append(f"{time.monotonic() - self._began:9.3f} {line}")

    def count(self, what, amount=1):
        with self._lock:
            self.counts[what] += amount

    def fail(self, name, complaint):
        """Ends the soak. `name` is that of the object that it is about, if of one."""
        with self._lock:
            history = list(self._history[name]) if name else []
            self.failures.append("\n    ".join([f"{name}: {complaint}", *history]))
        self.at_rest.set()
        self.over.set()

    def guard(self, work, until):
        """Repeats the work until an event; what goes wrong ends the soak."""
        while not until.is_set():
            try:
                work()
            except Exception:  # pylint: disable=broad-except
                self.fail(None, traceback.format_exc())
