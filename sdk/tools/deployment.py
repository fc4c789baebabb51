"""A `guildhall serve` with a database of its own in a temporary folder, for the clients to talk to."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time
import urllib.request

from .programs import ROOT

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = pathlib.Path(os.environ.get("GUILDHALL_TEST_BINARY", TARGET / "debug" / "guildhall"))
FIXTURE = ROOT / "cli" / "fixtures" / "demo.json"
SCOPES = "read,moderation,staff,links,admin"
READY_WITHIN = 30


class Deployment:
    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.listen = f"127.0.0.1:{probe.getsockname()[1]}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GUILDHALL_")}
        self.env = {**kept, "GUILDHALL_DATA_DIR": folder, "GUILDHALL_LISTEN": self.listen, "GUILDHALL_STOP_NOTICE": "0"}
        self.url = f"http://{self.listen}"
        guild = json.loads(FIXTURE.read_text(encoding="utf-8"))["guilds"][0]
        self.guild, self.owner = guild["guild_id"], guild["links"][0]["chat_id"]

    def command(self, *args):
        done = subprocess.run([BINARY, *args], env=self.env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"guildhall {args[0]}: {done.stderr}")
        return done.stdout.strip()

    def new_key(self, name):
        """With a window of rate limits that begins now, so that a test waits less for its end."""
        args = ["--guild", self.guild, "--name", name, "--owner", self.owner, "--scopes", SCOPES]
        key = self.command("keys", "create", *args)
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        body = json.dumps({"action": "clients.tested", "metadata": {}}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/guilds/{self.guild}/audit-logs", body, headers)):
            return key

    def wait_until_ready(self, process):
        end = time.monotonic() + READY_WITHIN
        while time.monotonic() < end and process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/health/ready"):
                return
            time.sleep(0.05)
        raise SystemExit("guildhall serve does not start")


@contextlib.contextmanager
def started():
    with tempfile.TemporaryDirectory(prefix="guildhall-sdk-") as folder:
        deployment = Deployment(folder)
        deployment.command("migrate")
        deployment.command("seed", str(FIXTURE))
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([BINARY, "serve"], env=deployment.env, **quiet)
        try:
            deployment.wait_until_ready(process)
            yield deployment
        finally:
            process.terminate()
            process.wait(timeout=60)
