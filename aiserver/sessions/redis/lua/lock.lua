-- Acquire or renew a lock. KEYS  1 lock. ARGV  1 the holder  2 milliseconds until it expires.
-- Returns 1 if the holder now has the lock, and 0 if the lock has another holder.
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
