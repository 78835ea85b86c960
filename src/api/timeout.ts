/**
 * A timeout that detects dead connections.
 *
 * Invariant: it counts the ticks of a timer in this page instead of comparing clock times. The timer
 * doesn't tick while the computer sleeps, so after the sleep the page still has time to read data
 * that has arrived.
 */

const TICK_MS = 5000;

export class TimeoutError extends Error {}

/**
 * Await a promise for at most `ticks` ticks of 5 s each.
 *
 * @throws TimeoutError after them.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  ticks: number
): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    let remainingTicks = ticks;
    timer = setInterval(() => {
      remainingTicks -= 1;
      if (remainingTicks <= 0) {
        reject(new TimeoutError());
      }
    }, TICK_MS);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearInterval(timer);
  }
}
