-- Replace or delete a document, unless it has changed since the caller read it.
-- KEYS  2 documents. ARGV  1 name  2 the expected document  3 the new document
-- A document that doesn't exist, or that is to be deleted, is '-'; '=' precedes any other document.
-- Returns 1, or 0 if the document isn't the expected one.
local stored = redis.call('HGET', KEYS[2], ARGV[1])
if (stored and '=' .. stored or '-') ~= ARGV[2] then
  return {0}
end
local result = store_result({1})
if ARGV[3] == '-' then
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], string.sub(ARGV[3], 2))
end
return result
