/**
 * Finds what a request mentions by `@`: a cell (`@cell3`), the cell's error, a file or a variable's
 * value. DataFrames need no `@` (`attachments.ts`).
 *
 * Invariants: texts are read when the request is sent. A value is only in the mention of its
 * variable. Images are drawn again, so that they are small and contain no hidden data.
 */
import { PathExt } from '@jupyterlab/coreutils';

import type { Mention, ModelInfo, PastAnswer } from '../../../api/types';
import { type IImage, redrawImage } from '../../../cells/plots/images';
import type { IKernelVariables, IVariable } from '../../../kernel/variables';
import type { IHandedOutput } from '../../../prompt/checkedText';
import { isForbidden } from '../../../state/features';
import type { ITarget } from '../../../cells/notebookCell';
import { isNameAt } from './attachments';

/** The HTTP API accepts one more, for the example. */
export const MAX_MENTIONS = 20;
/** `@` begins a mention, except in an e-mail address. */
const START = '(?<![A-Za-z0-9_.])@';
const AT = new RegExp(START, 'g');
const CELL = new RegExp(`${START}(?:cell|单元格|儲存格) ?(\\d{1,5})`, 'gi');
const OUTPUT = new RegExp(`${START}(?:output(?![A-Za-z0-9_])|输出|輸出)`, 'gi');
const ERROR = new RegExp(`${START}(?:error(?![A-Za-z0-9_])|错误|錯誤)`, 'gi');
const PATH_END = '\\s"\'，。；：！？、（）()';
const FILE = new RegExp(
  `${START}(?:"([^"\\n]{1,300})"|'([^'\\n]{1,300})'|([^${PATH_END}]{1,300}))`,
  'g'
);
const DATA_EXTENSIONS =
  'csv|tsv|parquet|pq|xlsx?|xlsm|jsonl?|ndjson|sqlite3?|db|duckdb';
const DATA_FILE = new RegExp(`\\.(${DATA_EXTENSIONS})$`, 'i');
const FILE_NAME = new RegExp(
  `\\.(${DATA_EXTENSIONS}|py|ipynb|md|rst|txt|log|c|cc|cpp|h|hpp|java|go|rs|r|rmd|qmd|jl|scala|sql|` +
    'ya?ml|toml|ini|cfg|conf|xml|html?|css|jsx?|tsx?|sh|tex|bib)$',
  'i'
);
/** The limit of the HTTP API. */
const MAX_ERROR = 5000;

/** `plots` are the images of the cell's output as the kernel returned them. */
export interface IMention extends Mention {
  readonly plots?: readonly IImage[];
  /** Whether `shared` was chosen for a model that sees images, so that it covers `plots`. */
  readonly sharesPlots?: boolean;
}

export function isMentionable(path: string): boolean {
  return FILE_NAME.test(path) && !path.includes('"');
}

export function isDataFile(path: string): boolean {
  return DATA_FILE.test(path) && !path.includes('"');
}

export function fileMention(path: string): string {
  return new RegExp(`[${PATH_END}]`).test(path) ? `@"${path}"` : `@${path}`;
}

export function mentionsIn(
  intent: string,
  target: ITarget,
  kernel: IKernelVariables
): IMention[] {
  const files = filesIn(intent, kernel);
  const candidates = [
    ...cellsIn(intent, target),
    ...errorsIn(intent, target),
    ...outputsIn(intent, target),
    ...files.values(),
    ...variablesIn(intent, kernel, files)
  ];
  const mentions = new Map<string, IMention>();
  for (const mention of candidates) {
    if (!mentions.has(mention.name)) {
      mentions.set(mention.name, mention);
    }
  }
  return [...mentions.values()].slice(0, MAX_MENTIONS);
}

function cellsIn(intent: string, target: ITarget): IMention[] {
  return [...intent.matchAll(CELL)].flatMap(([name, number]) => {
    const cell = target.cellAt(Number(number));
    if (!cell) {
      return [];
    }
    const { cellId, source, output, images } = cell;
    const error = cell.error.slice(0, MAX_ERROR);
    const plots = images.length && { plots: images };
    return { kind: 'cell', name, cellId, source, error, output, ...plots };
  });
}

function errorsIn(intent: string, target: ITarget): IMention[] {
  const source = target.error();
  return source === null
    ? []
    : [...intent.matchAll(ERROR)].map(([name]) => ({
        kind: 'error',
        name,
        source
      }));
}

function outputsIn(intent: string, target: ITarget): IMention[] {
  return [...intent.matchAll(OUTPUT)].flatMap(([name]) => {
    const output = target.output();
    const images = target.images();
    const plots = images.length && { plots: images };
    return output || plots ? { kind: 'cell', name, output, ...plots } : [];
  });
}

function filesIn(
  intent: string,
  { frames }: IKernelVariables
): Map<number, IMention> {
  const files = new Map<number, IMention>();
  for (const match of intent.matchAll(FILE)) {
    const [name, file] = match
      .filter(Boolean)
      .map(text => text.replace(/[.,;:!?]+$/, ''));
    // `@df.js` is a column if there is a DataFrame `df`, and a DataFrame of R may be `df.js`.
    const isData = frames.some(frame =>
      `${file}.`.startsWith(`${frame.name}.`)
    );
    if (FILE_NAME.test(file) && !isData) {
      files.set(match.index, { kind: 'file', name, file });
    }
  }
  return files;
}

