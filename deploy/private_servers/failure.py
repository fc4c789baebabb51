"""The one error that is shown to the caller."""


class Failure(Exception):
    """Something the caller can act on; its text is shown as it is."""
