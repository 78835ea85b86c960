/**
 * First requests about tables, suggested from the names and dtypes of their columns, and from join
 * keys.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { IJoinKey } from '../kernel/joinKeys';
import { modeLabels } from '../labels/modeLabels';
import {
  isCategory,
  isDate,
  isMeasure,
  isNumber,
  type ITable
} from './columnKinds';

export interface ISuggestedQuestion {
  readonly text: string;
  readonly slashWord?: string;
  readonly reason?: string;
}

const MAX_NAME = 40;
const MAX_QUESTIONS = 3;

/** Return at most three questions about one table, or about joins of several by `keys`. */
export function suggestQuestions(
  tables: readonly ITable[],
  trans: TranslationBundle,
  keys: readonly IJoinKey[] = []
): ISuggestedQuestion[] {
  if (tables.length > 1) {
    return keys
      .filter(({ left, leftColumn, right, rightColumn }) =>
        [left, leftColumn, right, rightColumn].every(isUsable)
      )
      .slice(0, MAX_QUESTIONS)
      .map(key => joinQuestion(key, trans));
  }
  return tables.length ? questionsAbout(tables[0], trans) : [];
}

function questionsAbout(
  { columns = [], hasHeader = true }: ITable,
  trans: TranslationBundle
): ISuggestedQuestion[] {
  const usable = columns.filter(({ name }) => hasHeader && isUsable(name));
  const date = usable.find(isDate);
  const number = usable.find(isMeasure) ?? usable.find(isNumber);
  const category = usable.find(isCategory);
  const questions: ISuggestedQuestion[] = [];
  if (date && number) {
    const text = trans.__('How does %1 change over time?', number.name);
    const visualise = modeLabels(trans).find(
      ({ mode }) => mode === 'visualise'
    );
    questions.push({ text, slashWord: visualise?.slashWord });
  }
  if (category && number) {
    const names = [number.name, category.name];
    questions.push({ text: trans.__('Compare %1 by %2', ...names) });
  }
  if (columns.length) {
    const text = trans.__('Describe the columns, missing values and outliers');
    questions.push({ text });
  }
  return questions;
}

function joinQuestion(
  { left, leftColumn, right, rightColumn, share }: IJoinKey,
  trans: TranslationBundle
): ISuggestedQuestion {
  const columns =
    leftColumn === rightColumn ? leftColumn : `${leftColumn} = ${rightColumn}`;
  const text = trans.__('Join %1 and %2 on %3', left, right, columns);
  const percent = Math.floor((share ?? 0) * 100);
  return share === null
    ? { text }
    : { text, reason: trans.__('%1% of the values occur in both', percent) };
}

function isUsable(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME && !/[\r\n]/.test(name);
}
