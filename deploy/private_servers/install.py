"""Installs Debian's packages of the servers that are missing: only as root, else it says which.

The packages would start servers of their own on the default ports, and again at the next boot.
Neither is wanted here, so both are prevented.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .failure import Failure

POLICY = Path("/usr/sbin/policy-rc.d")
POLICY_TEXT = "#!/bin/sh\n# Written by deploy/services while it installs: start no server.\nexit 101\n"
CLUSTERS = Path("/etc/postgresql-common/createcluster.conf")
UNITS = {"prometheus": "prometheus", "postgresql": "postgresql", "rabbitmq-server": "rabbitmq-server", "redis-server": "redis-server"}


def missing(servers):
    if not packages_of(servers):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        names = " ".join(packages_of(servers))
        raise Failure(f"not installed: {names}. As root: apt-get install --no-install-recommends {names}")
    # Two checkouts may start at once on a new machine: the second waits, and finds it done.
    with open("/run/guildhall-install.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install(packages_of(servers))
    if packages_of(servers):
        raise Failure(f"installed, but its program is not found: {' '.join(packages_of(servers))}")


def packages_of(servers):
    return [server.package for server in servers if server.program() is None]


def install(packages):
    if not packages:
        return
    print(f"installing {' '.join(packages)}", file=sys.stderr)
    with no_server_starts():
        apt_get("update", may_fail=True)  # one broken source of many is no reason to stop
        apt_get("install", "--yes", "--no-install-recommends", *packages)
    if Path("/run/systemd/system").exists():
        for unit in filter(None, map(UNITS.get, packages)):
            subprocess.run(["systemctl", "disable", "--quiet", unit], check=False)


def apt_get(*arguments, may_fail=False):
    command = ["apt-get", "--quiet", "-o", "DPkg::Lock::Timeout=300", *arguments]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0 and not may_fail:
        raise Failure(f"`{' '.join(command)}` failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


@contextlib.contextmanager
def no_server_starts():
    """Asks Debian's start scripts to hold back, in the two ways that Debian offers for it."""
    if not CLUSTERS.exists():  # an administrator's own choice stays
        CLUSTERS.parent.mkdir(parents=True, exist_ok=True)
        CLUSTERS.write_text("create_main_cluster = false\n")
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text(POLICY_TEXT)
        POLICY.chmod(0o755)
    try:
        yield
    finally:
        if ours:
            POLICY.unlink()
