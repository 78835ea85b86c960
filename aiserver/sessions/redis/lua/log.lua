-- Append entries to a notebook's log and number them.
-- KEYS  2 owners  3 notebooks  4 log. ARGV  1 owner  2 notebook  3 this write's stamp
--       then for each entry the parts before and after its number
-- Returns the first entry's number.
local last = redis.call('HGET', KEYS[3], ARGV[2]) or ''
local seq = math.max(tonumber(string.match(last, '^%d+') or 0), redis.call('LLEN', KEYS[4]))
redis.call('SCARD', KEYS[2]) -- fails if another program uses the key, before anything is written
local answer = remember({seq + 1})
for i = 4, #ARGV, 2 do
  seq = seq + 1
  redis.call('RPUSH', KEYS[4], ARGV[i] .. string.format('%.0f', seq) .. ARGV[i + 1])
end
redis.call('HSET', KEYS[3], ARGV[2], string.format('%.0f', seq) .. ' ' .. ARGV[3])
redis.call('SADD', KEYS[2], ARGV[1])
return answer
