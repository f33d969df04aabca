-- A verified partition proof. The last one opens the finalize stage; before the verdict of ingest, that does.
local f, id, k = A.fence, A.fence.proofId, A.fence.partition
fetch_unit(id, f.stage, k, 'parameters', 'circuitId', field(k, 'prove.claimedAt'), field(k, 'phases'),
  field(k, 'copy.attempt'), field(k, 'copy.claimedAt'))
local reason = check(f)
if reason then return refuse(reason) end

local before = get(id, 'parameters')
if before and before ~= A.parameters then
  -- Two kinds of parameters in one proof can only be a fleet in the middle of a change: the worse one holds.
  local simulated = before == 'simulated' or A.parameters == 'simulated'
  set(id, 'parameters', simulated and 'simulated' or 'insecure-development')
elseif not before then
  set(id, 'parameters', A.parameters)
end
-- Two worked on it: the other one's result will not fit any more, and it is told to stop.
local copy = is_copy(f)
if get(id, field(k, 'copy.owner')) then
  local loser = get(id, field(k, copy and 'prove.attempt' or 'copy.attempt'))
  redis.call('PUBLISH', key('stop'), job_id(id, 'prove', k, loser))
end
if not copy then keep_duration(id, 'prove', k) end
drop_owner(id, 'prove', k)
drop_copy(id, k)
pool_drop('handoff', handoff_lease(id, k))
local phases = cjson.decode(get(id, field(k, 'phases')) or '[]')
local kept = {}
for _, phase in ipairs(phases) do kept[#kept + 1] = phase end
for _, phase in ipairs(A.phases) do kept[#kept + 1] = phase end
set(id, field(k, 'proof'), A.proofHex, field(k, 'prover'), A.worker, field(k, 'phases'), cjson.encode(kept))
set_partition_state(id, k, 'proved', { attempt = f.attempt, worker = A.worker })

for _, row in ipairs(each_partition(id, 'state')) do
  if row[1] ~= 'proved' then return accept() end
end
if get(id, 'state') == 'received' then return accept() end
set_run_state(id, 'finalizing')
return accept({ unit(id, 'finalize') })
