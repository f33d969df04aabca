-- Takes units away from owners that have been silent too long, or that live and do not know of the unit (the
-- answer to their claim was lost); their late results will not fit any more.
local id = A.proofId
local units, lost = {}, {}
local state = get(id, 'state')
if not state or not (LIVE[state] or state == 'cancelling') then return answer({ next = units, lost = lost }) end

local function holds(owner, stage, k)
  local held = cjson.decode(redis.call('HGET', key('presence', owner), 'holds') or '[]')
  local wanted = job_id(id, stage, k, number(id, field(k, stage .. '.attempt')))
  for _, name in ipairs(held) do
    if name == wanted then return true end
  end
  return false
end

local function silent(stage, k)
  local owner = get(id, field(k, stage .. '.owner'))
  if not owner then return nil end
  if NOW - number(id, field(k, stage .. '.claimedAt')) <= A.silentMs then return nil end
  local seen = tonumber(redis.call('ZSCORE', key('presence'), owner) or nil) or 0
  if NOW - seen <= A.silentMs and holds(owner, stage, k) then return nil end
  return owner
end

-- False once the run has ended.
local function take_back(stage, k)
  local owner = silent(stage, k)
  if not owner then return true end
  local entry = { stage = stage, owner = owner }
  if given(k) then entry.partition = k end
  lost[#lost + 1] = entry
  if state == 'cancelling' then
    settle_cancel({ proofId = id, stage = stage, partition = k })
    return LIVE[get(id, 'state')] or get(id, 'state') == 'cancelling'
  end
  local losses = redis.call('HINCRBY', key('proof', id), field(k, 'losses'), 1)
  if losses >= A.maxLosses then
    local problem = {
      code = 'WORKER_LOST',
      message = 'Every worker that took this work fell silent.',
      found = losses .. ' lost workers, the last one ' .. owner,
      expected = 'a worker that stays alive',
    }
    drop_owner(id, stage, k)
    set(id, 'problem', cjson.encode(problem), field(k, 'problem'), cjson.encode(problem))
    if given(k) then set_partition_state(id, k, 'failed', { problem = problem }) end
    end_run(id, 'failed', { problem = problem })
    return false
  end
  units[#units + 1] = wait_again(id, stage, k, { lost = owner })
  return true
end

if not take_back('ingest') or not take_back('finalize') then return answer({ next = units, lost = lost }) end
for k = 0, partitions(id) - 1 do
  for _, stage in ipairs(STAGES_OF_PARTITION) do
    if not take_back(stage, k) then return answer({ next = {}, lost = lost }) end
  end
end
return answer({ next = units, lost = lost })
