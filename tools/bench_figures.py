"""What benchmarks of whole programs share: figures of processes, and lines that hold them to
targets."""
import os
import re
import socket
from pathlib import Path

MISSED = 3  # the exit code of a benchmark that misses a target


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pids):
    """What processes have used so far, to the nanosecond where the kernel tells."""
    total = 0.0
    for pid in pids:
        try:
            tasks = [int((task / "schedstat").read_text().split()[0])
                     for task in Path(f"/proc/{pid}/task").iterdir()]
            total += sum(tasks) / 1e9
        except (OSError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def resident_megabytes(pid, what="VmRSS"):
    found = re.search(what + r":\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) / 1024


class Report:
    def __init__(self, hold_rates):
        self.missed = False
        self.hold_rates = hold_rates

    def line(self, name, value, unit, ratio, peer, target, kept, note="", held=True):
        self.missed = self.missed or (held and not kept)
        verdict = ": kept" if kept else "   <-- misses its target" if held else ": not held to it"
        print(f"bench {name} {value:.4g} {unit} ratio={ratio:.3f} of {peer}, target {target}"
              f"{verdict}{note}", flush=True)

    def beside(self, name, ours, peers, unit, most, note=""):
        ratio = ours / peers if peers else float("inf")
        self.line(name, ours, unit, ratio, f"nginx_{peers:.4g}_{unit}", f"<={most}x", ratio <= most,
                  note)

    def at_most(self, name, value, unit, limit, note=""):
        self.line(name, value, unit, value / limit, "the_target", f"<={limit}_{unit}",
                  value <= limit, note)

    def within(self, name, value, unit, limit, note=""):
        """A time as a clock shows it, which depends on what else the machine does."""
        self.line(name, value, unit, value / limit, "the_target", f"<={limit}_{unit}",
                  value <= limit, note, held=self.hold_rates)

    def rate(self, name, value, least, note=""):
        self.line(name, value, "per_s", value / least, "the_target", f">={least}_per_s",
                  value >= least, note, held=self.hold_rates)
