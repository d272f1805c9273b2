"""The servers that benchmarks ask: kube-apiserver on a directory of its own, nginx as its peer, and
h2load, which asks."""
import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

from bench_figures import cpu_seconds, free_port

TOKEN = "benchtoken"
JSON = "application/json"
READY_SECONDS = 60
ROUNDS = 3

NGINX = """\
daemon off;
pid {dir}/nginx.pid;
error_log {dir}/nginx.log warn;
worker_processes auto;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  sendfile on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=1h;
  open_file_cache_valid 1h;
  default_type application/json;
  client_body_temp_path {dir}/t1; proxy_temp_path {dir}/t2; fastcgi_temp_path {dir}/t3;
  uwsgi_temp_path {dir}/t4; scgi_temp_path {dir}/t5;
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    root {dir}/www;
  }}
}}
"""


class Server:
    """kube-apiserver on a directory of its own."""

    def __init__(self, binary, folder):
        self.port = free_port()
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f'{TOKEN},admin,1,"system:masters"\n')
        key = self.folder / "sa.key"
        if not key.exists():
            subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True,
                           capture_output=True)
        self.command = [
            binary, f"--data-dir={folder}/data", f"--cert-dir={folder}/certs",
            "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            f"--token-auth-file={tokens}", "--authorization-mode=Node,RBAC",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
        ]
        self.log = open(self.folder / "log", "wb+")
        self.trusting = ssl._create_unverified_context()
        began = time.monotonic()
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=self.log)
        self.pid = self.process.pid
        self.wait_until_ready(began)
        self.seconds_to_ready = time.monotonic() - began
        self.cpu_to_ready = cpu_seconds([self.pid])

    def wait_until_ready(self, began):
        while time.monotonic() - began < READY_SECONDS and self.process.poll() is None:
            try:
                status, _ = self.get("/readyz")
                if status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.002)
        self.stop()
        self.log.seek(0)
        sys.exit("kube-apiserver is not ready:\n" + self.log.read().decode(errors="replace"))

    def get(self, path, accept=JSON, method="GET", body=None, kind=JSON):
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=120,
                                                 context=self.trusting)
        headers = {"Authorization": f"Bearer {TOKEN}", "Accept": accept}
        if body is not None:
            headers["Content-Type"] = kind
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Nginx:
    """The peer: the same certificate, one worker for each processor."""

    def __init__(self, folder, server):
        self.folder = Path(folder)
        (self.folder / "www").mkdir(parents=True)
        os.chmod(self.folder, 0o755)
        self.port = free_port()
        pairs = [(path, path.with_suffix(".key")) for path in
                 sorted((server.folder / "certs").glob("*.crt"))]
        certificate, key = next(pair for pair in pairs if pair[1].exists())
        conf = self.folder / "nginx.conf"
        conf.write_text(NGINX.format(dir=folder, port=self.port, certificate=certificate, key=key))
        self.process = subprocess.Popen(["nginx", "-p", folder, "-c", conf],
                                        stderr=subprocess.DEVNULL)
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                time.sleep(0.01)
        time.sleep(0.2)
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        self.workers = [int(pid) for pid in children.read_text().split()]
        if not self.workers:
            sys.exit("nginx does not run: " + (self.folder / "nginx.log").read_text())

    def add(self, name, data):
        (self.folder / "www" / name).write_bytes(data)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def h2load(port, path, accept, pids, seconds, connections, streams, others=(), count=0, more=()):
    """Processor seconds of the server per request, and requests per second. Long answers are
    counted, since what is under way when the time is over would distort the figure."""
    load = ["-n", str(count)] if count else ["-D", str(seconds)]
    command = ["h2load", *load, "-c", str(connections), "-m", str(streams), "-t", "1",
               "-H", f"authorization: Bearer {TOKEN}", "-H", f"accept: {accept}", *more,
               *[f"https://127.0.0.1:{port}{one}" for one in (path, *others)]]
    before = cpu_seconds(pids)
    began = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 10 + 120)
    elapsed = time.monotonic() - began
    used = cpu_seconds(pids) - before
    outcome = re.search(r"(\d+) succeeded, (\d+) failed", run.stdout)
    codes = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", run.stdout)
    if not outcome or int(outcome.group(1)) == 0 or int(codes.group(1)) < int(outcome.group(1)):
        raise RuntimeError(f"h2load {path}: {run.stdout}{run.stderr}")
    done = int(outcome.group(1))
    return used / done, done / elapsed


def beside_nginx(report, servers, row, path, accept, most, load):
    """The same bytes from both, in turns. `load`: seconds, connections, streams, count."""
    server, nginx = servers
    seconds, connections, streams, count = load
    status, data = server.get(path, accept)
    if status != 200:
        raise RuntimeError(f"GET {path}: {status}")
    nginx.add(row, data)
    ours, peers, rates, peer_rates = [], [], [], []
    for _ in range(ROUNDS):
        cpu, rate = h2load(server.port, path, accept, [server.pid], seconds, connections, streams,
                           count=count)
        ours.append(cpu)
        rates.append(rate)
        cpu, rate = h2load(nginx.port, "/" + row, accept, nginx.workers, seconds, connections,
                           streams, count=count)
        peers.append(cpu)
        peer_rates.append(rate)
    report.beside(f"api_{row}_cpu", min(ours) * 1e3, min(peers) * 1e3, "ms", most,
                  f" ({len(data):,} bytes; {max(rates):,.4g}/s beside {max(peer_rates):,.4g}/s)")


def skiff_bench_api(skiff, server, *words):
    """`skiff bench api`, as JSON."""
    run = subprocess.run(
        [skiff, "bench", "api", *words, "--server", f"https://127.0.0.1:{server.port}", "--token",
         TOKEN, "--insecure-skip-tls-verify", "--pid", str(server.pid), "-o", "json"],
        capture_output=True, text=True, timeout=1200)
    if run.returncode != 0:
        why = re.search(r'"firstFailure": (.*),', run.stdout)
        raise RuntimeError(f"skiff bench api {' '.join(words)}: {run.stderr.strip()}"
                           f"{why.group(1) if why else ''}")
    return json.loads(run.stdout)
