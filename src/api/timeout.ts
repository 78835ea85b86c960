/**
 * A timeout that detects dead connections, for example after a laptop has slept.
 *
 * Invariant: the timeout counts the ticks of a timer in this page instead of comparing clock times.
 * The timer doesn't tick while the computer sleeps. So the time of the sleep isn't counted, and
 * when the computer wakes, the page still has time to read data that has already arrived.
 */

/** The time between two ticks of the timer. */
const TICK_MS = 5000;

/** Thrown by `withTimeout` after the timeout. */
export class TimeoutError extends Error {}

/**
 * Await a promise for at most `ticks` ticks of 5 s each.
 *
 * @throws TimeoutError if the promise has not settled after these ticks.
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
