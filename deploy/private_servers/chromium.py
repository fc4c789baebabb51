"""The browser of the console's tests, Chromium without windows: it takes 0.4 of the processor time that the whole one
takes. No server: it is only installed, the tests start it themselves."""

import os
import shutil


class Chromium:
    name = "browser"
    package = "chromium-headless-shell"

    @classmethod
    def program(cls):
        return os.environ.get("GUILDHALL_TEST_CHROMIUM") or shutil.which(cls.package)
