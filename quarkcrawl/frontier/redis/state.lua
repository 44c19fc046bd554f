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
--   fresh:B, seen:B    sets of 64-bit keys, small enough to stay integer arrays: of URLs that wait in
--                      k and t, and of all other URLs
--   k:N:L, t:N:L       lists side by side: keys and texts (hops if not 0, tail) of URLs that were never
--                      handed out, of level L of host N; but for those without the host's name;
--                      an entry whose key is not in fresh any more counts for nothing
--   url                hash: key -> row "host level hops tries not_before token tail" of the others
--                      that wait or are out
--   id                 hash: host name -> number;   h:N  hash: the host;   robots  hash: N -> text
--   q:N:L              list of keys that wait again at level L;   r:N:L  zset of retried keys by time
--   ready              zset of hosts by the time at which they can give a URL
--   d:DOMAIN           the same of the hosts of one domain, by their own times: only the first is in ready
--   a:ADDRESS          zset of requests out: token -> when it is held to be over
--   addresses          hash: address -> "next-turn mean-seconds", once somebody was refused
--   domains            hash: domain -> "next-time requests-out member of ready"
--   leases             zset: token -> deadline;   lease  hash: token -> what it is a lease of
--   undrained          set of closed hosts with URLs that nobody has listed
--   claims:B           hashes: 64-bit key of a digest -> 32 bits of its owner's, small enough to
--                      stay arrays;   claim:NAMESPACE  hash: digest -> owner, of schema 1
--   workers            hash: worker -> JSON of its last report
--   share              hash of one of several servers: pages granted to it, given back, spent
--   grants             hash of the first of several: gK granted to server K, rK given back by it
--   optout             set of names of hosts that are never asked
--   groups             hash: job of a worker -> "run number" of the group of endings that counts last
--   marks              set of what jobs did besides, but once: marks of their groups
-- A tail is a URL's text made by the client; the script only compares its beginning.

local P = KEYS[1]
local rules = cjson.decode(ARGV[3])
local WORKER = ARGV[5]
local INF = math.huge
local FILL = 220  -- see note_seen
local CLAIM_FILL = 50
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
local NOW = tonumber(ARGV[1])

local meta = redis.call('HMGET', P .. 'meta', 'schema', 'skew', 'clock')
if meta[1] ~= ARGV[4] then
  return redis.error_reply('QCSCHEMA ' .. tostring(meta[1]))
end

-- The campaign's time goes on evenly though the server's clock is set: what it jumps by is added to
-- skew. Workers call every second, so a step forth of a minute to two hours is none that passed; a
-- longer one is a campaign that rested. Scripts know no clock that cannot be set.
if not NOW then
  local skew, last = finite(meta[2] or 0, 'skew'), finite(meta[3] or 0, 'clock')
  NOW = clock_us / 1000000 + skew
  local step = NOW - last
  if last > 0 and (step < -0.001 or (step > 60 and step < 7500)) then
    skew, NOW = skew - step, last
    redis.call('HSET', P .. 'meta', 'skew', string.format('%.6f', skew))
  end
  if NOW - last > 0.5 then redis.call('HSET', P .. 'meta', 'clock', string.format('%.6f', NOW)) end
end

-- totals ------------------------------------------------------------------------------------

local totals = {}
for _, name in ipairs({'seen', 'pending', 'hosts', 'hosts_open', 'arm', 'buckets', 'token', 'claims',
                       'claim_buckets'}) do
  totals[name] = 0
end
do
  local raw = redis.call('HGETALL', P .. 'totals')
  for at = 1, #raw, 2 do
    if totals[raw[at]] then totals[raw[at]] = whole(raw[at + 1], 'totals') end
  end
  if totals.buckets > totals.seen + 1 then fail('totals') end
  if totals.claim_buckets > totals.claims + 1 then fail('totals') end
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

