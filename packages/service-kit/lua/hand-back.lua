-- The owner stops without having failed (drain): the unit waits again and no failure is counted.
local f = A.fence
local reason = check(f)
if reason then return refuse(reason) end
return accept({ wait_again(f.proofId, f.stage, f.partition, { handedBack = A.reason }) })
