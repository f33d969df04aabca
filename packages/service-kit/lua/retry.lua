-- A new run of a proof that has ended without a result. Verified partition proofs are kept; the rest is made again.
local id = A.proofId
local state = get(id, 'state')
if not state then return answer({ outcome = 'gone', next = {} }) end
if LIVE[state] or state == 'cancelling' then return answer({ outcome = 'live', state = state, next = {} }) end
if state == 'succeeded' or state == 'cancelled' then
  return answer({ outcome = 'final', state = state, next = {} })
end
local content = content_of(tenant_of(id), get(id, 'contentKey'))
local present = redis.call('GET', content)
if present and present ~= id then
  local other = get(present, 'state')
  if other and (LIVE[other] or other == 'succeeded') then
    return answer({ outcome = 'elsewhere', proofId = present, next = {} })
  end
end

local live = tonumber(redis.call('HGET', key('tenants-live'), tenant_of(id)) or nil) or 0
if given(A.maxLive) and live >= A.maxLive then return answer({ outcome = 'quota', live = live, next = {} }) end
if given(A.weight) then redis.call('HSET', key('weights'), tenant_of(id), A.weight) end

local fields = redis.call('HKEYS', key('proof', id))
-- Without a verdict of ingest nothing of the run before is kept.
local judged = get(id, 'publicInputs')
local reused, total = 0, judged and partitions(id) or 0
local kept = {}
for k = 0, total - 1 do
  kept[k] = get(id, field(k, 'state')) == 'proved' and get(id, field(k, 'proof')) ~= false
  if kept[k] then reused = reused + 1 end
end
local stays = { input = true, problem = true }
for _, name in ipairs(fields) do
  local index, part = string.match(name, '^p(%d+)%.(.+)$')
  local again = index and not kept[tonumber(index)] and not (judged and stays[part])
  if again or string.match(name, '^ingest%.') or string.match(name, '^finalize%.') or string.match(name, '^at%.') then
    unset(id, name)
  end
end
unset(id, 'endedAt', 'ending', 'problem', 'result', 'losses', 'deadlineAt')
if given(A.deadlineAt) then set(id, 'deadlineAt', A.deadlineAt) end
if reused == 0 then unset(id, 'parameters') end
if not judged then unset(id, 'partitions') end
local run = number(id, 'run') + 1
set(id, 'run', run)
redis.call('SET', content, id)
redis.call('ZREM', key('ended'), id)
redis.call('ZADD', key('live'), NOW, id)
count_live(id, 1)

local units = {}
local told = { run = run, reused = reused }
if total == 0 then
  set_run_state(id, 'received', told)
  units[1] = unit(id, 'ingest')
elseif reused == total then
  set_run_state(id, 'finalizing', told)
  units[1] = unit(id, 'finalize')
else
  set_run_state(id, 'queued', told)
  for k = 0, total - 1 do
    if not kept[k] then
      set_partition_state(id, k, 'pending')
      enter_pending(id, k)
    end
  end
end
return answer({ outcome = 'started', run = run, reused = reused, next = units })
