-- The answer of ingest. Good: partitions with their inputs, ready for dispatch. Bad: the run ends with the reason.
local f, id = A.fence, A.fence.proofId
local reason = check(f)
if reason then return refuse(reason) end

drop_owner(id, 'ingest')
if given(A.problem) then
  set(id, 'problem', cjson.encode(A.problem))
  end_run(id, 'failed', { problem = A.problem })
  return accept()
end

set(id,
  'circuitId', A.circuitId, 'sectorBytes', A.sectorBytes, 'witnessBytes', A.witnessBytes,
  'publicInputs', cjson.encode(A.publicInputs), 'partitions', #A.inputs)
set_run_state(id, 'queued', { partitions = #A.inputs })
for i, input in ipairs(A.inputs) do
  set(id, field(i - 1, 'input'), cjson.encode(input))
  set_partition_state(id, i - 1, 'pending')
  enter_pending(id, i - 1)
end
return accept()
