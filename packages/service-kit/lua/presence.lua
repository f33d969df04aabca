-- A worker process says that it lives, and what it can do. `speeds` has the seconds that a partition of each circuit
-- takes it; they are indexed by circuit for the claims of others.
local function leave_speeds(except)
  local before = cjson.decode(redis.call('HGET', key('presence', A.owner), 'speeds') or '{}')
  for circuit in pairs(before) do
    if not except or except[circuit] == nil then redis.call('ZREM', key('speeds', circuit), A.owner) end
  end
end
if A.action == 'leave' then
  leave_speeds()
  redis.call('ZREM', key('presence'), A.owner)
  redis.call('DEL', key('presence', A.owner))
  return answer({ left = true })
end
local speeds = given(A.speeds) and A.speeds or {}
leave_speeds(speeds)
for circuit, seconds in pairs(speeds) do redis.call('ZADD', key('speeds', circuit), seconds, A.owner) end
redis.call('ZADD', key('presence'), NOW, A.owner)
redis.call('HSET', key('presence', A.owner),
  'name', A.name, 'facts', A.facts, 'holds', A.holds, 'speeds', cjson.encode(speeds), 'seenAt', NOW)
redis.call('PEXPIRE', key('presence', A.owner), A.keepMs)
redis.call('ZREMRANGEBYSCORE', key('presence'), '-inf', NOW - A.keepMs)
return answer({ at = NOW })
