-- Append entries to a notebook's log and number them.
-- KEYS  2 owners  3 notebooks  4 log. ARGV  1 owner  2 notebook  3 this write's id
--       then for each entry, the texts before and after its number
-- Returns the first new entry's number.
local mark = redis.call('HGET', KEYS[3], ARGV[2]) or ''
local seq = math.max(tonumber(string.match(mark, '^%d+') or 0), redis.call('LLEN', KEYS[4]))
-- If another program uses the second key, this command fails, before anything is written.
redis.call('SCARD', KEYS[2])
local result = store_result({seq + 1})
for i = 4, #ARGV, 2 do
  seq = seq + 1
  redis.call('RPUSH', KEYS[4], ARGV[i] .. string.format('%.0f', seq) .. ARGV[i + 1])
end
redis.call('HSET', KEYS[3], ARGV[2], string.format('%.0f', seq) .. ' ' .. ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
return result
