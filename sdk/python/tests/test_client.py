"""The client against a server that fails on purpose."""

import asyncio
import gzip
import json
import time
import unittest

import guildhall
from guildhall import AsyncClient, Client, Options, Retries, errors
from guildhall.models import SanctionRequest

from .stub import BROKEN, Reply, answer, done, refused, stub

GUILD = "7000000000000000000"
BAN: SanctionRequest = {"identifier": "10001", "reason": "exploiting", "moderator_id": "0"}
BANNED = {"id": 1, "banned": True, "expires_at": None, "revision": 2}


class Repeats(unittest.TestCase):
    def test_a_write_waits_for_retry_after_and_repeats_itself_under_one_key(self) -> None:
        replies = [refused(429, "rate_limited", 1), refused(503, "unavailable", 0), done(BANNED)]
        with stub(*replies) as (url, seen), Client(url, "gh_test") as client:
            self.assertEqual(client.ban(GUILD, BAN)["id"], 1)
        keys = {request.headers["idempotency-key"] for request in seen}
        self.assertEqual((len(seen), len(keys)), (3, 1))
        self.assertGreaterEqual(seen[1].at - seen[0].at, 1)

    def test_two_writes_have_two_keys_and_the_key_of_the_caller_is_kept(self) -> None:
        with stub(*[done(BANNED)] * 3) as (url, seen), Client(url, "gh_test") as client:
            client.ban(GUILD, BAN)
            client.ban(GUILD, BAN)
            client.ban(GUILD, BAN, options=Options(idempotency_key="mine"))
        first, second, third = (request.headers["idempotency-key"] for request in seen)
        self.assertNotEqual(first, second)
        self.assertEqual(third, "mine")

    def test_a_broken_connection_and_a_first_attempt_that_still_runs_are_repeated(self) -> None:
        replies = [BROKEN, refused(409, "still_running", 0), done(BANNED)]
        with stub(*replies) as (url, seen), Client(url, "gh_test") as client:
            self.assertEqual(client.ban(GUILD, BAN)["id"], 1)
        self.assertEqual(len(seen), 3)

    def test_a_write_without_a_key_is_not_repeated(self) -> None:
        with stub(refused(503, "unavailable", 0), BROKEN) as (url, seen), Client(url, "gh_test") as client:
            with self.assertRaises(errors.Unavailable):
                client.create_key(GUILD, {"name": "game", "scopes": ["play"]})
            with self.assertRaises(guildhall.ConnectionFailed):
                client.ban(GUILD, BAN, options=Options(idempotency_key=""))
        self.assertEqual(len(seen), 2)
        self.assertNotIn("idempotency-key", seen[0].headers)

    def test_repeats_and_waits_are_bounded(self) -> None:
        with stub(*[refused(503, "unavailable", 0)] * 9) as (url, seen):
            with Client(url, "gh_test", retries=Retries(repeats=2)) as client, self.assertRaises(errors.Unavailable):
                client.get_settings(GUILD)
        self.assertEqual(len(seen), 3)
        with stub(refused(429, "rate_limited", 3600)) as (url, seen), Client(url, "gh_test") as client:
            with self.assertRaises(errors.RateLimited) as caught:
                client.get_settings(GUILD)
        self.assertEqual((len(seen), caught.exception.retry_after), (1, 3600))

    def test_a_time_out_ends_an_attempt(self) -> None:
        slow = Reply(200, after=0.3)
        with stub(slow, slow) as (url, seen), Client(url, "gh_test", retries=Retries(repeats=1)) as client:
            with self.assertRaises(guildhall.ConnectionFailed):
                client.get_settings(GUILD, options=Options(timeout=0.05))
        self.assertEqual(len(seen), 2)


