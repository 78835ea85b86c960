/** A cell's output as text and images, for a request that mentions the cell. */
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput, MultilineString } from '@jupyterlab/nbformat';
import type { IOutputAreaModel } from '@jupyterlab/outputarea';

import { ANSI_CODES } from './cellError';
import { hasImage, IImage, imagesOf } from './plots/images';
import { plotlySummary } from './plots/plotly';
import { vegaLiteSummary } from './plots/vegaLite';

type Outputs = Pick<IOutputAreaModel, 'length' | 'get'>;

// Only the beginning and the end are sent. The limit of the HTTP API is 20,000.
const MAX_START = 5000;
const MAX_END = 14_000;

/** Return the output of the cell's current code as text; empty if there is none. */
export function resultText(cell: Cell | null): string {
  const { outputs, isDirty } = (cell?.model ?? {}) as Partial<ICodeCellModel>;
  return isDirty ? '' : outputText(outputs);
}

export function resultImages(cell: Cell | null): IImage[] {
  const { outputs, isDirty } = (cell?.model ?? {}) as Partial<ICodeCellModel>;
  return isDirty ? [] : outputImages(outputs);
}

export function outputImages(outputs: Outputs | undefined): IImage[] {
  return imagesOf(outputsIn(outputs));
}

/** Return the text of outputs, without errors, with summaries of charts. */
export function outputText(outputs: Outputs | undefined): string {
  const texts = outputsIn(outputs).map(textOf).filter(Boolean);
  const text = texts.join('\n').replace(ANSI_CODES, '').trim();
  return text.length > MAX_START + MAX_END
    ? `${text.slice(0, MAX_START)}\n[…]\n${text.slice(-MAX_END)}`
    : text;
}

function outputsIn(outputs: Outputs | undefined): IOutput[] {
  return Array.from({ length: outputs?.length ?? 0 }, (_, index) =>
    outputs!.get(index).toJSON()
  );
}

function textOf(output: {
  output_type?: unknown;
  text?: unknown;
  data?: unknown;
}): string {
  const { output_type: type, text } = output;
  if (type === 'stream') {
    return join(text as MultilineString | undefined).trimEnd();
  }
  const data = (output.data ?? {}) as Data;
  const plain = join(data['text/plain'] as MultilineString | undefined);
  // An image's plain text, such as `<Figure size 640x480 with 1 Axes>`, adds nothing.
  return (
    chartSummary(data) ||
    (hasImage(data) && /^\s*<[^]*>\s*$/.test(plain) ? '' : plain.trimEnd())
  );
}

function chartSummary(data: Data): string {
  let summary = summaries.get(data);
  if (summary === undefined) {
    const vegaLite = Object.keys(data).find(mime => VEGA_LITE.test(mime));
    summary = vegaLite
      ? vegaLiteSummary(data[vegaLite])
      : plotlySummary(data['application/vnd.plotly.v1+json']);
    summaries.set(data, summary);
  }
  return summary;
}

type Data = Readonly<Record<string, unknown>>;

const VEGA_LITE = /^application\/vnd\.vegalite\.v\d+[.\d]*[.+]json$/;
/** The keys are the data of outputs, which isn't changed in place but replaced. */
const summaries = new WeakMap<Data, string>();

function join(text: MultilineString | undefined): string {
  return Array.isArray(text) ? text.join('') : String(text ?? '');
}
