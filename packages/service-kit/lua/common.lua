-- Put before every script, after record.lua and permits.lua: states, queues, owners and fences of records.
local LIVE = { received = true, queued = true, running = true, finalizing = true }
-- States of a run whose partitions may be taken: the first ones go before the verdict on the whole.
local HANDS_OUT = { received = true, queued = true, running = true }
local STAGES_OF_PARTITION = { 'synthesize', 'prove' }
-- Where a unit goes when its owner gives it back.
local WAITS_AS = { ingest = 'received', synthesize = 'queued', prove = 'synthesized', finalize = 'finalizing' }
local RUNS_AS = { synthesize = 'synthesizing', prove = 'proving' }

local function set_run_state(id, state, data)
  set(id, 'state', state, 'at.' .. state, NOW)
  data = data or {}
  data.state = state
  event(id, 'state', data)
end

-- BullMQ priority of a job (1 … 2^21 − 1, lower first): the class, then the order of dispatch (of arrival, for a
-- stage of the whole proof).
local PLACES = 524287
local function job_priority(id, k)
  local place = number(id, 'sequence')
  if given(k) then place = number(id, field(k, 'rank')) end
  return math.min(number(id, 'priority'), 3) * (PLACES + 1) + place % PLACES + 1
end

-- As written by service-kit's jobIdOf.
local function job_id(id, stage, k, attempt)
  local part = ''
  if given(k) then part = string.format('.%02d', k) end
  return id .. '.r' .. number(id, 'run') .. '.' .. stage .. part .. '.a' .. attempt
end

-- `last`: the highest number that a second copy of this unit has used.
local function next_attempt(id, stage, k)
  return math.max(number(id, field(k, stage .. '.attempt')), number(id, field(k, stage .. '.last'))) + 1
end

local function unit(id, stage, k)
  return {
    proofId = id,
    run = number(id, 'run'),
    stage = stage,
    partition = given(k) and k or cjson.null,
    attempt = next_attempt(id, stage, k),
    jobPriority = job_priority(id, k),
  }
end

-- Partitions that wait for a GPU, in the order in which they shall be taken.
local function place_provable(id, k, state)
  local member = id .. ':' .. k
  if state == 'synthesized' then
    redis.call('ZADD', key('provable'), job_priority(id, k), member)
  else
    redis.call('ZREM', key('provable'), member)
  end
end

local function set_partition_state(id, k, state, data)
  set(id, field(k, 'state'), state, field(k, 'at.' .. state), NOW)
  place_provable(id, k, state)
  data = data or {}
  data.partition = k
  data.state = state
  event(id, 'partition', data)
end

-- How long the last units of a stage took for this circuit: what the autoscale signal counts with.
local DURATIONS_KEPT = 200

local function keep_duration(id, stage, k)
  local circuit, since = get(id, 'circuitId'), number(id, field(k, stage .. '.claimedAt'))
  if not circuit or since == 0 then return end
  local list = key('durations', stage, circuit)
  redis.call('LPUSH', list, math.max(1, NOW - since))
  redis.call('LTRIM', list, 0, DURATIONS_KEPT - 1)
end

-- Waiting for dispatch -------------------------------------------------------------------------------
-- Every class has a round of tenants (list `round`) and each of them a line of partitions (`line`), earliest
-- deadline first, then order of arrival. `pending` has all of them, for counts.

local function tenant_of(id)
  local tenant = get(id, 'tenant')
  if not tenant or tenant == '' then return '-' end
  return tenant
end
local function line_of(class, tenant) return key('line', class, tenant) end

-- Lines are ordered as text: every deadline has these digits, and later ones (in the year 2286) are none.
local LATEST = 9999999999999

local function enter_pending(id, k)
  local deadline = number(id, 'deadlineAt')
  if deadline == 0 then deadline = LATEST end
  deadline = math.min(deadline, LATEST)
  local class, tenant = number(id, 'priority'), tenant_of(id)
  local member = string.format('%013.0f:%013.0f:%s:%03d', deadline, number(id, 'sequence'), id, k)
  set(id, field(k, 'pending'), member)
  redis.call('ZADD', key('pending'), 0, class .. ':' .. member)
  local line = line_of(class, tenant)
  if redis.call('EXISTS', line) == 0 then redis.call('RPUSH', key('round', class), tenant) end
  redis.call('ZADD', line, 0, member)
  dispatchable = true
end

-- A partition whose input is there waits for dispatch. Once it does, saying so again changes nothing.
local function open_partition(id, k, input)
  if get(id, field(k, 'input')) then return end
  set(id, field(k, 'input'), cjson.encode(input))
  set_partition_state(id, k, 'pending')
  enter_pending(id, k)
end

