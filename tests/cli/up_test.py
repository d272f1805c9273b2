#!/usr/bin/env python3
"""skiff up, down, status and reset, and kube-apiserver, as processes on this machine.

    up_test.py SKIFF KUBE_APISERVER [unittest options]
"""

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
from ports import free_port  # noqa: E402

SKIFF = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
KUBE_APISERVER = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
TIMEOUT = 120
PATIENCE = "100s"  # of commands that wait for a server, which on a busy machine takes its time


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


class Cluster(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skiff-up.")
        self.data = os.path.join(self.folder, "data")
        self.port = free_port()
        self.running = []
        self.addCleanup(self.clean_up)

    def clean_up(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdout, process.stderr):
                stream.close()
        self.skiff("down", "--timeout", "20s", check=False)
        # One whose store is gone takes longer than that.
        with contextlib.suppress(ValueError, ProcessLookupError):
            state = self.status()[1]
            if state.get("running"):
                os.kill(state["pid"], signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def skiff(self, command, *arguments, check=True, **options):
        done = subprocess.run([SKIFF, command, "--data-dir", self.data, *arguments],
                              capture_output=True, text=True, timeout=TIMEOUT, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"skiff {command}: {done.returncode} {done.stdout}{done.stderr}")
        return done

    def up(self, *arguments):
        """Starts it in the foreground and returns when it says that it is ready."""
        process = subprocess.Popen(
            [SKIFF, "up", "--data-dir", self.data, "--port", str(self.port), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Ready after"):
                return process
        raise AssertionError("".join(said) + process.stderr.read())

    def detach(self, *arguments, check=True):
        return self.skiff("up", "--port", str(self.port), "--detach", "--timeout", PATIENCE,
                          *arguments, check=check)

    def down(self):
        return self.skiff("down", "--timeout", PATIENCE)

    def status(self):
        done = self.skiff("status", "-o", "json", check=False)
        return done.returncode, json.loads(done.stdout)

    def status_once(self, health):
        """As soon as it says that: a busy server may be late for one who asks."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            code, state = self.status()
            if state["health"] == health or time.monotonic() > deadline:
                return code, state
            time.sleep(0.1)

    def kubectl(self, *words, given=None):
        done = subprocess.run(["kubectl", *words], input=given, capture_output=True, text=True,
                              timeout=TIMEOUT,
                              env={**os.environ, "KUBECONFIG": self.data + "/admin.conf",
                                   # What was found at this port before may be of another server.
                                   "KUBECACHEDIR": os.path.join(self.folder, "cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def wait_until(self, holds):
        deadline = time.monotonic() + TIMEOUT
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def get(self, path, as_admin=True):
        """GET from the server, whose certificate must be the CA's: status code and body."""
        config = Path(self.data, "admin.conf").read_text()

        def part(name):
            return base64.b64decode(re.search(name + r"-data: (\S+)", config)[1])

        context = ssl.create_default_context(cadata=part("certificate-authority").decode())
        if as_admin:
            pem = Path(self.folder, "admin.pem")
            pem.write_bytes(part("client-certificate") + part("client-key"))
            context.load_cert_chain(pem)
        server = re.search(r"server: (\S+)", config)[1]
        try:
            with urllib.request.urlopen(server + path, context=context, timeout=TIMEOUT) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


class Foreground(Cluster):
    def test_is_ready_when_it_says_so_and_stops_in_order(self):
        process = self.up()
        self.assertEqual(self.get("/readyz"), (200, b"ok"))
        code, body = self.get("/api/v1/namespaces/kube-system")
        self.assertEqual((code, json.loads(body)["kind"]), (200, "Namespace"))
        code, body = self.get("/api/v1/namespaces", as_admin=False)
        self.assertEqual(code, 403)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertTrue(process.stderr.read().endswith("skiff up: stopped\n"))
        self.assertFalse(os.path.exists(os.path.join(self.data, "running.json")))

    def test_keys_are_for_their_owner_only(self):
        self.up()
        for name in ("admin.conf", "pki/ca.key", "pki/apiserver.key", "pki/sa.key",
                     "pki/admin.key", "pki/front-proxy-ca.key", "pki/front-proxy-client.key"):
            self.assertEqual(os.stat(os.path.join(self.data, name)).st_mode & 0o777, 0o600, name)

    def test_openssl_finds_no_fault_with_the_certificates(self):
        self.up("--tls-san", "api.example.com,192.0.2.9")
        pki = os.path.join(self.data, "pki")
        subprocess.run(["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile",
                        pki + "/ca.crt", pki + "/apiserver.crt"], check=True, capture_output=True)
        subprocess.run(["openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile",
                        pki + "/ca.crt", pki + "/admin.crt"], check=True, capture_output=True)
        subprocess.run(["openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile",
                        pki + "/front-proxy-ca.crt", pki + "/front-proxy-client.crt"], check=True,
                       capture_output=True)
        text = subprocess.run(["openssl", "x509", "-noout", "-text", "-in", pki + "/apiserver.crt"],
                              check=True, capture_output=True, text=True).stdout
        for name in ("DNS:localhost", "DNS:kubernetes.default.svc.cluster.local",
                     "DNS:" + socket.gethostname(), "DNS:api.example.com", "IP Address:127.0.0.1",
                     "IP Address:10.96.0.1", "IP Address:192.0.2.9"):
            self.assertIn(name, text)

    def test_data_and_certificates_survive_a_restart(self):
        self.up().send_signal(signal.SIGTERM)
        self.assertEqual(self.running[0].wait(TIMEOUT), 0)
        before = {name: Path(self.data, "pki", name).read_bytes()
                  for name in os.listdir(os.path.join(self.data, "pki"))}
        self.up().kill()
        self.running[1].wait()
        process = self.up()
        after = {name: Path(self.data, "pki", name).read_bytes()
                 for name in os.listdir(os.path.join(self.data, "pki"))}
        self.assertEqual(before, after)
        self.assertEqual(self.get("/api/v1/namespaces/kube-system")[0], 200)
        self.assertIsNone(process.poll())

    def test_what_people_change_in_the_kubeconfig_stays_as_long_as_it_can_be_used(self):
        self.detach()
        config = Path(self.data, "admin.conf")
        user = "    user: skiff-admin\n"
        config.write_text(config.read_text().replace(user, user + "    namespace: mine\n"))
        changed = config.read_text()
        self.assertIn("namespace: mine", changed)
        self.down()
        self.detach()
        self.assertEqual(config.read_text(), changed)
        self.down()
        self.port = free_port()
        self.detach()
        self.assertIn(f":{self.port}", config.read_text())

    def test_a_second_signal_ends_it_at_once(self):
        process = self.up("--", "--shutdown-delay-duration=50s")
        process.send_signal(signal.SIGTERM)
        self.assertTrue(any("once more" in line for line in process.stderr))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(40), -signal.SIGTERM)

    def test_flags_of_the_server_can_be_passed(self):
        self.up("--", "--service-cluster-ip-range=10.43.0.0/16", "--profiling=false")
        text = subprocess.run(["openssl", "x509", "-noout", "-text", "-in",
                               self.data + "/pki/apiserver.crt"], check=True, capture_output=True,
                              text=True).stdout
        self.assertIn("IP Address:10.43.0.1", text)

    def test_a_copy_of_the_kubeconfig_is_written_where_one_likes(self):
        copy = os.path.join(self.folder, "new", "copy.conf")
        self.assertIn(f"export KUBECONFIG={copy}\n", self.detach("--kubeconfig", copy).stdout)
        self.assertEqual(Path(copy).read_text(), Path(self.data, "admin.conf").read_text())
        self.assertEqual(os.stat(copy).st_mode & 0o777, 0o600)

    @unittest.skipUnless(shutil.which("kubectl"), "no kubectl here")
    def test_kubectl_works_at_once(self):
        self.up()
        self.assertIn("namespace/kube-system", self.kubectl("get", "ns", "-o", "name").split())
        self.kubectl("run", "first", "--image=example.com/app:1")
        self.assertEqual(self.kubectl("get", "pods", "-o", "name").split(), ["pod/first"])


@unittest.skipUnless(shutil.which("kubectl"), "no kubectl here")
class ControlLoops(Cluster):
    def test_a_namespace_goes_with_all_that_is_in_it(self):
        self.up()
        self.kubectl("create", "namespace", "work")
        self.kubectl("-n", "work", "wait", "--for=create", "serviceaccount/default",
                     "configmap/kube-root-ca.crt", "--timeout=100s")
        self.kubectl("-n", "work", "run", "pod", "--image=example.com/app:1")
        self.kubectl("-n", "work", "create", "configmap", "held", "--from-literal=a=b")
        self.kubectl("-n", "work", "patch", "configmap", "held", "--type=merge", "-p",
                     '{"metadata":{"finalizers":["example.com/keep"]}}')
        self.kubectl("delete", "namespace", "work", "--wait=false")
        self.wait_until(lambda: "example.com/keep" in self.kubectl(
            "get", "namespace", "work", "-o", "jsonpath={.status.conditions}"))
        self.kubectl("-n", "work", "patch", "configmap", "held", "--type=merge", "-p",
                     '{"metadata":{"finalizers":null}}')
        self.kubectl("wait", "--for=delete", "namespace/work", "--timeout=100s")
        self.assertNotIn("namespace/work", self.kubectl("get", "ns", "-o", "name").split())

    def test_what_has_no_owner_left_goes(self):
        self.up()
        self.kubectl("create", "configmap", "owner")
        uid = self.kubectl("get", "configmap", "owner", "-o", "jsonpath={.metadata.uid}")
        owned = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": "owned", "ownerReferences": [{
                "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}]}}
        self.kubectl("create", "-f", "-", given=json.dumps(owned))
        self.kubectl("delete", "configmap", "owner")
        self.kubectl("wait", "--for=delete", "configmap/owned", "--timeout=100s")

    def test_they_are_chosen_by_name(self):
        self.up("--controllers", "namespace-controller")
        self.kubectl("create", "namespace", "work")
        self.kubectl("delete", "namespace", "work", "--timeout=100s")
        accounts = self.kubectl("get", "serviceaccounts", "-A", "-o", "name")
        self.assertEqual(accounts, "")

    def test_none_of_them_runs_where_none_is_wanted(self):
        process = self.up("--controllers", "none")
        self.kubectl("create", "namespace", "work")
        self.kubectl("delete", "namespace", "work", "--wait=false")
        self.assertEqual(self.kubectl("get", "namespace", "work", "-o",
                                      "jsonpath={.status.phase}"), "Terminating")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), 0)

    def test_a_loop_that_there_is_not_is_told(self):
        done = self.skiff("up", "--controllers", "*,-namespace-controler", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("namespace-controller", done.stderr)
        self.assertFalse(os.path.exists(self.data))


@unittest.skipUnless(shutil.which("kubectl") and shutil.which("etcd"), "no kubectl or no etcd here")
class OneEtcd(Cluster):
    """Two servers, each with a directory of its own, on one etcd."""

    def setUp(self):
        super().setUp()
        client, peer = free_port(), free_port()
        self.etcd = f"http://127.0.0.1:{client}"
        etcd = subprocess.Popen([
            "etcd", f"--data-dir={self.folder}/etcd", "--unsafe-no-fsync",
            f"--listen-client-urls={self.etcd}", f"--advertise-client-urls={self.etcd}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=default=http://127.0.0.1:{peer}",
        ], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(etcd.wait, TIMEOUT)
        self.addCleanup(etcd.kill)
        self.first = self.up("--", "--etcd-servers=" + self.etcd)
        self.wait_until(self.leads)
        self.data = os.path.join(self.folder, "other")
        self.port = free_port()
        self.up("--", "--etcd-servers=" + self.etcd)

    def leads(self):
        line = 'leader_election_master_status{name="kube-controller-manager"} 1'
        return line in self.get("/metrics")[1].decode().splitlines()

    def holder(self):
        return self.kubectl("-n", "kube-system", "get", "lease", "kube-controller-manager", "-o",
                            "jsonpath={.spec.holderIdentity}")

    def check_loops(self):
        self.kubectl("create", "namespace", "work")
        self.kubectl("delete", "namespace", "work", "--timeout=100s")

    def test_one_runs_the_loops_and_hands_them_on(self):
        self.check_loops()
        holder = self.holder()
        time.sleep(3)
        self.assertFalse(self.leads())
        self.assertEqual(self.holder(), holder)
        self.first.send_signal(signal.SIGTERM)
        self.assertEqual(self.first.wait(TIMEOUT), 0)
        self.assertNotEqual(self.holder(), holder, "nobody need wait for the lease to run out")
        self.wait_until(self.leads)
        self.assertNotEqual(self.holder(), holder)
        self.check_loops()

    def test_the_other_takes_over_from_one_that_is_gone(self):
        self.first.kill()
        self.first.wait(TIMEOUT)
        self.wait_until(self.leads)
        self.check_loops()


class Detached(Cluster):
    def test_lives_from_up_to_down(self):
        self.assertEqual(self.status()[0], 3)
        done = self.detach()
        self.assertIn("The cluster is ready at https://127.0.0.1:%d" % self.port, done.stdout)
        code, status = self.status_once("ready")
        self.assertEqual((code, status["running"], status["health"]), (0, True, "ready"))
        self.assertEqual(status["server"], "https://127.0.0.1:%d" % self.port)
        self.assertRegex(status["version"], r"^v1\.36\.")
        self.assertEqual([one["name"] for one in status["certificates"]],
                         ["ca", "apiserver", "admin", "front-proxy-ca", "front-proxy-client"])
        self.assertGreater(status["dataBytes"], 0)
        self.assertIn("stopped the cluster", self.down().stdout)
        code, status = self.status()
        self.assertEqual((code, status["running"], status["health"]), (3, False, "not running"))
        self.assertIn("no cluster runs", self.down().stdout)

    def test_status_is_for_people_too(self):
        self.detach()
        self.wait_until(lambda: "health        ready" in self.skiff("status", check=False).stdout)
        text = self.skiff("status", check=False).stdout
        for part in ("running, pid", "until 20", "in 36"):
            self.assertIn(part, text)

    def test_one_directory_is_for_one_cluster(self):
        self.detach()
        for done in (self.detach("--port", "0", check=False),
                     self.skiff("up", "--port", "0", check=False)):
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"already runs in .* \(pid \d+\)")
            self.assertIn(f"'skiff down --data-dir {self.data}'", done.stderr)

    def test_two_clusters_run_side_by_side(self):
        self.detach()
        other = os.path.join(self.folder, "other")
        subprocess.run([SKIFF, "up", "--data-dir", other, "--port", "0", "-d", "--timeout",
                        PATIENCE], check=True, capture_output=True, timeout=TIMEOUT)
        try:
            self.wait_until(lambda: subprocess.run(
                [SKIFF, "status", "--data-dir", other], capture_output=True,
                timeout=TIMEOUT).returncode == 0)
        finally:
            subprocess.run([SKIFF, "down", "--data-dir", other, "--timeout", PATIENCE], check=True,
                           capture_output=True, timeout=TIMEOUT)

    @unittest.skipUnless(has_ipv6(), "there is no IPv6 here")
    def test_the_way_out_of_mixed_families_of_addresses_is_told(self):
        done = self.detach("--bind-address", "::1", check=False)
        self.assertEqual(done.returncode, 1)
        advice = re.search("add '-- (--service-cluster-ip-range=.*)'", done.stderr)
        self.detach("--bind-address", "::1", "--", advice[1])

    def test_others_reach_it_only_where_that_is_asked_for(self):
        def answers(address):
            with socket.socket() as client:
                return client.connect_ex((address, self.port)) == 0

        self.detach()
        self.assertTrue(answers("127.0.0.1"))
        self.assertFalse(answers("127.0.0.2"))
        self.down()
        self.detach("--bind-address", "0.0.0.0")
        self.assertTrue(answers("127.0.0.2"))

    def test_a_taken_port_is_told_with_its_holder(self):
        with socket.socket() as holder:
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(("127.0.0.1", self.port))
            holder.listen()
            done = self.detach(check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr,
                         rf"port {self.port} is taken by python\S* \(pid {os.getpid()}\)")
        self.assertIn("--port", done.stderr)

    def test_nothing_is_left_behind_by_a_failed_start(self):
        done = self.detach("--", "--etcd-prefix=registry", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--etcd-prefix: must begin with '/'", done.stderr)
        self.assertEqual(self.status()[0], 3)

    def test_an_expired_ca_is_told_with_what_to_do(self):
        self.detach()
        self.down()
        pki = os.path.join(self.data, "pki")
        subprocess.run(["openssl", "x509", "-x509toreq", "-in", pki + "/ca.crt", "-signkey",
                        pki + "/ca.key", "-out", pki + "/ca.csr"], check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-req", "-in", pki + "/ca.csr", "-signkey",
                        pki + "/ca.key", "-days", "-1", "-out", pki + "/ca.crt"], check=True,
                       capture_output=True)
        done = self.detach(check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"expired .* ago; to make a new CA, remove ")
        self.assertIn("expired", self.skiff("status", check=False).stdout)
        os.unlink(pki + "/ca.crt")
        os.unlink(pki + "/ca.key")
        self.detach()
        self.assertEqual(self.get("/readyz")[0], 200)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_directory_that_cannot_be_written_is_told(self):
        os.mkdir(self.data, 0o500)
        done = self.detach(check=False)
        self.assertIn("the data directory cannot be used", done.stderr)

    def test_a_path_that_is_no_directory_is_told(self):
        Path(self.data).write_text("")
        done = self.detach(check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the data directory cannot be used", done.stderr)
        os.unlink(self.data)

    def test_a_process_that_was_killed_leaves_no_running_cluster(self):
        self.detach()
        pid = self.status()[1]["pid"]
        os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: not self.status()[1]["running"])
        self.assertEqual(self.status()[0], 3)
        self.detach()
        self.assertEqual(self.status_once("ready")[0], 0)


class OnEtcd(Cluster):
    def test_what_was_waited_for_in_vain_is_told(self):
        # Its log names the reason three seconds after it has begun to wait.
        done = self.detach("--timeout", "25s", "--", "--etcd-servers",
                           f"http://127.0.0.1:{free_port()}", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not ready within 25s", done.stderr)
        self.assertIn("no etcd endpoint serves requests", done.stderr)

    def test_a_store_that_fails_is_told_by_status_and_in_the_log(self):
        url = f"http://127.0.0.1:{free_port()}"
        etcd = subprocess.Popen(
            [SKIFF, "etcd", "--data-dir", os.path.join(self.folder, "etcd"),
             "--listen-client-urls", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(etcd.wait)
        self.addCleanup(etcd.kill)
        self.detach("--", "--etcd-servers", url)
        etcd.kill()
        etcd.wait()
        self.assertEqual(self.status_once("not ready")[1]["health"], "not ready")
        # A busy server may not answer one of those who ask in time.
        self.wait_until(lambda: "its log tells why these checks fail: etcd" in self.skiff(
            "status", check=False).stdout)
        log = Path(self.data, "skiff.log")
        self.wait_until(lambda: "the cluster store " in log.read_text())


class Reset(Cluster):
    def test_refuses_while_the_cluster_runs(self):
        self.detach()
        done = self.skiff("reset", "--yes", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"stop it first with 'skiff down --data-dir {self.data}'", done.stderr)
        self.assertEqual(self.status_once("ready")[0], 0)

    def test_removes_all_that_skiff_made_and_nothing_else(self):
        self.detach()
        self.down()
        Path(self.data, "notes.txt").write_text("mine")
        done = self.skiff("reset", check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--yes", done.stderr)
        self.assertIn("notes.txt", self.skiff("reset", "--yes").stdout)
        self.assertEqual(os.listdir(self.data), ["notes.txt"])
        os.unlink(os.path.join(self.data, "notes.txt"))
        os.rmdir(self.data)
        self.assertIn("there is no cluster", self.skiff("reset", "--yes").stdout)

    def test_leaves_no_empty_directory(self):
        self.detach()
        self.down()
        self.skiff("reset", "--yes")
        self.assertFalse(os.path.exists(self.data))

    def test_does_not_touch_the_directory_of_somebody_else(self):
        os.mkdir(self.data)
        Path(self.data, "admin.conf").write_text("mine")
        done = self.skiff("reset", "--yes", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(Path(self.data, "admin.conf").read_text(), "mine")


class CommandLine(Cluster):
    def test_faults_of_flags_are_told_before_anything_is_made(self):
        for words, message in (
                (["--port", "70000"], "65535"),
                (["--bind-address", "localhost"], "not an IP address"),
                (["--timeout", "5"], "duration"),
                (["--tls-san", "a b"], "neither a host name nor an IP address"),
                (["--", "--nothing"], "kube-apiserver --help"),
                (["--", "--secure-prot=1"], "did you mean --secure-port?"),
                (["--", "--encryption-provider-config=x"], "secrets would be stored in the clear")):
            done = self.skiff("up", *words, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr)
        self.assertFalse(os.path.exists(self.data))


    def test_a_directory_without_a_name_is_not_the_usual_one(self):
        for command in ("up", "down", "status", "reset"):
            done = subprocess.run([SKIFF, command, "--data-dir", ""], capture_output=True,
                                  text=True, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("--data-dir: the name of the directory is empty", done.stderr)


class KubeApiserver(Cluster):
    def run_it(self, *arguments):
        return subprocess.run([KUBE_APISERVER, *arguments], capture_output=True, text=True,
                              timeout=TIMEOUT)

    def version(self, context):
        """What /version says to anybody, as soon as the roles are there that allow it."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                with urllib.request.urlopen(f"https://127.0.0.1:{self.port}/version",
                                            timeout=TIMEOUT, context=context) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code != 403 or time.monotonic() > deadline:
                    raise
                error.close()

    def test_says_what_it_is(self):
        self.assertRegex(self.run_it("--version").stdout, r"^Kubernetes v1\.36\.\d+\n$")
        self.assertIn("Skiff", self.run_it("--version=raw").stdout)
        self.assertIn("\nEtcd flags:\n", self.run_it("--help").stdout)

    def test_tells_all_faults_of_its_flags(self):
        done = self.run_it("--goaway-chance=1", "--cert-dir", self.folder)
        self.assertEqual(done.returncode, 1)
        for flag in ("--goaway-chance", "--service-account-issuer", "--data-dir",
                     "--service-account-signing-key-file"):
            self.assertIn(flag + ": ", done.stderr)

    def start_it(self, *arguments):
        key = os.path.join(self.folder, "sa.key")
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", key], check=True,
                       capture_output=True)
        process = subprocess.Popen(
            [KUBE_APISERVER, "--secure-port", str(self.port), "--bind-address=127.0.0.1",
             "--cert-dir", self.folder, "--service-account-issuer=https://kubernetes.default.svc",
             "--service-account-signing-key-file", key, "--service-account-key-file", key,
             "--authorization-mode=RBAC", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.running.append(process)
        return process

    def read_until(self, text, process):
        """What it says on standard error until it says that."""
        said = ""
        while text not in said:
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        return said

    def test_says_that_it_waits_for_the_store_and_can_be_stopped_then(self):
        process = self.start_it("--etcd-servers", f"http://127.0.0.1:{free_port()}",
                                "--storage-initialization-timeout=1h")
        self.read_until('"waiting for the cluster store"', process)
        process.terminate()
        _, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("stopped before it was ready", said)

    def test_files_that_are_not_there_are_told_with_what_they_are_for(self):
        for flags, text in (
                (["--tls-cert-file=/no/file", "--tls-private-key-file=/no/file"],
                 "the certificate /no/file: No such file"),
                (["--client-ca-file=/no/file"], "the CA of clients /no/file: No such file"),
                (["--admission-control-config-file=/no/file"],
                 "--admission-control-config-file: open /no/file: No such file"),
                (["--runtime-config=nothing/v1=true"], "--runtime-config: ")):
            process = self.start_it("--data-dir", self.data, *flags)
            _, said = process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 1)
            self.assertIn(text, said)

    def test_signals_that_mean_nothing_do_not_end_it(self):
        process = self.start_it("--data-dir", self.data)
        self.read_until('"Serving securely"', process)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE, signal.SIGXFSZ):
            process.send_signal(number)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertIn('"stopped"', process.stderr.read())

    def test_serves_and_stops(self):
        process = self.start_it("--data-dir", self.data, "--audit-log-maxage=7")
        said = self.read_until('"Serving securely"', process)
        self.assertIn("--audit-log-maxage is ignored", said)
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "apiserver.crt"))
        self.assertEqual(self.version(context)["major"], "1")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT), 0)


if __name__ == "__main__":
    unittest.main()