-- seen sets: linear hashing -----------------------------------------------------------------
-- A set of at most 512 integers (the server's default) is an array of 8 bytes an element. The
-- number of buckets grows with the set, one at a time: bucket b parts into b and b + 2^level.
-- A bucket that has not parted yet holds twice as much as one that has: 440 and 220.

local sizes = {}  -- number of buckets -> the power of two below it

local function place(hash, buckets)
  local size = sizes[buckets]
  if not size then
    size = 1
    while size * 2 <= buckets do size = size * 2 end
    sizes[buckets] = size
  end
  local at = hash % size
  if at < buckets - size then at = hash % (size * 2) end
  return at, size
end

-- Of a signed 64-bit number in decimal, in two steps that a double holds exactly.
local function low32(key)
  local negative = key:byte(1) == 45
  local digits, value = negative and key:sub(2) or key, nil
  if #digits <= 15 then
    value = (tonumber(digits) or fail('a key')) % 4294967296
  else
    local high, low = tonumber(digits:sub(1, -7)), tonumber(digits:sub(-6))
    if not high or not low or #digits > 19 then fail('a key') end
    value = (high % 4294967296 * 1000000 + low) % 4294967296
  end
  if negative then value = (4294967296 - value) % 4294967296 end
  return value
end

-- The bucket that parts next when there are so many, and the distance to its new half.
local function parting(buckets)
  local _, size = place(0, buckets)
  return buckets - size, size
end

local function part_set(name, from, size)
  local source, moved = P .. name .. ':' .. from, {}
  for _, key in ipairs(redis.call('SMEMBERS', source)) do
    if low32(key) % (size * 2) ~= from then moved[#moved + 1] = key end
  end
  if #moved > 0 then
    redis.call('SREM', source, unpack(moved))
    redis.call('SADD', P .. name .. ':' .. from + size, unpack(moved))
  end
end

local function bucket_of(name, hash) return P .. name .. ':' .. place(hash, totals.buckets) end

-- Note a key among those that wait ('fresh') or the others ('seen'); false if it is known.
local function note_seen(name, key, hash)
  if totals.buckets == 0 then totals.buckets = 1 end
  local other, bucket = name == 'seen' and 'fresh:' or 'seen:', place(hash, totals.buckets)
  if redis.call('SISMEMBER', P .. other .. bucket, key) == 1 then return false end
  if redis.call('SADD', P .. name .. ':' .. bucket, key) == 0 then return false end
  totals.seen = totals.seen + 1
  if totals.seen > FILL * totals.buckets then
    local from, size = parting(totals.buckets)
    totals.buckets = totals.buckets + 1
    part_set('seen', from, size)
    part_set('fresh', from, size)
  end
  return true
end

local function is_fresh(key)
  return totals.buckets > 0 and redis.call('SISMEMBER', bucket_of('fresh', low32(key)), key) == 1
end

local function no_longer_fresh(key)
  local hash = low32(key)
  redis.call('SMOVE', bucket_of('fresh', hash), bucket_of('seen', hash), key)
end

-- claims: the same, with a value -----------------------------------------------------------------

local function claims_at(bucket) return P .. 'claims:' .. bucket end

local function part_claims()
  local from, size = parting(totals.claim_buckets)
  totals.claim_buckets = totals.claim_buckets + 1
  local all, moved, gone = redis.call('HGETALL', claims_at(from)), {}, {}
  for at = 1, #all, 2 do
    if low32(all[at]) % (size * 2) ~= from then
      gone[#gone + 1] = all[at]
      moved[#moved + 1], moved[#moved + 2] = all[at], all[at + 1]
    end
  end
  if #gone > 0 then
    redis.call('HDEL', claims_at(from), unpack(gone))
    redis.call('HSET', claims_at(from + size), unpack(moved))
  end
end

-- The mark of whoever claimed the key first.
local function claim_key(key, hash, mark)
  if totals.claim_buckets == 0 then totals.claim_buckets = 1 end
  local bucket = claims_at(place(hash, totals.claim_buckets))
  if redis.call('HSETNX', bucket, key, mark) == 0 then return redis.call('HGET', bucket, key) end
  totals.claims = totals.claims + 1
  if totals.claims > CLAIM_FILL * totals.claim_buckets then part_claims() end
  return mark
end

-- hosts -------------------------------------------------------------------------------------

local hosts = {}  -- those loaded, by number
local NUMBERS = {d = finite, t = finite, rt = finite, rs = finite, c = whole, p = whole, l = whole,
                 s = whole, f = whole, rr = whole, u = whole, ro = whole, se = whole}
local TEXTS = {name = true, cl = true, w = true, o = true, rm = true, g = true}
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
-- w levels of which lists may have something, o levels out, rm and rs member and score in the ready set,
-- g registered domain
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
    if name ~= 'id' and name ~= 'served' and name ~= 'dirty' and name ~= 'head' then
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
