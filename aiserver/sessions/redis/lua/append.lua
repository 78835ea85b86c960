-- Append turns or events to a session and number them. If there is no session yet, create it.
-- KEYS  2 owners  3 cells  4 rows  5 head  6 turns  7 events  8 ids
-- ARGV  1 owner  2 cell  3 now  4 the expected revision, or ''  5 AI Server's major version
--       6 the row and 7 the meta to use for a new session  8 this write's id
--       then for each turn or event, the six fields of layout.Item
-- Returns 'ok', the revision, and for each record its numbers. For an event that is already stored,
-- returns the stored text instead of numbers.
local head = redis.call('HMGET', KEYS[5], 'revision', 'turn_id', 'seq', 'version', 'since')
local revision, turn_id, seq = tonumber(head[1] or 0), tonumber(head[2] or 0), tonumber(head[3] or 0)
if too_new(head[4], ARGV[5]) then
  return {'too new'}
end
if ARGV[4] ~= '' and tonumber(ARGV[4]) ~= revision then
  return {'stale', revision}
end
-- If another program uses one of these keys, these commands fail, before anything is written.
local turns, events = redis.call('LLEN', KEYS[6]), redis.call('LLEN', KEYS[7])
redis.call('HLEN', KEYS[8])
redis.call('ZCARD', KEYS[3])
redis.call('SCARD', KEYS[2])

local is_readable, row = pcall(cjson.decode, redis.call('HGET', KEYS[4], ARGV[2]) or ARGV[6])
if not is_readable then
  row = cjson.decode(ARGV[6])
end
-- The number of turns before the last context reset; -1 if the session doesn't have this number,
-- because its turns aren't in chronological order.
local since = tonumber(head[5] or (head[1] and -1 or 0))
local new_turns, new_events, new_ids, new_text_by_id, result = {}, {}, {}, {}, {'ok', 0}
for i = 9, #ARGV, 6 do
  local id, delta = ARGV[i + 1], cjson.decode(ARGV[i + 2])
  local existing = new_text_by_id[id]
  if id ~= '' and not existing then
    local index = redis.call('HGET', KEYS[8], id)
    existing = index and redis.call('LINDEX', KEYS[7], index)
  end
  if existing then
    result[#result + 1] = existing
  else
    seq = seq + 1
    local text
    -- The format '%.0f' writes large numbers without an exponent.
    if ARGV[i] == 'turn' then
      turn_id = turn_id + 1
      text = ARGV[i + 3] .. string.format('%.0f', turn_id) .. ARGV[i + 4]
        .. string.format('%.0f', seq) .. ARGV[i + 5]
      new_turns[#new_turns + 1] = text
      result[#result + 1] = turn_id
      row.last_intent, row.last_status = delta.last_intent, delta.last_status
    else
      text = ARGV[i + 3] .. string.format('%.0f', seq) .. ARGV[i + 5]
      new_events[#new_events + 1] = text
      if delta.reset and since >= 0 then
        since = turns + #new_turns
      end
    end
    result[#result + 1] = seq
    if id ~= '' then
      new_text_by_id[id] = text
      new_ids[#new_ids + 1] = {id, events + #new_events - 1}
    end
    row.turns, row.failed = row.turns + delta.turns, row.failed + delta.failed
    row.events = row.events + delta.events
    if delta.last_source ~= '' then
      row.last_source = delta.last_source
    end
  end
end

result[2] = revision
if #new_turns + #new_events == 0 then
  return result
end
revision = revision + 1
result[2] = revision
row.revision, row.last_updated = revision, ARGV[3]
store_result(result)
if not head[1] then
  redis.call('HSET', KEYS[5], 'meta', ARGV[7], 'version', cjson.decode(ARGV[7]).version)
end
for _, text in ipairs(new_turns) do
  redis.call('RPUSH', KEYS[6], text)
end
for _, text in ipairs(new_events) do
  redis.call('RPUSH', KEYS[7], text)
end
for _, pair in ipairs(new_ids) do
  redis.call('HSET', KEYS[8], pair[1], pair[2])
end
redis.call('HSET', KEYS[5], 'revision', revision, 'turn_id', turn_id, 'seq', seq,
  'updated', ARGV[3], 'stamp', ARGV[8])
if since >= 0 then
  redis.call('HSET', KEYS[5], 'since', since)
end
if #new_events > 0 then
  redis.call('HSET', KEYS[5], 'events', 'list')
end
redis.call('HSET', KEYS[4], ARGV[2], cjson.encode(row))
redis.call('ZADD', KEYS[3], 0, ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
return result
