-- The common beginning of all scripts that would do harm if they ran twice for the same write.
-- Each write has its own KEYS[1], under which its result is stored. If the result doesn't reach the
-- client, the client sends the write again. Then the script changes nothing and returns the stored
-- result.
-- Scripts are atomic, because all commands that can fail come before the first command that writes.
-- After a command that writes, Redis doesn't abort a script for lack of memory.
local previous = redis.call('GET', KEYS[1])
if previous then
  return cmsgpack.unpack(previous)
end

local function store_result(result)
  redis.call('SET', KEYS[1], cmsgpack.pack(result), 'EX', 600)
  return result
end

local function too_new(version, major)
  return tonumber(string.match(version or '', '^%d+') or 0) > tonumber(major)
end
