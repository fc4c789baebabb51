"""Redis without persistence: what Guildhall keeps there may be lost at any time."""

import shutil
import socket

from .server import Server

CONFIGURATION = """\
bind 127.0.0.1
port {port}
requirepass {password}
save ""
appendonly no
daemonize no
dir {home}
"""


class Redis(Server):
    name = "redis"
    variable = "GUILDHALL_TEST_REDIS_URL"
    package = "redis-server"

    @classmethod
    def program(cls):
        return shutil.which("redis-server") or shutil.which("valkey-server")

    def prepare(self):
        values = {"port": self.port, "password": self.password, "home": self.home}
        self.write("redis.conf", CONFIGURATION.format(**values))

    def command(self):
        return [self.program(), str(self.home / "redis.conf")]

    def answers(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
            with connection.makefile("rb") as stream:
                return [stream.readline(), stream.readline()] == [b"+OK\r\n", b"+PONG\r\n"]

    def url(self):
        # The user is named: redis-cli takes an empty one literally.
        return f"redis://default:{self.password}@127.0.0.1:{self.port}/0"
