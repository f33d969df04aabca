-- Finalize found partition proofs that do not verify: those alone go back, away from the workers that made them.
local f, id = A.fence, A.fence.proofId
local reason = check(f)
if reason then return refuse(reason) end
drop_owner(id, 'finalize')
for _, bad in ipairs(A.partitions) do
  local failures = count_up(id, field(bad, 'prove.failures'))
  local prover = get(id, field(bad, 'prover'))
  problem_event(id, 'finalize', bad, A.problem)
  if prover then
    exclude(id, bad, prover, A.excludeMs)
    suspect(prover, A.problem.code)
  end
  if failures >= A.maxFailures then
    set(id, 'problem', cjson.encode(A.problem), field(bad, 'problem'), cjson.encode(A.problem))
    set_partition_state(id, bad, 'failed', { problem = A.problem })
    end_run(id, 'failed', { problem = A.problem })
    return accept()
  end
  set(id, field(bad, 'problem'), cjson.encode(A.problem))
  unset(id, field(bad, 'proof'), field(bad, 'prover'), field(bad, 'witness'))
  set_partition_state(id, bad, 'pending', { problem = A.problem })
  enter_pending(id, bad)
end
set_run_state(id, 'running', { rejected = A.partitions })
return accept()
