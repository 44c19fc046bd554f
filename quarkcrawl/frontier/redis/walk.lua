-- Which URL of a host comes next, and when. Part 2 of the frontier script.

local function read_row(key)
  local text = redis.call('HGET', P .. 'url', key)
  if not text then return nil end
  if #text > ROW_BYTES then fail('row of ' .. #text .. ' bytes') end
  local host, level, hops, tries, not_before, token, tail =
    text:match('^(%d+) (%-?%d+) (%d+) (%d+) (%S+) (%d+) (.*)$')
  if not host then fail('a row') end
  local what = 'a row of host ' .. host
  return {key = key, host = host, level = finite(level, what), hops = whole(hops, what),
          tries = whole(tries, what), nb = finite(not_before, what), token = token, tail = tail}
end

local function write_row(row)
  local text = string.format('%s %.0f %.0f %.0f %.17g %s ', row.host, row.level, row.hops,
                             row.tries, row.nb, row.token) .. row.tail
  redis.call('HSET', P .. 'url', row.key, text)
end

-- A URL that ended, or was lowered to another level, stays in its list until it comes to the
-- front there; the row tells whether an entry still holds.
local function holds(row, host, level, retried)
  return row and row.host == host.id and row.level == level and row.token == '0'
    and (row.nb > 0) == retried
end

local function queue(host, level) return P .. 'q:' .. host.id .. ':' .. level end
local function retries(host, level) return P .. 'r:' .. host.id .. ':' .. level end
local function fresh_keys(host, level) return P .. 'k:' .. host.id .. ':' .. level end
local function fresh_texts(host, level) return P .. 't:' .. host.id .. ':' .. level end
local GONE = '-'  -- the key of an entry that left its list from the middle

local function enqueue(host, row)
  host.head = nil
  if row.nb > 0 then
    redis.call('ZADD', retries(host, row.level), row.nb, row.key)
  else
    redis.call('RPUSH', queue(host, row.level), row.key)
  end
end

local function leave_queue(host, level)
  host.head = nil
  add_level(host.w, level, -1)
  if not host.w[level] then
    redis.call('DEL', queue(host, level), retries(host, level), fresh_keys(host, level),
               fresh_texts(host, level))
  end
end

local function text_of(hops, tail)
  return hops == 0 and tail or string.format('%.0f', hops) .. tail
end

-- `at` is its place in the list.
local function fresh_row(host, level, at)
  local text = redis.call('LINDEX', fresh_texts(host, level), at)
  if not text or #text > ROW_BYTES then fail('a text of host ' .. host.id) end
  local hops, tail = '', text
  if not text:match('^[/s]') then hops, tail = text:match('^(%d*)(%D.*)$') end
  if not tail then fail('a text of host ' .. host.id) end
  local key = redis.call('LINDEX', fresh_keys(host, level), at)
  return {key = key, host = host.id, level = level, hops = whole(hops == '' and 0 or hops, 'hops'),
          tries = 0, nb = 0, token = '0', tail = tail, at = at}
end

-- A URL of the host that was never handed out, at any level above one. The search is as long as
-- the lists, so none is searched in vain.
local function find_fresh(host, key, above)
  if not is_fresh(key) then return nil end
  for level in pairs(host.w) do
    if level > above then
      local at = redis.call('LPOS', fresh_keys(host, level), key)
      if at then return fresh_row(host, level, at) end
    end
  end
end

local function cross_out(host, row)
  redis.call('LSET', fresh_keys(host, row.level), row.at, GONE)
  redis.call('LSET', fresh_texts(host, row.level), row.at, '')
end

local function pop_fresh(host, level)
  redis.call('LPOP', fresh_keys(host, level))
  redis.call('LPOP', fresh_texts(host, level))
end

-- The first row of a level; entries that do not hold go.
local function first_row(host, level)
  while true do
    local key = redis.call('LINDEX', queue(host, level), 0)
    if not key then break end
    local row = read_row(key)
    if holds(row, host, level, false) then return row end
    redis.call('LPOP', queue(host, level))
  end
  while true do
    local key = redis.call('LINDEX', fresh_keys(host, level), 0)
    if not key then break end
    if key ~= GONE then return fresh_row(host, level, 0) end
    pop_fresh(host, level)
  end
  while true do
    local key = redis.call('ZRANGE', retries(host, level), 0, 0)[1]
    if not key then return nil end
    local row = read_row(key)
    if holds(row, host, level, true) then return row end
    redis.call('ZREM', retries(host, level), key)
  end
end

local function head(host)
  host.head = host.head or first_row(host, lowest(host.w))
    or fail('URLs of host ' .. host.id .. ' should wait, but none is there')
  return host.head
end

-- Take the first row of a level out of its list.
local function take_row(host, row)
  if row.at then
    pop_fresh(host, row.level)
    no_longer_fresh(row.key)
  elseif row.nb > 0 then
    redis.call('ZREM', retries(host, row.level), row.key)
  else
    redis.call('LPOP', queue(host, row.level))
  end
  leave_queue(host, row.level)
end

local function ready_time(host)
  if host.p == 0 or host.cl or host.ro == 1 then return INF end
  if host.l - host.se >= (host.c or rules.concurrency) then return INF end
  if rules.max_host_pages and host.s + host.l >= rules.max_host_pages then return INF end
  local row = head(host)
  if lowest(host.o) < row.level then return INF end
  return math.max(host.t, row.nb)
end

local function touch(host) host.dirty = true end

