-- One permit for one call, on Redis time (microseconds). The same machine as state.rs and lane.rs.
-- KEYS[1] base of all keys; ARGV: permit id, bulk (1/0), capacity, bulk capacity, hold, route lane, probe,
-- invalid limit, invalid minutes, lane idle (ms), guild, waiting. Answers {verdict, wait}: 0 granted, 1 full, 2 probing, 3 paused, 4 silenced.
local base, id, bulk = KEYS[1], ARGV[1], ARGV[2] == '1'
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

if bulk then
  local minute, sum, oldest = math.floor(now / 60000000), 0, nil
  local counts = redis.call('HGETALL', base .. ':invalid')
  for i = 1, #counts, 2 do
    local counted = tonumber(counts[i])
    if counted + tonumber(ARGV[9]) >= minute then
      sum = sum + tonumber(counts[i + 1])
      if not oldest or counted < oldest then oldest = counted end
    else
      redis.call('HDEL', base .. ':invalid', counts[i])
    end
  end
  if sum >= tonumber(ARGV[8]) then
    return {4, math.max((oldest + tonumber(ARGV[9]) + 1) * 60000000 - now, 0)}
  end
end

local paused = tonumber(redis.call('GET', base .. ':paused') or '0')
if paused > now then return {3, paused - now} end

local name = redis.call('GET', base .. ':bucket:' .. ARGV[6]) or ARGV[6]
local lane = base .. ':lane:' .. name
local seen = redis.call('HMGET', lane, 'paused', 'known', 'probing', 'limit', 'remaining', 'reset', 'span')
local lane_paused, probing = tonumber(seen[1] or '0'), tonumber(seen[3] or '0')
local known, limit = seen[2] == '1', tonumber(seen[4] or '')
local remaining, reset = tonumber(seen[5] or '0'), tonumber(seen[6] or '0')
if lane_paused > now then return {3, lane_paused - now} end
if not known and probing > now then return {2, 0} end
if known and limit and reset > now and remaining <= 0 then return {3, reset - now} end

local all, of_bulk = base .. ':permits', base .. ':bulk'
redis.call('ZREMRANGEBYSCORE', all, '-inf', now)
redis.call('ZREMRANGEBYSCORE', of_bulk, '-inf', now)
local full = redis.call('ZCARD', all) >= tonumber(ARGV[3])
local mine, waiting = of_bulk .. ':' .. ARGV[11], base .. ':waiting'
if bulk and not full then
  full = redis.call('ZCARD', of_bulk) >= tonumber(ARGV[4])
end
if bulk and not full then
  redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now - tonumber(ARGV[12]))
  local others = redis.call('ZCARD', waiting)
  if redis.call('ZSCORE', waiting, ARGV[11]) then others = others - 1 end
  if others > 0 then
    redis.call('ZREMRANGEBYSCORE', mine, '-inf', now)
    full = redis.call('ZCARD', mine) >= math.ceil(tonumber(ARGV[4]) / (others + 1))
  end
end
if full then
  if bulk then
    redis.call('ZADD', waiting, now, ARGV[11])
    redis.call('PEXPIRE', waiting, math.ceil(tonumber(ARGV[12]) / 1000))
  end
  local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')
  return {1, math.max((tonumber(first[2] or now) or now) - now, 1)}
end

if not known then
  redis.call('HSET', lane, 'probing', now + tonumber(ARGV[7]))
elseif limit then
  if reset <= now then
    remaining = limit
    redis.call('HSET', lane, 'reset', now + tonumber(seen[7] or '0'))
  end
  redis.call('HSET', lane, 'remaining', math.max(remaining - 1, 0))
end
redis.call('PEXPIRE', lane, ARGV[10])
local hold_ms = math.ceil(tonumber(ARGV[5]) / 1000)
redis.call('ZADD', all, now + tonumber(ARGV[5]), id)
redis.call('PEXPIRE', all, hold_ms)
if bulk then
  redis.call('ZADD', of_bulk, now + tonumber(ARGV[5]), id)
  redis.call('PEXPIRE', of_bulk, hold_ms)
  redis.call('ZADD', mine, now + tonumber(ARGV[5]), id)
  redis.call('PEXPIRE', mine, hold_ms)
  redis.call('ZREM', waiting, ARGV[11])
end
return {0, 0}
