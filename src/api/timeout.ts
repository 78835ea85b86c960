/**
 * Notices a connection that has died without a word, as it does when a laptop sleeps and its
 * connections are forgotten on the way.
 *
 * What must hold: time counts in ticks of this page, not by the clock. A page that slept gets
 * its full time after it wakes, to read what came meanwhile.
 */
const TICK_MS = 5000;

/** Nothing came for so long that nothing will. */
export class TimeoutError extends Error {}

/** The promise's own end, or `TimeoutError` if it has not come after so many ticks. */
export async function within<T>(
  promise: Promise<T>,
  ticks: number
): Promise<T> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const silence = new Promise<never>((_, reject) => {
    let left = ticks;
    timer = setInterval(() => {
      left -= 1;
      if (left <= 0) {
        reject(new TimeoutError());
      }
    }, TICK_MS);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearInterval(timer);
  }
}
