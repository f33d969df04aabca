-- Put before every script. KEYS[1] is the hash tag that all keys begin with, ARGV[1] the arguments as JSON.
-- Redis TIME is the only clock; a record changes only here, together with its events, indexes and permits.
local A = cjson.decode(ARGV[1])
local T = redis.call('TIME')
local NOW = tonumber(T[1]) * 1000 + math.floor(tonumber(T[2]) / 1000)

local EVENTS_KEPT = 2000
local LIVE = { received = true, queued = true, running = true, finalizing = true }
local STAGES_OF_PARTITION = { 'synthesize', 'prove' }
-- Where a unit goes when its owner gives it back.
local WAITS_AS = { ingest = 'received', synthesize = 'queued', prove = 'synthesized', finalize = 'finalizing' }
local RUNS_AS = { synthesize = 'synthesizing', prove = 'proving' }

local function key(a, b, c)
  local name = KEYS[1] .. ':' .. a
  if b then name = name .. ':' .. b end
  if c then name = name .. ':' .. c end
  return name
end

local function given(value) return value ~= nil and value ~= cjson.null end
local function answer(value) return cjson.encode(value) end

-- Record ---------------------------------------------------------------------------------------------

local function get(id, field) return redis.call('HGET', key('proof', id), field) end
local function number(id, field) return tonumber(get(id, field) or nil) or 0 end
local function set(id, ...) redis.call('HSET', key('proof', id), 'updatedAt', NOW, ...) end
local function unset(id, ...) redis.call('HDEL', key('proof', id), ...) end

-- Field of a partition, or of the whole proof when there is none.
local function field(partition, name)
  if given(partition) then return 'p' .. partition .. '.' .. name end
  return name
end

local function event(id, type, data)
  data.type = type
  redis.call('XADD', key('events', id), 'MAXLEN', '~', EVENTS_KEPT, '*', 'at', NOW, 'type', type, 'data', cjson.encode(data))
  redis.call('PUBLISH', key('notify'), id)
end

local function set_run_state(id, state, data)
  set(id, 'state', state, 'at.' .. state, NOW)
  data = data or {}
  data.state = state
  event(id, 'state', data)
end

local function set_partition_state(id, k, state, data)
  set(id, field(k, 'state'), state, field(k, 'at.' .. state), NOW)
  data = data or {}
  data.partition = k
  data.state = state
  event(id, 'partition', data)
end

-- BullMQ priority of a proof's jobs (1 … 2^21 − 1, lower first): the class, then the order of arrival.
local function job_priority(id)
  return number(id, 'priority') * 131072 + number(id, 'sequence') % 131072 + 1
end

-- As written by service-kit's jobIdOf.
local function job_id(id, stage, k, attempt)
  local part = ''
  if given(k) then part = string.format('.%02d', k) end
  return id .. '.r' .. number(id, 'run') .. '.' .. stage .. part .. '.a' .. attempt
end

local function unit(id, stage, k)
  return {
    proofId = id,
    run = number(id, 'run'),
    stage = stage,
    partition = given(k) and k or cjson.null,
    attempt = number(id, field(k, stage .. '.attempt')) + 1,
    jobPriority = job_priority(id),
  }
end

-- Permits --------------------------------------------------------------------------------------------
-- A pool: `bytes` (lease → bytes), `holders` (lease → who), `expiry` (lease → ms, only for leases that need
-- renewal) and `meta` (used, cap, counters).

local function pool_drop(pool, lease)
  local bytes = redis.call('HGET', key('pool', pool, 'bytes'), lease)
  if not bytes then return false end
  redis.call('HDEL', key('pool', pool, 'bytes'), lease)
  redis.call('HDEL', key('pool', pool, 'holders'), lease)
  redis.call('ZREM', key('pool', pool, 'expiry'), lease)
  redis.call('HINCRBY', key('pool', pool, 'meta'), 'used', -tonumber(bytes))
  return true
end

local function pool_reap(pool)
  local dead = redis.call('ZRANGEBYSCORE', key('pool', pool, 'expiry'), '-inf', NOW)
  for _, lease in ipairs(dead) do
    if pool_drop(pool, lease) then redis.call('HINCRBY', key('pool', pool, 'meta'), 'reaped', 1) end
  end
  return #dead
end

local function pool_meta(pool, name) return tonumber(redis.call('HGET', key('pool', pool, 'meta'), name) or nil) or 0 end

