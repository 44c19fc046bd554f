-- Hosts of one registered domain that share a delay and a concurrency. Part 2 of the frontier script.
--
-- A host has a domain (g) where the campaign's rules say so; the client names it. Its entry lies in
-- the set of its domain then, and only the first one of that set in the set of all.

local domains = {}  -- those loaded, by name

local function members(domain) return P .. 'd:' .. domain.name end

-- t next time, n requests out, rm member of the ready set or ''
local function load_domain(name)
  local domain = domains[name]
  if domain then return domain end
  local text = redis.call('HGET', P .. 'domains', name)
  domain = {name = name, t = 0, n = 0, rm = ''}
  if text then
    local time, out, member = text:match('^(%S+) (%d+) (%S*)$')
    if not time or #text > 200 then fail('a domain') end
    domain.t, domain.n, domain.rm = finite(time, 'a domain'), whole(out, 'a domain'), member
  end
  domains[name] = domain
  return domain
end

local function domain_of(host) return host.g and load_domain(host.g) end

local function may_domain_give(domain) return domain.n < rules.concurrency end

-- Enter the first host of a domain into the ready set, at the time at which the domain may be asked.
local function refresh_domain(domain)
  local first = redis.call('ZRANGE', members(domain), 0, 0, 'WITHSCORES')
  local member = first[1] and may_domain_give(domain) and first[1] or ''
  if domain.rm ~= '' and domain.rm ~= member then redis.call('ZREM', P .. 'ready', domain.rm) end
  domain.rm = member
  if member ~= '' then
    redis.call('ZADD', P .. 'ready', math.max(finite(first[2], 'ready set'), domain.t), member)
  end
  if first[1] or domain.n > 0 or domain.t > NOW then
    local text = string.format('%.17g %.0f %s', domain.t, domain.n, member)
    redis.call('HSET', P .. 'domains', domain.name, text)
  else
    redis.call('HDEL', P .. 'domains', domain.name)
  end
end

-- A request to a host begins or ends.
local function count_out(host, number)
  local domain = domain_of(host)
  if domain then domain.n = math.max(0, domain.n + number) end
end

-- Take a host out of the set in which it waits for its time.
local function leave_ready(host)
  if host.rm == '' then return end
  redis.call('ZREM', host.g and members(load_domain(host.g)) or P .. 'ready', host.rm)
  host.rm = ''
end

-- Let a host have a domain, or none.
local function join_domain(host, name)
  if host.g == name then return end
  local out = host.l - host.se + host.ro
  leave_ready(host)
  if host.g then
    count_out(host, -out)
    refresh_domain(load_domain(host.g))
    redis.call('HDEL', P .. 'h:' .. host.id, 'g')
  end
  host.g = name
  count_out(host, out)
  host.dirty = true
end
