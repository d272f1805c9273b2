#!/usr/bin/env python3
"""Clients of etcd against `skiff etcd`: Debian's etcdctl, the JavaScript client (etcd3 of npm,
etcd_cases.mjs), our own kube-apiserver; and a real etcd that takes over from a snapshot.

    etcd_test.py ETCD KUBE_APISERVER [unittest options]

A stock kube-apiserver is not to be had everywhere, so ours stands in: it sends the same
transactions.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import install
from ports import free_port
from server import ApiServer

ETCD = sys.argv.pop(1) if len(sys.argv) > 1 else ""
KUBE_APISERVER = sys.argv.pop(1) if len(sys.argv) > 1 else ""
START_SECONDS = 60
CALL_SECONDS = 120
# For etcdctl, which otherwise gives up after two seconds and after five.
PATIENCE = ("--dial-timeout=100s", "--command-timeout=100s")


class Etcd:
    """One process and its data; the same port and data when it is started again."""

    def __init__(self, binary, data=None, *flags):
        self._temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self._temporary.name)
        self.data = data or self.folder / "data"
        self.url = f"http://127.0.0.1:{free_port()}"
        self._command = [
            binary, f"--data-dir={self.data}", f"--listen-client-urls={self.url}",
            f"--advertise-client-urls={self.url}",
            f"--listen-peer-urls=http://127.0.0.1:{free_port()}", *flags]
        self.start()

    def start(self, healthy=True):
        """Waits until it answers that it is well, or that it is not."""
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(self.url + "/health", timeout=5) as answer:
                    if json.load(answer)["health"] == "true":
                        return
            except urllib.error.HTTPError:
                if not healthy:
                    return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("etcd is not ready:\n" + self.log())

    def stop(self):
        self.process.terminate()
        status = self.process.wait(60)
        if status not in (0, -signal.SIGTERM):
            raise AssertionError(f"etcd ended with {status}:\n" + self.log())

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        try:
            if self.process.poll() is None:
                self.stop()
        finally:
            self._temporary.cleanup()

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def control(self, *words, text=None, fails=False):
        """Runs etcdctl: what it printed."""
        done = subprocess.run(
            ["etcdctl", "--endpoints", self.url, *PATIENCE, *words],
            env={**os.environ, "ETCDCTL_API": "3"}, input=text, capture_output=True, text=True,
            timeout=CALL_SECONDS)
        if (done.returncode != 0) != fails:
            raise AssertionError(f"etcdctl {words}: {done.stdout}{done.stderr}")
        return done.stderr if fails else done.stdout

    def get_all(self):
        return json.loads(self.control("get", "--prefix", "", "-w", "json"))


@unittest.skipUnless(shutil.which("etcdctl"), "there is no etcdctl")
class Etcdctl(unittest.TestCase):
    def setUp(self):
        self.etcd = Etcd(ETCD)
        self.addCleanup(self.etcd.close)

    def test_keys_are_put_found_and_deleted(self):
        control = self.etcd.control
        for key, value in [("a", "1"), ("b", "2"), ("a", "3")]:
            self.assertEqual(control("put", key, value), "OK\n")
        self.assertEqual(control("get", "--prefix", ""), "a\n3\nb\n2\n")
        self.assertEqual(control("get", "a", "--rev", "2"), "a\n1\n")
        self.assertEqual(control("get", "a", "z", "--order=DESCEND", "--limit=1"), "b\n2\n")
        self.assertEqual(control("put", "a", "4", "--prev-kv"), "OK\na\n3\n")
        self.assertEqual(control("del", "a", "--prev-kv"), "1\na\n4\n")
        self.assertEqual(control("del", "a"), "0\n")

    def test_a_transaction_takes_one_side_of_two(self):
        control = self.etcd.control
        control("put", "a", "1")
        text = 'value("a") = "1"\nver("b") = "0"\n\nput b 2\nget a\ndel a\n\nput b 3\n\n'
        self.assertEqual(control("txn", text=text), "SUCCESS\n\nOK\n\na\n1\n\n1\n")
        self.assertEqual(control("txn", text=text), "FAILURE\n\nOK\n")
        self.assertEqual(control("get", "--prefix", ""), "b\n3\n")
        answer = json.loads(control("get", "b", "-w", "json"))
        self.assertEqual((answer["kvs"][0]["version"], answer["header"]["revision"]), (2, 4))

    def test_errors_are_etcds(self):
        control = self.etcd.control
        for value in "1234":
            control("put", "a", value)
        self.assertIn("compacted revision 4", control("compaction", "4"))
        for words, text in [
                (("compaction", "3"), "etcdserver: mvcc: required revision has been compacted"),
                (("get", "a", "--rev", "2"),
                 "etcdserver: mvcc: required revision has been compacted"),
                (("get", "a", "--rev", "99"),
                 "etcdserver: mvcc: required revision is a future revision"),
                (("put", "a", "1", "--lease=77"), "etcdserver: requested lease not found"),
                (("put", "none", "--ignore-value"), "etcdserver: key not found"),
                (("lease", "revoke", "77"), "etcdserver: requested lease not found")]:
            self.assertIn(text, control(*words, fails=True))
        text = "\n\nput a 1\nput a 2\n\n\n"
        self.assertIn("etcdserver: duplicate key given in txn request",
                      control("txn", text=text, fails=True))

    def test_a_watch_begins_in_the_past_and_goes_on(self):
        self.etcd.control("put", "a", "1")
        self.etcd.control("put", "a", "2")
        watch = subprocess.Popen(
            ["etcdctl", "--endpoints", self.etcd.url, *PATIENCE, "watch", "a", "--rev=2",
             "--prev-kv"],
            env={**os.environ, "ETCDCTL_API": "3"}, stdout=subprocess.PIPE, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        read = lambda count: [watch.stdout.readline().strip() for _ in range(count)]
        self.assertEqual(read(8), ["PUT", "a", "1", "PUT", "a", "1", "a", "2"])
        self.etcd.control("del", "a")
        self.assertEqual(read(5), ["DELETE", "a", "2", "a", ""])

    def put_for_a_while(self, key):
        """Puts it under a lease that ends soon, but not before that: its name and its seconds."""
        for seconds in (1, 5, 25):
            lease = self.etcd.control("lease", "grant", str(seconds)).split()[1]
            with contextlib.suppress(AssertionError):
                self.etcd.control("put", key, "1", f"--lease={lease}")
                return lease, seconds
        raise AssertionError("every lease ends before a key is put under it")

    def test_leases_take_their_keys_along(self):
        control = self.etcd.control
        lease = control("lease", "grant", "300").split()[1]
        control("put", "a", "1", f"--lease={lease}")
        self.assertIn("attached keys([a])", control("lease", "timetolive", "--keys", lease))
        self.assertIn(lease, control("lease", "list"))
        self.assertIn("keepalived with TTL(300)", control("lease", "keep-alive", "--once", lease))
        self.assertIn("revoked", control("lease", "revoke", lease))
        self.assertEqual(control("get", "a"), "")
        self.put_for_a_while("b")
        deadline = time.monotonic() + 60
        while control("get", "b") and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertEqual(control("get", "b"), "")

    def test_a_lease_ends_though_nobody_was_there_when_its_time_was_over(self):
        control = self.etcd.control
        long = control("lease", "grant", "300").split()[1]
        control("put", "long", "1", f"--lease={long}")
        control("put", "none", "1")
        short, seconds = self.put_for_a_while("short")
        self.etcd.stop()
        time.sleep(seconds + 1)
        self.etcd.start()
        deadline = time.monotonic() + 60
        while control("get", "short") and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertEqual(control("get", "--prefix", "", "--keys-only").split(), ["long", "none"])
        self.assertIn("attached keys([long])", control("lease", "timetolive", "--keys", long))
        self.assertIn("already expired", control("lease", "timetolive", short))

    def test_a_real_etcd_goes_on_from_a_snapshot(self):
        control = self.etcd.control
        for i in range(30):
            control("put", f"k{i % 20:03}", f"{i}" * 50)
            if i % 7 == 0:
                control("del", f"k{i % 11:03}")
        control("put", "large", "x" * 20000)
        lease = control("lease", "grant", "3000").split()[1]
        control("put", "leased", "1", f"--lease={lease}")
        control("compaction", "12")
        file = self.etcd.folder / "snapshot.db"
        control("snapshot", "save", str(file))
        status = json.loads(control("snapshot", "status", str(file), "-w", "json"))
        mine = self.etcd.get_all()
        self.assertEqual(status["revision"], mine["header"]["revision"])
        if not shutil.which("etcd"):
            self.skipTest("there is no etcd")
        restored = self.etcd.folder / "restored"
        control("snapshot", "restore", str(file), f"--data-dir={restored}")
        real = Etcd("etcd", restored)
        self.addCleanup(real.close)
        theirs = real.get_all()
        self.assertEqual(mine["kvs"], theirs["kvs"])
        self.assertEqual(mine["header"]["revision"], theirs["header"]["revision"])
        self.assertIn("attached keys([leased])",
                      real.control("lease", "timetolive", "--keys", lease))
        hash_of = lambda etcd: etcd.control("endpoint", "hashkv").split()[-1]
        self.assertEqual(hash_of(self.etcd), hash_of(real))

    def test_an_operator_finds_what_he_looks_for(self):
        control = self.etcd.control
        control("put", "a", "1")
        (status,) = json.loads(control("endpoint", "status", "-w", "json"))
        self.assertEqual(status["Status"]["version"], "3.6.8")
        self.assertEqual(status["Status"]["leader"], status["Status"]["header"]["member_id"])
        self.assertIn("Finished defragmenting", control("defrag"))
        self.assertEqual(control("alarm", "list"), "")
        self.assertEqual(len(control("member", "list").splitlines()), 1)
        self.assertIn("Unimplemented", control("user", "list", fails=True))
        for page, text in [("/version", '"etcdserver":"3.6.8"'), ("/livez", "ok"),
                           ("/readyz?verbose", "[+]linearizable_read ok"),
                           ("/metrics", "etcd_server_has_leader 1")]:
            with urllib.request.urlopen(self.etcd.url + page) as answer:
                self.assertIn(text, answer.read().decode())


class Serving(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, *flags, **environment):
        process = subprocess.Popen([ETCD, *flags], env={**os.environ, **environment},
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "serving" in line:
                return process
        raise AssertionError("it did not start")

    def certificate(self, name, *extra):
        subprocess.run(
            ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-subj", f"/CN={name}", "-keyout", self.folder / f"{name}.key", "-out",
             self.folder / f"{name}.crt", "-x509", "-days", "2", *extra],
            check=True, capture_output=True)

    @unittest.skipUnless(shutil.which("etcdctl"), "there is no etcdctl")
    def test_tls_serves_only_who_has_a_certificate(self):
        self.certificate("ca")
        signed = ["-CA", self.folder / "ca.crt", "-CAkey", self.folder / "ca.key"]
        self.certificate("server", *signed, "-addext", "subjectAltName=IP:127.0.0.1")
        self.certificate("client", *signed)
        url = f"https://127.0.0.1:{free_port()}"
        self.start("--data-dir", self.folder / "data", "--listen-client-urls", url,
                   "--cert-file", self.folder / "server.crt", "--key-file",
                   self.folder / "server.key", "--client-cert-auth", "--trusted-ca-file",
                   self.folder / "ca.crt")

        def put(*flags):
            return subprocess.run(
                ["etcdctl", "--endpoints", url, "--cacert", self.folder / "ca.crt", *flags, "put",
                 "a", "1"], capture_output=True, text=True,
                env={**os.environ, "ETCDCTL_API": "3"}, timeout=CALL_SECONDS)

        mine = ["--cert", self.folder / "client.crt", "--key", self.folder / "client.key"]
        self.assertEqual(put(*mine, *PATIENCE).stdout, "OK\n")
        self.assertNotEqual(put("--command-timeout=2s").returncode, 0)

    def test_the_command_line_of_kubeadm_is_served_as_its_probes_want_it(self):
        self.certificate("ca")
        signed = ["-CA", self.folder / "ca.crt", "-CAkey", self.folder / "ca.key"]
        self.certificate("server", *signed, "-addext", "subjectAltName=IP:127.0.0.1")
        self.certificate("client", *signed)
        clients = [f"https://127.0.0.1:{free_port()}" for _ in range(2)]
        peer = f"https://127.0.0.1:{free_port()}"
        metrics = f"http://127.0.0.1:{free_port()}"
        pki = self.folder
        self.start(
            f"--advertise-client-urls={clients[1]}", f"--cert-file={pki}/server.crt",
            "--client-cert-auth=true", f"--data-dir={pki}/data",
            "--feature-gates=InitialCorruptCheck=true", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=node={peer}", f"--key-file={pki}/server.key",
            f"--listen-client-urls={','.join(clients)}", f"--listen-metrics-urls={metrics}",
            f"--listen-peer-urls={peer}", "--name=node", f"--peer-cert-file={pki}/server.crt",
            "--peer-client-cert-auth=true", f"--peer-key-file={pki}/server.key",
            f"--peer-trusted-ca-file={pki}/ca.crt", "--snapshot-count=10000",
            f"--trusted-ca-file={pki}/ca.crt", "--watch-progress-notify-interval=5s")
        for path, text in [("/livez", "ok"), ("/readyz", "ok"), ("/health", '"health":"true"'),
                           ("/health?serializable=true", '"health":"true"'),
                           ("/health?exclude=NOSPACE&serializable=true", '"health":"true"'),
                           ("/version", "3.6.8"), ("/metrics", "etcd_server_has_leader 1")]:
            with urllib.request.urlopen(metrics + path, timeout=CALL_SECONDS) as answer:
                self.assertIn(text, answer.read().decode())
        # The API is not there: whoever may scrape may not read keys.
        with self.assertRaisesRegex(OSError, "404"):
            urllib.request.urlopen(urllib.request.Request(
                metrics + "/v3/kv/range", b'{"key": "YQ=="}', method="POST"), timeout=CALL_SECONDS)
        self.assertEqual((pki / "data").stat().st_mode & 0o777, 0o700)
        for url in clients:
            done = subprocess.run(
                ["curl", "-sS", "--cacert", pki / "ca.crt", "--cert", pki / "client.crt", "--key",
                 pki / "client.key", "-d", '{"key": "YQ=="}', url + "/v3/kv/range"],
                capture_output=True, text=True, timeout=CALL_SECONDS)
            self.assertIn('"revision":"1"', done.stdout, done.stderr)
            done = subprocess.run(["curl", "-sS", "--cacert", pki / "ca.crt", url + "/health"],
                                  capture_output=True, text=True, timeout=CALL_SECONDS)
            self.assertNotEqual(done.returncode, 0)

    def test_the_command_line_of_envtest_is_served(self):
        done = subprocess.run([ETCD, "--help"], capture_output=True, text=True, timeout=60)
        self.assertIn("unsafe-no-fsync", done.stdout)
        url = f"http://127.0.0.1:{free_port()}"
        self.start(f"--advertise-client-urls={url}", f"--data-dir={self.folder}/data",
                   f"--listen-client-urls={url}", "--listen-peer-urls=http://localhost:0",
                   "--unsafe-no-fsync=true")
        with urllib.request.urlopen(url + "/health", timeout=CALL_SECONDS) as answer:
            self.assertIn('"health":"true"', answer.read().decode())

    def test_logs_go_where_they_are_sent_and_no_further(self):
        url = f"http://127.0.0.1:{free_port()}"
        log = self.folder / "log"
        etcd = self.start(f"--data-dir={self.folder}/data", f"--listen-client-urls={url}",
                          f"--log-outputs={log},stderr", "--enable-grpc-gateway=false")
        self.assertIn("serving", log.read_text())
        with self.assertRaisesRegex(OSError, "404"):
            urllib.request.urlopen(urllib.request.Request(
                url + "/v3/kv/range", b'{"key": "YQ=="}', method="POST"), timeout=CALL_SECONDS)
        etcd.terminate()
        self.assertEqual(etcd.wait(CALL_SECONDS), 0)
        quiet = subprocess.Popen([ETCD, f"--data-dir={self.folder}/data",
                                  f"--listen-client-urls={url}", "--log-level=error"],
                                 stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(url + "/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.05)
        quiet.terminate()
        self.assertEqual(quiet.communicate(timeout=CALL_SECONDS)[1], "")
        self.assertEqual(quiet.returncode, 0)

    def test_flags_come_from_a_file_or_the_environment_and_sockets_from_the_file_system(self):
        config = self.folder / "etcd.yaml"
        socket = self.folder / "socket"
        config.write_text(f"name: filed\ndata-dir: {self.folder}/data\n"
                          f"listen-client-urls: unix://{socket}\nlog-outputs: [stderr]\n"
                          "client-transport-security: {auto-tls: false}\nmax-txn-ops: 64\n")
        self.start("--config-file", config)
        done = subprocess.run(["curl", "-sS", "--unix-socket", socket, "http://x/health"],
                              capture_output=True, text=True, timeout=CALL_SECONDS)
        self.assertIn('"health":"true"', done.stdout, done.stderr)
        url = f"http://127.0.0.1:{free_port()}"
        self.start("-listen-client-urls", url, ETCD_DATA_DIR=str(self.folder / "other"),
                   ETCD_LISTEN_CLIENT_URLS="http://127.0.0.1:1")
        with urllib.request.urlopen(url + "/version") as answer:
            self.assertEqual(json.load(answer)["etcdserver"], "3.6.8")
        self.assertTrue((self.folder / "other" / "store").is_dir())

    def test_what_must_not_be_ignored_is_refused(self):
        for flags, text in [(["--auto-tls"], "--auto-tls is not supported"),
                            (["--initial-cluster", "a=http://x,b=http://y"], "several members"),
                            (["--listen-client-urls", "https://127.0.0.1:1"], "--cert-file"),
                            (["--advertise-client-urls", "x"], "--advertise-client-urls: "),
                            (["--no-such-flag"], "no-such-flag")]:
            done = subprocess.run([ETCD, *flags], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)

    def test_a_taken_port_is_told_with_its_holder(self):
        url = f"http://127.0.0.1:{free_port()}"
        first = self.start("--data-dir", self.folder / "data", "--listen-client-urls", url)
        done = subprocess.run([ETCD, "--data-dir", self.folder / "other", "--listen-client-urls",
                               url], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"(pid {first.pid})", done.stderr)
        self.assertIn("--listen-client-urls", done.stderr)

    @unittest.skipUnless(shutil.which("etcdctl"), "there is no etcdctl")
    def test_clients_are_told_where_it_listens(self):
        url = f"http://127.0.0.1:{free_port()}"
        self.start("--data-dir", self.folder / "data", "--listen-client-urls", url)
        done = subprocess.run(["etcdctl", "--endpoints", url, *PATIENCE, "member", "list"],
                              capture_output=True, text=True, timeout=CALL_SECONDS,
                              env={**os.environ, "ETCDCTL_API": "3"})
        self.assertIn(f", {url}, ", done.stdout)

    @unittest.skipUnless(shutil.which("etcdctl"), "there is no etcdctl")
    def test_an_end_in_order_does_not_wait_for_watches(self):
        url = f"http://127.0.0.1:{free_port()}"
        etcd = self.start("--data-dir", self.folder / "data", "--listen-client-urls", url)
        with urllib.request.urlopen(urllib.request.Request(
                url + "/v3/kv/put", b'{"key": "YQ=="}', method="POST"), timeout=CALL_SECONDS):
            pass
        watch = subprocess.Popen(["etcdctl", "--endpoints", url, *PATIENCE, "watch", "a",
                                  "--rev=1"], env={**os.environ, "ETCDCTL_API": "3"},
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        self.assertEqual(watch.stdout.readline(), "PUT\n")
        etcd.terminate()
        self.assertEqual(etcd.wait(CALL_SECONDS), 0)


@unittest.skipUnless(shutil.which("etcdctl"), "there is no etcdctl")
class Quota(unittest.TestCase):
    def test_beyond_the_quota_there_are_only_deletions_until_the_alarm_is_disarmed(self):
        etcd = Etcd(ETCD, None, "--quota-backend-bytes=400000")
        self.addCleanup(etcd.close)
        refusal = ""
        deadline = time.monotonic() + 60
        while not refusal and time.monotonic() < deadline:
            done = subprocess.run(["etcdctl", "--endpoints", etcd.url, *PATIENCE, "put", "a"],
                                  env={**os.environ, "ETCDCTL_API": "3"}, input="x" * 100000,
                                  capture_output=True, text=True, timeout=CALL_SECONDS)
            refusal = done.stderr
        self.assertIn("etcdserver: mvcc: database space exceeded", refusal)
        self.assertIn("alarm:NOSPACE", etcd.control("alarm", "list"))
        etcd.stop()
        etcd.start(healthy=False)
        self.assertIn("alarm:NOSPACE", etcd.control("alarm", "list"))
        self.assertIn("database space exceeded", etcd.control("put", "a", "1", fails=True))
        self.assertEqual(etcd.control("del", "a"), "1\n")
        self.assertIn("alarm:NOSPACE", etcd.control("alarm", "disarm"))
        self.assertEqual(etcd.control("alarm", "list"), "")


class Node(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.modules = install.etcd_node()
        except install.Unavailable as error:
            raise unittest.SkipTest(f"etcd3: {error}") from error
        cls.etcd = Etcd(ETCD)
        cls.addClassCleanup(cls.etcd.close)

    def command(self, etcd, case):
        return ["node", HERE / "etcd_cases.mjs", self.modules, etcd.url, case]

    def play(self, case):
        done = subprocess.run(self.command(self.etcd, case), capture_output=True, text=True,
                              timeout=CALL_SECONDS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_keys(self):
        self.play("keys")

    def test_transactions(self):
        self.play("transactions")

    def test_watches(self):
        self.play("watches")

    def test_leases_and_locks(self):
        self.play("leases")

    @unittest.skipUnless(shutil.which("etcdctl"), "there is no etcdctl")
    def test_what_was_acknowledged_outlives_a_kill(self):
        etcd = Etcd(ETCD)
        self.addCleanup(etcd.close)
        acknowledged = set()
        for _ in range(3):
            with open(etcd.folder / "acknowledged", "w+", encoding="ascii") as out:
                load = subprocess.Popen(self.command(etcd, "load"), stdout=out,
                                        stderr=subprocess.DEVNULL)
                before = len(acknowledged)
                deadline = time.monotonic() + START_SECONDS
                while os.path.getsize(out.name) < 3000 and time.monotonic() < deadline:
                    time.sleep(0.05)
                etcd.kill()
                load.kill()
                load.wait()
                out.seek(0)
                # The last line may not be whole.
                acknowledged.update(line[:-1] for line in out if line.endswith("\n"))
            etcd.start()
            kept = set(etcd.control("get", "--prefix", "load/", "--keys-only").split())
            self.assertGreater(len(acknowledged), before)
            self.assertEqual(acknowledged - kept, set())


class OnEtcd(ApiServer):
    def command_flags(self):
        return [flag for flag in super().command_flags() if not flag.startswith("--data-dir")]


@unittest.skipUnless(KUBE_APISERVER, "no kube-apiserver was named")
class KubeApiServer(unittest.TestCase):
    def test_it_keeps_its_objects_here(self):
        etcd = Etcd(ETCD)
        self.addCleanup(etcd.close)
        server = OnEtcd(KUBE_APISERVER, f"--etcd-servers={etcd.url}")
        self.addCleanup(server.close)
        path = "/api/v1/namespaces/default/configmaps"
        made = server.request("POST", path, {"metadata": {"name": "a"}, "data": {"x": "1"}})
        made["data"]["x"] = "2"
        changed = server.request("PUT", path + "/a", made)
        self.assertGreater(int(changed["metadata"]["resourceVersion"]),
                           int(made["metadata"]["resourceVersion"]))
        with self.assertRaisesRegex(OSError, "409"):
            server.request("PUT", path + "/a", made)
        names = [item["metadata"]["name"] for item in server.request("GET", path)["items"]]
        self.assertIn("a", names)
        stored = etcd.control("get", "--prefix", "/registry/configmaps/default/", "--keys-only")
        self.assertIn("/registry/configmaps/default/a", stored)
        server.stop()
        etcd.stop()
        etcd.start()
        server.start()
        self.assertEqual(server.request("GET", path + "/a")["data"], {"x": "2"})
        server.request("DELETE", path + "/a")
        with self.assertRaisesRegex(OSError, "404"):
            server.request("GET", path + "/a")


if __name__ == "__main__":
    unittest.main()
