-- Drops hand-off permits whose partition no longer needs one. By construction there are none; this is the proof.
local dropped = 0
for _, lease in ipairs(redis.call('HKEYS', key('pool', 'handoff', 'bytes'))) do
  local id, run, index = string.match(lease, '^(.+)%.r(%d+)%.(%d+)$')
  local k = tonumber(index)
  local state = id and get(id, field(k, 'state'))
  local needed = state == 'queued' or state == 'synthesizing' or state == 'synthesized' or state == 'proving'
  if not needed or number(id, 'run') ~= tonumber(run) or get(id, 'endedAt') then
    if pool_drop('handoff', lease) then
      dropped = dropped + 1
      redis.call('HINCRBY', key('pool', 'handoff', 'meta'), 'reaped', 1)
    end
  end
end
return answer({ dropped = dropped })
