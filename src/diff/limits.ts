/** Limits the work for a diff; beyond them it is coarser but still correct. */
export const DIFF_LIMITS = { scanLimit: 500, timeout: 50 };
