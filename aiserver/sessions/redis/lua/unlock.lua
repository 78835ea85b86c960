-- Release a lock. KEYS  1 lock. ARGV  1 the holder. Returns 0 if it was no longer the holder's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
