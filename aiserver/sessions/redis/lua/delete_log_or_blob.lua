-- Permanently delete a notebook's log or a blob. Remove the owner from the set of owners if nothing
-- is left.
-- KEYS  to delete a log:   2 owners  3 notebooks  4 blobs      5 cells  6 log
--       to delete a blob:  2 owners  3 blobs      4 notebooks  5 cells
-- ARGV  1 owner  2 the notebook, or the blob's hash. Returns the number of deleted logs or blobs.
local count = redis.call('HDEL', KEYS[3], ARGV[2]) + (KEYS[6] and redis.call('DEL', KEYS[6]) or 0)
if count == 0 then
  return {0}
end
if redis.call('HLEN', KEYS[3]) + redis.call('HLEN', KEYS[4]) + redis.call('ZCARD', KEYS[5]) == 0 then
  redis.call('SREM', KEYS[2], ARGV[1])
end
return store_result({1})
