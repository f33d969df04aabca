-- The device has the witness: the permit goes back while proving goes on.
local f = A.fence
local reason = misfit(f)
if reason then return refuse(reason) end
if pool_drop('handoff', handoff_lease(f.proofId, f.partition)) then
  event(f.proofId, 'uploaded', { partition = f.partition })
end
return accept()
