"""What the three servers have in common: a port and a password that stay, a life cycle, a log.

The password is also how a server is told from a stranger on the same port: one that answers with
it is ours.
"""

import json
import os
import pwd
import random
import secrets
import shutil
import signal
import socket
import sys
import time

from . import tls
from .failure import Failure
from .folder import server_account
from .process import POLL, Process

# Below the range that Linux hands to outgoing connections (32768 and up): a stopped server finds
# its port free again.
PORTS = range(20000, 32000)


class Server:
    name = ""
    variable = ""
    package = ""
    starts_within = 60  # seconds; far above what a busy machine needs
    stops_within = 30
    ask_with = signal.SIGTERM  # ends it in good order
    port_names = ("port",)

    def __init__(self, folder):
        self.home = folder.path / self.name  # owned by the account that the server runs as
        self.settings_file = folder.path / f"{self.name}.json"
        self.settings = json.loads(self.settings_file.read_text()) if self.is_known() else {}
        self.process = self.process_named(folder.path, self.name)
        self.certificates = tls.Certificates(folder)

    # Properties of each server.

    @classmethod
    def program(cls):
        """Path of the server's program, or None where it is not installed."""
        raise NotImplementedError

    def prepare(self):
        """Writes configuration, and creates the data where there is none."""

    def command(self):
        raise NotImplementedError

    def answers(self):
        """Whether it does a real exchange with our password; OSError and no answer mean no."""
        raise NotImplementedError

    def url(self):
        raise NotImplementedError

    # The same for all.

    @staticmethod
    def process_named(path, name):
        return Process(path / f"{name}.pid", path / f"{name}.log")

    @property
    def port(self):
        return self.settings["port"]

    @property
    def password(self):
        return self.settings["password"]

    @property
    def speaks_tls(self):
        return self.settings.get("tls", False)

    def connect(self):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        return self.certificates.wrap(plain) if self.speaks_tls else plain

    def write_certificates(self):
        """Copies that the account of the server can read: (certificate, key)."""
        self.certificates.make()
        sources = (self.certificates.certificate, self.certificates.key)
        return [self.write(source.name, source.read_text()) for source in sources]

    def is_known(self):
        return self.settings_file.exists()

    def runs(self):
        return self.process.pid() is not None

    def launch(self):
        if self.runs():
            return
        self.settle()
        if not self.home.exists():
            self.home.mkdir(mode=0o700)
            self.give_to_account(self.home)
        self.prepare()
        self.spawn()

    def spawn(self):
        self.process.spawn(self.command(), self.environment(), self.home, self.account())

    def wait_until_it_answers(self):
        deadline = time.monotonic() + self.starts_within
        while not self.answers_now():
            if not self.runs() or time.monotonic() > deadline:
                self.kill()
                raise Failure(f"{self.name} did not start; the end of its log:\n{self.process.log_tail()}")
            time.sleep(POLL)

    def answers_now(self):
        try:
            return self.answers()
        except OSError:
            return False

    def stop(self):
        self.process.stop(self.ask_with, self.stops_within)

    def kill(self):
        self.process.kill()

    def wipe(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def settle(self):
        """Chooses ports and a password once; moves only from a port that a stranger took."""
        self.settings.setdefault("tls", tls.is_wanted())
        if "password" in self.settings and all(is_free(self.settings[key]) for key in self.port_names):
            return
        if "password" in self.settings:
            print(f"{self.name}: its port was taken, it moves to another", file=sys.stderr)
        self.settings.setdefault("password", secrets.token_hex(16))
        self.settings.update(zip(self.port_names, free_ports(len(self.port_names))))
        self.settings_file.touch(mode=0o600)
        self.settings_file.write_text(json.dumps(self.settings, indent=2))

    def account(self):
        """For root: the owner of the data, so that a second start uses the account of the first."""
        if os.geteuid() != 0:
            return None
        return pwd.getpwuid(self.home.stat().st_uid) if self.home.exists() else server_account()

    def environment(self):
        """Nothing of the caller's: PGDATA or RABBITMQ_NODENAME would redirect the server."""
        return {
            "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
        }

    def write(self, name, text):
        """A file of the server's own, closed to others."""
        path = self.home / name
        path.touch(mode=0o600)
        path.write_text(text)
        self.give_to_account(path)
        return path

    def give_to_account(self, path):
        account = server_account() if path == self.home else self.account()
        if account is not None:
            os.chown(path, account.pw_uid, account.pw_gid)


def free_ports(count):
    chosen = []
    while len(chosen) < count:
        port = random.choice(PORTS)
        if port not in chosen and is_free(port):
            chosen.append(port)
    return chosen


def is_free(port):
    with socket.socket() as probe:
        # As servers do: a port whose last connections linger in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
