-- Writes a new record, or names the live or succeeded one with the same content.
local id = A.proofId
-- The same call again (its answer was lost on the way): the same answer, so that the caller keeps its C1.
local state_before = get(id, 'state')
if state_before then
  local next = state_before == 'received' and not get(id, 'ingest.owner') and { unit(id, 'ingest') } or {}
  return answer({ proofId = id, joined = false, state = state_before, next = next, raised = {} })
end

-- Who joins a live proof has not agreed to its deadline: the later of both holds, and none is the latest. Of both
-- classes the more urgent holds: `raised` are the units whose jobs go before others now.
local function join(other, state)
  local raised = {}
  if LIVE[state] then
    local class, deadline = number(other, 'priority'), number(other, 'deadlineAt')
    local later = deadline > 0 and (not given(A.deadlineAt) or A.deadlineAt > deadline)
    local hurries = A.priority < class
    if later or hurries then
      change_places(other, function()
        if later and given(A.deadlineAt) then set(other, 'deadlineAt', A.deadlineAt) end
        if later and not given(A.deadlineAt) then unset(other, 'deadlineAt') end
        if hurries then set(other, 'priority', A.priority) end
      end)
    end
    if hurries then raised = waiting_units(other) end
  end
  return answer({ proofId = other, joined = true, state = state, next = {}, raised = raised })
end

-- A client's idempotency key names one content for a day: the same again joins whatever became of it. Its entry was
-- opened by idempotency.lua, which also says when another request with the key is under way.
local idempotency = given(A.idempotency) and key('idempotency', A.idempotency)
if idempotency then
  local before = cjson.decode(redis.call('GET', idempotency) or 'null')
  if before ~= cjson.null and before.contentKey then
    if before.contentKey ~= A.contentKey then return answer({ conflict = true, next = {} }) end
    local state = get(before.proofId, 'state')
    if state then return join(before.proofId, state) end
  end
end
local function remember(id)
  if not idempotency then return end
  local entry = cjson.encode({ proofId = id, contentKey = A.contentKey })
  redis.call('SET', idempotency, entry, 'PX', A.idempotencyKeptMs)
end

local tenant = A.tenant == '' and '-' or A.tenant
local content = content_of(tenant, A.contentKey)
-- A proof that was made with what is not accepted any more (development parameters, a simulated prover) stands for none.
local function is_accepted(source)
  if not given(A.accepts) then return true end
  for _, accepted in ipairs(A.accepts) do
    if source == accepted then return true end
  end
  return false
end
local present = redis.call('GET', content)
if present then
  local state = get(present, 'state')
  if state and (LIVE[state] or state == 'succeeded' and is_accepted(get(present, 'parameters'))) then
    remember(present)
    return join(present, state)
  end
end

local live = tonumber(redis.call('HGET', key('tenants-live'), tenant) or nil) or 0
if given(A.maxLive) and live >= A.maxLive then return answer({ quota = live, next = {} }) end
redis.call('HSET', key('weights'), tenant, A.weight)
set(id,
  'kind', A.kind, 'state', 'received', 'at.received', NOW, 'run', 1,
  'sequence', redis.call('INCR', key('sequence')), 'priority', A.priority, 'tenant', A.tenant,
  'createdAt', NOW, 'minerId', A.minerId, 'sectorNumber', A.sectorNumber,
  'contentKey', A.contentKey, 'c1', cjson.encode(A.c1))
if given(A.deadlineAt) then set(id, 'deadlineAt', A.deadlineAt) end
if given(A.traceparent) then set(id, 'traceparent', A.traceparent) end
redis.call('SET', content, id)
remember(id)
redis.call('ZADD', key('proofs'), NOW, id)
redis.call('ZADD', key('live'), NOW, id)
count_live(id, 1)
event(id, 'state', { state = 'received' })
return answer({ proofId = id, joined = false, state = 'received', next = { unit(id, 'ingest') }, raised = {} })
