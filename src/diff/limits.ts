/**
 * Limits for CodeMirror's work on one diff, in changed characters and in milliseconds. Beyond them,
 * it uses a faster method, whose diff is less precise, but still correct.
 */
export const DIFF_LIMITS = { scanLimit: 500, timeout: 50 };
