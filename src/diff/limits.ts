/** How much work a diff may be. Beyond this it gets coarse; it stays right, and quick. */
export const DIFF_LIMITS = { scanLimit: 500, timeout: 50 };
