-- Asks a live run to stop. Waiting work dies here; the run ends when the last owner has let go.
local id = A.proofId
local state = get(id, 'state')
if not state then return answer({ found = false }) end
if state == 'cancelling' then return answer({ found = true, state = state, changed = false }) end
if not LIVE[state] then return answer({ found = true, state = state, changed = false }) end

set(id, 'ending', A.ending)
if given(A.problem) then set(id, 'problem', cjson.encode(A.problem)) end
set_run_state(id, 'cancelling', { ending = A.ending })
for k = 0, partitions(id) - 1 do
  leave_pending(id, k)
  local now = get(id, field(k, 'state'))
  if now == 'pending' or now == 'queued' or now == 'synthesized' then
    pool_drop('handoff', handoff_lease(id, k))
    set_partition_state(id, k, 'cancelled')
  end
end
redis.call('PUBLISH', key('stop'), id)
if not has_owner(id) then end_run(id, A.ending) end
return answer({ found = true, state = get(id, 'state'), changed = true })
