/**
 * Limits for the work that CodeMirror spends on one diff: `scanLimit` is a number of changed
 * characters, and `timeout` a time in milliseconds. When a limit is exceeded, CodeMirror changes to
 * a faster method. The diff is then less precise, but still correct.
 */
export const DIFF_LIMITS = { scanLimit: 500, timeout: 50 };
