-- Put in front of each script that writes. KEYS[1] is named after this one write: if an answer was
-- lost on the way and the write is sent again, it is not done again, but answered as before.
-- (A script of Redis can't be refused for want of memory once it has written: so what may be
-- refused comes first, and a script has done all or nothing.)
local before = redis.call('GET', KEYS[1])
if before then
  return cmsgpack.unpack(before)
end

local function remember(answer)
  redis.call('SET', KEYS[1], cmsgpack.pack(answer), 'EX', 600)
  return answer
end

local function too_new(version, known)
  return tonumber(string.match(version or '', '^%d+') or 0) > tonumber(known)
end
