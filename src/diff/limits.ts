/** The limits of CodeMirror's work on one diff. A diff that exceeds them is coarse, but correct. */
export const DIFF_LIMITS = { scanLimit: 500, timeout: 50 };
