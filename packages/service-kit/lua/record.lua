-- Put before every script, before common.lua. KEYS[1] is the hash tag that all keys begin with, ARGV[1] the arguments
-- as JSON. Redis TIME is the only clock; a record changes only in scripts, together with its events, indexes and permits.
local A = cjson.decode(ARGV[1])
local T = redis.call('TIME')
local NOW = tonumber(T[1]) * 1000 + math.floor(tonumber(T[2]) / 1000)

local EVENTS_KEPT = 2000

local function key(a, b, c)
  local name = KEYS[1] .. ':' .. a
  if b then name = name .. ':' .. b end
  if c then name = name .. ':' .. c end
  return name
end

local function given(value) return value ~= nil and value ~= cjson.null end

-- Field of a partition, or of the whole proof when there is none.
local function field(partition, name)
  if given(partition) then return 'p' .. partition .. '.' .. name end
  return name
end

-- Records as this call sees them: a field is read once, `fetch` reads several at once, and `answer` writes what was
-- changed with one command a record. A call of Redis from here costs as much as ten lines of Lua.
local seen, changed, told = {}, {}, {}
-- A permit came free, or a partition came to wait for one.
local dispatchable = false

local function known_of(id)
  local known = seen[id]
  if not known then
    known = {}
    seen[id] = known
  end
  return known
end

-- Reads these fields of a record that have not been read yet, in one step.
local function fetch(id, ...)
  local known, wanted = known_of(id), {}
  for _, name in ipairs({ ... }) do
    if known[name] == nil then wanted[#wanted + 1] = name end
  end
  if #wanted == 0 then return end
  local values = redis.call('HMGET', key('proof', id), unpack(wanted))
  for i, name in ipairs(wanted) do known[name] = values[i] end
end

-- A field as text, false where there is none.
local function get(id, name)
  local known = known_of(id)
  if known[name] == nil then known[name] = redis.call('HGET', key('proof', id), name) end
  return known[name]
end

local function number(id, name) return tonumber(get(id, name) or nil) or 0 end

local function put(id, name, value)
  -- As Redis writes numbers: tostring would round a time.
  known_of(id)[name] = type(value) == 'number' and string.format('%.17g', value) or value
  if not changed[id] then changed[id] = {} end
  changed[id][name] = true
end

local function set(id, ...)
  local pairs_of = { ... }
  for i = 1, #pairs_of, 2 do put(id, pairs_of[i], pairs_of[i + 1]) end
  put(id, 'updatedAt', NOW)
end

local function unset(id, ...)
  for _, name in ipairs({ ... }) do
    if known_of(id)[name] ~= false then put(id, name, false) end
  end
end

-- Adds 1 to a field and returns the sum.
local function count_up(id, name)
  local sum = number(id, name) + 1
  set(id, name, sum)
  return sum
end

local function event(id, type, data)
  data.type = type
  redis.call('XADD', key('events', id), 'MAXLEN', '~', EVENTS_KEPT, '*', 'at', NOW, 'type', type, 'data', cjson.encode(data))
  told[id] = true
end

local function write(id, names)
  local known, kept, gone = known_of(id), {}, {}
  for name in pairs(names) do
    if known[name] then
      kept[#kept + 1] = name
      kept[#kept + 1] = known[name]
    else
      gone[#gone + 1] = name
    end
  end
  if #gone > 0 then redis.call('HDEL', key('proof', id), unpack(gone)) end
  if #kept > 0 then redis.call('HSET', key('proof', id), unpack(kept)) end
end

-- The end of every script: writes what was changed, tells those who listen, and gives the answer.
local function answer(value)
  for id, names in pairs(changed) do write(id, names) end
  for id in pairs(told) do redis.call('PUBLISH', key('notify'), id) end
  if dispatchable and redis.call('EXISTS', key('pending')) == 1 then redis.call('PUBLISH', key('dispatchable'), '') end
  return cjson.encode(value)
end
