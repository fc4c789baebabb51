-- What an answer teaches, and the permit's return one window from now. The same machine as state.rs and lane.rs.
-- KEYS[1] base of all keys; ARGV: permit id, window, route lane, heard (1/0), invalid (1/0), pause scope
-- ('' none, 'lane', 'global'), pause, bucket lane ('' none), limit, remaining, reset after, lane idle (ms),
-- invalid minutes, longest span, and the time for tests ('' otherwise).
local base, id, window = KEYS[1], ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(ARGV[15]) or tonumber(time[1]) * 1000000 + tonumber(time[2])
local idle = tonumber(ARGV[12])

redis.call('ZADD', base .. ':permits', 'XX', now + window, id)

if ARGV[5] == '1' then
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

local bucket = base .. ':bucket:' .. ARGV[3]
if ARGV[8] ~= '' then redis.call('SET', bucket, ARGV[8], 'PX', idle) end
local name = redis.call('GET', bucket) or ARGV[3]
local lane = base .. ':lane:' .. name
redis.call('HSET', lane, 'probing', 0)
if ARGV[4] == '1' then redis.call('HSET', lane, 'known', 1) end

if ARGV[8] ~= '' then
  local seen = redis.call('HMGET', lane, 'limit', 'remaining', 'reset', 'span', 'told')
  local remaining, reset_after = tonumber(ARGV[10]), tonumber(ARGV[11])
  local reset = now + reset_after
  local span = math.min(math.max(tonumber(seen[4] or '0'), reset_after), tonumber(ARGV[14]))
  if seen[1] and reset <= tonumber(seen[3]) + span / 2 then
    remaining = math.min(remaining, tonumber(seen[2]))
    if seen[5] == '1' then reset = math.max(reset, tonumber(seen[3])) end
  end
  redis.call('HSET', lane, 'limit', ARGV[9], 'remaining', remaining, 'reset', reset, 'span', span, 'told', 1)
end

if ARGV[6] == 'lane' then
  local paused = tonumber(redis.call('HGET', lane, 'paused') or '0')
  redis.call('HSET', lane, 'paused', math.max(paused, now + pause))
  idle = math.max(idle, math.ceil(pause / 1000))
end
redis.call('PEXPIRE', lane, idle)
return 0
