-- The owner stops without having failed (drain): the unit waits again and no failure is counted.
local f = A.fence
local reason = check(f)
if reason then return refuse(reason) end
if is_copy(f) then
  drop_copy(f.proofId, f.partition)
  return accept()
end
if f.stage == 'prove' and promote_copy(f.proofId, f.partition) then return accept() end
return accept({ wait_again(f.proofId, f.stage, f.partition, { handedBack = A.reason }) })
