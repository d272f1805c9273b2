#!/usr/bin/env python3
"""An admission webhook as people write them in Python: http.server, ssl, json, and the client.

    webhook.py KEY CERTIFICATE     (KUBECONFIG in the environment)

Prints its port. POST /mutate labels what it is asked about; POST /validate refuses what belongs to
nobody who is in the config map "owners" of its namespace.
"""
import base64
import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import kubernetes


def mutate(asked):
    patch = ([{"op": "add", "path": "/metadata/labels/seen-by", "value": "python"}]
             if "labels" in asked["object"]["metadata"] else
             [{"op": "add", "path": "/metadata/labels", "value": {"seen-by": "python"}}])
    return {"allowed": True, "patchType": "JSONPatch",
            "patch": base64.b64encode(json.dumps(patch).encode()).decode()}


def refused(message):
    return {"allowed": False, "status": {"code": 403, "message": message}}


def validate(asked):
    owner = asked["object"]["metadata"].get("annotations", {}).get("owner")
    if owner is None:
        return refused("who owns it?")
    # The server is asked while it waits.
    core = kubernetes.client.CoreV1Api()
    if owner not in core.read_namespaced_config_map("owners", asked["namespace"]).data:
        return refused(f"there is no {owner}")
    return {"allowed": True, "warnings": [f"checked for {asked['userInfo']['username']}"]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        handle = mutate if self.path.startswith("/mutate?") else validate
        review["response"] = {"uid": review["request"]["uid"], **handle(review.pop("request"))}
        body = json.dumps(review).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    key, certificate = sys.argv[1:]
    kubernetes.config.load_kube_config()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
