//! What Redis does for a window, in one step.

/// A window is a hash of `n` (permits granted), `e` (end, milliseconds of Redis time), `r` (recalls so far), `w` (processes
/// that have not returned theirs yet) and, for each process that may have unused permits, its name; it expires when it
/// ends. `KEYS[1]` window; ARGV limit, window in ms, parts (a block is the part of what is left; 0: none), process,
/// channel, message of a recall. Returns the block, what is left, ms until the end, the end, whether no more will come.
pub(super) const GRANT: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local limit, length, parts, process = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local window = redis.call('HMGET', KEYS[1], 'n', 'e', 'r', 'w')
local used, ends, recalls, awaited =
  tonumber(window[1] or 0), tonumber(window[2] or 0), tonumber(window[3] or 0), tonumber(window[4] or 0)
if ends <= now then
  redis.call('DEL', KEYS[1])
  used, ends, recalls, awaited = 0, now + length, 0, 0
end
if ends > now + length then ends = now + length end
local left, block, text = math.max(0, limit - used), 0, string.format('%.0f', ends)
if parts > 0 and left > 0 then
  block = math.max(1, math.floor(left / parts / 2 ^ recalls))
  redis.call('HSET', KEYS[1], 'n', used + block, 'e', text)
  if block > 1 then redis.call('HSET', KEYS[1], process, block) end
  redis.call('PEXPIREAT', KEYS[1], text)
elseif parts > 0 then
  local held = {}
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if #field > 1 and field ~= process then table.insert(held, field) end
  end
  if #held > 0 then
    awaited = awaited + #held
    redis.call('HDEL', KEYS[1], unpack(held))
    redis.call('HSET', KEYS[1], 'r', recalls + 1, 'w', awaited)
    redis.call('PUBLISH', ARGV[5], ARGV[6])
  end
end
local closed = parts > 0 and block == 0 and awaited == 0
return { block, left - block, ends - now, text, closed and 1 or 0 }
";

/// `KEYS[1]` window; ARGV its end, permits, process, channel, message.
pub(super) const RETURN: &str = r"
local window = redis.call('HMGET', KEYS[1], 'n', 'e', 'w')
if window[2] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'n', math.max(0, tonumber(window[1]) - ARGV[2]))
  if redis.call('HDEL', KEYS[1], ARGV[3]) == 0 then
    redis.call('HSET', KEYS[1], 'w', math.max(0, tonumber(window[3] or 0) - 1))
  end
end
redis.call('PUBLISH', ARGV[4], ARGV[5])
";
