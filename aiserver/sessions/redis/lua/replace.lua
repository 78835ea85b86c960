-- Replace a session, unless there was a write since the caller read the session.
-- KEYS  2 owners  3 cells  4 rows  5 head  6 turns  7 events  8 ids
-- ARGV  1 owner  2 cell  3 the id of the last write that the caller knows, '-' for a new session
--       4 the row
--       then four lists: the head's fields and values, the turns, the events, and the ids of events
--       with their indexes. Before each list comes its length.
-- Returns 'ok', or 'changed' if there was another write.
local last_write = redis.call('HGET', KEYS[5], 'stamp')
if not last_write then
  last_write = redis.call('EXISTS', KEYS[5]) == 1 and '' or '-'
end
if last_write ~= ARGV[3] then
  return {'changed'}
end
-- If another program uses one of these keys, these commands fail, before anything is written.
redis.call('SCARD', KEYS[2])
redis.call('ZCARD', KEYS[3])
redis.call('HLEN', KEYS[4])
redis.call('LLEN', KEYS[6])
redis.call('LLEN', KEYS[7])
redis.call('HLEN', KEYS[8])

local result = store_result({'ok'})
redis.call('DEL', KEYS[5], KEYS[6], KEYS[7], KEYS[8])
local i = 5
local commands = {'HSET', 'RPUSH', 'RPUSH', 'HSET'}
for list = 1, 4 do
  local last = i + tonumber(ARGV[i])
  i = i + 1
  while i <= last do
    -- Lua limits a call to some thousand arguments, so each call gets at most 500. This number is
    -- even, because HSET needs pairs.
    local call_end = math.min(last, i + 499)
    redis.call(commands[list], KEYS[4 + list], unpack(ARGV, i, call_end))
    i = call_end + 1
  end
end
redis.call('HSET', KEYS[4], ARGV[2], ARGV[4])
redis.call('ZADD', KEYS[3], 0, ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
return result
