"""Runs one kubectl as a person would: its own home, its own namespace, words out, words checked."""
import json
import os
import subprocess
import threading
import time

CALL_SECONDS = 180


class Kubectl:
    def __init__(self, binary, server, home, namespace=None):
        self.binary = str(binary)
        self.server = server
        self.home = home
        self.namespace = namespace
        self.environment = {
            "HOME": str(home), "KUBECONFIG": str(server.kubeconfig), "LANG": "C.UTF-8",
            "PATH": os.environ["PATH"], "KUBECTL_COMMAND_HEADERS": "false"}

    def command(self, *words):
        namespace = ["-n", self.namespace] if self.namespace else []
        return [self.binary, *namespace, *words]

    def run(self, *words, stdin=None, environment=None):
        return subprocess.run(self.command(*words), env={**self.environment, **(environment or {})},
                              input=stdin if stdin is not None else "", capture_output=True,
                              text=True, timeout=CALL_SECONDS)

    def __call__(self, *words, stdin=None, environment=None):
        """What it prints; anything but success is a failure of the test."""
        if stdin is not None and not isinstance(stdin, str):
            stdin = manifest(*stdin) if isinstance(stdin, list) else manifest(stdin)
        done = self.run(*words, stdin=stdin, environment=environment)
        if done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(words)}: exit {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, *words, stdin=None):
        """What it complains about; success is a failure of the test."""
        if stdin is not None and not isinstance(stdin, str):
            stdin = manifest(stdin)
        done = self.run(*words, stdin=stdin)
        if done.returncode == 0:
            raise AssertionError(f"kubectl {' '.join(words)} is no error:\n{done.stdout}")
        return done.stderr

    def json(self, *words):
        return json.loads(self(*words, "-o", "json"))

    def exists(self, kind, name):
        return bool(self("get", kind, name, "--ignore-not-found", "-o", "name").strip())

    def follow(self, *words):
        return Follower(subprocess.Popen(self.command(*words), env=self.environment, text=True,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT))


class Follower:
    """A command that keeps printing, such as a watch."""

    def __init__(self, process):
        self.process = process
        self.lines = []
        self._more = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self._more:
                self.lines.append(line.rstrip("\n"))
                self._more.notify_all()
        with self._more:
            self._ended = True
            self._more.notify_all()

    def until(self, fits):
        """Waits for a line that fits, and gives it back."""
        deadline = time.monotonic() + CALL_SECONDS
        with self._more:
            while True:
                for line in self.lines:
                    if fits(line):
                        return line
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    raise AssertionError("no such line in:\n" + "\n".join(self.lines))
                self._more.wait(left)

    def result(self):
        """The exit code of a command that ends by itself."""
        code = self.process.wait(CALL_SECONDS)
        self._reader.join()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()


def manifest(*objects):
    """One JSON text after the other, which every kubectl reads."""
    return "\n".join(json.dumps(each) for each in objects)


def config_map(name, data=None, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata},
            "data": data or {}}


def pod_template(labels, image="registry.example/app:1"):
    return {"metadata": {"labels": labels},
            "spec": {"containers": [{"name": "app", "image": image}]}}


def deployment(name, replicas=1, **metadata):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, **metadata},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": pod_template(labels)}}


def pod(name, **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata},
            "spec": {"containers": [{"name": "app", "image": "registry.example/app:1"}]}}


def service(name, port=80):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
            "spec": {"selector": {"app": name}, "ports": [{"port": port, "protocol": "TCP",
                                                           "targetPort": port}]}}
