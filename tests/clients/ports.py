"""Ports for servers of tests, which may all run at the same time."""
import contextlib
import os
import random
import socket

_held = []

# They are on this machine, whatever proxy leads out of it.
for _name in ("no_proxy", "NO_PROXY"):
    os.environ[_name] = ",".join(filter(None, (os.environ.get(_name), "127.0.0.1", "localhost")))


def free_port():
    """A port that no other test is given while this one runs. It is held by a socket that does not
    listen: servers may bind it all the same, since both set SO_REUSEADDR, and before and after them
    nobody answers there. It is below those that the system gives to connections, and below
    those of node ports, for which recorded answers that name it would take it."""
    while True:
        port = random.randrange(20000, 30000)
        holder = socket.socket()
        with contextlib.suppress(OSError):
            holder.bind(("127.0.0.1", port))
            # Only now: two that set it first could both bind the port.
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            _held.append(holder)
            return port
        holder.close()
