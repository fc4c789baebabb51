-- Releases a permit without a sent request: it is free at once. A permit not yet granted never will be, because its
-- request may come late. The same state machine as state.rs.
-- KEYS[1] base of all keys, with the hash tag they share; ARGV: permit id, route's bucket, void, always void (1/0), and
-- the time for tests ('' otherwise).
local base, id, void = KEYS[1], ARGV[1], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(ARGV[5]) or tonumber(time[1]) * 1000000 + tonumber(time[2])

local name = redis.call('GET', base .. ':name:' .. ARGV[2]) or ARGV[2]
local had = redis.call('ZREM', base .. ':permits', id) + redis.call('ZREM', base .. ':under_way:' .. ARGV[2], id)
if name ~= ARGV[2] then had = had + redis.call('ZREM', base .. ':under_way:' .. name, id) end
if had > 0 then
  local bucket = base .. ':bucket:' .. name
  redis.call('HSET', bucket, 'probing', 0)
  local seen = redis.call('HMGET', bucket, 'limit', 'remaining', 'reset')
  if seen[1] and tonumber(seen[3]) > now then
    redis.call('HSET', bucket, 'remaining', math.min(tonumber(seen[2]) + 1, tonumber(seen[1])))
  end
end
if had == 0 or ARGV[4] == '1' then
  redis.call('ZADD', base .. ':void', now + void, id)
  redis.call('PEXPIRE', base .. ':void', math.ceil(void / 1000))
end
return 0
