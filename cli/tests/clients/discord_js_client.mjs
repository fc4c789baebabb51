// discord.js against the simulator.

import assert from "node:assert/strict";
import { Client, ClientUser, DiscordAPIError, GatewayIntentBits, OverwriteType, PermissionFlagsBits, Routes } from "discord.js";

const url = process.env.SIMULATOR;
const [guildId, first, reason] = ["7000000000000000000", 1_000_000_000_000_000_000n, "Ränge: 50 % & more"];
const role = (n) => (7_000_000_000_000_001_000n + BigInt(n)).toString();

async function control(method, path, body) {
  const answer = await fetch(url + path, { method, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return text && JSON.parse(text);
}

async function refused(promise, status, code) {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof DiscordAPIError, error);
    assert.deepEqual([error.status, error.code], [status, code], String(error));
    return true;
  });
}

function client(token) {
  const options = { api: `${url}/api`, version: "10" };
  const bot = new Client({ intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMembers], rest: options });
  bot.rest.setToken(token);
  return bot;
}

await refused(client("wrong").rest.get(Routes.user()), 401, 0);
const bot = client("right");
// The event stream would set this at sign-in.
bot.user = new ClientUser(bot, await bot.rest.get(Routes.user()));

const guild = await bot.guilds.fetch({ guild: guildId, cache: true, force: true });
assert.equal(guild.name, "Clients");
assert.equal((await guild.roles.fetch()).size, 7);
const page = await guild.members.list({ limit: 1000 });
const next = await guild.members.list({ limit: 1000, after: page.lastKey() });
assert.deepEqual([page.size, next.size, page.has(next.firstKey())], [1000, 1000, false]);

const member = await guild.members.fetch(first.toString());
const held = async () => (await control("GET", `/control/chat/guilds/${guildId}/members/${first}`)).roles;
const lastReason = async () => (await control("GET", `/control/chat/guilds/${guildId}/audit-log`)).entries.at(-1).reason;
await member.roles.add(role(1), reason);
assert.ok((await held()).includes(role(1)));
assert.equal(await lastReason(), reason);
await member.roles.remove(role(1), "taken");
assert.ok(!(await held()).includes(role(1)));
assert.equal((await member.setNickname("новый", "named")).nickname, "новый");

await refused(guild.members.fetch("1999999999999999001"), 404, 10007);
await refused(guild.members.fetch("1888888888888888888"), 404, 10013);
await refused(bot.rest.put(Routes.guildMemberRole(guildId, member.id, guildId)), 404, 10011);
await refused(bot.rest.put(Routes.guildMemberRole(guildId, member.id, "7000000000000003000")), 403, 50013);
await refused(bot.rest.patch(Routes.guildMember(guildId, member.id), { body: { roles: [role(0), role(0)] } }), 400, 50035);

const banned = (first + 1n).toString();
await refused(guild.bans.fetch({ user: banned, force: true }), 404, 10026);
await guild.bans.create(banned, { reason });
assert.equal((await guild.bans.fetch({ user: banned, force: true })).reason, reason);
await guild.bans.remove(banned, "appeal");
await refused(guild.bans.remove(banned), 404, 10026);

const made = await guild.channels.create({
  name: "Ticket 1", topic: "help", reason,
  permissionOverwrites: [
    { id: guildId, type: OverwriteType.Role, deny: PermissionFlagsBits.ViewChannel },
    { id: member.id, type: OverwriteType.Member, allow: PermissionFlagsBits.ViewChannel },
  ],
});
assert.deepEqual([made.name, made.topic], ["ticket-1", "help"]);
assert.ok(made.permissionOverwrites.cache.get(guildId).deny.has(PermissionFlagsBits.ViewChannel));
assert.ok(made.permissionOverwrites.cache.get(member.id).allow.has(PermissionFlagsBits.ViewChannel));
await refused(guild.channels.create({ name: "x", topic: "x".repeat(1025) }), 400, 50035);

await control("POST", "/control/intents", { guild_members: false });
await refused(guild.members.list({ limit: 1 }), 403, 50001);

// Fourteen changes need two windows of the bucket. Then another process uses up the bucket, so the client meets a 429.
const stats = () => control("GET", "/control/stats");
const before = (await stats()).member_updates;
for (let n = 0; n < 14; n += 1) {
  await (n % 2 ? member.roles.remove(role(2)) : member.roles.add(role(2)));
}
assert.equal((await stats()).member_updates - before, 14);
const path = `/api/v10/guilds/${guildId}/members/${first}/roles/${role(1)}`;
const spend = () => fetch(url + path, { method: "PUT", headers: { Authorization: "Bot right" } });
while ((await spend()).status === 204);
const limited = (await stats()).rate_limited;
await member.roles.add(role(3));
assert.ok((await held()).includes(role(3)));
assert.ok((await stats()).rate_limited > limited, "the client met no 429");
process.exit(0);
