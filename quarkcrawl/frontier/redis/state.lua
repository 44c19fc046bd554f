-- State of one campaign: totals, seen set, hosts. Part 1 of the frontier script.
--
-- KEYS[1]  prefix of all keys of the campaign, with a hash tag, so that a cluster keeps them together
-- ARGV[1]  time by the caller's clock, or "" for the server's own
-- ARGV[2]  JSON list of operations, each a list that begins with its name
-- ARGV[3]  JSON object of the campaign's rules
-- ARGV[4]  schema version
-- ARGV[5]  id of the worker
--
-- Keys behind the prefix:
--   meta               hash: schema, secret, options, state
--   totals             hash: seen, pending, hosts, hosts_open, arm, buckets, token
--   ended, retried     hashes: reason -> number
--   seen:B             sets of 64-bit keys, small enough to stay integer arrays
--   url                hash: key -> row "host level hops tries not_before token tail"
--   id                 hash: host name -> number;   h:N  hash: the host;   robots  hash: N -> text
--   q:N:L              list of keys that wait at level L;   r:N:L  zset of retried keys by time
--   ready              zset of hosts by the time at which they can give a URL
--   leases             zset: token -> deadline;   lease  hash: token -> what it is a lease of
--   undrained          set of closed hosts with URLs that nobody has listed
--   claim:NAMESPACE    hash: digest -> owner;   workers  hash: worker -> JSON of its last report
--   optout             set of names of hosts that are never asked
-- A tail is JSON made by the client; the script never looks into it.

local P = KEYS[1]
local rules = cjson.decode(ARGV[3])
local WORKER = ARGV[5]
local INF = math.huge
local FILL = 220  -- see seen_add
local ROW_BYTES = 4194304

local function fail(text)
  error('QCDAMAGED ' .. text, 0)
end

-- Numbers from the server's keys: what is none, or could keep a loop going, is damage.
local function whole(text, what)
  local value = tonumber(text)
  if not value or not (value >= 0 and value < 9007199254740992) or value % 1 ~= 0 then fail(what) end
  return value
end

local function finite(text, what)
  local value = tonumber(text)
  if not value or not (value > -1e15 and value < 1e15) then fail(what) end
  return value
end

local clock = redis.call('TIME')
local clock_us = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local NOW = tonumber(ARGV[1]) or clock_us / 1000000

local version = redis.call('HGET', P .. 'meta', 'schema')
if version ~= ARGV[4] then
  return redis.error_reply('QCSCHEMA ' .. tostring(version))
end

-- totals ------------------------------------------------------------------------------------

local totals = {}
for _, name in ipairs({'seen', 'pending', 'hosts', 'hosts_open', 'arm', 'buckets', 'token'}) do
  totals[name] = 0
end
do
  local raw = redis.call('HGETALL', P .. 'totals')
  for at = 1, #raw, 2 do
    if totals[raw[at]] then totals[raw[at]] = whole(raw[at + 1], 'totals') end
  end
  if totals.buckets > totals.seen + 1 then fail('totals') end
end

local before = {}
for name, value in pairs(totals) do before[name] = value end

