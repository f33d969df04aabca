-- Releases the first waiting partition together with its hand-off permit, in one step. The first in order is
-- never overtaken: when it does not fit, nobody goes.
while true do
  local first = redis.call('ZRANGE', key('pending'), 0, 0)[1]
  if not first then return answer({ outcome = 'idle' }) end
  local id, index = string.match(first, '^%d+:%d+:%d+:(.+):(%d+)$')
  local k = tonumber(index)
  local state = get(id, 'state')
  if (state == 'queued' or state == 'running') and get(id, field(k, 'state')) == 'pending' then
    if redis.call('HLEN', key('pool', 'handoff', 'bytes')) >= A.window then
      return answer({ outcome = 'window', proofId = id, partition = k })
    end
    if not pool_take('handoff', handoff_lease(id, k), number(id, 'witnessBytes'), A.capBytes, 0, id) then
      return answer({ outcome = 'denied', proofId = id, partition = k, status = pool_status('handoff') })
    end
    leave_pending(id, k)
    set_partition_state(id, k, 'queued')
    return answer({ outcome = 'dispatched', next = unit(id, 'synthesize', k) })
  end
  redis.call('ZREM', key('pending'), first)
  if state then unset(id, field(k, 'pending')) end
end
