-- Read all stored data of a session.
-- KEYS  1 owners  2 cells  3 rows  4 head  5 turns  6 events  7 ids. ARGV  1 owner  2 cell
return {
  redis.call('HGETALL', KEYS[4]),
  redis.call('LRANGE', KEYS[5], 0, -1),
  redis.call('LRANGE', KEYS[6], 0, -1),
  redis.call('HGETALL', KEYS[7]),
  redis.call('HGET', KEYS[3], ARGV[2]) or '',
  redis.call('ZSCORE', KEYS[2], ARGV[2]) and redis.call('SISMEMBER', KEYS[1], ARGV[1]) or 0,
}
