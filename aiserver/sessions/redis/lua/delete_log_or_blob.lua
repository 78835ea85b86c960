-- Permanently delete a notebook's log or a blob.
-- KEYS  2 owners  3 notebooks to delete a log, or blobs to delete a blob  4 blobs or notebooks,
--       whichever isn't the third key  5 cells  6 the log, unless a blob is deleted
-- ARGV  1 owner  2 notebook or hash. Returns the number of deleted logs or blobs.
local count = redis.call('HDEL', KEYS[3], ARGV[2]) + (KEYS[6] and redis.call('DEL', KEYS[6]) or 0)
if count == 0 then
  return {0}
end
if redis.call('HLEN', KEYS[3]) + redis.call('HLEN', KEYS[4]) + redis.call('ZCARD', KEYS[5]) == 0 then
  redis.call('SREM', KEYS[2], ARGV[1])
end
return remember({1})
