"""The simulator's control side, and the ids of its fixture, for the Python clients."""

import asyncio
import json
import os
import urllib.error
import urllib.request

URL = os.environ["SIMULATOR"]
GUILD = 7_000_000_000_000_000_000
EVERYONE, HIGH_ROLE = GUILD, 7_000_000_000_000_003_000
ROLES = [7_000_000_000_000_001_000 + n for n in range(4)]
MEMBERS = 2_500
FIRST_MEMBER = 1_000_000_000_000_000_000
# A user outside the guild, and an id without a user.
OUTSIDER, NOBODY = 1_999_999_999_999_999_001, 1_888_888_888_888_888_888
REASON = "Ränge: 50 % & more"


def call(method, path, body=None, headers=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(URL + path, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def stats():
    return call("GET", "/control/stats")


def member(user):
    return call("GET", f"/control/chat/guilds/{GUILD}/members/{user}")


def last_reason():
    return call("GET", f"/control/chat/guilds/{GUILD}/audit-log")["entries"][-1]["reason"]


def intent(on):
    call("POST", "/control/intents", {"guild_members": on})


def spend_role_bucket(user):
    """Uses up the bucket as another process with the same token would, without the client's knowledge."""
    path = f"/api/v10/guilds/{GUILD}/members/{user}/roles/{ROLES[1]}"
    try:
        while True:
            call("PUT", path, headers={"Authorization": "Bot right"})
    except urllib.error.HTTPError as refused:
        assert refused.code == 429, refused


async def raises(awaitable, kind, code):
    try:
        await awaitable
    except kind as error:
        assert error.code == code, f"code {error.code} instead of {code}: {error}"
        return error
    raise AssertionError(f"no {kind.__name__} with code {code}")


def run(main):
    asyncio.run(asyncio.wait_for(main(), 150))
