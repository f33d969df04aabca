-- Put before every script, after record.lua: permits. A pool: `bytes` (lease → bytes), `holders` (lease → who), `expiry`
-- (lease → ms, only for leases that need renewal) and `meta` (used, cap, counters).

local function pool_drop(pool, lease)
  local bytes = redis.call('HGET', key('pool', pool, 'bytes'), lease)
  if not bytes then return false end
  redis.call('HDEL', key('pool', pool, 'bytes'), lease)
  redis.call('HDEL', key('pool', pool, 'holders'), lease)
  redis.call('ZREM', key('pool', pool, 'expiry'), lease)
  redis.call('HINCRBY', key('pool', pool, 'meta'), 'used', -tonumber(bytes))
  if pool == 'handoff' then dispatchable = true end
  return true
end

local reaped = {}
local function pool_reap(pool)
  if reaped[pool] then return 0 end -- Time stands still while a script runs.
  reaped[pool] = true
  local dead = redis.call('ZRANGEBYSCORE', key('pool', pool, 'expiry'), '-inf', NOW)
  for _, lease in ipairs(dead) do
    if pool_drop(pool, lease) then redis.call('HINCRBY', key('pool', pool, 'meta'), 'reaped', 1) end
  end
  return #dead
end

local function pool_meta(pool, name) return tonumber(redis.call('HGET', key('pool', pool, 'meta'), name) or nil) or 0 end

-- What a denied caller is told: how full the pool is and who fills it.
local function pool_status(pool)
  local holders, place = {}, {}
  local all = redis.call('HGETALL', key('pool', pool, 'holders'))
  local bytes = {}
  local leased = redis.call('HGETALL', key('pool', pool, 'bytes'))
  for i = 1, #leased, 2 do bytes[leased[i]] = tonumber(leased[i + 1]) end
  for i = 1, #all, 2 do
    local name = all[i + 1]
    local holder = place[name]
    if not holder then
      holder = { holder = name, bytes = 0, leases = 0 }
      place[name] = holder
      holders[#holders + 1] = holder
    end
    holder.bytes = holder.bytes + (bytes[all[i]] or 0)
    holder.leases = holder.leases + 1
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

-- A lease for bytes that are there already: granted whatever the cap says, so that nothing new is until it fits.
local function pool_force(pool, lease, bytes, holder)
  if redis.call('HEXISTS', key('pool', pool, 'bytes'), lease) == 1 then return end
  redis.call('HSET', key('pool', pool, 'bytes'), lease, bytes)
  redis.call('HSET', key('pool', pool, 'holders'), lease, holder)
  redis.call('HINCRBY', key('pool', pool, 'meta'), 'used', bytes)
  redis.call('HINCRBY', key('pool', pool, 'meta'), 'granted', 1)
end

local function handoff_lease(id, k) return id .. '.r' .. number(id, 'run') .. '.' .. k end
