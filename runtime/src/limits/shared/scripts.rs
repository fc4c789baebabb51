//! What Redis does for windows, in one step.

/// A window is a hash of `n` (permits granted), `e` (end, milliseconds of Redis time), `r` (recalls so far), `w` (processes
/// that have not returned theirs yet) and, for each process that may have unused permits, its name; it expires when it
/// ends. `KEYS` windows; ARGV process, channel, and for each window its limit, length in ms, parts (a block is the part of
/// what is left; 0: none). Returns for each the block, what is left, ms until the end, the end, whether no more will come.
pub(super) const GRANT: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local process, channel, answers = ARGV[1], ARGV[2], {}
for i, key in ipairs(KEYS) do
  local limit, length, parts = tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local window = redis.call('HMGET', key, 'n', 'e', 'r', 'w')
  local used, ends, recalls, awaited =
    tonumber(window[1] or 0), tonumber(window[2] or 0), tonumber(window[3] or 0), tonumber(window[4] or 0)
  if ends <= now then
    if window[2] then redis.call('DEL', key) end
    used, ends, recalls, awaited = 0, now + length, 0, 0
  end
  if ends > now + length then ends = now + length end
  local left, block, text = math.max(0, limit - used), 0, string.format('%.0f', ends)
  if parts > 0 and left > 0 then
    block = math.max(1, math.floor(left / parts / 2 ^ recalls))
    local fields = { 'n', used + block, 'e', text }
    if block > 1 then fields[5], fields[6] = process, block end
    redis.call('HSET', key, unpack(fields))
    if text ~= window[2] then redis.call('PEXPIREAT', key, text) end
  elseif parts > 0 then
    local held = {}
    for _, field in ipairs(redis.call('HKEYS', key)) do
      if #field > 1 and field ~= process then table.insert(held, field) end
    end
    if #held > 0 then
      awaited = awaited + #held
      redis.call('HDEL', key, unpack(held))
      redis.call('HSET', key, 'r', recalls + 1, 'w', awaited)
      redis.call('PUBLISH', channel, process .. ' recall ' .. key)
    end
  end
  local closed = parts > 0 and block == 0 and awaited == 0
  answers[i] = { block, left - block, ends - now, text, closed and 1 or 0 }
end
return answers
";

/// `KEYS[1]` window; ARGV its end, permits, process, channel.
pub(super) const RETURN: &str = r"
local window = redis.call('HMGET', KEYS[1], 'n', 'e', 'w')
if window[2] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'n', math.max(0, tonumber(window[1]) - ARGV[2]))
  if redis.call('HDEL', KEYS[1], ARGV[3]) == 0 then
    redis.call('HSET', KEYS[1], 'w', math.max(0, tonumber(window[3] or 0) - 1))
  end
end
redis.call('PUBLISH', ARGV[4], ARGV[3] .. ' returned ' .. KEYS[1])
";
