-- Read the newest turns since the last “start afresh”. KEYS  1 head  2 turns.
-- ARGV  1 how many at most, -1 for all  2 the newest version we know.
-- Gives the turns, joined, and 1 if there are older ones; nothing where the order is not that of
-- the list, so that the whole session has to be looked at.
local head = redis.call('HMGET', KEYS[1], 'since', 'version')
if not head[1] or tonumber(string.match(head[2] or '', '^%d+') or 0) > tonumber(ARGV[2]) then
  return false
end
local first, count = tonumber(head[1]), redis.call('LLEN', KEYS[2])
local older, most = 0, tonumber(ARGV[1])
if most >= 0 and count - first > most then
  first, older = count - most, 1
end
return {table.concat(redis.call('LRANGE', KEYS[2], first, -1), ','), older}
