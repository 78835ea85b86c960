-- Each script that a repetition would harm begins with this text. KEYS[1] is unique to one write. It
-- stores the script's answer. If the answer was lost and the write is sent again, the script
-- changes nothing and returns the stored answer.
-- Scripts are atomic because all commands that can fail come before the first one that writes.
-- After that one, Redis doesn't abort a script for lack of memory.
local previous = redis.call('GET', KEYS[1])
if previous then
  return cmsgpack.unpack(previous)
end

local function remember(answer)
  redis.call('SET', KEYS[1], cmsgpack.pack(answer), 'EX', 600)
  return answer
end

local function too_new(version, major)
  return tonumber(string.match(version or '', '^%d+') or 0) > tonumber(major)
end
