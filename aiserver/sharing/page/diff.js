// Which lines of two texts are the same.

/** Beyond as many pairs of lines, what lies between is told as all gone and all new. */
const DIFF_LIMIT = 4_000_000;

/** Rows `{sign: ' ' | '-' | '+', text, line}`; `line` is the number in the new text, if any. */
function diff(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end++;
  }
  const rows = [];
  const put = (sign, text, line) => rows.push({ sign, text, line });
  for (let j = 0; j < start; j++) {
    put(' ', b[j], j);
  }
  const n = a.length - end;
  const m = b.length - end;
  let i = start;
  let j = start;
  for (const [x, y] of common(a, b, start, n, m)) {
    while (i < x) {
      put('-', a[i++]);
    }
    while (j < y) {
      put('+', b[j], j++);
    }
    put(' ', b[j], j++);
    i++;
  }
  while (i < n) {
    put('-', a[i++]);
  }
  while (j < m) {
    put('+', b[j], j++);
  }
  for (; j < b.length; j++) {
    put(' ', b[j], j);
  }
  return rows;
}

/** Pairs of lines of a longest common subsequence of `a[start..n]` and `b[start..m]`. */
function common(a, b, start, n, m) {
  const rows = n - start;
  const columns = m - start;
  if (!rows || !columns || rows * columns > DIFF_LIMIT) {
    return [];
  }
  const width = columns + 1;
  const best = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const at = i * width + j;
      best[at] =
        a[start + i] === b[start + j]
          ? best[at + width + 1] + 1
          : Math.max(best[at + width], best[at + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    const at = i * width + j;
    if (a[start + i] === b[start + j]) {
      pairs.push([start + i++, start + j++]);
    } else if (best[at + width] >= best[at + 1]) {
      i++;
    } else {
      j++;
    }
  }
  return pairs;
}