class Answers(unittest.TestCase):
    def test_a_final_error_is_not_repeated_and_has_its_class(self) -> None:
        html = Reply(502, b"<html>", {"Content-Type": "text/html"})
        replies = [refused(404, "not_linked"), refused(422, "new_word"), html]
        with stub(*replies) as (url, seen), Client(url, "gh_test") as client:
            with self.assertRaises(errors.NotLinked) as caught:
                client.lookup_chat("1")
            self.assertEqual((caught.exception.status, caught.exception.request_id), (404, "r1"))
            for status, word in [(422, "new_word"), (502, "unknown")]:
                with self.assertRaises(guildhall.ApiError) as unnamed:
                    client.lookup_chat("1")
                self.assertEqual((unnamed.exception.status, unnamed.exception.error), (status, word))
        self.assertEqual(len(seen), 3)

    def test_a_list_is_read_page_by_page_whatever_says_where_the_next_one_is(self) -> None:
        link = {"Link": '</staff/action-types?limit=2&cursor=kick>; rel="next"'}
        pages = [
            done({"bans": [{"id": 3}, {"id": 2}], "next_cursor": 2}),
            done({"bans": [{"id": 1}], "next_cursor": None}),
            done(["ban", "kick"], link),
            done(["custom"]),
        ]
        with stub(*pages) as (url, seen), Client(url, "gh_test") as client:
            self.assertEqual([ban["id"] for ban in client.iter_bans(GUILD, limit=2, active=True)], [3, 2, 1])
            self.assertEqual(list(client.iter_action_types()), ["ban", "kick", "custom"])
        bans, types = f"GET /moderation/{GUILD}/bans?limit=2", "GET /staff/action-types?limit=100"
        expected = [f"{bans}&active=true", f"{bans}&cursor=2&active=true", types, f"{types}&cursor=kick"]
        self.assertEqual([request.target for request in seen], expected)

    def test_a_running_job_and_an_unchanged_answer_are_told_apart_from_data(self) -> None:
        running = answer(202, {"status": "success", "code": 202, "data": {"job_id": "j1"}})
        with stub(running, Reply(304)) as (url, seen), Client(url, "gh_test") as client:
            with self.assertRaises(guildhall.JobRunning) as caught:
                client.sync_member({"user_id": "1"}, options=Options(prefer="respond-async"))
            self.assertEqual(caught.exception.job_id, "j1")
            with self.assertRaises(guildhall.NotModified):
                client.list_active_bans(GUILD, options=Options(if_none_match="x"))
        self.assertEqual((seen[0].headers["prefer"], seen[1].headers["if-none-match"]), ("respond-async", "x"))

    def test_parts_of_a_path_are_escaped(self) -> None:
        with stub(done({"commands": []})) as (url, seen), Client(f"{url}/api/v1/", "gh_test") as client:
            client.list_pending_commands("a/b ?")
            with self.assertRaises(ValueError):
                client.list_pending_commands("..")
        self.assertEqual([request.target for request in seen], ["GET /api/v1/play/servers/a%2Fb%20%3F/commands"])

    def test_a_compressed_answer_is_read(self) -> None:
        body = gzip.compress(json.dumps({"status": "success", "data": {"commands": []}}).encode())
        with stub(Reply(200, body, {"Content-Encoding": "gzip"})) as (url, _), Client(url, "gh_test") as client:
            self.assertEqual(client.list_pending_commands("s"), {"commands": []})


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def test_calls_are_repeated_and_lists_read_without_blocking_the_loop(self) -> None:
        pages = [done({"bans": [{"id": 2}], "next_cursor": 2}), done({"bans": [{"id": 1}], "next_cursor": None})]
        with stub(BROKEN, refused(503, "unavailable", 0), done(BANNED), *pages) as (url, seen):
            async with AsyncClient(url, "gh_test") as client:
                self.assertEqual((await client.ban(GUILD, BAN))["id"], 1)
                self.assertEqual([ban["id"] async for ban in client.iter_bans(GUILD)], [2, 1])
        self.assertEqual(len({request.headers["idempotency-key"] for request in seen[:3]}), 1)

    async def test_a_cancelled_call_does_not_wait(self) -> None:
        with stub(refused(429, "rate_limited", 30)) as (url, _):
            async with AsyncClient(url, "gh_test") as client:
                began = time.monotonic()
                with self.assertRaises(TimeoutError):
                    await asyncio.wait_for(client.get_settings(GUILD), 0.3)
        self.assertLess(time.monotonic() - began, 5)


class Types(unittest.TestCase):
    def test_wrong_calls_do_not_compile(self) -> None:
        """The exceptions from mypy are the test: one that is not needed is an error."""
        with stub() as (url, _), Client(url, "gh_test") as client:
            with self.assertRaises(guildhall.ApiError):
                client.ban(GUILD, {"identifier": "10001", "reason": "r"})  # type: ignore[typeddict-item]
            with self.assertRaises(guildhall.ApiError):
                client.list_bans(GUILD, active="yes")  # type: ignore[arg-type]
            with self.assertRaises(AttributeError):
                errors.NotLikned  # type: ignore[attr-defined]