-- What a denied caller is told: how full the pool is and who fills it.
local function pool_status(pool)
  local holders = {}
  local all = redis.call('HGETALL', key('pool', pool, 'holders'))
  for i = 1, #all, 2 do
    local bytes = tonumber(redis.call('HGET', key('pool', pool, 'bytes'), all[i]) or nil) or 0
    local seen = false
    for _, holder in ipairs(holders) do
      if holder.holder == all[i + 1] then
        holder.bytes = holder.bytes + bytes
        holder.leases = holder.leases + 1
        seen = true
      end
    end
    if not seen then holders[#holders + 1] = { holder = all[i + 1], bytes = bytes, leases = 1 } end
  end
  return {
    pool = pool,
    usedBytes = pool_meta(pool, 'used'),
    capBytes = pool_meta(pool, 'cap'),
    leases = redis.call('HLEN', key('pool', pool, 'bytes')),
    granted = pool_meta(pool, 'granted'),
    denied = pool_meta(pool, 'denied'),
    reaped = pool_meta(pool, 'reaped'),
    holders = holders,
  }
end

-- Grants when the bytes fit, or when the pool is empty: a request above the cap alone must not wait for ever.
-- Asking again with a lease that is held renews it. ttl 0: the lease lives until it is dropped.
local function pool_take(pool, lease, bytes, cap, ttl, holder)
  pool_reap(pool)
  local meta = key('pool', pool, 'meta')
  redis.call('HSET', meta, 'cap', cap)
  if redis.call('HEXISTS', key('pool', pool, 'bytes'), lease) == 0 then
    local used = pool_meta(pool, 'used')
    if used > 0 and used + bytes > cap then
      redis.call('HINCRBY', meta, 'denied', 1)
      return false
    end
    redis.call('HSET', key('pool', pool, 'bytes'), lease, bytes)
    redis.call('HSET', key('pool', pool, 'holders'), lease, holder)
    redis.call('HINCRBY', meta, 'used', bytes)
    redis.call('HINCRBY', meta, 'granted', 1)
  end
  if ttl > 0 then redis.call('ZADD', key('pool', pool, 'expiry'), NOW + ttl, lease) end
  return true
end

local function handoff_lease(id, k) return id .. '.r' .. number(id, 'run') .. '.' .. k end

-- How long the last units of a stage took for this circuit: what the autoscale signal counts with.
local DURATIONS_KEPT = 200

local function keep_duration(id, stage, k)
  local circuit, since = get(id, 'circuitId'), number(id, field(k, stage .. '.claimedAt'))
  if not circuit or since == 0 then return end
  local list = key('durations', stage, circuit)
  redis.call('LPUSH', list, NOW - since)
  redis.call('LTRIM', list, 0, DURATIONS_KEPT - 1)
end

-- Waiting for dispatch -------------------------------------------------------------------------------

local function enter_pending(id, k)
  local deadline = number(id, 'deadlineAt')
  if deadline == 0 then deadline = 9999999999999 end
  local member = string.format('%02d:%013.0f:%013.0f:%s:%03d', number(id, 'priority'), deadline, number(id, 'sequence'), id, k)
  set(id, field(k, 'pending'), member)
  redis.call('ZADD', key('pending'), 0, member)
end

local function leave_pending(id, k)
  local member = get(id, field(k, 'pending'))
  if member then
    redis.call('ZREM', key('pending'), member)
    unset(id, field(k, 'pending'))
  end
end

-- End of a run ---------------------------------------------------------------------------------------

local function partitions(id) return number(id, 'partitions') end

-- The one place where a run ends. The caller has checked that it has not ended before.
local function end_run(id, state, data)
  for k = 0, partitions(id) - 1 do
    leave_pending(id, k)
    pool_drop('handoff', handoff_lease(id, k))
    for _, stage in ipairs(STAGES_OF_PARTITION) do unset(id, field(k, stage .. '.owner')) end
    local now = get(id, field(k, 'state'))
    if now ~= 'proved' and now ~= 'failed' and now ~= 'cancelled' then
      set_partition_state(id, k, 'cancelled')
    end
  end
  redis.call('ZREM', key('live'), id)
  redis.call('ZADD', key('ended'), NOW, id)
  redis.call('HINCRBY', key('ended-counts'), state, 1)
  set(id, 'endedAt', NOW)
  if state ~= 'succeeded' then
    local content = key('content', get(id, 'contentKey'))
    if redis.call('GET', content) == id then redis.call('DEL', content) end
    redis.call('PUBLISH', key('stop'), id)
  end
  set_run_state(id, state, data)
end

-- True while somebody holds a unit of this proof.
local function has_owner(id)
  if get(id, 'ingest.owner') or get(id, 'finalize.owner') then return true end
  for k = 0, partitions(id) - 1 do
    for _, stage in ipairs(STAGES_OF_PARTITION) do
      if get(id, field(k, stage .. '.owner')) then return true end
    end
  end
  return false
end

-- Fences ---------------------------------------------------------------------------------------------

-- nil when the fence still fits, else why not.
local function misfit(fence)
  local id = fence.proofId
  local state = get(id, 'state')
  if not state then return 'gone' end
  if number(id, 'run') ~= fence.run then return 'stale' end
  if not LIVE[state] and state ~= 'cancelling' then return 'ended' end
  if get(id, field(fence.partition, fence.stage .. '.owner')) ~= fence.owner then return 'stale' end
  if number(id, field(fence.partition, fence.stage .. '.attempt')) ~= fence.attempt then return 'stale' end
  if state == 'cancelling' then return 'cancelled' end
  return nil
end

local function drop_owner(id, stage, k)
  unset(id, field(k, stage .. '.owner'))
end

local function refuse(reason) return answer({ accepted = false, reason = reason, next = {} }) end
local function accept(units) return answer({ accepted = true, reason = cjson.null, next = units or {} }) end

-- The owner of a unit of a cancelling run has let go; the last one ends the run.
local function settle_cancel(fence)
  local id = fence.proofId
  drop_owner(id, fence.stage, fence.partition)
  if given(fence.partition) then
    pool_drop('handoff', handoff_lease(id, fence.partition))
    set_partition_state(id, fence.partition, 'cancelled')
  end
  if not has_owner(id) then end_run(id, get(id, 'ending')) end
end

-- Opens a fenced change: nil when it may go on, else the reason why nothing was changed. In a cancelling run
-- the owner that shows up here has let go.
local function check(fence)
  local reason = misfit(fence)
  if reason == 'cancelled' then settle_cancel(fence) end
  return reason
end

-- Puts a unit back where its next claim finds it.
local function wait_again(id, stage, k, data)
  drop_owner(id, stage, k)
  if given(k) then
    set_partition_state(id, k, WAITS_AS[stage], data)
  else
    data = data or {}
    data.stage = stage
    event(id, 'waiting', data)
  end
  return unit(id, stage, k)
end

local function problem_event(id, stage, k, problem)
  local data = { stage = stage, problem = problem }
  if given(k) then data.partition = k end
  event(id, 'problem', data)
end