function variablesIn(
  intent: string,
  kernel: IKernelVariables,
  files: ReadonlyMap<number, IMention>
): IMention[] {
  return [...intent.matchAll(AT)].flatMap(({ index }) => {
    const variable = files.has(index)
      ? undefined
      : variableAt(intent, index + 1, kernel);
    return variable?.value
      ? { kind: 'variable', name: `@${variable.name}`, output: variable.value }
      : [];
  });
}

function variableAt(
  intent: string,
  at: number,
  kernel: IKernelVariables
): IVariable | undefined {
  const { frames, variables } = kernel;
  const [longest] = [...frames, ...variables]
    .filter(
      ({ name }) =>
        intent.startsWith(name, at) &&
        isNameAt(intent, at, name, kernel) &&
        !/^\w/.test(intent.slice(at + name.length))
    )
    .sort((left, right) => right.name.length - left.name.length);
  return variables.find(variable => variable === longest);
}

/** Return the keys under which a choice to share a mention is stored. */
export function shareKeys(mention: IMention, seesImages: boolean): string[] {
  const key = mentionKey(mention);
  return seesImages && mention.plots?.length ? [key, plotsKey(key)] : [key];
}

export function withChoice(
  mention: IMention,
  sharedKeys: readonly string[]
): IMention {
  const key = mentionKey(mention);
  const sharesPlots = sharedKeys.includes(plotsKey(key));
  return sharedKeys.includes(key)
    ? { ...mention, shared: true, ...(sharesPlots && { sharesPlots }) }
    : mention;
}

function plotsKey(key: string): string {
  return `${key}\nplots`;
}

/** Return what identifies a mention. A cell's number or a file's place may change. */
export function mentionKey({ name, cellId, file }: Mention): string {
  return cellId ?? file ?? name;
}

/**
 * Return whether a remote model gets an output, a value or a text of the mention only with consent.
 */
export function needsConsent(mention: IMention, seesImages: boolean): boolean {
  const { kind, output, plots, file } = mention;
  const hasOutput = !!output || (seesImages && !!plots?.length);
  const needs = kind === 'file' ? !DATA_FILE.test(file ?? '') : hasOutput;
  return needs && !forbiddenPart(mention);
}

/** Return the forbidden part, which the server leaves out; null if there is none. */
export function forbiddenPart({
  kind,
  output,
  plots
}: IMention): 'files' | 'outputs' | null {
  const hasOutput = !!output || !!plots?.length;
  const feature = kind === 'file' ? 'files' : hasOutput ? 'outputs' : null;
  return feature && isForbidden(feature) ? feature : null;
}

export function handedOutput(
  mentions: readonly Mention[],
  model: ModelInfo | null
): IHandedOutput | null {
  const { onThisMachine, seesImages } = model ?? {};
  const isSeen = ({ images }: Mention) => !!seesImages && !!images?.length;
  const handed = mentions.filter(
    mention =>
      mention.kind === 'cell' &&
      (onThisMachine || mention.shared) &&
      (mention.output || isSeen(mention))
  );
  const texts = handed.map(({ source = '', output }) => `${source}\n${output}`);
  return handed.length
    ? { text: texts.join('\n'), hasImages: handed.some(isSeen) }
    : null;
}

const MAX_IMAGES = 2;
/** The limit of the HTTP API. */
const MAX_OMITTED = 1000;
/** Models scale larger images down. `bytes` is the limit of the HTTP API. */
const LIMITS = { side: 1568, bytes: 500_000 };

export async function withImages(
  mentions: readonly IMention[]
): Promise<Mention[]> {
  const prepared: Mention[] = [];
  let room = MAX_IMAGES;
  for (const { plots = [], sharesPlots, ...mention } of mentions) {
    // It was shared with a model that doesn't see images, so another model gets none.
    const isTextOnly = mention.shared && !sharesPlots;
    const drawable = isTextOnly ? [] : plots.slice(0, room);
    const drawn = await Promise.all(drawable.map(toBase64));
    const images = drawn.flatMap(data => (data ? [{ data }] : []));
    const omittedImages = Math.min(MAX_OMITTED, plots.length - images.length);
    room -= images.length;
    prepared.push({
      ...mention,
      ...(images.length && { images }),
      ...(omittedImages && { omittedImages })
    });
  }
  return prepared;
}

async function toBase64(image: IImage): Promise<string | null> {
  const redrawn = await redrawImage(image, LIMITS);
  if (!redrawn) {
    return null;
  }
  const bytes = new Uint8Array(await redrawn.blob.arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

/** The name of a notebook whose file was moved or deleted, for models and histories. */
export const UNKNOWN_NOTEBOOK = 'another notebook';

export function notebookName({ path }: Pick<PastAnswer, 'path'>) {
  return path && PathExt.basename(path);
}

export function exampleMention(answer: PastAnswer): Mention {
  return {
    kind: 'past_answer',
    name: notebookName(answer) ?? UNKNOWN_NOTEBOOK,
    source: answer.code,
    request: answer.intent
  };
}
