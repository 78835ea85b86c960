import type { TranslationBundle } from '@jupyterlab/translation';

import type { BlameLine, Step } from '../api/types';
import {
  INLINE_COMPLETION,
  FILE_ON_DISK,
  JUPYTER_SERVER
} from '../records/contributor';
import { removeChineseSpaces } from './serverText';

export type Contribution = Pick<Step, 'author' | 'name'>;

/** The colour of a contributor; `hand` is that of people. */
export function contributorTone({
  author
}: Pick<Step, 'author'>): 'model' | 'hand' | 'agent' | 'other' {
  switch (author) {
    case 'person':
      return 'hand';
    case 'model':
    case 'agent':
      return author;
    default:
      return 'other';
  }
}

/** Without a name, "an agent", "a program" or "unknown". */
export function contributorName(
  { author, name = '' }: Contribution,
  trans: TranslationBundle
): string {
  switch (name) {
    case FILE_ON_DISK:
      return trans.__('file on disk');
    case JUPYTER_SERVER:
      return trans.__('Jupyter server');
    case INLINE_COMPLETION:
      return trans.__('inline completion');
    case '':
      break;
    default:
      return name;
  }
  switch (author) {
    case 'agent':
      return trans.__('an agent');
    case 'program':
      return trans.__('a program');
    default:
      return trans.__('unknown');
  }
}

/** "Edited by jupyter-mcp-server", "Changed on disk" */
export function editedBy(
  step: Contribution & Partial<Pick<Step, 'data'>>,
  trans: TranslationBundle
): string {
  const { author, name } = step;
  if (author === 'person') {
    return trans.__('Edited by hand');
  }
  if (name === FILE_ON_DISK) {
    return trans.__('Changed on disk');
  }
  if (author === 'unknown') {
    return name
      ? trans.__('Changed by %1', name)
      : trans.__('Changed by an unknown source');
  }
  const contributor = contributorName(step, trans);
  const command = step.data?.command;
  return typeof command === 'string' && FORMATTING_COMMAND.test(command)
    ? removeChineseSpaces(trans.__('Formatted by %1', contributor))
    : removeChineseSpaces(trans.__('Edited by %1', contributor));
}

const FORMATTING_COMMAND = /format|prettif|black|ruff|isort|yapf/i;

export function lineContributorText(
  line: BlameLine,
  trans: TranslationBundle
): string {
  if (line.step === null) {
    return trans.__('Not recorded yet');
  }
  if (line.existing) {
    return trans.__('Existing content');
  }
  return line.author === 'person' ? trans.__('By hand') : editedBy(line, trans);
}
