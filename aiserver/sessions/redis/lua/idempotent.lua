-- Prefix of each script that writes. KEYS[1] is unique to the write: if its answer was lost and the
-- write is sent again, it is not repeated, but gets the same answer.
-- (Redis can't abort a script for lack of memory once it has written: so checks come first, and a
-- script is atomic.)
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
