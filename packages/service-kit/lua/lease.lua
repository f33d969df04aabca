-- One holder at a time for work that must not be done twice at once (dispatch, reconciliation).
local name = key('lease', A.name)
local holder = redis.call('GET', name)
if A.action == 'leave' then
  if holder == A.owner then redis.call('DEL', name) end
  return answer({ held = false })
end
if holder and holder ~= A.owner then return answer({ held = false }) end
redis.call('SET', name, A.owner, 'PX', A.ttlMs)
return answer({ held = true })
