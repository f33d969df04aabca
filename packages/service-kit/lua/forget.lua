-- Removes an ended record, its events and its place in the indexes.
local id = A.proofId
local state = get(id, 'state')
if not state or LIVE[state] or state == 'cancelling' then return answer({ forgotten = false }) end
forget_content(id)
for k = 0, partitions(id) - 1 do pool_drop('handoff', handoff_lease(id, k)) end
redis.call('DEL', key('proof', id), key('events', id))
redis.call('ZREM', key('proofs'), id)
redis.call('ZREM', key('ended'), id)
return answer({ forgotten = true })
