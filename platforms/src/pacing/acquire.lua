-- One permit for one call, on Redis time (microseconds). The same state machine as state.rs, fair_queue.rs, bucket.rs.
-- KEYS[1] base of all keys, with the hash tag they share; ARGV: permit id, bulk (1/0), capacity, reserve, hold, route's
-- bucket, probe, invalid limit, invalid minutes, idle (ms), guild, waiting, interval, lead, about, late, window,
-- interactive poll, poll, bulk share, request, longest turn, stale heads, the time for tests ('' otherwise), the process,
-- and the beginning of Redis's data as this process last received it ('' before).
-- Returns {verdict, wait, processes, beginning}: 0 granted, 1 full, 2 probing, 3 paused, 4 silenced.
local base, id, bulk = KEYS[1], ARGV[1], ARGV[2] == '1'
local time = redis.call('TIME')
local now = tonumber(ARGV[24]) or tonumber(time[1]) * 1000000 + tonumber(time[2])
local hold, window, request = tonumber(ARGV[5]), tonumber(ARGV[17]), tonumber(ARGV[21])
local poll, idle = tonumber(ARGV[19]), ARGV[10]

-- What was sent within the last window is not known here if another beginning was known before: all wait for one window.
local began = redis.call('GET', base .. ':began')
if not began then
  began = string.format('%.0f', now) .. ' ' .. id
  redis.call('SET', base .. ':began', began)
end
if ARGV[26] ~= '' and ARGV[26] ~= began then
  local held = math.min(tonumber(string.match(began, '^%d+')), now) + window
  if held > math.max(now, tonumber(redis.call('GET', base .. ':paused') or '0')) then
    redis.call('SET', base .. ':paused', string.format('%.0f', held), 'PX', math.ceil((held - now) / 1000) + idle)
  end
end
local processes = base .. ':processes'
redis.call('ZADD', processes, now, ARGV[25])
redis.call('ZREMRANGEBYSCORE', processes, '-inf', now - 60000000)

local function verdict()
local permits, void = base .. ':permits', base .. ':void'
redis.call('ZREMRANGEBYSCORE', permits, '-inf', now)
redis.call('ZREMRANGEBYSCORE', void, '-inf', now)
if redis.call('ZSCORE', permits, id) then return {0, 0} end
if redis.call('ZSCORE', void, id) then return {1, poll} end

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

local paused = tonumber(redis.call('GET', base .. ':paused') or '0')
if paused > now then return {3, paused - now} end

local name = redis.call('GET', base .. ':name:' .. ARGV[6]) or ARGV[6]
local bucket, under_way = base .. ':bucket:' .. name, base .. ':under_way:' .. name
local seen = redis.call('HMGET', bucket, 'paused', 'known', 'probing', 'limit', 'remaining', 'reset', 'span')
local bucket_paused, probing = tonumber(seen[1] or '0'), tonumber(seen[3] or '0')
local known, limit = seen[2] == '1', tonumber(seen[4] or '')
local remaining, reset = tonumber(seen[5] or '0'), tonumber(seen[6] or '0')
redis.call('ZREMRANGEBYSCORE', under_way, '-inf', now)
-- An end later than the latest possible one was written before the server's clock was set back.
redis.call('ZREMRANGEBYSCORE', under_way, now + request + 1, '+inf')
if bucket_paused > now then return {3, bucket_paused - now} end
if not known and probing > now then return {2, 0} end
if known and limit then
  if reset <= now then remaining = math.max(limit - redis.call('ZCARD', under_way), 0) end
  if remaining <= 0 then return {3, reset > now and reset - now or poll} end
end

-- The next guild: the same as fair_queue.rs.
for _, permit in ipairs(redis.call('ZRANGEBYSCORE', permits, now + hold + 1, '+inf')) do
  redis.call('ZADD', permits, now + window, permit)
