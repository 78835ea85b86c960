-- Read a complete session. KEYS  1 head  2 turns  3 events. ARGV  1 the separator.
-- Returns the fields of layout.StoredSession, or nothing if there is no session.
local head = redis.call('HMGET', KEYS[1], 'meta', 'updated', 'revision', 'events', 'rest', 'stamp')
if not head[1] then
  return false
end
for i = 2, 6 do
  head[i] = head[i] or ''
end
head[7] = table.concat(redis.call('LRANGE', KEYS[2], 0, -1), ARGV[1])
head[8] = table.concat(redis.call('LRANGE', KEYS[3], 0, -1), ARGV[1])
return head
