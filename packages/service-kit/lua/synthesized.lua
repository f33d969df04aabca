-- A witness is in the artifact store: the partition waits for a GPU.
local f, id, k = A.fence, A.fence.proofId, A.fence.partition
fetch_unit(id, f.stage, k, 'priority', 'circuitId', field(k, 'rank'), field(k, 'synthesize.claimedAt'),
  field(k, 'prove.attempt'), field(k, 'prove.last'))
if LIVE[get(id, 'state')] and number(id, 'run') == f.run and is_kept(get(id, field(k, 'witness')), A.witness) then
  return accept(get(id, field(k, 'state')) == 'synthesized' and { unit(id, 'prove', k) } or {})
end
local reason = check(f)
if reason then return refuse(reason) end
drop_owner(id, 'synthesize', k)
keep_duration(id, 'synthesize', k)
set(id, field(k, 'witness'), cjson.encode(A.witness), field(k, 'phases'), cjson.encode(A.phases))
set_partition_state(id, k, 'synthesized', { bytes = A.witness.bytes })
return accept({ unit(id, 'prove', k) })
