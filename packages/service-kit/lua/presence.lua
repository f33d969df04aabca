-- A worker process says that it lives, and what it can do.
if A.action == 'leave' then
  redis.call('ZREM', key('presence'), A.owner)
  redis.call('DEL', key('presence', A.owner))
  return answer({ left = true })
end
redis.call('ZADD', key('presence'), NOW, A.owner)
redis.call('HSET', key('presence', A.owner), 'name', A.name, 'facts', A.facts, 'holds', A.holds, 'seenAt', NOW)
redis.call('PEXPIRE', key('presence', A.owner), A.keepMs)
redis.call('ZREMRANGEBYSCORE', key('presence'), '-inf', NOW - A.keepMs)
return answer({ at = NOW })
