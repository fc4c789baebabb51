//! Scripts that change windows in Redis atomically.

/// A window is a hash of `n` (permits granted), `e` (end, milliseconds of Redis time), `r` (recalls so far), `w` (processes
/// that have not returned theirs yet), for each process that may have unused permits its name, and for each process `t` and
/// its name (permits it was granted); it expires when it ends. `KEYS` windows; ARGV process, channel, and for each window
/// its limit, length in ms, parts (a block is the part of what is left; 0: none), the end of the window that the process
/// knows (0: it counts alone) and the permits it has had there. Redis may have lost them: then they are counted anew, and
/// the others are asked for theirs. Returns for each the block, what is left, ms until the end, the end, whether no more
/// will come, whether the permits that the process has had count in this window.
pub(super) const GRANT: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local process, channel, answers = ARGV[1], ARGV[2], {}
for i, key in ipairs(KEYS) do
  local limit, length, parts = tonumber(ARGV[5 * i - 2]), tonumber(ARGV[5 * i - 1]), tonumber(ARGV[5 * i])
  local known, had = tonumber(ARGV[5 * i + 1]), tonumber(ARGV[5 * i + 2])
  local window = redis.call('HMGET', key, 'n', 'e', 'r', 'w', 't' .. process)
  local used, ends, recalls, awaited, total = tonumber(window[1] or 0), tonumber(window[2] or 0),
    tonumber(window[3] or 0), tonumber(window[4] or 0), tonumber(window[5] or 0)
  local lost = had > 0 and known > now and known ~= ends
  if ends <= now then
    if window[2] then redis.call('DEL', key) end
    used, ends, recalls, awaited, total = 0, lost and known or now + length, 0, 0, 0
  end
  if ends > now + length then ends = now + length end
  local counts = known == 0 or known > now
  local uncounted = 0
  if known == ends and not lost then
    uncounted = math.max(0, had - total)
  elseif counts then
    uncounted = had
  end
  used, total = used + uncounted, total + uncounted
  local left, block, text = math.max(0, limit - used), 0, string.format('%.0f', ends)
  if parts > 0 and left > 0 then block = math.max(1, math.floor(left / parts / 2 ^ recalls)) end
  if block + uncounted > 0 then
    local fields = { 'n', used + block, 'e', text, 't' .. process, total + block }
    if block > 1 then fields[7], fields[8] = process, block end
    redis.call('HSET', key, unpack(fields))
    if text ~= window[2] then redis.call('PEXPIREAT', key, text) end
  end
  local held = {}
  if parts > 0 and left == 0 then
    for _, field in ipairs(redis.call('HKEYS', key)) do
      if #field > 1 and string.sub(field, 1, 1) ~= 't' and field ~= process then table.insert(held, field) end
    end
  end
  if #held > 0 then
    awaited = awaited + #held
    redis.call('HDEL', key, unpack(held))
    redis.call('HSET', key, 'r', recalls + 1, 'w', awaited)
  end
  if #held > 0 or lost then redis.call('PUBLISH', channel, process .. ' recall ' .. key) end
  local exhausted = parts > 0 and block == 0 and awaited == 0 and not lost
  answers[i] = { block, left - block, ends - now, text, exhausted and 1 or 0, counts and 1 or 0 }
end
return answers
";

/// `KEYS[1]` window; ARGV its end, permits, those that the process had before it returned these, process,
/// channel.
pub(super) const RETURN: &str = r"
local process = ARGV[4]
local window = redis.call('HMGET', KEYS[1], 'n', 'e', 'w', 't' .. process)
if window[2] == ARGV[1] then
  local total = math.max(tonumber(window[4] or 0), tonumber(ARGV[3]))
  local used = tonumber(window[1]) + total - tonumber(window[4] or 0) - ARGV[2]
  redis.call('HSET', KEYS[1], 'n', math.max(0, used), 't' .. process, math.max(0, total - ARGV[2]))
  if redis.call('HDEL', KEYS[1], process) == 0 then
    redis.call('HSET', KEYS[1], 'w', math.max(0, tonumber(window[3] or 0) - 1))
  end
end
redis.call('PUBLISH', ARGV[5], process .. ' returned ' .. KEYS[1])
";
