-- A request with a client's own key: one at a time. The entry says what the key stands for once a proof exists;
-- until then the request that holds it has its mark there, which ends by itself when its process dies.
local name = key('idempotency', A.idempotency)
local entry = cjson.decode(redis.call('GET', name) or 'null')
if A.action == 'begin' then
  if entry ~= cjson.null and entry.contentKey then return answer({ begun = true }) end
  if entry ~= cjson.null and entry.mark ~= A.mark then return answer({ begun = false }) end
  redis.call('SET', name, cjson.encode({ mark = A.mark }), 'PX', A.keptMs)
  return answer({ begun = true })
end
if entry ~= cjson.null and entry.mark == A.mark then redis.call('DEL', name) end
return answer({ begun = false })
