"""RabbitMQ beside any other on the machine: own node name, own epmd, own folders, no plugins.

Works with 3.10 (Debian 12) and 4.x. The node is called `...@localhost`, because the host name of a
container or a laptop often does not resolve.
"""

import glob
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

from .failure import Failure
from .process import POLL, run_as
from .server import Server

USER = "guildhall"
# The scripts behind Debian's wrapper: the wrapper insists on the account `rabbitmq`.
SCRIPT = "/usr/lib/rabbitmq/bin/rabbitmq-server"
PLAIN = "listeners.tcp.local = 127.0.0.1:{port}\n"
TLS = """\
listeners.tcp = none
listeners.ssl.local = 127.0.0.1:{port}
ssl_options.cacertfile = {authority}
ssl_options.certfile = {certificate}
ssl_options.keyfile = {key}
ssl_options.verify = verify_none
"""
CONFIGURATION = """\
default_user = {user}
default_pass = {password}
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 50MB
# The write-ahead log of quorum queues; 512 MB by default, which is a lot for tests.
raft.wal_max_size_bytes = 67108864
"""


class RabbitMq(Server):
    name = "rabbitmq"
    variable = "GUILDHALL_TEST_AMQP_URL"
    package = "rabbitmq-server"
    starts_within = 120
    port_names = ("port", "distribution_port", "epmd_port")

    def __init__(self, folder):
        super().__init__(folder)
        self.epmd = self.process_named(folder.path, "epmd")

    @classmethod
    def program(cls):
        return shutil.which(SCRIPT) or shutil.which("rabbitmq-server")

    def prepare(self):
        values, listen = {"port": self.port, "user": USER, "password": self.password}, PLAIN
        if self.speaks_tls:
            listen = TLS
            certificate, key = self.write_certificates()
            values |= {"certificate": certificate, "key": key, "authority": self.certificates.authority}
        self.write("rabbitmq.conf", (CONFIGURATION + listen).format(**values))
        self.write("enabled_plugins", "[].\n")
        self.write("rabbitmq-env.conf", "")

    def command(self):
        return [self.program()]

    def spawn(self):
        """Erlang would start an epmd by itself, but a detached one that nobody stops."""
        program = shutil.which("epmd") or max(glob.glob("/usr/lib/erlang/erts-*/bin/epmd"), default="epmd")
        port = self.settings["epmd_port"]
        if self.epmd.pid() is None:
            command = [program, "-port", str(port), "-address", "127.0.0.1"]
            self.epmd.spawn(command, self.environment(), self.home, self.account())
        deadline = time.monotonic() + self.starts_within
        while not accepts(port):
            if self.epmd.pid() is None or time.monotonic() > deadline:
                raise Failure(f"epmd did not start; the end of its log:\n{self.epmd.log_tail()}")
            time.sleep(POLL)
        super().spawn()

    def stop(self):
        super().stop()
        self.epmd.stop(signal.SIGTERM, within=5)

    def kill(self):
        super().kill()
        self.epmd.kill()

    def ctl(self, arguments):
        """Runs rabbitmqctl on this node, as its account: it needs the node's cookie. Its exit code."""
        if not self.runs():
            raise Failure("rabbitmq does not run here; run: deploy/services start rabbitmq")
        program = Path(os.path.realpath(self.program())).with_name("rabbitmqctl")
        run = subprocess.run(
            [str(program), "--quiet", *arguments],
            env=self.environment(),
            cwd=self.home,
            **run_as(self.account()),
        )
        return run.returncode

    def environment(self):
        home = self.home
        return {
            **super().environment(),
            # A name of its own for each folder, the same at every start: the data is tied to it.
            "RABBITMQ_NODENAME": f"guildhall-{self.password[:8]}@localhost",
            "RABBITMQ_CONF_ENV_FILE": f"{home}/rabbitmq-env.conf",
            "RABBITMQ_CONFIG_FILE": f"{home}/rabbitmq.conf",
            "RABBITMQ_CONFIG_FILES": f"{home}/conf.d",
            "RABBITMQ_ADVANCED_CONFIG_FILE": f"{home}/advanced.config",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{home}/enabled_plugins",
            "RABBITMQ_MNESIA_BASE": f"{home}/mnesia",
            "RABBITMQ_LOG_BASE": f"{home}/log",
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": f"{home}/node.pid",
            "RABBITMQ_DIST_PORT": str(self.settings["distribution_port"]),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_EPMD_PORT": str(self.settings["epmd_port"]),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }

    def answers(self):
        """Logs in: protocol header, Connection.Start, StartOk, and Connection.Tune says welcome."""
        with self.connect() as connection:
            connection.sendall(b"AMQP\x00\x00\x09\x01")
            if read_method(connection) != (10, 10):
                return False
            connection.sendall(start_ok(USER, self.password))
            return read_method(connection) == (10, 30)

    def url(self):
        scheme = "amqps" if self.speaks_tls else "amqp"
        return f"{scheme}://{USER}:{self.password}@127.0.0.1:{self.port}/%2f"


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def read_method(connection):
    """(class, method) of the next AMQP 0-9-1 method frame, or None."""
    with connection.makefile("rb") as stream:
        header = stream.read(7)
        if len(header) < 7:
            return None
        kind, _, size = struct.unpack(">BHL", header)
        body = stream.read(size + 1)  # with the end mark of the frame
    return struct.unpack(">HH", body[:4]) if kind == 1 and len(body) > 4 else None


def start_ok(user, password):
    response = f"\0{user}\0{password}".encode()
    arguments = struct.pack(">HHL", 10, 11, 0)  # Connection.StartOk, no client properties
    arguments += b"\x05PLAIN" + struct.pack(">L", len(response)) + response + b"\x05en_US"
    return struct.pack(">BHL", 1, 0, len(arguments)) + arguments + b"\xce"
