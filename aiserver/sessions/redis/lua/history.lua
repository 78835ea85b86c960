-- Read the newest turns since the last context reset. KEYS  1 head  2 turns.
-- ARGV  1 the maximum number of turns, -1 for all  2 AI Server's major version.
-- Returns the joined turns, and whether there are older turns since the reset, as 1 or 0.
-- Returns nothing if the turns aren't in chronological order or if a newer version of AI Server
-- wrote the session. Then the caller must read the complete session.
local head = redis.call('HMGET', KEYS[1], 'since', 'version')
if not head[1] or tonumber(string.match(head[2] or '', '^%d+') or 0) > tonumber(ARGV[2]) then
  return false
end
local first, count = tonumber(head[1]), redis.call('LLEN', KEYS[2])
local has_older, limit = 0, tonumber(ARGV[1])
if limit >= 0 and count - first > limit then
  first, has_older = count - limit, 1
end
return {table.concat(redis.call('LRANGE', KEYS[2], first, -1), ','), has_older}
