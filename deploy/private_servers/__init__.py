"""What `deploy/services` is made of: one file per server, and the few things they share.

folder: where the state lives and which account owns it. process: one background process, found
again by pid and start time. install: Debian's packages. server: what all three have in common.
"""


class Failure(Exception):
    """Something the caller can act on; its text is shown as it is."""


from .postgres import Postgres  # noqa: E402
from .rabbitmq import RabbitMq  # noqa: E402
from .redis import Redis  # noqa: E402

SERVERS = [Postgres, RabbitMq, Redis]
