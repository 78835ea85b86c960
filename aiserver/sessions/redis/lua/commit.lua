-- Write values of hashes, unless a value that the caller has read has changed since.
-- KEYS  1 the key for this write's result  2 the set of owners  3… pairs: a hash and its index
-- ARGV  1 the number of checks; for each: the number of the pair, the field, the value's SHA-1 or ''
--       then for each write: the number of the pair, '=' and the owner for the set of owners or '',
--       the hash's name in its index, the field, and '=' and the value, or '' to delete the field
-- Returns 1, or 0 if a value has changed. If the response doesn't reach the caller, who then sends
-- the write again, nothing is written again.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 1
end
local last_check = 1 + 3 * tonumber(ARGV[1])
for i = 2, last_check, 3 do
  local value = redis.call('HGET', KEYS[2 * tonumber(ARGV[i]) + 1], ARGV[i + 1])
  if (value and redis.sha1hex(value) or '') ~= ARGV[i + 2] then
    return 0
  end
end
if last_check == #ARGV then
  return 1
end
-- If another program uses one of these keys, these commands fail, before anything is written.
redis.call('SCARD', KEYS[2])
for i = 3, #KEYS, 2 do
  redis.call('HLEN', KEYS[i])
  redis.call('SCARD', KEYS[i + 1])
end
for i = last_check + 1, #ARGV, 5 do
  local hash = KEYS[2 * tonumber(ARGV[i]) + 1]
  local index = KEYS[2 * tonumber(ARGV[i]) + 2]
  if ARGV[i + 4] == '' then
    redis.call('HDEL', hash, ARGV[i + 3])
    if redis.call('EXISTS', hash) == 0 then
      redis.call('SREM', index, ARGV[i + 2])
    end
  else
    redis.call('HSET', hash, ARGV[i + 3], string.sub(ARGV[i + 4], 2))
    redis.call('SADD', index, ARGV[i + 2])
    if ARGV[i + 1] ~= '' then
      redis.call('SADD', KEYS[2], string.sub(ARGV[i + 1], 2))
    end
  end
end
-- After a command that writes, Redis doesn't abort a script for lack of memory.
redis.call('SET', KEYS[1], 1, 'EX', 600)
return 1
