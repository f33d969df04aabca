-- Takes units away from owners that have been silent too long, or that live and do not know of the unit (the
-- answer to their claim was lost); their late results will not fit any more.
local id = A.proofId
local units, lost = {}, {}
local state = get(id, 'state')
if not state or not (LIVE[state] or state == 'cancelling') then return answer({ next = units, lost = lost }) end
if not has_owner(id) then return answer({ next = units, lost = lost }) end

local function holds(owner, stage, k, attempt)
  local held = cjson.decode(redis.call('HGET', key('presence', owner), 'holds') or '[]')
  local wanted = job_id(id, stage, k, attempt)
  for _, name in ipairs(held) do
    if name == wanted then return true end
  end
  return false
end

-- The owner that stands under this name in the record, when it is silent.
local function silent(stage, k, name)
  local owner = get(id, field(k, name .. '.owner'))
  if not owner then return nil end
  if NOW - number(id, field(k, name .. '.claimedAt')) <= A.silentMs then return nil end
  local seen = tonumber(redis.call('ZSCORE', key('presence'), owner) or nil) or 0
  if NOW - seen <= A.silentMs and holds(owner, stage, k, number(id, field(k, name .. '.attempt'))) then return nil end
  return owner
end

local function take_back_copy(k)
  local owner = silent('prove', k, 'copy')
  if not owner then return true end
  lost[#lost + 1] = { stage = 'prove', owner = owner, partition = k }
  drop_copy(id, k)
  if state ~= 'cancelling' or has_owner(id) then return true end
  end_run(id, get(id, 'ending'))
  return false
end

-- False once the run has ended.
local function take_back(stage, k)
  local owner = silent(stage, k, stage)
  if not owner then return true end
  local entry = { stage = stage, owner = owner }
  if given(k) then entry.partition = k end
  lost[#lost + 1] = entry
  if state == 'cancelling' then
    settle_cancel({ proofId = id, stage = stage, partition = k })
    return LIVE[get(id, 'state')] or get(id, 'state') == 'cancelling'
  end
  if stage == 'prove' and promote_copy(id, k) then return true end
  local losses = count_up(id, field(k, 'losses'))
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
  if not take_back_copy(k) then return answer({ next = {}, lost = lost }) end
  for _, stage in ipairs(STAGES_OF_PARTITION) do
    if not take_back(stage, k) then return answer({ next = {}, lost = lost }) end
  end
end
return answer({ next = units, lost = lost })
