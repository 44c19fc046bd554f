-- Requests out to one address, over all workers. Part 5 of the frontier script.

local function slots(address) return P .. 'a:' .. address end

-- Let a request begin: '' if there is room, else the time at which its turn comes. Those that are
-- refused come back one after another, as fast as requests to the address end.
local function enter_address(address, token, hold_s)
  local key = slots(address)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', exact(NOW))
  local is_in = redis.call('ZSCORE', key, token)  -- asked again: the answer was lost
  if is_in or redis.call('ZCARD', key) < rules.address_concurrency then
    redis.call('ZADD', key, NOW + hold_s, token)
    redis.call('PEXPIRE', key, math.ceil(hold_s * 2000))
    return ''
  end
  local pace = redis.call('HGET', P .. 'addresses', address) or ''
  local turn, took_s = pace:match('^(%S+) (%S+)$')
  took_s = finite(took_s or 0.5, 'an address')
  turn = math.max(finite(turn or 0, 'an address'), NOW) + took_s / rules.address_concurrency
  redis.call('HSET', P .. 'addresses', address, exact(turn) .. ' ' .. exact(took_s))
  return exact(turn)
end

-- A request is over.
local function leave_address(address, token, hold_s)
  local due = redis.call('ZSCORE', slots(address), token)
  if not due then return end
  redis.call('ZREM', slots(address), token)
  local pace = redis.call('HGET', P .. 'addresses', address)
  if not pace then return end  -- nobody was refused
  local turn, took_s = pace:match('^(%S+) (%S+)$')
  if not turn then fail('an address') end
  if finite(turn, 'an address') < NOW - 3600 then
    redis.call('HDEL', P .. 'addresses', address)
    return
  end
  local took = math.max(0.01, NOW - (finite(due, 'an address') - hold_s))
  took_s = 0.8 * finite(took_s, 'an address') + 0.2 * took
  redis.call('HSET', P .. 'addresses', address, turn .. ' ' .. exact(took_s))
end
