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

local function enqueue(host, row)
  if row.nb > 0 then
    redis.call('ZADD', retries(host, row.level), row.nb, row.key)
  else
    redis.call('RPUSH', queue(host, row.level), row.key)
  end
end

local function leave_queue(host, level)
  add_level(host.w, level, -1)
  if not host.w[level] then redis.call('DEL', queue(host, level), retries(host, level)) end
end

local function dequeue(host, level, key, retried)
  if retried then
    redis.call('ZREM', retries(host, level), key)
  else
    redis.call('LPOP', queue(host, level))
  end
end

-- The first row of a level; entries that do not hold go.
local function first_row(host, level)
  while true do
    local key = redis.call('LINDEX', queue(host, level), 0)
    local retried = not key
    if retried then key = redis.call('ZRANGE', retries(host, level), 0, 0)[1] end
    if not key then return nil end
    local row = read_row(key)
    if holds(row, host, level, retried) then return row end
    dequeue(host, level, key, retried)
  end
end

local function head(host)
  return first_row(host, lowest(host.w))
    or fail('URLs of host ' .. host.id .. ' should wait, but none is there')
end

-- Take the first row of a level out of its list.
local function take_row(host, row)
  dequeue(host, row.level, row.key, row.nb > 0)
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

local function admit(host, item)
  local row = {key = item[4], host = host.id, level = item[2], hops = item[3], tries = 0, nb = 0,
               token = '0', tail = item[6]}
  write_row(row)
  enqueue(host, row)
  add_level(host.w, row.level, 1)
  host.p = host.p + 1
  totals.pending = totals.pending + 1
  touch(host)
end

local function lower(host, item)
  local highest = -INF
  for level in pairs(host.w) do highest = math.max(highest, level) end
  if item[2] >= highest then return end
  local row = read_row(item[4])
  if not row or row.host ~= host.id or row.token ~= '0' or row.level <= item[2] then return end
  leave_queue(host, row.level)
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
  for at, item in ipairs(items) do
    local new = not closed[item[1]] and seen_add(item[4], item[5])
    fresh[at] = new and 1 or 0
    if new then
      named[item[1]] = named[item[1]] or add_host(item[1])
      admit(named[item[1]], item)
    end
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
      redis.call('HDEL', P .. 'url', row.key)
      host.u = host.u - 1
      into[#into + 1] = {host.name, tostring(level), tostring(row.hops), row.tail, host.cl}
    end
    if #into >= limit then return end
  end
  if host.u > 0 then fail(host.u .. ' URLs of a closed host cannot be listed') end
  redis.call('SREM', P .. 'undrained', host.id)
end