local function leave_pending(id, k)
  local member = get(id, field(k, 'pending'))
  if not member then return end
  local class, tenant = number(id, 'priority'), tenant_of(id)
  local line = line_of(class, tenant)
  redis.call('ZREM', key('pending'), class .. ':' .. member)
  redis.call('ZREM', line, member)
  unset(id, field(k, 'pending'))
  if redis.call('EXISTS', line) == 1 then return end
  -- A tenant with nothing to do saves nothing up.
  redis.call('LREM', key('round', class), 0, tenant)
  redis.call('HDEL', key('deficits', class), tenant)
  if redis.call('HGET', key('turns'), class) == tenant then redis.call('HDEL', key('turns'), class) end
end

-- Names the proof that new submissions of the same content join; tenants do not see each other's proofs.
local function content_of(tenant, content) return key('content', tenant, content) end
local function forget_content(id)
  local content = content_of(tenant_of(id), get(id, 'contentKey'))
  if redis.call('GET', content) == id then redis.call('DEL', content) end
end

-- Proofs of a tenant that have not ended.
local function count_live(id, change)
  local tenant = tenant_of(id)
  if redis.call('HINCRBY', key('tenants-live'), tenant, change) <= 0 then
    redis.call('HDEL', key('tenants-live'), tenant)
    redis.call('HDEL', key('weights'), tenant)
  end
end

-- Owners ---------------------------------------------------------------------------------------------
-- `busy` has what each prover works on and since when. A proving partition may have a second owner (`copy`) on a
-- faster worker: the first verified result wins.

local function busy_field(owner, id, k) return owner .. ' ' .. id .. ':' .. k end

local function drop_owner(id, stage, k)
  local owner = get(id, field(k, stage .. '.owner'))
  if owner and stage == 'prove' then redis.call('HDEL', key('busy'), busy_field(owner, id, k)) end
  unset(id, field(k, stage .. '.owner'))
end

local function drop_copy(id, k)
  local owner = get(id, field(k, 'copy.owner'))
  if owner then redis.call('HDEL', key('busy'), busy_field(owner, id, k)) end
  unset(id, field(k, 'copy.owner'), field(k, 'copy.attempt'), field(k, 'copy.claimedAt'), field(k, 'copy.for'))
end

-- The copy becomes the one attempt, when the first owner is gone. False when there is none.
local function promote_copy(id, k)
  local owner = get(id, field(k, 'copy.owner'))
  if not owner then return false end
  local attempt, at = get(id, field(k, 'copy.attempt')), get(id, field(k, 'copy.claimedAt'))
  drop_owner(id, 'prove', k)
  unset(id, field(k, 'copy.owner'), field(k, 'copy.attempt'), field(k, 'copy.claimedAt'), field(k, 'copy.for'))
  set(id, field(k, 'prove.owner'), owner, field(k, 'prove.attempt'), attempt, field(k, 'prove.claimedAt'), at)
  event(id, 'promoted', { partition = k, attempt = tonumber(attempt) })
  return true
end

-- Keeps a partition from a worker for a while, as long as another one can take it.
local function exclude(id, k, worker, forMs)
  if not given(forMs) or forMs <= 0 then return end
  local excluded = cjson.decode(get(id, field(k, 'excluded')) or '{}')
  excluded[worker] = NOW + forMs
  set(id, field(k, 'excluded'), cjson.encode(excluded))
end

local function suspect(worker, code) redis.call('HSET', key('suspects'), worker, code) end

-- End of a run ---------------------------------------------------------------------------------------

local function partitions(id) return number(id, 'partitions') end

