-- Read a list as one text. KEYS  1 list. ARGV  1 the separator.
return table.concat(redis.call('LRANGE', KEYS[1], 0, -1), ARGV[1])
