/**
 * Reads the data that was recorded with a run: its duration, execution count and output.
 *
 * Invariant: another tool may have stored the data, so each value is validated, and an invalid one
 * is treated as missing.
 */
import type { Step } from '../api/types';
import type { IShownStep } from './fold';

/** Its content is the blob with this SHA-256; its size is in pixels. */
export interface IOutputImage {
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
}

export interface IRunOutput {
  readonly text: string;
  /** Whether the text is only a beginning. */
  readonly truncated: boolean;
  readonly images: readonly IOutputImage[];
}

/** Images of these types can't contain a script. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** Images shown for one output. */
const MAX_IMAGES = 8;

/** Null if the step's code was never run. */
export function lastRunOf(step: IShownStep): Step | null {
  const { runs = [] } = step;
  return runs[runs.length - 1] ?? null;
}

/** Return the index of the step whose code was the last to run without an error, or null. */
export function findLastWorking(steps: readonly IShownStep[]): number | null {
  let lastWorking: number | null = null;
  let newestSeq = -1;
  steps.forEach(({ runs = [] }, index) => {
    for (const { outcome, seq } of runs) {
      if (outcome === 'done' && seq > newestSeq) {
        lastWorking = index;
        newestSeq = seq;
      }
    }
  });
  return lastWorking;
}

/** In milliseconds; null if it was not recorded. */
export function durationOf(run: Step): number | null {
  const value = run.data?.duration_ms;
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
    ? value
    : null;
}

/** Null if it was not recorded. */
export function executionCountOf(run: Pick<Step, 'data'>): number | null {
  const value = run.data?.execution_count;
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

/** The shape of the DataFrame that a run ended with, or null. */
export function shapeOf(run: Step): readonly [number, number] | null {
  const shape = asObject(run.data?.outputs)?.shape;
  return Array.isArray(shape) &&
    shape.length === 2 &&
    shape.every(count => Number.isInteger(count) && count >= 0)
    ? (shape as [number, number])
    : null;
}

/** Null if there is none. */
export function outputOf(run: Step): IRunOutput | null {
  const outputs = asObject(run.data?.outputs);
  if (!outputs) {
    return null;
  }
  const text = typeof outputs.text === 'string' ? outputs.text : '';
  const list = Array.isArray(outputs.images) ? outputs.images : [];
  const images = list
    .slice(0, MAX_IMAGES)
    .map(asImage)
    .filter(image => image !== null);
  return text || images.length
    ? { text, truncated: outputs.truncated === true, images }
    : null;
}

function asImage(value: unknown): IOutputImage | null {
  const image = asObject(value);
  const { sha256, mime, width, height } = image ?? {};
  return typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    IMAGE_TYPES.includes(mime as string) &&
    isSize(width) &&
    isSize(height)
    ? { sha256, width, height }
    : null;
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 100_000;
}
