"""The folder that holds everything, and the account that owns the servers' part of it.

Root may not run PostgreSQL, so for root the servers run as an unprivileged account. That account
must be able to reach the folder: a checkout below a closed home directory moves its state to the
temporary directory and leaves a symlink in its place.
"""

import contextlib
import fcntl
import os
import pwd
import tempfile
from pathlib import Path

from .failure import Failure

CHECKOUT = Path(__file__).resolve().parents[2]
VARIABLE = "GUILDHALL_SERVICES_DIR"


class Folder:
    def __init__(self, path, chosen_by_caller=False):
        self.path = path
        self.chosen_by_caller = chosen_by_caller
        # Tests that kill servers keep their own sets below this folder, so that `stop` finds
        # what a failed test left running, and their account can reach them.
        self.private_root = path.parent if path.parent.name == "private" else path / "private"

    @classmethod
    def open(cls):
        chosen = os.environ.get(VARIABLE)
        wanted = Path(os.path.abspath(chosen or CHECKOUT / "target" / "services"))
        if wanted.is_symlink() and not wanted.exists():
            wanted.unlink()  # the temporary directory was cleaned
        if not is_open_to(server_account(), wanted.resolve()):
            move_to_temporary_directory(wanted)
        wanted.mkdir(parents=True, exist_ok=True)
        return cls(wanted.resolve(), bool(chosen))

    @contextlib.contextmanager
    def locked(self):
        """One command at a time for each folder; the lock goes with the process."""
        with open(self.path / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def private_folders(self):
        return [Folder(path) for path in sorted(self.path.glob("private/*")) if path.is_dir()]


def server_account():
    """The account to run servers as, or None: they run as the caller."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise Failure("running as root, and there is no account `postgres` or `nobody` for servers")


def is_open_to(account, path):
    """Whether `account` can reach `path`. Erlang's start scripts also break on white space."""
    if any(character.isspace() for character in str(path)):
        return False
    present = [place for place in (path, *path.parents) if place.exists()]
    return account is None or all(place.stat().st_mode & 0o001 for place in present)


def move_to_temporary_directory(wanted):
    if wanted.exists() and any(wanted.iterdir()):
        raise Failure(f"{wanted} cannot be used by the servers' account; remove it, or set {VARIABLE}")
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if is_open_to(server_account(), Path(place)):
            break
    else:
        raise Failure(f"no temporary directory is open to the servers' account; set {VARIABLE}")
    real = Path(tempfile.mkdtemp(prefix="guildhall-services-", dir=place))
    real.chmod(0o755)
    if wanted.exists():
        wanted.rmdir()
    wanted.parent.mkdir(parents=True, exist_ok=True)
    wanted.symlink_to(real)
