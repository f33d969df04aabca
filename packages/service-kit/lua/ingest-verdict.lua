-- The answer of ingest. Good: partitions with their inputs, of which some may be on their way already. Bad: the run ends
-- with the reason.
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
for i, input in ipairs(A.inputs) do open_partition(id, i - 1, input) end

local begun, proved = false, true
for _, row in ipairs(each_partition(id, 'state')) do
  begun = begun or (row[1] ~= 'pending' and row[1] ~= 'queued')
  proved = proved and row[1] == 'proved'
end
if begun then set_run_state(id, 'running') end
if not proved then return accept() end
set_run_state(id, 'finalizing')
return accept({ unit(id, 'finalize') })
