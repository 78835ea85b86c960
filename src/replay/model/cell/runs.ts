/**
 * What running a version of a cell brought: how it ended, how long it took, what it showed.
 *
 * What must hold: what is stored may come from another tool, so each part is looked at before
 * it is believed; what is none is left out.
 */
import type { Step } from '../../../api/types';
import type { IShownStep } from './fold';

/** A picture of an output, kept by its content's hash. */
export interface IOutputImage {
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
}

export interface IRunOutput {
  readonly text: string;
  /** Whether the text is the beginning only. */
  readonly truncated: boolean;
  readonly images: readonly IOutputImage[];
}

/** The kinds of pictures that are drawn; none of them can hold a script. */
const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** No more pictures than this are shown of one output. */
const MAX_IMAGES = 8;

/** The last run of the code that a step shows; null if it was not run. */
export function runOf(step: IShownStep): Step | null {
  const { runs = [] } = step;
  return runs[runs.length - 1] ?? null;
}

/** The step whose code was the last to run without an error; null if there is none. */
export function lastClean(steps: readonly IShownStep[]): number | null {
  let found: number | null = null;
  let newest = -1;
  steps.forEach(({ runs = [] }, at) => {
    for (const { outcome, seq } of runs) {
      if (outcome === 'done' && seq > newest) {
        found = at;
        newest = seq;
      }
    }
  });
  return found;
}

/** How long a run took, in milliseconds; null if that was not kept. */
export function durationOf(run: Step): number | null {
  const value = run.data?.duration_ms;
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
    ? value
    : null;
}

/** The number that a run gave the cell; null if that was not kept. */
export function countOf(run: Step): number | null {
  const value = run.data?.execution_count;
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

/** What a run showed, as far as it was kept; null if nothing was. */
export function outputOf(run: Step): IRunOutput | null {
  const outputs = asObject(run.data?.outputs);
  if (!outputs) {
    return null;
  }
  const text = typeof outputs.text === 'string' ? outputs.text : '';
  const list = Array.isArray(outputs.images) ? outputs.images : [];
  const images = list.slice(0, MAX_IMAGES).map(asImage).filter(isThere);
  return text || images.length
    ? { text, truncated: outputs.truncated === true, images }
    : null;
}

function asImage(value: unknown): IOutputImage | null {
  const image = asObject(value);
  const { sha256, mime, width, height } = image ?? {};
  return typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    PICTURES.includes(mime as string) &&
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

function isThere<T>(value: T | null): value is T {
  return value !== null;
}