-- These fields of every partition, in one read: a list of lists, from partition 0, false where there is none.
local function each_partition(id, ...)
  local count, names, wanted = partitions(id), { ... }, {}
  if count == 0 then return {} end
  for k = 0, count - 1 do
    for _, name in ipairs(names) do wanted[#wanted + 1] = field(k, name) end
  end
  fetch(id, unpack(wanted))
  local rows = {}
  for k = 0, count - 1 do
    local row = {}
    for j, name in ipairs(names) do row[j] = get(id, field(k, name)) end
    rows[k + 1] = row
  end
  return rows
end

-- Units that wait in a queue (or should).
local function waiting_units(id)
  local units, state = {}, get(id, 'state')
  if state == 'received' and not get(id, 'ingest.owner') then units[1] = unit(id, 'ingest') end
  if state == 'finalizing' and not get(id, 'finalize.owner') then units[1] = unit(id, 'finalize') end
  if HANDS_OUT[state] then
    for i, row in ipairs(each_partition(id, 'state')) do
      for _, stage in ipairs(STAGES_OF_PARTITION) do
        if row[1] == WAITS_AS[stage] then units[#units + 1] = unit(id, stage, i - 1) end
      end
    end
  end
  return units
end

-- Calls `change`, which may change class and deadline of a run: its partitions that wait change their places.
local function change_places(id, change)
  local pending = {}
  for i, row in ipairs(each_partition(id, 'pending')) do
    if row[1] then pending[#pending + 1] = i - 1 end
  end
  for _, k in ipairs(pending) do leave_pending(id, k) end
  change()
  for _, k in ipairs(pending) do enter_pending(id, k) end
  for i, row in ipairs(each_partition(id, 'state')) do place_provable(id, i - 1, row[1]) end
end

-- The one place where a run ends. The caller has checked that it has not ended before.
local function end_run(id, state, data)
  each_partition(id, 'pending', 'state', 'synthesize.owner', 'prove.owner', 'copy.owner', 'copy.attempt',
    'copy.claimedAt', 'copy.for')
  for k = 0, partitions(id) - 1 do
    leave_pending(id, k)
    pool_drop('handoff', handoff_lease(id, k))
    for _, stage in ipairs(STAGES_OF_PARTITION) do drop_owner(id, stage, k) end
    drop_copy(id, k)
    local now = get(id, field(k, 'state'))
    if now ~= 'proved' and now ~= 'failed' and now ~= 'cancelled' then
      set_partition_state(id, k, 'cancelled')
    end
  end
  redis.call('ZREM', key('live'), id)
  count_live(id, -1)
  redis.call('ZADD', key('ended'), NOW, id)
  redis.call('HINCRBY', key('ended-counts'), state, 1)
  set(id, 'endedAt', NOW)
  if state ~= 'succeeded' then
    forget_content(id)
    redis.call('PUBLISH', key('stop'), id)
  end
  set_run_state(id, state, data)
end

-- True while somebody holds a unit of this proof.
local function has_owner(id)
  if get(id, 'ingest.owner') or get(id, 'finalize.owner') then return true end
  for _, owners in ipairs(each_partition(id, 'synthesize.owner', 'prove.owner', 'copy.owner')) do
    if owners[1] or owners[2] or owners[3] then return true end
  end
  return false
end

-- Fences ---------------------------------------------------------------------------------------------

local function is_copy(fence)
  if fence.stage ~= 'prove' then return false end
  local id, k = fence.proofId, fence.partition
  return get(id, field(k, 'copy.owner')) == fence.owner and number(id, field(k, 'copy.attempt')) == fence.attempt
end

-- Reads at once what every change of a unit looks at, and more where it is named.
local function fetch_unit(id, stage, k, ...)
  local of_stage = field(k, stage)
  fetch(id, 'state', 'run', of_stage .. '.owner', of_stage .. '.attempt', ...)
  if stage == 'prove' then fetch(id, field(k, 'copy.owner'), field(k, 'copy.for')) end
end

-- nil when the fence still fits, else why not.
local function misfit(fence)
  local id = fence.proofId
  fetch_unit(id, fence.stage, fence.partition)
  local state = get(id, 'state')
  if not state then return 'gone' end
  if number(id, 'run') ~= fence.run then return 'stale' end
  if not LIVE[state] and state ~= 'cancelling' then return 'ended' end
  local owner = get(id, field(fence.partition, fence.stage .. '.owner'))
  local attempt = number(id, field(fence.partition, fence.stage .. '.attempt'))
  if (owner ~= fence.owner or attempt ~= fence.attempt) and not is_copy(fence) then return 'stale' end
  if state == 'cancelling' then return 'cancelled' end
  return nil
end

-- True when a field holds this artifact already: the same change again, whose answer was lost on the way. To refuse it
-- would make its sender delete what the record counts on.
local function is_kept(text, artifact)
  return text and given(artifact) and cjson.decode(text).ref == artifact.ref
end

local function refuse(reason) return answer({ accepted = false, reason = reason, next = {} }) end
local function accept(units) return answer({ accepted = true, reason = cjson.null, next = units or {} }) end

-- The owner of a unit of a cancelling run has let go; the last one ends the run.
local function settle_cancel(fence)
  local id, k = fence.proofId, fence.partition
  if is_copy(fence) then drop_copy(id, k) else drop_owner(id, fence.stage, k) end
  if given(k) then
    pool_drop('handoff', handoff_lease(id, k))
    if get(id, field(k, 'state')) ~= 'cancelled' then set_partition_state(id, k, 'cancelled') end
  end
  if not has_owner(id) then end_run(id, get(id, 'ending')) end
end

-- Opens a fenced change: nil when it may go on, else the reason why nothing was changed. In a cancelling run
-- the owner that shows up here has let go.
local function check(fence)
  local reason = misfit(fence)
  if reason == 'cancelled' then settle_cancel(fence) end
  return reason
end

-- Puts a unit back where its next claim finds it. A witness that waits has a permit: one that was given back when
-- the device had it is taken again.
local function wait_again(id, stage, k, data)
  drop_owner(id, stage, k)
  if stage == 'prove' then pool_force('handoff', handoff_lease(id, k), number(id, 'witnessBytes'), id) end
  if given(k) then
    set_partition_state(id, k, WAITS_AS[stage], data)
  else
    data = data or {}
    data.stage = stage
    event(id, 'waiting', data)
  end
  return unit(id, stage, k)
end

local function problem_event(id, stage, k, problem)
  local data = { stage = stage, problem = problem }
  if given(k) then data.partition = k end
  event(id, 'problem', data)
end
