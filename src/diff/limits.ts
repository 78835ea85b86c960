/**
 * Limits for the work that CodeMirror spends on one diff; `timeout` is in milliseconds. When a
 * limit is reached, CodeMirror returns a diff that is less precise, but still correct.
 */
export const DIFF_LIMITS = { scanLimit: 500, timeout: 50 };
