"""The client against a real `guildhall serve`, which sdk/check starts."""

import os
import time
import unittest

import guildhall
from guildhall import AsyncClient, Client, Options, Retries, errors, operations
from guildhall.models import NewAuditEntry, SanctionRequest

URL, KEY, GUILD = (os.environ.get(f"GUILDHALL_{name}", "") for name in ("URL", "KEY", "GUILD"))
ENTRY: NewAuditEntry = {"action": "clients.tested", "metadata": {}}


def ban_of(identifier: str, reason: str = "exploiting") -> SanctionRequest:
    return {"identifier": identifier, "reason": reason, "moderator_id": "0"}


@unittest.skipUnless(URL, "needs a service: run sdk/check")
class Product(unittest.TestCase):
    def setUp(self) -> None:
        self.client = self.enterContext(Client(URL, KEY))

    def test_a_ban_is_made_once_read_and_listed_page_by_page(self) -> None:
        client, once = self.client, Options(idempotency_key="python-1")
        where = {"guildId": GUILD}
        made = client.call(operations.BAN, where, ban_of("30001"), once)
        again = client.call(operations.BAN, where, ban_of("30001"), once)
        self.assertEqual(made.data, again.data)
        self.assertEqual((made.replayed, again.replayed), (False, True))
        with self.assertRaises(errors.IdempotencyKeyReused):
            client.ban(GUILD, ban_of("30001", "another"), options=once)

        info = client.ban_status(GUILD, "30001").get("ban_info")
        self.assertEqual(info and info["id"], made.data["id"])

        ids = [made.data["id"]]
        for identifier in ["30002", "30003"]:
            ids.insert(0, client.ban(GUILD, ban_of(identifier))["id"])
        self.assertEqual([ban["id"] for ban in client.iter_bans(GUILD, limit=1) if ban["id"] in ids], ids)
        self.assertEqual(list(client.iter_action_types(limit=3)), client.list_action_types())

    def test_errors_have_the_classes_of_their_words(self) -> None:
        client = self.client
        with self.assertRaises(errors.InvalidField) as caught:
            client.ban(GUILD, ban_of("x"))
        self.assertEqual(caught.exception.status, 400)
        self.assertTrue(caught.exception.request_id)
        with self.assertRaises(errors.NotLinked):
            client.lookup_chat("1999999999999999999")
        with self.assertRaises(errors.OtherGuild):
            client.get_settings("1")
        with self.assertRaises(errors.ExpiryInPast):
            client.create_key(GUILD, {"name": "k", "scopes": ["read"], "expires_at": "2001-01-01T00:00:00Z"})
        with Client(URL, "gh_no") as stranger, self.assertRaises(errors.KeyMalformed):
            stranger.get_settings(GUILD)

    def test_a_rate_limit_is_waited_for(self) -> None:
        with Client(URL, KEY, retries=Retries(repeats=0)) as hasty, self.assertRaises(errors.RateLimited) as caught:
            for _ in range(25):
                hasty.create_audit_entry(GUILD, ENTRY)
        seconds = caught.exception.retry_after or 0
        self.assertTrue(1 <= seconds <= 60, seconds)
        began = time.monotonic()
        self.assertGreater(self.client.create_audit_entry(GUILD, ENTRY)["id"], 0)
        self.assertGreaterEqual(time.monotonic() - began, seconds - 1)


@unittest.skipUnless(URL, "needs a service: run sdk/check")
class AsynchronousProduct(unittest.IsolatedAsyncioTestCase):
    async def test_a_list_and_an_error(self) -> None:
        async with AsyncClient(URL, KEY) as client:
            listed = [member async for member in client.iter_verified_users(GUILD)]
            self.assertGreater(len(listed), 100)
            with self.assertRaises(guildhall.errors.NotFound):
                await client.get_job("0193a1c2-7c1e-7a55-9d0e-3f1b6a2c4d5e")
