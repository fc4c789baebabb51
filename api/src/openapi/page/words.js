// The platforms' own words beside those of the API, and common search terms.

const SERVER = "Discord server id";
const PERSON = "Discord user id";
const ROLE = "Discord role id";
const EITHER = "Discord or Roblox user id";
const PLATFORM = {
  guildId: SERVER, guild_id: SERVER, "X-Guild-ID": SERVER,
  chatId: PERSON, chat_id: PERSON, chat_ids: "Discord user ids", userId: PERSON, user_id: PERSON, staff_id: PERSON,
  moderator_id: PERSON, author_id: PERSON, actor_id: PERSON, issued_by: PERSON, flagged_by: PERSON, lifted_by: PERSON,
  decided_by: PERSON, owner_id: PERSON,
  roleId: ROLE, role_id: ROLE, staff_role_ids: "Discord role ids", allowed_privileged_roles: "Discord role ids",
  category_id: "Discord category id", channel_id: "Discord channel id", nickname_template: "Discord nickname",
  playId: "Roblox user id", play_id: "Roblox user id", play_ids: "Roblox user ids", play_username: "Roblox username",
  group_id: "Roblox group id", rank: "Roblox group rank", current_rank: "Roblox group rank",
  placeId: "Roblox game.PlaceId", place_id: "Roblox game.PlaceId",
  universeId: "Roblox game.GameId", universe_id: "Roblox game.GameId",
  serverId: "Roblox game.JobId", server_id: "Roblox game.JobId",
  identifier: EITHER, requested: EITHER,
};

/** What the platform calls a field; `bindings[].role_id` is `role_id`. */
export function platformOf(name) {
  return PLATFORM[name.split(".").pop().replace("[]", "")];
}

/** The platforms whose words a text of the API uses. */
export function platformsIn(text) {
  const found = [];
  if (/\b(chat|nicknames?|roles?|tickets?)\b|chat_?id|role_?id/i.test(text)) found.push("Discord");
  if (/\b(play|game|group|place|universe)\b|play_?id|place_?id|group_?id|server_?id/i.test(text)) found.push("Roblox");
  return found;
}

/** Words of a question that say nothing of the call that is meant. */
export const SMALL_WORDS = new Set(["a", "about", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from",
  "has", "have", "how", "i", "if", "in", "is", "it", "me", "my", "of", "on", "or", "should", "that", "the", "their", "this", "to",
  "was", "what", "when", "where", "which", "who", "whether", "with", "you"]);

/** Searched words, and the words of the API that stand for them. */
const SYNONYMS = [
  [["discord", "dc"], ["chat"]],
  [["roblox", "rbx", "rblx"], ["play", "game"]],
  [["rover", "bloxlink", "verify", "verification", "verified", "link", "links", "linking", "linked"],
    ["lookup", "reverse", "verified", "linked"]],
  [["player", "players", "person", "people", "someone"], ["user", "users", "play"]],
  [["group", "rankbind", "rankbinds", "bind", "binds"], ["bindings"]],
  [["rank", "ranks", "promote", "demote", "setrank"], ["bindings", "rank", "sync"]],
  [["getrole", "getroles", "update", "refresh", "nickname", "nick"], ["sync", "nickname"]],
  [["kick", "shutdown", "announce", "announcement", "message", "messagingservice"], ["command"]],
  [["blacklist", "exploiter", "exploiters", "cheater", "cheaters", "hacker", "scammer"], ["shield"]],
  [["gameban", "banlist", "banned"], ["ban"]],
  [["pardon", "appeal"], ["unban", "unmute"]],
  [["timeout", "gag", "silence", "chatban"], ["mute"]],
  [["warn", "warning", "warnings", "infraction", "infractions", "points"], ["strike"]],
  [["inactivity", "vacation", "holiday", "absence", "leave"], ["loa"]],
  [["log", "logs", "history", "modlog", "modlogs"], ["audit"]],
  [["config", "configuration", "options", "preferences"], ["settings"]],
  [["modmail", "support", "form", "forms", "apply"], ["ticket", "application"]],
  [["websocket", "socket", "realtime", "stream", "push"], ["live channel"]],
  [["shift", "shifts", "playtime", "duty", "clockin", "timesheet"], ["session", "activity"]],
  [["top", "ranking", "scoreboard"], ["leaderboard"]],
  [["jobid"], ["server_id", "serverid"]],
  [["experience", "gameid"], ["universe", "register"]],
  [["username", "whois", "userid"], ["lookup", "reverse"]],
  [["admin", "moderator", "mod", "mods"], ["staff", "moderation"]],
  [["task", "queue", "progress"], ["jobs"]],
  [["token", "apikey", "auth", "authentication", "secret"], ["key", "keys"]],
];

/** The words of the API for a searched word, or for one that is begun. */
export function synonymsOf(word, begun) {
  const fits = (name) => (begun ? word.length >= 3 && name.startsWith(word) : name === word);
  const meant = SYNONYMS.filter(([searched]) => searched.some(fits)).flatMap(([, words]) => words);
  return [...new Set(meant)].filter((other) => other !== word);
}
