-- Read the summaries of sessions, sorted by notebook and cell. KEYS  1 cells  2 rows.
-- ARGV  1, 2 the range of cells to count  3 the first cell to read  4 offset  5 limit
-- Reads from the given cell to the end of the range. Returns the number of cells in the range, the
-- number of cells read, the last cell read, and the summaries of the cells read.
local total = redis.call('ZLEXCOUNT', KEYS[1], ARGV[1], ARGV[2])
local cells = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[3], ARGV[2], 'LIMIT', ARGV[4], ARGV[5])
local rows = {}
for i = 1, #cells do
  rows[#rows + 1] = redis.call('HGET', KEYS[2], cells[i]) or nil
end
return {total, #cells, cells[#cells] or '', table.concat(rows, '\n')}
