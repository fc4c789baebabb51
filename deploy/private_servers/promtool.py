"""The program that checks rules of Prometheus. No server of it is started."""

import shutil


class Promtool:
    name = "promtool"
    package = "prometheus"

    @classmethod
    def program(cls):
        return shutil.which(cls.name)
