-- Permanently delete a session. Remove its owner from the set of owners if nothing is left.
-- KEYS  2 owners  3 cells  4 rows  5 head  6 turns  7 events  8 ids  9 notebooks  10 blobs
-- ARGV  1 owner  2 cell  3 the expected revision, or ''  4 AI Server's major version
-- Returns 'ok' and the number of deleted sessions.
local head = redis.call('HMGET', KEYS[5], 'revision', 'version')
if head[1] then
  if too_new(head[2], ARGV[4]) then
    return {'too new'}
  end
  if ARGV[3] ~= '' and ARGV[3] ~= head[1] then
    return {'stale', tonumber(head[1])}
  end
end
if redis.call('EXISTS', KEYS[5], KEYS[6], KEYS[7]) == 0 then
  return {'ok', 0}
end
redis.call('DEL', KEYS[5], KEYS[6], KEYS[7], KEYS[8])
redis.call('HDEL', KEYS[4], ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[2])
if redis.call('ZCARD', KEYS[3]) + redis.call('HLEN', KEYS[9]) + redis.call('HLEN', KEYS[10]) == 0 then
  redis.call('SREM', KEYS[2], ARGV[1])
end
return store_result({'ok', 1})
