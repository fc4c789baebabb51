// Against a real `guildhall serve`, which sdk/check starts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, connect, type ErrorWord, type KeyRequest } from "../src/index.js";

const { GUILDHALL_URL: url = "", GUILDHALL_KEY: key = "", GUILDHALL_GUILD: guildId = "" } = process.env;
const client = connect({ url, key });
const expired: KeyRequest = { name: "k", scopes: ["read"], expires_at: "2001-01-01T00:00:00Z" };
const entry = { guildId, body: { action: "clients.tested", metadata: {} } };

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(() => undefined, (caught: unknown) => caught);
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

test("a ban is made once, read, and listed page by page", async () => {
  const ban = (identifier: string, reason = "exploiting") => ({ guildId, body: { identifier, reason, moderator_id: "0" } });
  const made = await client.call("ban", ban("20001"), { idempotencyKey: "typescript-1" });
  const again = await client.call("ban", ban("20001"), { idempotencyKey: "typescript-1" });
  assert.deepEqual(again.data, made.data);
  assert.deepEqual([made.replayed, again.replayed], [false, true]);
  const reused = await refusal(client.ban(ban("20001", "another"), { idempotencyKey: "typescript-1" }));
  assert.ok(reused.is("idempotency_key_reused"));

  const status = await client.banStatus({ guildId, identifier: "20001" });
  assert.equal(status.ban_info?.id, made.data.id);

  const ids = [made.data.id];
  for (const identifier of ["20002", "20003"]) ids.unshift((await client.ban(ban(identifier))).id);
  const listed: number[] = [];
  for await (const row of client.each.listBans({ guildId, limit: 1 })) listed.push(row.id);
  assert.deepEqual(listed.filter((id) => ids.includes(id)), ids);
  const types: string[] = [];
  for await (const type of client.each.listActionTypes({ limit: 3 })) types.push(type);
  assert.deepEqual(types, await client.listActionTypes());
});

test("errors have the words of the document", async () => {
  const words: [() => Promise<unknown>, number, ErrorWord][] = [
    [() => client.ban({ guildId, body: { identifier: "x", reason: "r", moderator_id: "0" } }), 400, "invalid_field"],
    [() => client.lookupChat({ chatId: "1999999999999999999" }), 404, "not_linked"],
    [() => connect({ url, key: "gh_no" }).getSettings({ guildId }), 401, "key_malformed"],
    [() => client.getSettings({ guildId: "1" }), 403, "other_guild"],
    [() => client.createKey({ guildId, body: expired }), 422, "expiry_in_past"],
  ];
  for (const [call, status, word] of words) {
    const error = await refusal(call());
    assert.deepEqual([error.status, error.error], [status, word]);
    assert.ok(error.requestId);
  }
});

test("a rate limit is waited for", async () => {
  const hasty = connect({ url, key, retries: 0 });
  let error: ApiError | undefined;
  for (let sent = 0; sent < 25 && !error; sent++) {
    error = await hasty.createAuditEntry(entry).then(() => undefined, (caught: ApiError) => caught);
  }
  assert.ok(error?.is("rate_limited"));
  const seconds = error.retryAfter ?? 0;
  assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
  const began = Date.now();
  assert.ok((await client.createAuditEntry(entry)).id > 0);
  assert.ok(Date.now() - began >= (seconds - 1) * 1000, `${Date.now() - began} ms instead of ${seconds} s`);
});
