-- Units that wait in a queue (or should): the reconciler adds their jobs again, which is a no-op for live ones.
local id = A.proofId
local units = {}
local state = get(id, 'state')
if state == 'received' and not get(id, 'ingest.owner') then units[1] = unit(id, 'ingest') end
if state == 'finalizing' and not get(id, 'finalize.owner') then units[1] = unit(id, 'finalize') end
if HANDS_OUT[state] then
  for i, row in ipairs(each_partition(id, 'state')) do
    for _, stage in ipairs(STAGES_OF_PARTITION) do
      if row[1] == WAITS_AS[stage] then units[#units + 1] = unit(id, stage, i - 1) end
    end
  end
end
local deadline = number(id, 'deadlineAt')
return answer({ next = units, expired = deadline > 0 and deadline <= NOW and LIVE[state] == true })
