-- Hands a waiting unit to a worker: raises the attempt, stores the owner, answers with what the work needs.
local u, id, k = A.unit, A.unit.proofId, A.unit.partition
local function refused(reason, later) return answer({ refused = reason, later = later or false }) end

local state = get(id, 'state')
if not state then return refused('gone') end
if number(id, 'run') ~= u.run then return refused('stale') end
if state == 'cancelling' then return refused('cancelled') end
if not LIVE[state] then return refused('ended') end

-- The same claim again (its answer was lost on the way): the same answer.
local again = get(id, field(k, u.stage .. '.owner')) == A.owner and number(id, field(k, u.stage .. '.attempt')) == u.attempt

local waiting
if given(k) then waiting = get(id, field(k, 'state')) else waiting = state end
if not again then
  if given(k) and waiting == RUNS_AS[u.stage] or get(id, field(k, u.stage .. '.owner')) then return refused('busy') end
  if waiting ~= WAITS_AS[u.stage] then return refused('stale') end
  if number(id, field(k, u.stage .. '.attempt')) + 1 ~= u.attempt then return refused('stale') end
end

if u.stage == 'prove' and not again then
  if given(A.circuits) then
    local circuit, able = get(id, 'circuitId'), false
    for _, name in ipairs(A.circuits) do able = able or name == circuit end
    if not able then return refused('circuit', true) end
  end
  -- A worker that failed this partition stands back while another one that can prove it is alive.
  local excluded = cjson.decode(get(id, field(k, 'excluded')) or '{}')
  if (excluded[A.worker] or 0) > NOW then
    local circuit = get(id, 'circuitId')
    for _, owner in ipairs(redis.call('ZRANGEBYSCORE', key('presence'), NOW - A.silentMs, '+inf')) do
      local facts = cjson.decode(redis.call('HGET', key('presence', owner), 'facts') or '{}')
      local name = redis.call('HGET', key('presence', owner), 'name')
      if facts.role == 'gpu-worker' and name ~= A.worker and (excluded[name] or 0) <= NOW then
        for _, ready in ipairs(type(facts.circuits) == 'table' and facts.circuits or {}) do
          if ready == circuit then return refused('excluded', true) end
        end
      end
    end
  end
end

local waited = 0
if not again then
  waited = NOW - number(id, field(k, 'at.' .. WAITS_AS[u.stage]))
  set(id,
    field(k, u.stage .. '.attempt'), u.attempt,
    field(k, u.stage .. '.owner'), A.owner,
    field(k, u.stage .. '.claimedAt'), NOW)
  if given(k) then
    set_partition_state(id, k, RUNS_AS[u.stage], { attempt = u.attempt, worker = A.worker })
    if state == 'queued' then set_run_state(id, 'running') end
  else
    event(id, 'claimed', { stage = u.stage, attempt = u.attempt, worker = A.worker })
  end
end

local function artifact(name) return cjson.decode(get(id, name) or 'null') end
local claim = {
  stage = u.stage,
  fence = { proofId = id, run = u.run, stage = u.stage, partition = k, attempt = u.attempt, owner = A.owner },
  jobPriority = job_priority(id),
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
  for i = 0, partitions(id) - 1 do
    claim.partitions[i + 1] = { partition = i, proofHex = get(id, field(i, 'proof')), prover = get(id, field(i, 'prover')) }
  end
end
return answer(claim)
