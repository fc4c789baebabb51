"""A throw-away certificate authority for one set of servers, and their certificate for 127.0.0.1.

Servers started with GUILDHALL_SERVICES_TLS=on speak TLS only. The key of the authority is deleted
once it has signed.
"""

import os
import ssl
import subprocess

from .failure import Failure

VARIABLE = "GUILDHALL_SERVICES_TLS"
DAYS = "3650"
EXTENSIONS = "subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n"


def is_wanted():
    return os.environ.get(VARIABLE) == "on"


class Certificates:
    def __init__(self, folder):
        self.path = folder.path / "tls"
        self.authority = self.path / "ca.pem"
        self.certificate = self.path / "server.pem"
        self.key = self.path / "server.key"

    def make(self):
        if self.authority.exists():
            return
        self.path.mkdir(mode=0o755, exist_ok=True)
        ca_key, request, extensions = (self.path / name for name in ("ca.key", "request", "extensions"))
        extensions.write_text(EXTENSIONS)
        new_key = ["-newkey", "rsa:2048", "-nodes"]
        self.openssl("req", *new_key, "-keyout", self.key, "-out", request, "-subj", "/CN=127.0.0.1")
        ca = ["-x509", "-days", DAYS, "-keyout", ca_key, "-subj", "/CN=throw-away authority"]
        pending = self.path / "ca.new"
        self.openssl("req", *new_key, *ca, "-out", pending)
        signed = ["-in", request, "-CA", pending, "-CAkey", ca_key, "-CAcreateserial"]
        out = ["-out", self.certificate, "-days", DAYS, "-extfile", extensions]
        self.openssl("x509", "-req", *signed, *out)
        for file in (ca_key, request, extensions):
            file.unlink()
        pending.rename(self.authority)  # last: the set is whole

    def openssl(self, *arguments):
        command = ["openssl", *map(str, arguments)]
        try:
            done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise Failure("install `openssl`: the servers need certificates") from error
        if done.returncode != 0:
            raise Failure(f"openssl failed:\n{done.stderr}")

    def wrap(self, connection):
        context = ssl.create_default_context(cafile=str(self.authority))
        return context.wrap_socket(connection, server_hostname="127.0.0.1")