local function save_totals()
  local flat = {}
  for name, value in pairs(totals) do
    if before[name] ~= value then
      flat[#flat + 1] = name
      flat[#flat + 1] = value
    end
  end
  if #flat > 0 then redis.call('HSET', P .. 'totals', unpack(flat)) end
end

local function count(kind, reason, number)
  if redis.call('HINCRBY', P .. kind, reason, number) == 0 then
    redis.call('HDEL', P .. kind, reason)
  end
end

-- seen set: linear hashing ------------------------------------------------------------------
-- A set of at most 512 integers (the server's default) is an array of 8 bytes an element. The
-- number of buckets grows with the set, one at a time: bucket b parts into b and b + 2^level.
-- A bucket that has not parted yet holds twice as much as one that has: 440 and 220.

local function place(hash, buckets)
  local size = 1
  while size * 2 <= buckets do size = size * 2 end
  local at = hash % size
  if at < buckets - size then at = hash % (size * 2) end
  return at, size
end

local function low32(key)
  local digits, value = key:gsub('^-', ''), 0
  for from = 1, #digits, 6 do
    local chunk = digits:sub(from, from + 5)
    value = (value * 10 ^ #chunk + tonumber(chunk)) % 4294967296
  end
  if key:sub(1, 1) == '-' then value = (4294967296 - value) % 4294967296 end
  return value
end

local function split()
  local _, size = place(0, totals.buckets)
  local from = totals.buckets - size
  local source, target = P .. 'seen:' .. from, P .. 'seen:' .. from + size
  totals.buckets = totals.buckets + 1
  local moved = {}
  for _, key in ipairs(redis.call('SMEMBERS', source)) do
    if low32(key) % (size * 2) ~= from then moved[#moved + 1] = key end
  end
  if #moved > 0 then
    redis.call('SREM', source, unpack(moved))
    redis.call('SADD', target, unpack(moved))
  end
end

local function seen_add(key, hash)
  if totals.buckets == 0 then totals.buckets = 1 end
  if redis.call('SADD', P .. 'seen:' .. place(hash, totals.buckets), key) == 0 then
    return false
  end
  totals.seen = totals.seen + 1
  if totals.seen > FILL * totals.buckets then split() end
  return true
end

-- hosts -------------------------------------------------------------------------------------

local hosts = {}  -- those loaded, by number
local NUMBERS = {d = finite, t = finite, rt = finite, rs = finite, c = whole, p = whole, l = whole,
                 s = whole, f = whole, rr = whole, u = whole, ro = whole, se = whole}
local TEXTS = {name = true, cl = true, w = true, o = true, rm = true}
local HOST_BYTES = 65536

local function parse_levels(text)
  local levels = {}
  for level, number in (text or ''):gmatch('(-?%d+)=(%d+)') do
    levels[finite(level, 'levels')] = whole(number, 'levels')
  end
  return levels
end

local function write_levels(levels)
  local parts = {}
  for level, number in pairs(levels) do parts[#parts + 1] = level .. '=' .. number end
  return table.concat(parts, ' ')
end

-- d delay, c concurrency, t next time, p pending, l leased, s stored, f failures, se settled,
-- rt robots time, rr robots tries, ro robots out, cl closed, u undrained,
-- w levels that wait, o levels out, rm and rs member and score in the ready set
local function load_host(id)
  local host = hosts[id]
  if host then return host end
  local raw = redis.call('HGETALL', P .. 'h:' .. id)
  if #raw == 0 then fail('host ' .. id) end
  host = {id = id, t = 0, p = 0, l = 0, s = 0, f = 0, rr = 0, u = 0, ro = 0, se = 0, rm = ''}
  for at = 1, #raw, 2 do
    local name, value = raw[at], raw[at + 1]
    if #value > HOST_BYTES then fail('host ' .. id) end
    if NUMBERS[name] then
      host[name] = NUMBERS[name](value, 'host ' .. id)
    elseif TEXTS[name] then
      host[name] = value
    end
  end
  if not host.name then fail('host ' .. id) end
  host.w, host.o = parse_levels(host.w), parse_levels(host.o)
  hosts[id] = host
  return host
end

local function host_named(name)
  local id = redis.call('HGET', P .. 'id', name)
  return id and load_host(id) or nil
end

local function add_host(name)
  totals.hosts = totals.hosts + 1
  totals.hosts_open = totals.hosts_open + 1
  local id = string.format('%.0f', totals.hosts)
  redis.call('HSET', P .. 'id', name, id)
  redis.call('HSET', P .. 'h:' .. id, 'name', name)
  return load_host(id)
end

local function save_host(host)
  local flat = {}
  for name, value in pairs(host) do
    if name == 'w' or name == 'o' then value = write_levels(value) end
    if name ~= 'id' and name ~= 'served' and name ~= 'dirty' then
      flat[#flat + 1] = name
      flat[#flat + 1] = value
    end
  end
  redis.call('HSET', P .. 'h:' .. host.id, unpack(flat))
end

local function add_level(levels, level, number)
  local value = (levels[level] or 0) + number
  levels[level] = value ~= 0 and value or nil
end

local function lowest(levels)
  local found = INF
  for level in pairs(levels) do
    if level < found then found = level end
  end
  return found
end
