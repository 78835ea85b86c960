-- Remove a session from the indexes if it has no data.
-- KEYS  1 owners  2 cells  3 rows  4 head  5 turns  6 events. ARGV  1 cell
-- Returns 1, or 0 if the session has data.
if redis.call('EXISTS', KEYS[4], KEYS[5], KEYS[6]) > 0 then
  return 0
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return 1
