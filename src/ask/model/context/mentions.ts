/**
 * Finds what a request mentions by `@`: a cell (`@cell3`), the cell's error (`@error`) or a file
 * (`@notes.md`). Variables and DataFrames need no `@`: `attachments.ts` finds their names.
 *
 * Invariant: the texts are read when the request is sent, so the request contains what the person
 * sees.
 */
import type { Mention } from '../../../api/types';
import type { IKernelVariables } from '../../../kernel/variables';
import { DATA_FILE } from './attachments';
import type { ITarget } from '../state';

/** The maximum number of mentions: the limit of the HTTP API. */
const MAX_MENTIONS = 20;
/** `@` begins a mention, except in an e-mail address. */
const START = '(?<![A-Za-z0-9_.])@';
const CELL = new RegExp(`${START}(?:cell|单元格|儲存格) ?(\\d{1,5})`, 'gi');
const ERROR = new RegExp(`${START}(?:error(?![A-Za-z0-9_])|错误|錯誤)`, 'gi');
const FILE = new RegExp(
  `${START}(?:"([^"\\n]+)"|'([^'\\n]+)'|([^\\s"'，。；：！？、（）()]+))`,
  'g'
);
/** The extensions of text and data files. */
const FILE_NAME =
  /\.(csv|tsv|parquet|pq|xlsx?|xlsm|jsonl?|ndjson|py|ipynb|md|rst|txt|log|r|jl|sql|ya?ml|toml|ini|cfg|xml|html?|css|js|ts|sh|tex|bib)$/i;

/** Return the mentions of an intent in their order, without duplicates. */
export function mentionsIn(
  intent: string,
  target: ITarget,
  { frames, variables }: IKernelVariables
): Mention[] {
  const mentions = new Map<string, Mention>();
  const add = (mention: Mention) => mentions.set(mention.name, mention);
  for (const [name, number] of intent.matchAll(CELL)) {
    const cell = target.cellAt(Number(number));
    if (cell) {
      const { cellId, source, error, output } = cell;
      add({ kind: 'cell', name, cellId, source, error, output });
    }
  }
  const error = target.error();
  for (const [name] of error ? intent.matchAll(ERROR) : []) {
    add({ kind: 'error', name, source: error ?? '' });
  }
  const names = new Set([...frames, ...variables].map(({ name }) => name));
  for (const [name, ...paths] of intent.matchAll(FILE)) {
    const path = (paths.find(Boolean) ?? '').replace(/[.,;:!?]+$/, '');
    const isVariable = names.has(path.split('.')[0]);
    if (FILE_NAME.test(path) && !isVariable) {
      add({ kind: 'file', name: name.replace(/[.,;:!?]+$/, ''), file: path });
    }
  }
  return [...mentions.values()].slice(0, MAX_MENTIONS);
}

/**
 * Return whether a remote model gets a part of what is mentioned only if the person allows it: the
 * output of a cell, or the text of a file. Of data files, only columns and dtypes are ever sent.
 */
export function needsConsent({ kind, output, file }: Mention): boolean {
  return kind === 'file' ? !DATA_FILE.test(file ?? '') : !!output;
}
