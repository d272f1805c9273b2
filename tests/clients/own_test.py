#!/usr/bin/env python3
"""Our own client, as a program, against our server, which is killed and started again meanwhile.

    own_test.py KUBE_APISERVER OWN_CLIENT
"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from server import ApiServer


def main(binary, client):
    server = ApiServer(binary)
    try:
        process = subprocess.Popen([client, str(server.kubeconfig)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            print(line, end="", flush=True)
            if line == "restart\n":
                server.kill()
                server.start()
                process.stdin.write("go\n")
                process.stdin.flush()
        return process.wait(60)
    finally:
        server.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
