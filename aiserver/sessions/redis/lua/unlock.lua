-- Release a lock. KEYS  1 lock. ARGV  1 the holder.
-- Returns 1, or 0 if the holder no longer had the lock.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
