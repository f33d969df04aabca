-- Releases the next waiting partitions, at most A.most, each together with its hand-off permit, in one step: classes
-- in order, deficit round robin over the tenants of a class, earliest deadline inside a tenant. Who is next is never
-- overtaken: when it does not fit, nobody of its class or below goes.
local CLASSES = 3
local URGENT = 1

-- The first partition in a tenant's line that still waits.
local function first_of(class, tenant)
  while true do
    local member = redis.call('ZRANGE', line_of(class, tenant), 0, 0)[1]
    if not member then return nil end
    local id, index = string.match(member, '^%d+:%d+:(.+):(%d+)$')
    local k = tonumber(index)
    fetch(id, 'state', 'run', 'witnessBytes', 'tenant', 'priority', 'sequence', field(k, 'state'), field(k, 'pending'),
      field(k, 'synthesize.attempt'), field(k, 'synthesize.last'))
    local waits = HANDS_OUT[get(id, 'state')] and get(id, field(k, 'state')) == 'pending'
    if waits and get(id, field(k, 'pending')) == member then
      return { id = id, k = k, bytes = number(id, 'witnessBytes') }
    end
    redis.call('ZREM', line_of(class, tenant), member)
    redis.call('ZREM', key('pending'), class .. ':' .. member)
  end
end

local function weight_of(tenant) return tonumber(redis.call('HGET', key('weights'), tenant) or nil) or 1 end

-- What a turn is worth: the dearest partition at the head of a line, so that every turn releases at least one.
local function quantum(class)
  local dearest = 1
  for _, tenant in ipairs(redis.call('LRANGE', key('round', class), 0, -1)) do
    local first = first_of(class, tenant)
    if first and first.bytes > dearest then dearest = first.bytes end
  end
  return dearest
end

-- Whose turn it is in a class, with what its next partition costs. Asking again gives the same answer until it goes.
local function turn(class)
  local round, deficits = key('round', class), key('deficits', class)
  while true do
    local tenant = redis.call('LINDEX', round, 0)
    if not tenant then return nil end
    local first = first_of(class, tenant)
    if not first then
      redis.call('LPOP', round)
      redis.call('HDEL', deficits, tenant)
      redis.call('HDEL', key('turns'), class)
    else
      local deficit = tonumber(redis.call('HGET', deficits, tenant) or nil) or 0
      if redis.call('HGET', key('turns'), class) ~= tenant then
        deficit = deficit + quantum(class) * weight_of(tenant)
        redis.call('HSET', key('turns'), class, tenant)
        redis.call('HSET', deficits, tenant, deficit)
      end
      if deficit >= first.bytes then return tenant, first, deficit end
      redis.call('LPOP', round)
      redis.call('RPUSH', round, tenant)
      redis.call('HDEL', key('turns'), class)
    end
  end
end

-- Releases one: its unit, or nil and why nothing goes.
local function release()
  for class = 0, CLASSES do
    local tenant, first, deficit = turn(class)
    if tenant then
      local id, k = first.id, first.k
      local urgent = class <= URGENT
      local window = urgent and A.window + A.urgentWindow or A.window
      if redis.call('HLEN', key('pool', 'handoff', 'bytes')) >= window then
        return nil, { outcome = 'window', proofId = id, partition = k }
      end
      local cap = urgent and A.capBytes or A.capBytes - A.urgentBytes
      local granted = pool_take('handoff', handoff_lease(id, k), first.bytes, cap, 0, id)
      redis.call('HSET', key('pool', 'handoff', 'meta'), 'cap', A.capBytes)
      if not granted then
        return nil, { outcome = 'denied', proofId = id, partition = k, status = pool_status('handoff') }
      end
      redis.call('HSET', key('deficits', class), tenant, deficit - first.bytes)
      set(id, field(k, 'rank'), redis.call('INCR', key('dispatched')))
      leave_pending(id, k)
      set_partition_state(id, k, 'queued')
      return unit(id, 'synthesize', k)
    end
  end
  return nil, { outcome = 'idle' }
end

local units = {}
while #units < A.most do
  local released, stopped = release()
  if not released then return answer({ next = units, stopped = stopped }) end
  units[#units + 1] = released
end
return answer({ next = units })
