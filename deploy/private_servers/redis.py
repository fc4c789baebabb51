"""Redis without persistence: what Guildhall keeps there may be lost at any time."""

import shutil

from .server import Server

PLAIN = "port {port}\n"
TLS = """\
port 0
tls-port {port}
tls-cert-file {certificate}
tls-key-file {key}
tls-ca-cert-file {authority}
tls-auth-clients no
"""
CONFIGURATION = """\
bind 127.0.0.1
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
        listen = PLAIN
        if self.speaks_tls:
            listen = TLS
            certificate, key = self.write_certificates()
            values |= {"certificate": certificate, "key": key, "authority": self.certificates.authority}
        self.write("redis.conf", (CONFIGURATION + listen).format(**values))

    def command(self):
        return [self.program(), str(self.home / "redis.conf")]

    def answers(self):
        with self.connect() as connection:
            connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
            with connection.makefile("rb") as stream:
                return [stream.readline(), stream.readline()] == [b"+OK\r\n", b"+PONG\r\n"]

    def url(self):
        # The user is named: redis-cli takes an empty one literally.
        scheme = "rediss" if self.speaks_tls else "redis"
        return f"{scheme}://default:{self.password}@127.0.0.1:{self.port}/0"
