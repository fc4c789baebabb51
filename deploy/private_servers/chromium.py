"""The browser of the console's tests. No server: it is only installed, the tests start it themselves."""

import os
import shutil


class Chromium:
    name = "browser"
    package = "chromium"

    @classmethod
    def program(cls):
        return os.environ.get("GUILDHALL_TEST_CHROMIUM") or shutil.which("chromium")
