-- An attempt failed. It is repeated while failures of this stage are few and the reason may pass; else the run ends.
local f, id, k = A.fence, A.fence.proofId, A.fence.partition
local reason = check(f)
if reason then return refuse(reason) end

-- A device that may be broken takes no more until its self-test has passed.
if f.stage == 'prove' and A.suspect then suspect(A.worker, A.problem.code) end
if is_copy(f) then
  -- The first attempt goes on; what happened is kept.
  drop_copy(id, k)
  exclude(id, k, A.worker, A.excludeMs)
  problem_event(id, f.stage, k, A.problem)
  return accept()
end

local failures = count_up(id, field(k, f.stage .. '.failures'))
if given(k) then set(id, field(k, 'problem'), cjson.encode(A.problem)) end
problem_event(id, f.stage, k, A.problem)

if f.stage == 'prove' and A.retryable and get(id, field(k, 'copy.owner')) then
  exclude(id, k, A.worker, A.excludeMs)
  promote_copy(id, k)
  return accept()
end
if not A.retryable or failures >= A.maxFailures then
  drop_owner(id, f.stage, k)
  set(id, 'problem', cjson.encode(A.problem))
  if given(k) then set_partition_state(id, k, 'failed', { problem = A.problem }) end
  end_run(id, 'failed', { problem = A.problem })
  return accept()
end

exclude(id, k, A.worker, A.excludeMs)
if f.stage == 'prove' and A.remake then
  -- The witness is damaged or gone: it is made again, under its permit if that is still held.
  drop_owner(id, 'prove', k)
  unset(id, field(k, 'witness'))
  if redis.call('HEXISTS', key('pool', 'handoff', 'bytes'), handoff_lease(id, k)) == 1 then
    set_partition_state(id, k, 'queued', { problem = A.problem })
    return accept({ unit(id, 'synthesize', k) })
  end
  set_partition_state(id, k, 'pending', { problem = A.problem })
  enter_pending(id, k)
  return accept()
end
return accept({ wait_again(id, f.stage, k, { failures = failures }) })
