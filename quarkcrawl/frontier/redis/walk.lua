-- Which URL of a host comes next, and when. Part 3 of the frontier script.

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

-- What is added to the level of a URL whose first tries failed: it comes behind all others.
local LATE_LEVELS = 1048576

local function level_of(place) return place >= LATE_LEVELS and place - LATE_LEVELS or place end

-- Nothing is searched in the lists: what ends or is lowered leaves its entry behind, which goes when
-- it comes to the front. An entry of q or r holds while the row says so; one of k and t while the
-- key is in the fresh set, of which it is the only one. A key may be fresh and have a row: then the
-- URL waits at the lower level of the two, for who lowers it need not know where its entry lies.
local function holds(row, host, level, retried)
  return row and row.host == host.id and row.level == level and row.token == '0'
    and (row.nb > 0) == retried
end

local function queue(host, level) return P .. 'q:' .. host.id .. ':' .. level end
local function retries(host, level) return P .. 'r:' .. host.id .. ':' .. level end
local function fresh_keys(host, level) return P .. 'k:' .. host.id .. ':' .. level end
local function fresh_texts(host, level) return P .. 't:' .. host.id .. ':' .. level end
local GONE = '-'  -- the key of an entry that schema 2 took from the middle

local function enqueue(host, row)
  host.head = nil
  host.w[row.level] = 1
  if row.nb > 0 then
    redis.call('ZADD', retries(host, row.level), row.nb, row.key)
  else
    redis.call('RPUSH', queue(host, row.level), row.key)
  end
end

-- The lists of a host of which nothing waits hold only entries that do not hold.
local function clear_lists(host)
  for level in pairs(host.w) do
    redis.call('UNLINK', queue(host, level), retries(host, level), fresh_keys(host, level),
               fresh_texts(host, level))
  end
  host.w, host.head = {}, nil
end

local function one_less(host)
  host.head = nil
  if host.cl then host.u = host.u - 1 else host.p = host.p - 1 end
  if host.p == 0 and host.u == 0 then clear_lists(host) end
end

local function text_of(hops, tail)
  return hops == 0 and tail or string.format('%.0f', hops) .. tail
end

local function fresh_row(host, level, key, text)
  if not text or #text > ROW_BYTES then fail('a text of host ' .. host.id) end
  local hops, tail = '', text
  if not text:match('^[/s]') then hops, tail = text:match('^(%d*)(%D.*)$') end
  if not tail then fail('a text of host ' .. host.id) end
  return {key = key, host = host.id, level = level, hops = whole(hops == '' and 0 or hops, 'hops'),
          tries = 0, nb = 0, token = '0', tail = tail, listed = true}
end

local function holds_fresh(key) return key ~= GONE and is_fresh(key) end

-- Entries that do not hold go from the front, SWEEP of them a call at most: `swept` counts them.
local SWEEP, PORTION_FRONT = 4000, 100
local swept = 0

-- The first entry of a list that holds, behind what was removed; nil if there is none; nil and true
-- if the call has done enough. Then, too, one entry is looked at: who has only such as hold need not
-- wait for what others left behind.
local function sweep(list, companion, find)
  repeat
    local is_one = swept == 0 or swept >= SWEEP
    local keys = redis.call('LRANGE', list, 0, is_one and 0 or PORTION_FRONT - 1)
    if #keys == 0 then return nil end
    local gone, found = 0, nil
    for _, key in ipairs(keys) do
      found = find(key)
      if found then break end
      gone = gone + 1
    end
    if gone > 0 then
      redis.call('LTRIM', list, gone, -1)
      if companion then redis.call('LTRIM', companion, gone, -1) end
      swept = swept + gone
    end
    if found then return found end
  until swept >= SWEEP
  return nil, true
end

-- What was given back untried, at the front of the queue. One of whose key is fresh was only offered
-- again, at this level: it comes as it was offered first.
local function given_back(host, level)
  local key = redis.call('LINDEX', queue(host, level), 0)
  if not key or is_fresh(key) then return nil end
  local row = read_row(key)
  return holds(row, host, level, false) and row or nil
end

-- The first row of a level; nil if there is none; nil and true if the call has done enough. What was
-- given back comes first, or each refusal would take another URL out of the lists; then the lists: a
-- URL that waits in one and has a row of the same level is as it was offered first.
local function first_row(host, level)
  local back = given_back(host, level)
  if back then return back end
  local key, is_enough = sweep(fresh_keys(host, level), fresh_texts(host, level), function(key)
    return holds_fresh(key) and key
  end)
  if key then
    return fresh_row(host, level, key, redis.call('LINDEX', fresh_texts(host, level), 0))
  end
  if is_enough then return nil, true end
  local row
  row, is_enough = sweep(queue(host, level), nil, function(key)
    local row = read_row(key)
    return holds(row, host, level, false) and row
  end)
  if row or is_enough then return row, is_enough end
  repeat
    key = redis.call('ZRANGE', retries(host, level), 0, 0)[1]
    if not key then return nil end
    row = read_row(key)
    if holds(row, host, level, true) then return row end
    redis.call('ZREM', retries(host, level), key)
    swept = swept + 1
  until swept >= SWEEP
  return nil, true
end

