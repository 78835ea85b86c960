/**
 * A timeout that detects dead connections, for example after a laptop has slept.
 *
 * Invariant: the timeout counts ticks of a timer in this page, not clock time. A page that slept
 * still has the remaining ticks after it wakes, to read data that has arrived meanwhile.
 */
const TICK_MS = 5000;

/** Thrown when no data has arrived for so long that the connection is considered dead. */
export class TimeoutError extends Error {}

/**
 * Await a promise for at most `ticks` ticks of 5 s each.
 *
 * @throws TimeoutError if the promise has not settled by then.
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  ticks: number
): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    let remaining = ticks;
    timer = setInterval(() => {
      remaining -= 1;
      if (remaining <= 0) {
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
