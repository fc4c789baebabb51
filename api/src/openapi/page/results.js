// What an example does with the answer.

import { jsonOf } from "./schema.js";

/** Up to three fields of an object that are no objects; times only if there is nothing else. */
function plainFields(object) {
  const names = Object.keys(object).filter((name) => typeof object[name] !== "object");
  const telling = names.filter((name) => !/(_at|_cursor)$/.test(name));
  return (telling.length ? telling : names).slice(0, 3);
}

function valuesOf(place, value) {
  if (typeof value !== "object") return [place];
  const names = plainFields(value);
  return names.length ? names.map((name) => `${place}.${name}`) : Object.keys(value).slice(0, 1).map((name) => `${place}.${name}`);
}

/** `{ list, values }`: a list in the answer, if it has one, and what of each item, or of the answer, is printed. */
export function resultOf(operation) {
  const { data } = jsonOf(operation.responses["200"]).example;
  if (data === undefined) return { values: ["answer.message"] };
  if (Array.isArray(data)) return { list: "answer.data", values: valuesOf("item", data[0]) };
  // A 202, for a running job, has no list.
  const lists = operation.responses["202"] ? [] : Object.keys(data).filter((one) => Array.isArray(data[one]));
  const name = lists.find((one) => typeof data[one][0] === "object");
  if (name) return { list: `answer.data.${name}`, values: valuesOf("item", data[name][0]) };
  return { values: valuesOf("answer.data", data) };
}

/** Runs the call for each player who joins; the id is the player's. */
const EACH_PLAYER = {
  before: ["game:GetService(\"Players\").PlayerAdded:Connect(function(player)"], after: ["end)"],
  native: { identifier: "player.UserId" },
};
const EACH_20_SECONDS = { before: ["while true do"], after: ["\ttask.wait(20)", "end"] };
const EACH_5_SECONDS = { before: ["while true do"], after: ["\ttask.wait(5)", "end"] };

/** The calls of game servers in Luau: what runs around them, and what is done with the answer. */
export const GAME_CALLS = {
  banStatus: {
    ...EACH_PLAYER,
    result: ["if answer.data.banned then", "\tplayer:Kick(\"You are banned: \" .. answer.data.ban_info.reason)", "end"],
  },
  muteStatus: { ...EACH_PLAYER, result: ["player:SetAttribute(\"Muted\", answer.data.muted) -- for your chat script"] },
  sendServerHeartbeat: { ...EACH_20_SECONDS, result: ["print(\"online:\", answer.data.ok)"] },
  listPendingCommands: {
    ...EACH_5_SECONDS,
    result: ["for _, command in answer.data.commands do", "\tprint(command.type, command.target_id, command.reason)",
      "\t-- Apply it, then send POST /play/servers/{serverId}/commands/{commandId}/ack:", "\t-- until then each poll answers it.",
      "end"],
  },
};
