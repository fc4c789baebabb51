"""One background process that outlives this command.

It is found again by pid and start time, both kept in a file, so that a pid that the system gave to
another program in the meantime is never signalled.
"""

import os
import resource
import signal
import subprocess
import time

POLL = 0.05  # seconds between two looks at something we wait for
# More than the tests open at once. Not "as many as allowed": Erlang allocates a table of this size.
OPEN_FILES = 65536


class Process:
    def __init__(self, pid_file, log_file):
        self.pid_file = pid_file
        self.log_file = log_file

    def spawn(self, command, environment, folder, account):
        with open(self.log_file, "ab") as log:
            child = subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C at the tests is not for the servers
                **run_as(account),
            )
        child.returncode = 0  # it is meant to outlive us: no warning about that at exit
        self.pid_file.write_text(f"{child.pid} {look_up(child.pid).started}\n")

    def pid(self):
        """The pid while the process we started lives, else None."""
        try:
            pid, started = map(int, self.pid_file.read_text().split())
        except (FileNotFoundError, ValueError):
            return None
        return pid if is_alive(pid, started) else None

    def stop(self, ask_with, within):
        """Asks it to end, and ends it and its children by force after `within` seconds."""
        pid = self.pid()
        if pid is None:
            return
        family = descendants(pid)
        os.kill(pid, ask_with)
        if not gone(family, within):
            force(descendants(pid) | family)
        self.pid_file.unlink()

    def kill(self):
        pid = self.pid()
        if pid is not None:
            force(descendants(pid))
            self.pid_file.unlink()

    def log_tail(self, lines=15):
        text = self.log_file.read_text(errors="replace") if self.log_file.exists() else ""
        return "\n".join(text.splitlines()[-lines:])


def run_as(account):
    """The arguments of `subprocess` that change to an account; None changes nothing."""
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class Entry:
    """What /proc/PID/stat says; the name in brackets may hold spaces, so count from its end."""

    def __init__(self, text):
        fields = text.rpartition(")")[2].split()
        self.state, self.parent, self.started = fields[0], int(fields[1]), int(fields[19])


def look_up(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return Entry(stat.read())
    except (FileNotFoundError, ProcessLookupError):
        return None


def is_alive(pid, started=None):
    """A zombie is dead; a process that started at another moment is a stranger."""
    found = look_up(pid)
    return found is not None and found.state != "Z" and started in (None, found.started)


def descendants(root):
    """{pid: start time} of a process and everything below it."""
    entries = {int(name): look_up(name) for name in os.listdir("/proc") if name.isdigit()}
    family, grew = {root}, True
    while grew:
        below = {pid for pid, entry in entries.items() if entry and entry.parent in family}
        grew = not below <= family
        family |= below
    return {pid: entries[pid].started for pid in family if entries.get(pid)}


def gone(family, within):
    deadline = time.monotonic() + within
    while alive(family):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL)
    return True


def alive(family):
    return [pid for pid, started in family.items() if is_alive(pid, started)]


def force(family):
    for pid in alive(family):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    gone(family, within=10)


def raise_file_limit():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if most == resource.RLIM_INFINITY else min(most, OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