-- The row that comes next; nil if the call has done enough: the next one goes on.
local function head(host)
  while not host.head do
    local level = lowest(host.w)
    if level == INF then fail('URLs of host ' .. host.id .. ' should wait, but none is there') end
    local is_enough
    host.head, is_enough = first_row(host, level)
    if is_enough then return nil end
    if not host.head then host.w[level] = nil end
  end
  return host.head
end

-- Take the first row of a level out of its list.
local function take_row(host, row)
  if row.listed then
    redis.call('LPOP', fresh_keys(host, row.level))
    redis.call('LPOP', fresh_texts(host, row.level))
  elseif row.nb > 0 then
    redis.call('ZREM', retries(host, row.level), row.key)
  else
    redis.call('LPOP', queue(host, row.level))
  end
  no_longer_fresh(row.key)
  one_less(host)
end

local LATER_S = 0.02  -- the next call comes not before

-- When the host itself can give a URL, whatever its domain says.
local function own_time(host)
  if host.p == 0 or host.cl or host.ro == 1 then return INF end
  if host.l - host.se >= (host.c or rules.concurrency) then return INF end
  if rules.max_host_pages and host.s + host.l >= rules.max_host_pages then return INF end
  local row = head(host)
  if not row then return math.max(host.t, NOW + LATER_S) end
  if rules.strict ~= false and lowest(host.o) < row.level then return INF end
  return math.max(host.t, row.nb)
end

local function ready_time(host)
  local domain = domain_of(host)
  if not domain then return own_time(host) end
  return may_domain_give(domain) and math.max(own_time(host), domain.t) or INF
end

local function touch(host) host.dirty = true end

-- Enter the host into its ready set at its exact time, or take it out. One that was just
-- served goes behind others of the same time.
local function refresh(host)
  local time = own_time(host)
  if time == INF then
    leave_ready(host)
  elseif host.rm == '' or host.rs ~= time or host.served then
    leave_ready(host)
    totals.arm = totals.arm + 1
    host.rm, host.rs = string.format('%015.0f:%s', totals.arm, host.id), time
    redis.call('ZADD', host.g and members(load_domain(host.g)) or P .. 'ready', time, host.rm)
  end
  if host.g then refresh_domain(load_domain(host.g)) end
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
  host.w[level] = 1
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

-- Whether the URL of an item is one of the host that it is offered for, as all in lists are.
local function is_at_home(host, item)
  for _, scheme in ipairs({'["http://', '["https://'}) do
    local start = scheme .. host.name .. '/'
    if item[6]:sub(1, #start) == start then return true end
  end
  return is_short(item)
end

-- A URL that waits may do so at a higher level: then it waits at this one from now on. Where no
-- level is higher there is nothing to do. One of the lists gets a row, wherever its entry lies.
local function lower(host, item)
  local highest = -INF
  for level in pairs(host.w) do highest = math.max(highest, level) end
  if item[2] >= highest then return end
  local row = read_row(item[4])
  if row then
    local level = level_of(row.level)
    if row.host ~= host.id or row.token ~= '0' or level <= item[2] then return end
    row.level, row.hops, row.tail = row.level - level + item[2], item[3], item[6]
  elseif is_at_home(host, item) and is_fresh(item[4]) then
    row = {key = item[4], host = host.id, level = item[2], hops = item[3], tries = 0, nb = 0,
           token = '0', tail = item[6]}
  else
    return
  end
  write_row(row)
  enqueue(host, row)
  touch(host)
end

-- An item is {host, level, hops, key, low 32 bits of the key, tail, domain if hosts share delays}.
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
    if new_of[name][1][7] then join_domain(named[name], new_of[name][1][7]) end
  end
  for at, item in ipairs(items) do
    local host = named[item[1]]
    if fresh[at] == 0 and host and not host.cl then lower(host, item) end
  end
  return fresh
end

-- closing and opening -----------------------------------------------------------------------

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

-- List up to `limit` URLs that waited when the host closed, each once. False if the call has done
-- enough before it came to one.
local function drain(host, limit, into)
  if not host.cl then fail('host ' .. host.id .. ' is open') end
  touch(host)
  while host.u > 0 and #into < limit do
    local row = head(host)
    if not row then return #into > 0 end
    take_row(host, row)
    redis.call('HDEL', P .. 'url', row.key)
    into[#into + 1] = {host.name, tostring(row.level), tostring(row.hops), row.tail, host.cl}
  end
  if host.u == 0 then redis.call('SREM', P .. 'undrained', host.id) end
  return true
end

-- Open a host that was closed for a reason; what was not listed yet waits again.
local function open(host, reason)
  local budget = rules.max_host_pages
  if host.cl ~= reason or (budget and host.s >= budget) then return false end
  if host.u > 0 then
    count('ended', host.cl, -host.u)
    totals.pending = totals.pending + host.u
    host.p, host.u = host.p + host.u, 0
    redis.call('SREM', P .. 'undrained', host.id)
  end
  redis.call('HDEL', P .. 'h:' .. host.id, 'cl', 'rt')
  redis.call('HDEL', P .. 'robots', host.id)
  host.cl, host.rt, host.rr, host.f = nil, nil, 0, 0
  totals.hosts_open = totals.hosts_open + 1
  touch(host)
  return true
end
