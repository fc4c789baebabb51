-- One permit for one call, on Redis time (microseconds). The same machine as state.rs, turns.rs and lane.rs.
-- KEYS[1] base of all keys; ARGV: permit id, bulk (1/0), capacity, reserve, hold, route lane, probe, invalid limit,
-- invalid minutes, idle (ms), guild, waiting, interval, lead, about, late, window, interactive poll, poll,
-- and the time for tests ('' otherwise).
-- Answers {verdict, wait}: 0 granted, 1 full, 2 probing, 3 paused, 4 silenced.
local base, id, bulk = KEYS[1], ARGV[1], ARGV[2] == '1'
local time = redis.call('TIME')
local now = tonumber(ARGV[20]) or tonumber(time[1]) * 1000000 + tonumber(time[2])

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

-- Whose turn it is: the same as turns.rs.
local all, turns, waiting, served = base .. ':permits', base .. ':turns', base .. ':waiting', base .. ':served'
redis.call('ZREMRANGEBYSCORE', all, '-inf', now)
-- What ends later than anything can was written before the server's clock was set back.
for _, permit in ipairs(redis.call('ZRANGEBYSCORE', all, now + tonumber(ARGV[5]) + 1, '+inf')) do
  redis.call('ZADD', all, now + tonumber(ARGV[17]), permit)
end
local left = tonumber(ARGV[3]) - redis.call('ZCARD', all)
local first = redis.call('ZRANGE', all, 0, 0, 'WITHSCORES')
local earliest = first[2] and tonumber(first[2]) - now or tonumber(ARGV[19])
local wait, turn = nil, redis.call('HMGET', turns, 'asked', 'expected', 'even', 'left')
local expected, even = tonumber(turn[2] or '0'), tonumber(turn[3] or '0')
local guild, window = ARGV[11], tonumber(ARGV[17])
local interval, lead = tonumber(ARGV[13]), tonumber(ARGV[14])
if even > now + lead + interval then even = now end
if expected > now + tonumber(ARGV[18]) + tonumber(ARGV[16]) then expected = now end
if bulk then
  redis.call('ZREMRANGEBYSCORE', waiting, '-inf', now - tonumber(ARGV[12]))
  local about = turn[1] and tonumber(turn[1]) + tonumber(ARGV[15]) > now
  if expected > now then
    wait = expected - now
  elseif left <= (about and tonumber(ARGV[4]) or 0) then
    wait = earliest
  elseif even > now + lead then
    wait = even - now - lead
  else
    -- Of the last window: how many permits a guild's bulk got, and when the last one.
    local function had(whose)
      local of = served .. ':' .. whose
      redis.call('ZREMRANGEBYSCORE', of, '-inf', now - window)
      local last = redis.call('ZRANGE', of, -1, -1, 'WITHSCORES')
      return redis.call('ZCARD', of), tonumber(last[2] or '0')
    end
    local count, last = had(guild)
    for _, other in ipairs(redis.call('ZRANGE', waiting, 0, -1)) do
      if other ~= guild then
        local theirs, at = had(other)
        if theirs < count or (theirs == count and at < last) then
          local since = math.min(tonumber(turn[4] or '') or now, now)
          redis.call('HSET', turns, 'left', since)
          if since + interval > now then wait = since + interval - now end
          break
        end
      end
    end
  end
  if wait then
    redis.call('ZADD', waiting, now, guild)
  else
    redis.call('ZREM', waiting, guild)
    redis.call('ZADD', served .. ':' .. guild, now, id)
    redis.call('PEXPIRE', served .. ':' .. guild, ARGV[10])
    redis.call('HSET', turns, 'even', math.max(even, now) + interval)
    redis.call('HDEL', turns, 'left')
  end
  redis.call('PEXPIRE', waiting, ARGV[10])
else
  redis.call('HSET', turns, 'asked', now)
  if left <= 0 then
    wait = math.min(earliest, tonumber(ARGV[18]))
    redis.call('HSET', turns, 'expected', math.max(expected, now + wait + tonumber(ARGV[16])))
  end
end
redis.call('PEXPIRE', turns, ARGV[10])
if wait then return {1, wait} end

if not known then
  redis.call('HSET', lane, 'probing', now + tonumber(ARGV[7]))
elseif limit then
  if reset <= now then
    remaining = limit
    redis.call('HSET', lane, 'reset', now + tonumber(seen[7] or '0'), 'told', 0)
  end
  redis.call('HSET', lane, 'remaining', math.max(remaining - 1, 0))
end
redis.call('PEXPIRE', lane, ARGV[10])
redis.call('ZADD', all, now + tonumber(ARGV[5]), id)
redis.call('PEXPIRE', all, math.ceil(tonumber(ARGV[5]) / 1000))
return {0, 0}
