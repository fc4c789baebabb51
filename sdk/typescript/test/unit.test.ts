import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, ConnectionError, JobRunningError, NotModifiedError } from "../src/index.js";
import { broken, done, json, refused, silent, withStub } from "./stub.js";

const guildId = "7000000000000000000";
const ban = { guildId, body: { identifier: "10001", reason: "exploiting", moderator_id: "0" } };
const banned = { id: 1, banned: true, expires_at: null, revision: 2 };

test("a write waits for Retry-After and repeats itself under one key", () =>
  withStub([refused(429, "rate_limited", 1), refused(503, "unavailable", 0), done(banned)], async ({ client, requests }) => {
    assert.equal((await client.ban(ban)).id, 1);
    const keys = requests.map((request) => request.headers["idempotency-key"]);
    assert.match(keys[0] as string, /^[0-9a-f]{32}$/);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
    assert.ok(requests[1]!.at - requests[0]!.at >= 1000);
  }));

test("two writes have two keys, and the caller's key is kept", () =>
  withStub([done(banned), done(banned), done(banned)], async ({ client, requests }) => {
    await client.ban(ban);
    await client.ban(ban);
    await client.ban(ban, { idempotencyKey: "mine" });
    const [first, second, third] = requests.map((request) => request.headers["idempotency-key"]);
    assert.notEqual(first, second);
    assert.equal(third, "mine");
  }));

test("a broken connection and a first attempt that still runs are repeated", () =>
  withStub([broken, refused(409, "still_running", 0), done(banned)], async ({ client, requests }) => {
    assert.equal((await client.ban(ban)).id, 1);
    assert.equal(requests.length, 3);
  }));

test("a write without a key is not repeated", () =>
  withStub([refused(503, "unavailable", 0), broken], async ({ client, requests }) => {
    await assert.rejects(client.createKey({ guildId, body: { name: "game", scopes: ["play"] } }), ApiError);
    await assert.rejects(client.ban(ban, { idempotencyKey: null }), ConnectionError);
    assert.equal(requests.length, 2);
    assert.equal(requests[0]!.headers["idempotency-key"], undefined);
  }));

test("repeats and waits are bounded", async () => {
  const replies = Array.from({ length: 9 }, () => refused(503, "unavailable", 0));
  await withStub(replies, async ({ client, requests }) => {
    await assert.rejects(client.getSettings({ guildId }), ApiError);
    assert.equal(requests.length, 3);
  }, { retries: 2 });
  await withStub([refused(429, "rate_limited", 3600)], async ({ client, requests }) => {
    await assert.rejects(client.getSettings({ guildId }), { error: "rate_limited", retryAfter: 3600 });
    assert.equal(requests.length, 1);
  });
});

test("a final error is not repeated, and has its word", () =>
  withStub([refused(404, "not_linked"), json(502, [], {})], async ({ client, requests }) => {
    const error: unknown = await client.lookupChat({ chatId: "1" }).catch((caught: unknown) => caught);
    assert.ok(error instanceof ApiError);
    assert.ok(error.is("not_found", "not_linked"));
    assert.equal(error.requestId, "r1");
    // @ts-expect-error a word that no endpoint answers
    assert.ok(!error.is("not_likned"));
    await assert.rejects(client.lookupChat({ chatId: "1" }), { status: 502, error: "unknown" });
    assert.equal(requests.length, 2);
  }));

test("a time-out ends an attempt, and the caller's signal the call", async () => {
  await withStub([silent, silent], async ({ client, requests }) => {
    await assert.rejects(client.getSettings({ guildId }, { timeoutMs: 50 }), ConnectionError);
    assert.equal(requests.length, 2);
  }, { retries: 1 });
  await withStub([silent, refused(429, "rate_limited", 30)], async ({ client, requests }) => {
    for (const sent of [1, 2]) {
      await assert.rejects(client.getSettings({ guildId }, { signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
      assert.equal(requests.length, sent);
    }
  });
});

test("a list is read page by page, whatever says where the next one is", () =>
  withStub(
    [
      done({ bans: [{ id: 3 }, { id: 2 }], next_cursor: 2 }), done({ bans: [{ id: 1 }], next_cursor: null }),
      done(["ban", "kick"], { Link: '</staff/action-types?limit=2&cursor=kick>; rel="next"' }), done(["custom"]),
    ],
    async ({ client, requests }) => {
      const ids: number[] = [];
      for await (const row of client.each.listBans({ guildId, limit: 2, active: true })) ids.push(row.id);
      assert.deepEqual(ids, [3, 2, 1]);
      const types: string[] = [];
      for await (const type of client.each.listActionTypes()) types.push(type);
      assert.deepEqual(types, ["ban", "kick", "custom"]);
      assert.deepEqual(requests.map((request) => request.target), [
        `GET /moderation/${guildId}/bans?limit=2&active=true`, `GET /moderation/${guildId}/bans?limit=2&active=true&cursor=2`,
        "GET /staff/action-types?limit=100", "GET /staff/action-types?limit=100&cursor=kick",
      ]);
    },
  ));

test("a running job and an unchanged answer are told apart from data", () =>
  withStub(
    [json(202, { status: "success", code: 202, data: { job_id: "j1" } }), (response) => response.writeHead(304, { ETag: "x" }).end()],
    async ({ client, requests }) => {
      await assert.rejects(client.syncMember({ body: { user_id: "1" } }, { prefer: "respond-async" }), JobRunningError);
      assert.equal(requests[0]!.headers["prefer"], "respond-async");
      await assert.rejects(client.listActiveBans({ guildId }, { ifNoneMatch: "x" }), NotModifiedError);
      assert.equal(requests[1]!.headers["if-none-match"], "x");
    },
  ));

test("parts of a path are escaped", () =>
  withStub([done({ commands: [] })], async ({ client, requests }) => {
    await client.listPendingCommands({ serverId: "a/b ?" });
    assert.equal(requests[0]!.target, "GET /play/servers/a%2Fb%20%3F/commands");
    await assert.rejects(client.listPendingCommands({ serverId: ".." }), TypeError);
    // @ts-expect-error the server is missing
    await assert.rejects(client.listPendingCommands({}), TypeError);
  }));