end
local queue, waiting, back_at, next_turn = base .. ':queue', base .. ':waiting', base .. ':back_at', base .. ':next'
local left = tonumber(ARGV[3]) - redis.call('ZCARD', permits)
local first = redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES')
local earliest = first[2] and tonumber(first[2]) - now or poll
local state = redis.call('HMGET', queue, 'asked', 'expected', 'even', 'left', 'turn', 'overtaken')
local expected, even, turn = tonumber(state[2] or '0'), tonumber(state[3] or '0'), tonumber(state[5] or '0')
local overtaken, share = tonumber(state[6] or '0'), tonumber(ARGV[20])
local guild, interval, lead = ARGV[11], tonumber(ARGV[13]), tonumber(ARGV[14])
local longest = tonumber(ARGV[22])
if even > now + lead + interval then even = now end
if expected > now + tonumber(ARGV[18]) + tonumber(ARGV[16]) then expected = now end
redis.call('ZREMRANGEBYSCORE', back_at, '-inf', now - tonumber(ARGV[12]))
redis.call('ZREMRANGEBYSCORE', back_at, now + math.max(longest, poll) + 1, '+inf')

local wait = nil
if bulk then
  local mine = tonumber(redis.call('ZSCORE', waiting, guild) or '')
    or math.max(tonumber(redis.call('ZSCORE', next_turn, guild) or '0'), turn)
  local about = state[1] and tonumber(state[1]) + tonumber(ARGV[15]) > now
  if overtaken >= share then
    if left <= 0 then wait = earliest end
  elseif expected > now then
    wait = expected - now
  elseif left <= (about and tonumber(ARGV[4]) or 0) then
    wait = earliest
  elseif even > now + lead then
    wait = even - now - lead
  end
  if not wait then
    for _ = 1, tonumber(ARGV[23]) do
      local head = redis.call('ZRANGE', waiting, 0, 0, 'WITHSCORES')
      if not head[1] then break end
      if redis.call('ZSCORE', back_at, head[1]) then
        if head[1] ~= guild and tonumber(head[2]) < mine then
          local since = math.min(tonumber(state[4] or '') or now, now)
          redis.call('HSET', queue, 'left', since)
          if since + interval > now then wait = since + interval - now end
        end
        break
      end
      redis.call('ZREM', waiting, head[1])
    end
  end
  if wait then
    redis.call('ZADD', waiting, mine, guild)
    local rank = redis.call('ZRANK', waiting, guild)
    wait = math.max(math.min(wait, poll), math.min(math.floor(math.max(rank - 1, 0) * interval / 2), longest))
    redis.call('ZADD', back_at, now + wait, guild)
    redis.call('PEXPIRE', waiting, idle)
    redis.call('PEXPIRE', back_at, idle)
  else
    redis.call('ZREM', waiting, guild)
    redis.call('ZREM', back_at, guild)
    turn = math.max(turn, mine)
    redis.call('ZADD', next_turn, mine + 1, guild)
    redis.call('ZREMRANGEBYSCORE', next_turn, '-inf', turn)
    redis.call('PEXPIRE', next_turn, idle)
    redis.call('HSET', queue, 'turn', turn, 'overtaken', 0, 'even', math.max(even, now) + interval)
    redis.call('HDEL', queue, 'left')
  end
else
  redis.call('HSET', queue, 'asked', now)
  local bulk_waits = redis.call('ZCARD', back_at) > 0
  if left > (bulk_waits and overtaken >= share and 1 or 0) then
    redis.call('HSET', queue, 'overtaken', bulk_waits and math.min(overtaken + 1, share) or 0)
  else
    wait = math.min(earliest, tonumber(ARGV[18]))
    redis.call('HSET', queue, 'expected', math.max(expected, now + wait + tonumber(ARGV[16])))
  end
end
redis.call('PEXPIRE', queue, idle)
if wait then return {1, wait} end

if not known then
  redis.call('HSET', bucket, 'probing', now + tonumber(ARGV[7]))
elseif limit then
  if reset <= now then redis.call('HSET', bucket, 'reset', now + tonumber(seen[7] or '0'), 'told', 0) end
  redis.call('HSET', bucket, 'remaining', math.max(remaining - 1, 0))
end
redis.call('PEXPIRE', bucket, idle)
redis.call('ZADD', under_way, now + request, id)
redis.call('PEXPIRE', under_way, math.ceil(request / 1000))
redis.call('ZADD', permits, now + hold, id)
redis.call('PEXPIRE', permits, math.ceil(hold / 1000))
return {0, 0}
end

local given = verdict()
return { given[1], given[2], redis.call('ZCARD', processes), began }