-- Enter the host into the ready set at its exact time, or take it out. One that was just
-- served goes behind others of the same time.
local function refresh(host)
  local time = ready_time(host)
  if time == INF then
    if host.rm ~= '' then redis.call('ZREM', P .. 'ready', host.rm) end
    host.rm = ''
  elseif host.rm == '' or host.rs ~= time or host.served then
    if host.rm ~= '' then redis.call('ZREM', P .. 'ready', host.rm) end
    totals.arm = totals.arm + 1
    host.rm, host.rs = string.format('%015.0f:%s', totals.arm, host.id), time
    redis.call('ZADD', P .. 'ready', time, host.rm)
  end
  host.served, host.dirty = nil, nil
  save_host(host)
end

local function refresh_all()
  for _, host in pairs(hosts) do
    if host.dirty then refresh(host) end
  end
end

-- intake ------------------------------------------------------------------------------------

-- Keys and texts of one level that are to be appended, in portions that fit a call.
local PORTION = 2000

local function append_fresh(host, level, keys, texts)
  host.head = nil
  for from = 1, #keys, PORTION do
    local to = math.min(from + PORTION - 1, #keys)
    redis.call('RPUSH', fresh_keys(host, level), unpack(keys, from, to))
    redis.call('RPUSH', fresh_texts(host, level), unpack(texts, from, to))
  end
  add_level(host.w, level, #keys)
  touch(host)
end

-- Whether the host's name stands in the URL, so that who knows the URL finds it with its host.
local function is_short(item)
  local first = item[6]:byte(1)
  return first == 47 or first == 115  -- "/" or "s"
end

local function admit_row(host, item)
  local row = {key = item[4], host = host.id, level = item[2], hops = item[3], tries = 0, nb = 0,
               token = '0', tail = item[6]}
  write_row(row)
  enqueue(host, row)
  add_level(host.w, row.level, 1)
  touch(host)
end

-- Items that are new, by the host and then by the level at which they wait.
local function admit(host, items)
  local levels = {}
  for _, item in ipairs(items) do
    if is_short(item) then
      local level = levels[item[2]]
      if not level then
        level = {keys = {}, texts = {}}
        levels[item[2]] = level
      end
      level.keys[#level.keys + 1] = item[4]
      level.texts[#level.texts + 1] = text_of(item[3], item[6])
    else
      admit_row(host, item)
    end
  end
  for level, found in pairs(levels) do append_fresh(host, level, found.keys, found.texts) end
  host.p = host.p + #items
  totals.pending = totals.pending + #items
end

local function lower(host, item)
  local highest = -INF
  for level in pairs(host.w) do highest = math.max(highest, level) end
  if item[2] >= highest then return end
  local row = read_row(item[4]) or find_fresh(host, item[4], item[2])
  if not row or row.host ~= host.id or row.token ~= '0' or row.level <= item[2] then return end
  if row.at then cross_out(host, row) end
  leave_queue(host, row.level)
  if row.at and is_short(item) then
    return append_fresh(host, item[2], {item[4]}, {text_of(item[3], item[6])})
  end
  if row.at then no_longer_fresh(row.key) end
  row.level, row.hops, row.tail = item[2], item[3], item[6]
  write_row(row)
  enqueue(host, row)
  add_level(host.w, row.level, 1)
  touch(host)
end

-- An item is {host, level, hops, key, low 32 bits of the key, tail}.
local function push(items)
  local named, closed, fresh = {}, {}, {}
  for _, item in ipairs(items) do
    if named[item[1]] == nil then
      local host = host_named(item[1])
      named[item[1]] = host or false
      closed[item[1]] = host and host.cl ~= nil
    end
  end
  local new_of, order = {}, {}
  for at, item in ipairs(items) do
    local name = is_short(item) and 'fresh' or 'seen'
    local new = not closed[item[1]] and note_seen(name, item[4], item[5])
    fresh[at] = new and 1 or 0
    if new then
      if not new_of[item[1]] then
        new_of[item[1]] = {}
        order[#order + 1] = item[1]
      end
      table.insert(new_of[item[1]], item)
    end
  end
  for _, name in ipairs(order) do
    named[name] = named[name] or add_host(name)
    admit(named[name], new_of[name])
  end
  for at, item in ipairs(items) do
    local host = named[item[1]]
    if fresh[at] == 0 and host and not host.cl then lower(host, item) end
  end
  return fresh
end

-- closing -----------------------------------------------------------------------------------

local function close(host, reason)
  if not host.cl then
    host.cl = reason
    totals.hosts_open = totals.hosts_open - 1
  end
  if host.p > 0 then
    totals.pending = totals.pending - host.p
    count('ended', host.cl, host.p)
    host.u = host.u + host.p
    host.p = 0
    redis.call('SADD', P .. 'undrained', host.id)
  end
  touch(host)
end

-- List up to `limit` URLs that waited when the host closed, each once.
local function drain(host, limit, into)
  if not host.cl then fail('host ' .. host.id .. ' is open') end
  touch(host)
  for level in pairs(host.w) do
    while #into < limit do
      local row = first_row(host, level)
      if not row then break end
      take_row(host, row)
      if not row.at then redis.call('HDEL', P .. 'url', row.key) end
      host.u = host.u - 1
      into[#into + 1] = {host.name, tostring(level), tostring(row.hops), row.tail, host.cl}
    end
    if #into >= limit then return end
  end
  if host.u > 0 then fail(host.u .. ' URLs of a closed host cannot be listed') end
  redis.call('SREM', P .. 'undrained', host.id)
end
