-- Applies a response, and returns the permit one window from now. The same state machine as state.rs and bucket.rs.
-- KEYS[1] base of all keys, with the hash tag they share; ARGV: permit id, window, route's bucket, heard (1/0), invalid
-- (1/0), pause scope ('' none, 'bucket', 'global'), pause, named bucket ('' none), limit, remaining, reset after, idle
-- (ms), invalid minutes, longest span, how long a late request must not grant it again (0: there is none), and the time
-- for tests ('' otherwise). Idempotent.
local base, id, window = KEYS[1], ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(ARGV[16]) or tonumber(time[1]) * 1000000 + tonumber(time[2])
local idle, void = tonumber(ARGV[12]), tonumber(ARGV[15])

redis.call('ZADD', base .. ':permits', 'XX', now + window, id)
if void > 0 then
  redis.call('ZADD', base .. ':void', now + void, id)
  redis.call('PEXPIRE', base .. ':void', math.ceil(void / 1000))
end

-- The permit was granted under the name its route had then.
local named = base .. ':name:' .. ARGV[3]
local before = redis.call('GET', named) or ARGV[3]
local first = redis.call('ZREM', base .. ':under_way:' .. ARGV[3], id)
if before ~= ARGV[3] then first = first + redis.call('ZREM', base .. ':under_way:' .. before, id) end

if ARGV[5] == '1' and first > 0 then
  redis.call('HINCRBY', base .. ':invalid', math.floor(now / 60000000), 1)
  redis.call('PEXPIRE', base .. ':invalid', (tonumber(ARGV[13]) + 2) * 60000)
end

local pause = tonumber(ARGV[7])
if ARGV[6] == 'global' then
  local paused = tonumber(redis.call('GET', base .. ':paused') or '0')
  if now + pause > paused then
    redis.call('SET', base .. ':paused', string.format('%.0f', now + pause), 'PX', math.ceil(pause / 1000) + idle)
  end
end

if ARGV[8] ~= '' then redis.call('SET', named, ARGV[8], 'PX', idle) end
local name = ARGV[8] ~= '' and ARGV[8] or before
local bucket = base .. ':bucket:' .. name
redis.call('HSET', bucket, 'probing', 0)
if ARGV[4] == '1' then redis.call('HSET', bucket, 'known', 1) end

if ARGV[8] ~= '' then
  local seen = redis.call('HMGET', bucket, 'limit', 'remaining', 'reset', 'span', 'told')
  local remaining, reset_after = tonumber(ARGV[10]), tonumber(ARGV[11])
  local reset = now + reset_after
  local span = math.min(math.max(tonumber(seen[4] or '0'), reset_after), tonumber(ARGV[14]))
  if seen[1] and now < tonumber(seen[3]) then
    remaining = math.min(remaining, tonumber(seen[2]))
    if seen[5] == '1' then reset = math.max(reset, tonumber(seen[3])) end
  else
    remaining = math.max(remaining - redis.call('ZCARD', base .. ':under_way:' .. name), 0)
  end
  redis.call('HSET', bucket, 'limit', ARGV[9], 'remaining', remaining, 'reset', reset, 'span', span, 'told', 1)
end

if ARGV[6] == 'bucket' then
  local paused = tonumber(redis.call('HGET', bucket, 'paused') or '0')
  redis.call('HSET', bucket, 'paused', math.max(paused, now + pause))
  idle = math.max(idle, math.ceil(pause / 1000))
end
redis.call('PEXPIRE', bucket, idle)
return 0
