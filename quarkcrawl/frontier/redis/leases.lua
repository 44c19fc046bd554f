-- Leases: handing out and ending. Part 4 of the frontier script.

local LEASE_EXPIRED = 'lease_expired'
local HOST_BUDGET = 'host_budget'
local CAMPAIGN_BUDGET = 'campaign_budget'

-- Tokens increase also if the server lost its last seconds in a crash: they follow its clock.
local function next_token()
  totals.token = math.max(totals.token + 1, clock_us)
  return string.format('%.0f', totals.token)
end

-- Stages of a lease. DOWNLOADING holds a connection and the level, FETCHED the level only.
local DOWNLOADING, SETTLED, FETCHED = '0', '1', '2'

local function read_lease(token)
  local text = redis.call('HGET', P .. 'lease', token)
  if not text then return nil end
  local host, key, stage, at, tries, worker = text:match('^(%d+) (%S+) ([0-2]) (%S+) (%d+) (.*)$')
  if not host then fail('lease ' .. token) end
  return {token = token, host = load_host(host), key = key, stage = stage,
          at = finite(at, 'lease'), tries = whole(tries, 'lease'), worker = worker, robots = key == 'robots'}
end

local function write_lease(out)
  local text = string.format('%s %s %s %.17g %d ', out.host.id, out.key, out.stage, out.at,
                             out.tries) .. out.worker
  redis.call('HSET', P .. 'lease', out.token, text)
end

local function open_lease(host, key, tries)
  local out = {token = next_token(), host = host, key = key, stage = DOWNLOADING, at = NOW,
               tries = tries, worker = WORKER}
  write_lease(out)
  redis.call('ZADD', P .. 'leases', NOW + rules.lease_s, out.token)
  return out
end

local function forget_lease(out)
  redis.call('HDEL', P .. 'lease', out.token)
  redis.call('ZREM', P .. 'leases', out.token)
end

local function exact(value) return string.format('%.17g', value) end

local function handed(host, out, kind, level, hops, tail)
  return {out.token, kind, host.name, tostring(level), tostring(hops), tostring(out.tries),
          exact(NOW + rules.lease_s), tail, exact(host.t), exact(host.d or rules.delay_s),
          host.rt and exact(host.rt) or '', redis.call('HGET', P .. 'deaths', out.key) or '0'}
end

local function hand_out(host)
  host.t = math.max(host.t, NOW) + (host.d or rules.delay_s)
  host.served = true
  local domain = domain_of(host)
  if domain then domain.t = math.max(domain.t, NOW) + (rules.domain_delay_s or 0) end
  count_out(host, 1)
  touch(host)
  local row = head(host)
  if rules.robots and (not host.rt or NOW - host.rt >= rules.robots_ttl_s) then
    host.ro = 1
    return handed(host, open_lease(host, 'robots', host.rr + 1), 'robots', 0, 0, row.tail)
  end
  take_row(host, row)
  local out = open_lease(host, row.key, row.tries + 1)
  row.token = out.token
  write_row(row)
  host.l = host.l + 1
  add_level(host.o, row.level, 1)
  totals.pending = totals.pending - 1
  return handed(host, out, 'page', row.level, row.hops, row.tail)
end

local function stored_pages()
  return whole(redis.call('HGET', P .. 'ended', 'stored') or 0, 'ended')
end

-- One of several servers has a share of the campaign's pages: what was granted to it, less what it
-- gave back. Both only grow, so that a call done twice, or an answer that was lost, changes nothing.
local function share()
  local raw = redis.call('HMGET', P .. 'share', 'granted', 'returned', 'spent')
  return whole(raw[1] or 0, 'share'), whole(raw[2] or 0, 'share'), raw[3] and 1 or 0
end

-- When the campaign has all its pages, what waits ends, some hosts a call.
local function budget_left()
  local budget = rules.max_campaign_pages
  if not budget then return INF end
  local stored = stored_pages()
  local is_spent = stored >= budget
  if ARGV[4]:find(' ') then
    local granted, returned, spent = share()
    budget, is_spent = granted - returned, spent == 1
  end
  if is_spent then
    for _ = 1, 200 do
      local member = redis.call('ZRANGE', P .. 'ready', 0, 0)[1]
      if not member then break end
      local host = load_host(member:match(':(%d+)$') or fail('ready set'))
      if host.rm ~= member then fail('ready set') end
      close(host, CAMPAIGN_BUDGET)
      refresh(host)
    end
  end
  return budget - stored - redis.call('ZCARD', P .. 'leases')
end

