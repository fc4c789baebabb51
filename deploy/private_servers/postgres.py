"""PostgreSQL with the durability of production: fsync and synchronous_commit stay on, because the
measurements rest on them. GUILDHALL_SERVICES_FSYNC=off is for tests, which create a database each:
a crash of the server loses nothing even so, a crash of the machine does."""

import glob
import os
import re
import shutil
import signal
import subprocess

from .failure import Failure
from .process import is_alive, run_as
from .server import Server

USER = DATABASE = "guildhall"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # the paths of sockets are limited to 107 bytes, ours are not
    "max_connections": "400",  # parallel tests, each with several processes with a pool each
    "shared_buffers": "256MB",
    "fsync": os.environ.get("GUILDHALL_SERVICES_FSYNC", "on"),
    "synchronous_commit": "on",
    # In the data, which `wipe` deletes: a killed server would leave segments in /dev/shm.
    "dynamic_shared_memory_type": "mmap",
}


class Postgres(Server):
    name = "postgres"
    variable = "GUILDHALL_TEST_DATABASE_URL"
    package = "postgresql"
    ask_with = signal.SIGINT  # "fast": cuts connections; SIGTERM would wait for them

    @classmethod
    def program(cls):
        """Debian keeps every major version off the PATH: take the newest."""
        installed = glob.glob("/usr/lib/postgresql/*/bin/postgres")
        newest = max(installed, key=lambda path: int(re.search(r"/(\d+)", path)[1]), default=None)
        return newest or shutil.which("postgres")

    def tool(self, name):
        return os.path.join(os.path.dirname(os.path.realpath(self.program())), name)

    @property
    def data(self):
        return self.home / "data"

    def prepare(self):
        self.forget_dead_postmaster()
        if self.speaks_tls:
            self.write_certificates()
        if (self.data / "PG_VERSION").exists():
            return
        password = self.write("password", self.password)
        command = [self.tool("initdb"), "--pgdata", str(self.data), "--username", USER]
        # 4,096 hashes for each of thousands of connections, in programs that are not optimised, would be felt.
        method = "scram-sha-256" if self.speaks_tls else "md5"
        command += ["--auth", method, "--pwfile", str(password)]
        command += ["--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"]
        done = subprocess.run(
            command,
            env=self.environment(),
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            **run_as(self.account()),
        )
        password.unlink()
        if done.returncode != 0:
            raise Failure(f"initdb failed:\n{done.stdout}{done.stderr}")

    def forget_dead_postmaster(self):
        """After a kill its lock file stays, and it counts a zombie that nobody reaps as alive."""
        lock = self.data / "postmaster.pid"
        if lock.exists() and not is_alive(int(lock.read_text().split()[0])):
            lock.unlink()

    def command(self):
        settings = dict(SETTINGS)
        if self.speaks_tls:
            settings |= {"ssl": "on", "ssl_cert_file": self.home / "server.pem", "ssl_key_file": self.home / "server.key"}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [self.program(), "-D", str(self.data), "-p", str(self.port), *flags]

    def answers(self):
        asked = self.psql(DATABASE, "select 1")
        if asked.returncode != 0 and f'"{DATABASE}" does not exist' in asked.stderr:
            self.psql("postgres", f"create database {DATABASE}")
        return asked.returncode == 0

    def psql(self, database, statement):
        command = [self.tool("psql"), "--no-psqlrc", "-h", "127.0.0.1", "-p", str(self.port)]
        command += ["-U", USER, "-d", database, "-c", statement]
        environment = {**self.environment(), "PGPASSWORD": self.password, "PGCONNECT_TIMEOUT": "5"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def url(self):
        url = f"postgres://{USER}:{self.password}@127.0.0.1:{self.port}/{DATABASE}"
        return f"{url}?sslmode=verify-full&sslrootcert={self.certificates.authority}" if self.speaks_tls else url
