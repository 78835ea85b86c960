-- Store bytes under their hash. KEYS  1 owners  2 blobs. ARGV  1 owner  2 hash  3 bytes.
-- If another program uses the first key, this command fails, before anything is written.
redis.call('SCARD', KEYS[1])
redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3])
redis.call('SADD', KEYS[1], ARGV[1])
return {'ok'}
