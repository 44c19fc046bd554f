-- The operations that a client may name. Part 6 of the frontier script.

local function answer_row(row)
  local host = load_host(row.host)
  if row.token == '0' then
    if host.cl then return false end
    return {'waiting', host.name, tostring(row.level), tostring(row.hops), row.tail}
  end
  local deadline = redis.call('ZSCORE', P .. 'leases', row.token) or fail('lease ' .. row.token)
  return {'leased', host.name, tostring(row.level), tostring(row.hops), row.tail, row.token,
          tostring(row.tries + 1), deadline}
end

-- What a client knows a URL by: {key, host, how its tail may begin, …}. The text, not the key,
-- decides whether this URL is meant.
local function is_of(tail, url)
  for at = 3, #url do
    local text = url[at]
    if tail:sub(1, #text) == text and (#tail == #text or text:sub(1, 1) == '['
                                       or tail:sub(#text + 1, #text + 1) == '\n') then
      return true
    end
  end
  return false
end

-- The row of a URL that has one, and whether it waits in a list. Its text there is not looked at: of
-- two URLs with one 64-bit key the second was never new.
local function place_of(url)
  local row = read_row(url[1])
  if row and not is_of(row.tail, url) then return nil, false end
  return row, is_fresh(url[1])
end

local function finish(url, reason)
  local row, fresh = place_of(url)
  if row and row.token ~= '0' then
    end_lease(read_lease(row.token) or fail('lease ' .. row.token), reason)
    return 1
  end
  local host
  if row then host = load_host(row.host) elseif fresh then host = host_named(url[2]) end
  if not host or host.p + host.u == 0 then return 0 end
  if fresh then no_longer_fresh(url[1]) end
  if row then redis.call('HDEL', P .. 'url', row.key) end
  one_less(host)
  if host.cl then
    count('ended', host.cl, -1)
    if host.u == 0 then redis.call('SREM', P .. 'undrained', host.id) end
  else
    totals.pending = totals.pending - 1
  end
  count_ending(host, reason)
  return 1
end

-- Recovery: a URL whose row is stored has ended so, whatever the frontier remembers of it.
local function restore(item, url, reason)
  if finish(url, reason) == 1 then return 2 end
  if not note_seen('seen', item[4], item[5]) then return 0 end
  count_ending(host_named(item[1]) or add_host(item[1]), reason)
  return 1
end

local function revive_one(item, reason, domain)
  local host = host_named(item[1])
  if not host then
    host = add_host(item[1])
    if domain then join_domain(host, domain) end
  end
  if host.cl and not open(host, reason) then return 0 end
  local is_known = not note_seen('seen', item[4], item[5])
  if is_known and (is_fresh(item[4]) or redis.call('HEXISTS', P .. 'url', item[4]) == 1) then return 0 end
  local ended = tonumber(redis.call('HGET', P .. 'ended', reason) or 0)
  if is_known and ended > 0 then count('ended', reason, -1) end
  admit_row(host, item)
  host.p, totals.pending = host.p + 1, totals.pending + 1
  return 1
end

-- Items as of push, with the reason of their ending before the domain. What waits or is out stays.
local function revive(items)
  local revived = {}
  for at, item in ipairs(items) do revived[at] = revive_one(item, item[7], item[8]) end
  return revived
end

local function unhex(text)
  return (text:gsub('%x%x', function(pair) return string.char(tonumber(pair, 16)) end))
end

-- With a token: the claim holds only while the lease does, and its body is fetched. Answers with
-- {'owner', ''} if it is the asker's, {'taken', ''} if not; {'owner', name} of a claim of schema 1,
-- for which the digest itself must be given.
local function claim(namespace, digest, key, hash, mark, token)
  if token ~= '' then
    local out = read_lease(token)
    if not out then return {'fenced', ''} end
    fetched(out)
  end
  local known = digest and redis.call('HGET', P .. 'claim:' .. namespace, unhex(digest))
  if known then return {'owner', known} end
  return {claim_key(key, hash, mark) == mark and 'owner' or 'taken', ''}
end

local function set_robots(token, text, delay, now)
  local out = read_lease(token)
  if not out or not out.robots then return 0 end
  local host = out.host
  redis.call('HSET', P .. 'robots', host.id, text)
  host.rt, host.rr = now or NOW, 0
  if delay and delay > (host.d or rules.delay_s) then
    host.d = delay
    host.t = math.max(host.t, out.at + delay)
  end
  end_robots(out)
  return 1
end

local function set_host(name, delay, concurrency, not_before)
  local host = host_named(name) or add_host(name)
  host.d, host.c = delay or host.d, concurrency or host.c
  if not_before then host.t = math.max(host.t, not_before) end
  touch(host)
end

-- A request was sent later than its lease says: the next one moves too.
local function postpone(name, late_s)
  local host = host_named(name)
  if not host then return end
  host.t = host.t + late_s
  local domain = domain_of(host)
  if domain then domain.t = domain.t + late_s end
  touch(host)
end

-- Turns of a host, one a delay, that no lease comes between: answers with the time of the first.
local function take_turns(name, number)
  local host = host_named(name) or add_host(name)
  local domain, at = domain_of(host), math.max(host.t, NOW)
  if domain then
    at = math.max(at, domain.t)
    domain.t = at + number * (rules.domain_delay_s or 0)
  end
  host.t = at + number * (host.d or rules.delay_s)
  touch(host)
  return exact(at)
end

-- Names of hosts with their domains, false for none.
local function set_domains(pairs_of_names)
  for _, pair in ipairs(pairs_of_names) do
    local host = host_named(pair[1])
    if host then join_domain(host, pair[2] or nil) end
  end
end

local function release_worker(worker, keep, is_dead)
  local kept, released = {}, 0
  for _, token in ipairs(keep) do kept[token] = true end
  for _, token in ipairs(redis.call('ZRANGE', P .. 'leases', 0, -1)) do
    local out = not kept[token] and read_lease(token)
    if out and out.worker == worker then
      if is_dead then note_death(out) end
      release(out)
      released = released + 1
    end
  end
  return released
end

local function describe(id)
  local host = load_host(id)
  local text = host.rt and redis.call('HGET', P .. 'robots', id)
  return {host.name, exact(host.d or rules.delay_s), tostring(host.c or rules.concurrency),
          exact(host.t), tostring(host.p), tostring(host.l + host.ro), tostring(host.s),
          tostring(host.f), text or false, exact(host.rt or 0), host.cl or false}
end

local function flat(key) return redis.call('HGETALL', P .. key) end

local function state() return redis.call('HGET', P .. 'meta', 'state') or 'running' end

local function get_counts()
  return {string.format('%.0f', totals.seen), string.format('%.0f', totals.pending),
          redis.call('ZCARD', P .. 'leases'), totals.hosts, totals.hosts_open, flat('ended'),
          flat('retried'), state()}
end

local function get_next_ready()
  refresh_all()
  local first = redis.call('ZRANGE', P .. 'ready', 0, 0, 'WITHSCORES')
  if first[1] then return first[2] end
  return totals.pending > 0 and 'inf' or false
end

-- What a worker must know to go on waiting or to end: next ready, waiting, out, state.
local function pulse()
  return {get_next_ready() or '', totals.pending, redis.call('ZCARD', P .. 'leases'), state()}
end

-- Entries of a list before the last `skip`, some at a time, from the end: what goes leaves at the
-- front, so none is missed. Calls act with a key and what reads its row; returns how much was passed.
local function scan_back(host, level, skip, limit, act)
  local keys = redis.call('LRANGE', fresh_keys(host, level), -skip - limit, -skip - 1)
  local texts
  for at = #keys, 1, -1 do
    act(keys[at], function()
      texts = texts or redis.call('LRANGE', fresh_texts(host, level), -skip - limit, -skip - 1)
      return fresh_row(host, level, keys[at], texts[at])
    end)
  end
  return #keys
end

-- Levels of a host from one on, the lowest first.
local function levels_from(host, since)
  local levels = {}
  for level in pairs(host.w) do
    if level >= since then levels[#levels + 1] = level end
  end
  table.sort(levels)
  return levels
end

-- Those of one host that wait in lists, at most `limit` entries. Returns the level, how much of it
-- was listed, and the rest of the limit; no level when that is all.
local function list_fresh(host, since, skip, limit, rows)
  for _, level in ipairs(levels_from(host, since)) do
    local at = level == since and skip or 0
    while true do
      if limit <= 0 then return level, at, 0 end
      local passed = scan_back(host, level, at, limit, function(key, read)
        if not holds_fresh(key) then return end
        local row, lowered = read(), read_row(key)
        if lowered and lowered.level < level then row = lowered end
        rows[#rows + 1] = {host.name, tostring(row.level), tostring(row.hops), row.tail, '0', 'waiting'}
      end)
      if passed == 0 then break end
      at, limit = at + passed, limit - passed
    end
  end
  return nil, nil, limit
end

-- Where URLs of one host wait that `find` called fresh: looks at some entries of its lists, from a
-- cursor "LEVEL SKIP" on. "" begins, "0" is the end.
local function seek(name, urls, cursor, limit)
  local found, wanted = {}, {}
  local host = host_named(name)
  for at, url in ipairs(urls) do
    found[at] = false
    wanted[url[1]] = at
  end
  local since, skip = (cursor == '' and '-1e9 0' or cursor):match('^(%S+) (%d+)$')
  since, skip = finite(since, 'cursor'), whole(skip, 'cursor')
  if not host or host.cl then return {'0', found} end
  for _, level in ipairs(levels_from(host, since)) do
    local passed = scan_back(host, level, level == since and skip or 0, limit, function(key, read)
      local at = wanted[key]
      if not at or not is_fresh(key) then return end
      local row, lowered = read(), read_row(key)
      if lowered and lowered.level < level then row = lowered end
      found[at] = is_of(row.tail, urls[at]) and answer_row(row)
    end)
    if passed > 0 then
      return {string.format('%.0f %.0f', level, (level == since and skip or 0) + passed), found}
    end
  end
  return {'0', found}
end

-- A page of the rows that wait or are out, from a cursor: first "HOST LEVEL SKIP" of what was never
-- handed out, then that of the scan of the others. "" begins, "0" is the end.
local function waiting(cursor, limit)
  local rows = {}
  local id, since, skip = (cursor == '' and '1 -1e9 0' or cursor):match('^(%d+) (%S+) (%d+)$')
  if id then
    id, since, skip = whole(id, 'cursor'), finite(since, 'cursor'), whole(skip, 'cursor')
    local left = limit
    for _ = 1, limit do
      if id > totals.hosts then return {'s0', rows} end
      local host = load_host(string.format('%.0f', id))
      if not host.cl then
        local level, at
        level, at, left = list_fresh(host, since, skip, left, rows)
        if level then return {string.format('%.0f %.0f %.0f', id, level, at), rows} end
      end
      id, since, skip = id + 1, -1e9, 0
    end
    return {string.format('%.0f -1e9 0', id), rows}
  end
  local found = redis.call('HSCAN', P .. 'url', cursor:sub(2), 'COUNT', limit)
  for at = 1, #found[2], 2 do
    local row = read_row(found[2][at])
    local host = row and load_host(row.host)
    if row and not host.cl and not (row.token == '0' and is_fresh(row.key)) then
      rows[#rows + 1] = {host.name, tostring(row.level), tostring(row.hops), row.tail,
                         tostring(row.tries), row.token == '0' and 'waiting' or 'leased'}
    end
  end
  return {found[1] == '0' and '0' or 's' .. found[1], rows}
end

-- Leases by worker: {worker, number, deadline of the oldest, …}.
local function leases_of_workers()
  local found, order = {}, {}
  local all = redis.call('ZRANGE', P .. 'leases', 0, 9999, 'WITHSCORES')
  for at = 1, #all, 2 do
    local out = read_lease(all[at]) or fail('lease ' .. all[at])
    if not found[out.worker] then
      found[out.worker] = {out.worker, 0, all[at + 1]}
      order[#order + 1] = found[out.worker]
    end
    found[out.worker][2] = found[out.worker][2] + 1
  end
  return order
end

local function each_lease(tokens, act)
  local done = {}
  for at, token in ipairs(tokens) do
    local out = read_lease(token)
    done[at] = out and 1 or 0
    if out then act(out, at) end
  end
  return done
end

-- A job ends leases in groups: all of a group or none, and once. The number of the last group is noted
-- with it, so that who died before the answer came can ask. A run that begins takes over the job.
local function group_of(job)
  local text = redis.call('HGET', P .. 'groups', job)
  if not text then return '', 0 end
  local run, number = text:match('^(%x+) (%d+)$')
  if not run or #text > 200 then fail('a group') end
  return run, whole(number, 'a group')
end

local function begin_run(job, run)
  local _, number = group_of(job)
  redis.call('HSET', P .. 'groups', job, string.format('%s %.0f', run, number))
  return string.format('%.0f', number)
end

-- Answers with the tokens that are not valid and the marks that others made: then nothing was ended.
-- False: another run has the job.
local function end_group(job, run, number, tokens, reasons, marks)
  local latest, last = group_of(job)
  if latest ~= run then return false end
  local refused, outs = {}, {}
  if number <= last then return refused end
  for at, token in ipairs(tokens) do
    outs[at] = read_lease(token)
    if not outs[at] or outs[at].worker ~= WORKER then refused[#refused + 1] = token end
  end
  for _, mark in ipairs(marks) do
    if redis.call('SISMEMBER', P .. 'marks', mark) == 1 then refused[#refused + 1] = mark end
  end
  if #refused > 0 then return refused end
  for _, mark in ipairs(marks) do redis.call('SADD', P .. 'marks', mark) end
  for at, out in ipairs(outs) do end_lease(out, reasons[at]) end
  redis.call('HSET', P .. 'groups', job, string.format('%s %.0f', run, number))
  return refused
end

local calls = {
  begin_run = begin_run,
  end_group = end_group,
  push = push,
  revive = revive,
  mark_seen = function(items)
    local new = {}
    for at, item in ipairs(items) do new[at] = note_seen('seen', item[1], item[2]) and 1 or 0 end
    return new
  end,
  lease = function(limit) return state() == 'running' and lease(limit) or {} end,
  fetched = function(tokens) return each_lease(tokens, fetched) end,
  settle = function(tokens) return each_lease(tokens, settle) end,
  acknowledge = function(tokens, reasons)
    return each_lease(tokens, function(out, at) end_lease(out, reasons[at]) end)
  end,
  retry = function(token, reason, not_before, or_close)
    local out = read_lease(token)
    if not out then return 'fenced' end
    count('retried', reason, 1)
    return try_again(out, not_before, or_close) and 'queued' or 'exhausted'
  end,
  release = function(tokens) return each_lease(tokens, release) end,
  reap = reap,
  release_worker = release_worker,
  find = function(urls)
    local found = {}
    for at, url in ipairs(urls) do
      local row, fresh = place_of(url)
      if fresh then
        local host = host_named(url[2])
        found[at] = host and not host.cl and {'listed'} or false  -- nil would end the list
      else
        found[at] = row and answer_row(row) or false
      end
    end
    return found
  end,
  seek = seek,
  finish = finish,
  restore = restore,
  next_ready = get_next_ready,
  pulse = pulse,
  set_robots = set_robots,
  set_host = set_host,
  postpone = postpone,
  take_turns = take_turns,
  set_domains = set_domains,
  enter_address = enter_address,
  leave_address = leave_address,
  host = function(name)
    local id = redis.call('HGET', P .. 'id', name)
    return id and describe(id) or false
  end,
  hosts = function(first, last)
    local found = {}
    for id = first, math.min(last, totals.hosts) do
      found[#found + 1] = describe(string.format('%.0f', id))
    end
    return found
  end,
  close_host = function(name, reason) close(host_named(name) or add_host(name), reason) end,
  drain_host = function(name, limit)
    local into, host = {}, host_named(name)
    if host and host.cl and host.u > 0 and not drain(host, limit, into) then return {'more'} end
    return into
  end,
  drain_closed = function(limit)
    local into = {}
    while #into < limit do
      local id = redis.call('SRANDMEMBER', P .. 'undrained')
      if not id then break end
      local host = load_host(id)
      if host.u == 0 then
        redis.call('SREM', P .. 'undrained', id)
      elseif not drain(host, limit, into) then
        return #into > 0 and into or {'more'}
      elseif swept >= SWEEP then
        break
      end
    end
    return into
  end,
  claim = claim,
  share = function()
    local granted, returned, spent = share()
    return {string.format('%.0f', granted), string.format('%.0f', returned),
            string.format('%.0f', share_left()), string.format('%.0f', stored_pages()),
            totals.pending, spent}
  end,
  grant = grant,
  granted = function(total, given_back)
    local granted, returned = share()
    write_share('granted', math.max(total, granted))
    write_share('returned', math.max(given_back, returned))
  end,
  return_share = function(keep) return string.format('%.0f', return_share(keep)) end,
  spend = function(is_all)
    if is_all then write_share('spent', 1) else redis.call('HDEL', P .. 'share', 'spent') end
  end,
  counts = get_counts,
  waiting = waiting,
  leases_of_workers = leases_of_workers,
  report = function(text) redis.call('HSET', P .. 'workers', WORKER, text) end,
  leave = function() redis.call('HDEL', P .. 'workers', WORKER) end,
  -- Enters names; answers with all there are, or false if they are as many as the worker knows of.
  opt_out = function(names, known)
    if #names > 0 then redis.call('SADD', P .. 'optout', unpack(names)) end
    if redis.call('SCARD', P .. 'optout') == known then return false end
    return redis.call('SMEMBERS', P .. 'optout')
  end,
  set_state = function(name) redis.call('HSET', P .. 'meta', 'state', name) end,
  time = function() return exact(NOW) end,
}

local replies = {}
for at, call in ipairs(cjson.decode(ARGV[2])) do
  local act = calls[table.remove(call, 1)]
  if not act then return redis.error_reply('QCDAMAGED unknown operation') end
  local reply = act(unpack(call))
  if reply == nil then reply = false end
  replies[at] = reply
end
refresh_all()
save_totals()
return replies