local function lease(limit)
  local leases = {}
  refresh_all()
  limit = math.min(limit, budget_left())
  while #leases < limit do
    local first = redis.call('ZRANGE', P .. 'ready', 0, 0, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) > NOW then break end
    local host = load_host(first[1]:match(':(%d+)$') or fail('ready set'))
    if host.rm ~= first[1] then fail('ready set') end
    local was_enough, before = swept >= SWEEP, #leases
    while #leases < limit and ready_time(host) <= NOW do
      leases[#leases + 1] = hand_out(host)
    end
    refresh(host)
    if was_enough and #leases == before then break end  -- others may have as little: the next call
  end
  return leases
end

-- shares ------------------------------------------------------------------------------------

local function write_share(name, number)
  redis.call('HSET', P .. 'share', name, string.format('%.0f', number))
end

local function share_left()
  local granted, returned = share()
  return granted - returned - stored_pages() - redis.call('ZCARD', P .. 'leases')
end

-- Keeps no more of the share than so many pages beyond what is stored and out.
local function return_share(keep)
  local _, returned = share()
  local surplus = math.max(0, share_left() - keep)
  if surplus > 0 then write_share('returned', returned + surplus) end
  return returned + surplus
end

-- On the first server, which keeps the books: grants servers more pages as long as the campaign has
-- some. A share is {server, granted, returned, wanted}: what that server knows counts too, since the
-- books may have lost their last seconds. Answers with what is free, and for each server with all that
-- was ever granted to it and given back by it.
local function grant(shares, most)
  local known, free, told = {}, most, {}
  local raw = redis.call('HGETALL', P .. 'grants')
  for at = 1, #raw, 2 do known[raw[at]] = whole(raw[at + 1], 'grants') end
  for _, one in ipairs(shares) do
    local granted, returned = 'g' .. one[1], 'r' .. one[1]
    known[granted] = math.max(known[granted] or 0, one[2])
    known[returned] = math.max(known[returned] or 0, one[3])
  end
  for name, value in pairs(known) do
    free = free + (name:sub(1, 1) == 'g' and -value or value)
  end
  for at, one in ipairs(shares) do
    local granted, returned = 'g' .. one[1], 'r' .. one[1]
    local more = math.max(0, math.min(one[4], free))
    known[granted], free = known[granted] + more, free - more
    redis.call('HSET', P .. 'grants', granted, string.format('%.0f', known[granted]),
               returned, string.format('%.0f', known[returned]))
    told[at] = {string.format('%.0f', known[granted]), string.format('%.0f', known[returned])}
  end
  return {string.format('%.0f', free), told}
end

-- endings -----------------------------------------------------------------------------------

local function count_ending(host, reason)
  count('ended', reason, 1)
  if reason == 'stored' then
    host.s, host.f = host.s + 1, 0
    local budget = rules.max_host_pages
    if budget and host.s >= budget and not host.cl then close(host, HOST_BUDGET) end
  end
  touch(host)
end

local function leave_connection(out, stage)
  if out.stage == DOWNLOADING then
    out.host.se = out.host.se + 1
    count_out(out.host, -1)
  end
  out.stage = stage
  write_lease(out)
  touch(out.host)
end

local function fetched(out)
  if out.robots then return end
  redis.call('ZADD', P .. 'leases', NOW + rules.lease_s, out.token)
  if out.stage == DOWNLOADING then leave_connection(out, FETCHED) end
end

local function settle(out)
  if out.robots or out.stage == SETTLED then return end
  leave_connection(out, SETTLED)
  add_level(out.host.o, read_row(out.key).level, -1)
end

local function end_robots(out)
  forget_lease(out)
  out.host.ro = 0
  count_out(out.host, -1)
  touch(out.host)
end

local function close_lease(out, row)
  local host = out.host
  host.l = host.l - 1
  if out.stage == DOWNLOADING then count_out(host, -1) else host.se = host.se - 1 end
  if out.stage ~= SETTLED then add_level(host.o, row.level, -1) end
  forget_lease(out)
  touch(host)
end

local function end_lease(out, reason)
  if out.robots then return end_robots(out) end
  close_lease(out, read_row(out.key) or fail('lease ' .. out.token))
  redis.call('HDEL', P .. 'url', out.key)
  count_ending(out.host, reason)
end

-- Let a leased URL wait again, at another place of its host's order if one is given.
local function give_back(out, row, place)
  local host = out.host
  close_lease(out, row)
  row.token, row.level = '0', place or row.level
  write_row(row)
  host.p = host.p + 1
  totals.pending = totals.pending + 1
  if row.nb > 0 then
    enqueue(host, row)
  else
    host.head = nil
    host.w[row.level] = 1
    redis.call('LPUSH', queue(host, row.level), row.key)
  end
  if host.cl then close(host, host.cl) end
end

local function release(out)
  if out.robots then
    end_robots(out)
  else
    give_back(out, read_row(out.key) or fail('lease ' .. out.token))
  end
end

-- A worker is gone: what it was analysing may be the reason.
local function note_death(out)
  if out.stage == FETCHED then redis.call('HINCRBY', P .. 'deaths', out.key, 1) end
end

-- How often the URL of a lease is tried in all: with late tries one of level 1, or robots.txt, once more.
local function all_tries(out)
  local late = rules.late_tries or 0
  if late > 0 and (out.robots or level_of(read_row(out.key).level) <= 1) then late = late + 1 end
  return rules.max_tries + late
end

-- True if the URL waits again; false if it has no tries left. With or_close the URL of a closed
-- host ends as the others did.
local function try_again(out, not_before, or_close)
  local host = out.host
  host.f = host.f + 1
  touch(host)
  if host.cl and or_close and out.tries < all_tries(out) then
    release(out)
    return true
  end
  if out.tries >= all_tries(out) or host.cl then return false end
  if out.robots then
    host.rr = out.tries
    host.t = math.max(host.t, not_before)
    end_robots(out)
  else
    local row = read_row(out.key)
    row.nb, row.tries = not_before, out.tries
    local is_late = out.tries >= rules.max_tries
    give_back(out, row, level_of(row.level) + (is_late and LATE_LEVELS or 0))
  end
  return true
end

-- Counts a try of each overdue lease; returns their number and the URLs that ended by it.
local function reap(limit)
  local overdue = redis.call('ZRANGEBYSCORE', P .. 'leases', '-inf', '(' .. exact(NOW),
                             'LIMIT', 0, limit)
  local ended = {}
  for _, token in ipairs(overdue) do
    local out = read_lease(token) or fail('lease ' .. token)
    count('retried', LEASE_EXPIRED, 1)
    note_death(out)
    if not try_again(out, 0, false) then
      if out.robots then
        out.host.rr = out.tries
      else
        local row = read_row(out.key)
        ended[#ended + 1] = {out.host.name, tostring(row.level), tostring(row.hops), row.tail,
                             LEASE_EXPIRED}
      end
      end_lease(out, LEASE_EXPIRED)
    end
  end
  return {#overdue, ended}
end
