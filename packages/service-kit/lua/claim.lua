-- Hands a waiting unit to a worker: raises the attempt, stores the owner, answers with what the work needs. A prover
-- that should not take the unit it asks for gets the next one in order that it should take (`instead`). One that still
-- works on another unit says when it can begin (`beginsInMs`).
local u = A.unit
local BEGINS = NOW + (given(A.beginsInMs) and A.beginsInMs or 0)
local AHEAD = BEGINS > NOW
local function refused(reason, later) return answer({ refused = reason, later = later or false }) end

-- Provers --------------------------------------------------------------------------------------------

local function is_alive(owner)
  local seen = tonumber(redis.call('ZSCORE', key('presence'), owner) or nil) or 0
  return NOW - seen <= A.silentMs
end
local function is_suspect(name) return redis.call('HEXISTS', key('suspects'), name) == 1 end
local function name_of(owner) return string.match(owner, '^(.*)#') or owner end

-- Living provers of a circuit and the seconds that a partition takes them, fastest first.
local function provers_of(circuit)
  local found = {}
  local listed = redis.call('ZRANGE', key('speeds', circuit), 0, -1, 'WITHSCORES')
  for i = 1, #listed, 2 do
    if not is_alive(listed[i]) then
      redis.call('ZREM', key('speeds', circuit), listed[i])
    elseif not is_suspect(name_of(listed[i])) then
      found[#found + 1] = { owner = listed[i], ms = tonumber(listed[i + 1]) * 1000, free = NOW }
    end
  end
  return found
end

local function can_prove(id) -- nil circuits: asked by a test that has no circuits
  if not given(A.circuits) then return true end
  local circuit = get(id, 'circuitId')
  for _, name in ipairs(A.circuits) do
    if name == circuit then return true end
  end
  return false
end

-- Other living workers that can prove a circuit, measured or not.
local function others_for(circuit)
  local found = {}
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', key('presence'), NOW - A.silentMs, '+inf')) do
    local facts = cjson.decode(redis.call('HGET', key('presence', owner), 'facts') or '{}')
    local name = redis.call('HGET', key('presence', owner), 'name')
    if facts.role == 'gpu-worker' and name ~= A.worker and not is_suspect(name) then
      for _, ready in ipairs(type(facts.circuits) == 'table' and facts.circuits or {}) do
        if ready == circuit then found[#found + 1] = { owner = owner, name = name } end
      end
    end
  end
  return found
end

-- A worker that failed this partition stands back while another one that can prove it is alive.
local function is_excluded(id, k)
  local excluded = cjson.decode(get(id, field(k, 'excluded')) or '{}')
  if (excluded[A.worker] or 0) <= NOW then return false end
  for _, other in ipairs(others_for(get(id, 'circuitId'))) do
    if (excluded[other.name] or 0) <= NOW then return true end
  end
  return false
end

-- Placement: a slower prover, and one that asks ahead, takes a partition only if it ends before the others would have
-- done this proof and all that goes before it. Provers within this factor of the fastest need not ask.
local SIMILAR = 1.25
local plans = {}

-- One that has not been measured yet counts as as fast as this one: it may be idle.
local function add_unmeasured(plan, circuit)
  local measured = {}
  for _, other in ipairs(plan.others) do measured[other.owner] = true end
  for _, other in ipairs(others_for(circuit)) do
    if not measured[other.owner] then
      plan.others[#plan.others + 1] = { owner = other.owner, ms = plan.mine, free = NOW }
    end
  end
end

local function plan_of(circuit)
  if plans[circuit] then return plans[circuit] end
  local plan = { others = {}, ends = {}, last = 0 }
  for _, prover in ipairs(provers_of(circuit)) do
    if prover.owner == A.owner then plan.mine = prover.ms else plan.others[#plan.others + 1] = prover end
  end
  if AHEAD and plan.mine then add_unmeasured(plan, circuit) end
  plan.needed = plan.mine and plan.others[1] and (AHEAD or plan.mine > SIMILAR * plan.others[1].ms)
  if plan.needed then
    local at = {}
    local running = redis.call('HGETALL', key('busy'))
    for i = 1, #running, 2 do
      local owner = string.match(running[i], '^(%S+) ')
      at[owner] = math.max(at[owner] or 0, tonumber(running[i + 1]))
    end
    for _, other in ipairs(plan.others) do
      if at[other.owner] then other.free = math.max(NOW, at[other.owner] + other.ms) end
    end
  end
  plans[circuit] = plan
  return plan
end

-- When the others would have proved all of this proof, after what was planned before it.
local function others_end(plan, id)
  if plan.ends[id] then return plan.ends[id] end
  for k = 0, partitions(id) - 1 do
    local state = get(id, field(k, 'state'))
    if state ~= 'proved' and state ~= 'proving' then
      local best = plan.others[1]
      for _, other in ipairs(plan.others) do
        if other.free + other.ms < best.free + best.ms then best = other end
      end
      best.free = best.free + best.ms
      plan.last = math.max(plan.last, best.free)
    end
  end
  plan.ends[id] = plan.last
  return plan.last
end

-- A partition that failed somewhere is for whoever may take it: the prover it waits for may be the one that failed.
local function is_slower(id, k)
  if next(cjson.decode(get(id, field(k, 'excluded')) or '{}')) then return false end
  local plan = plan_of(get(id, 'circuitId') or '')
  return plan.needed and BEGINS + plan.mine > others_end(plan, id)
end

-- nil when this prover should take the partition, else why not.
local function unfit(id, k)
  if not can_prove(id) then return 'circuit' end
  if is_excluded(id, k) then return 'excluded' end
  if is_slower(id, k) then return 'slower' end
  return nil
end

local LOOKED_AT = 256
local function another()
  for _, member in ipairs(redis.call('ZRANGE', key('provable'), 0, LOOKED_AT - 1)) do
    local id, index = string.match(member, '^(.+):(%d+)$')
    local k = tonumber(index)
    local waits = HANDS_OUT[get(id, 'state')] and get(id, field(k, 'state')) == 'synthesized'
    if waits and not unfit(id, k) then return id, k end
  end
  return nil
end

-- The unit -------------------------------------------------------------------------------------------

local id, k = u.proofId, u.partition
fetch_unit(id, u.stage, k,
  'priority', 'minerId', 'sectorNumber', 'deadlineAt', 'traceparent', 'circuitId', 'sectorBytes',
  field(k, 'at.' .. WAITS_AS[u.stage]), field(k, u.stage .. '.last'), field(k, u.stage .. '.failures'))
if given(k) then
  fetch(id, field(k, 'state'), field(k, 'rank'), field(k, 'excluded'), field(k, u.stage == 'prove' and 'witness' or 'input'))
end
local state = get(id, 'state')
if not state then return refused('gone') end
if number(id, 'run') ~= u.run then return refused('stale') end
if state == 'cancelling' then return refused('cancelled') end
if not LIVE[state] then return refused('ended') end

-- The same claim again (its answer was lost on the way): the same answer.
local function owned_as(name)
  return get(id, field(k, name .. '.owner')) == A.owner and number(id, field(k, name .. '.attempt')) == u.attempt
end
local again = owned_as(u.stage)
local copy = u.stage == 'prove' and (owned_as('copy') or get(id, field(k, 'copy.for')) ~= false)
  and get(id, field(k, 'state')) == 'proving' and not again
again = again or (copy and owned_as('copy'))

if copy and not again then
  if get(id, field(k, 'copy.owner')) then return refused('busy') end
  if next_attempt(id, 'prove', k) ~= u.attempt then return refused('stale') end
  if number(id, field(k, 'copy.until')) <= NOW then return refused('stale') end
  if get(id, field(k, 'copy.for')) ~= A.worker then return refused('reserved', true) end
  if is_suspect(A.worker) then return refused('suspect', true) end
elseif not again then
  local waiting = state
  if given(k) then waiting = get(id, field(k, 'state')) end
  if given(k) and waiting == RUNS_AS[u.stage] or get(id, field(k, u.stage .. '.owner')) then return refused('busy') end
  if waiting ~= WAITS_AS[u.stage] then return refused('stale') end
  if next_attempt(id, u.stage, k) ~= u.attempt then return refused('stale') end
end

local instead = false
if u.stage == 'prove' and not again and not copy then
  if is_suspect(A.worker) then return refused('suspect', true) end
  local why = unfit(id, k)
  if why then
    id, k = another()
    if not id then return refused(why, true) end
    instead = true
    state = get(id, 'state')
  end
end
local attempt = instead and next_attempt(id, 'prove', k) or u.attempt

local waited = 0
if not again then
  local name = copy and 'copy' or u.stage
  waited = NOW - number(id, field(k, copy and 'prove.claimedAt' or 'at.' .. WAITS_AS[u.stage]))
  set(id,
    field(k, name .. '.attempt'), attempt,
    field(k, name .. '.owner'), A.owner,
    field(k, name .. '.claimedAt'), BEGINS)
  if u.stage == 'prove' then redis.call('HSET', key('busy'), busy_field(A.owner, id, k), BEGINS) end
  if copy then
    set(id, field(k, 'prove.last'), attempt)
    event(id, 'copied', { partition = k, attempt = attempt, worker = A.worker })
  elseif given(k) then
    set_partition_state(id, k, RUNS_AS[u.stage], { attempt = attempt, worker = A.worker })
    if state == 'queued' then set_run_state(id, 'running') end
  else
    event(id, 'claimed', { stage = u.stage, attempt = attempt, worker = A.worker })
  end
end

local function artifact(name) return cjson.decode(get(id, name) or 'null') end
local claim = {
  stage = u.stage,
  instead = instead,
  fence = {
    proofId = id, run = number(id, 'run'), stage = u.stage, partition = k, attempt = attempt, owner = A.owner,
  },
  jobPriority = job_priority(id, k),
  minerId = get(id, 'minerId'),
  sectorNumber = get(id, 'sectorNumber'),
  deadlineAt = tonumber(get(id, 'deadlineAt') or nil) or cjson.null,
  traceparent = get(id, 'traceparent') or cjson.null,
  waitedMs = waited,
  failures = number(id, field(k, u.stage .. '.failures')),
  circuitId = get(id, 'circuitId') or cjson.null,
  sectorBytes = tonumber(get(id, 'sectorBytes') or nil) or cjson.null,
}
if u.stage == 'ingest' then
  claim.c1 = artifact('c1')
elseif u.stage == 'synthesize' then
  claim.c1 = artifact('c1')
  claim.input = artifact(field(k, 'input'))
elseif u.stage == 'prove' then
  claim.witness = artifact(field(k, 'witness'))
else
  claim.c1 = artifact('c1')
  claim.publicInputs = artifact('publicInputs')
  claim.parameters = get(id, 'parameters') or cjson.null
  claim.partitions = {}
  for i, row in ipairs(each_partition(id, 'proof', 'prover')) do
    claim.partitions[i] = { partition = i - 1, proofHex = row[1], prover = row[2] }
  end
end
return answer(claim)
