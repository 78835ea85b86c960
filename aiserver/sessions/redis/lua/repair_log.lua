-- Quarantine unreadable entries of a log and set the log's mark, unless the mark has changed since
-- the caller read it.
-- KEYS  1 owners  2 notebooks  3 log  4 damaged
-- ARGV  1 owner  2 notebook  3 the mark that the caller read, '' for none
--       4 the new mark, '' to remove the log from the index  5… the unreadable entries
-- Returns 1, or 0 if the mark has changed.
if (redis.call('HGET', KEYS[2], ARGV[2]) or '') ~= ARGV[3] then
  return 0
end
for i = 5, #ARGV do
  redis.call('RPUSH', KEYS[4], ARGV[i])
  redis.call('LREM', KEYS[3], 1, ARGV[i])
end
if ARGV[4] == '' then
  redis.call('HDEL', KEYS[2], ARGV[2])
else
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])
  redis.call('SADD', KEYS[1], ARGV[1])
end
return 1
