"""Gives generated cases a key, the key's guild, and in most places ids that exist, so that they get past the first checks.

Whether a case is changed depends on the case alone, so that a failure can be reproduced.
"""

import itertools
import json
import os
import zlib

import schemathesis

# Rate limits count per key: with many keys in turn few cases end in a 429.
KEYS = itertools.cycle(os.environ["GUILDHALL_KEYS"].split(","))
with open(os.environ["GUILDHALL_KNOWN"], encoding="utf-8") as file:
    KNOWN = json.load(file)
GUILD = KNOWN["guild"]
# Fields of path, query or body that take values of the fixture.
FITTING = {
    "chat_id": "users", "chatId": "users", "user_id": "users", "userId": "users",
    "staff_id": "staff", "moderator_id": "users", "play_id": "players", "playId": "players",
    "identifier": "players", "group_id": "groups", "role_id": "roles", "roleId": "roles",
    "panel_id": "numbers", "panelId": "numbers", "banId": "numbers", "submissionId": "numbers", "bindingId": "numbers",
    "binding_id": "numbers",
    "loaId": "numbers", "requestId": "numbers", "strikeId": "numbers", "noteId": "numbers", "quotaId": "numbers",
    "actionId": "numbers", "server_id": "servers", "serverId": "servers", "session_id": "sessions",
    "commandId": "commands", "jobId": "jobs",
}
TEXTS = {"identifier", "serverId", "chatId", "userId", "roleId"}


def chosen(case, name, out_of):
    """A number from 0 to `out_of` - 1."""
    text = f"{case.method} {case.path} {name} {case.path_parameters!r} {case.query!r} {case.body!r}"
    return zlib.crc32(text.encode("utf-8", "replace")) % out_of


def fit(case, fields):
    """Replaces three of four generated values by known ones."""
    if not isinstance(fields, dict):
        return
    for name in fields:
        values = KNOWN.get(FITTING.get(name, ""))
        pick = chosen(case, name, 4 * len(values)) if values else 0
        if values and pick >= len(values):
            value = values[pick % len(values)]
            fields[name] = str(value) if name in TEXTS else value


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = {**(case.headers or {}), "X-API-Key": next(KEYS)}
    case.headers.pop("Authorization", None)
    # Another guild is always refused, so one case in sixteen keeps its own.
    own = chosen(case, "guild", 16) > 0
    for fields, name in [(case.path_parameters, "guildId"), (case.headers, "X-Guild-ID"), (case.body, "guild_id")]:
        if own and isinstance(fields, dict) and name in fields:
            fields[name] = GUILD
    # A repeated idempotency key is refused, so one case in eight has one, and each its own.
    if "Idempotency-Key" in case.headers:
        sent = case.headers.pop("Idempotency-Key")
        if chosen(case, "idempotency", 8) == 0:
            case.headers["Idempotency-Key"] = f"{sent[:200]}-{chosen(case, 'own', 1 << 32)}"
    # A short wait for jobs.
    if "Prefer" in case.headers:
        case.headers["Prefer"] = "wait=1"
    fit(case, case.path_parameters)
    fit(case, case.body)
