"""Prometheus with the program that checks its rules. No server of it is started here."""

import shutil


class Promtool:
    name = "promtool"
    package = "prometheus"

    @classmethod
    def program(cls):
        return shutil.which(cls.name)
