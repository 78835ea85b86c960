/**
 * First requests about tables, suggested from the names and dtypes of their columns alone, and from the
 * keys by which they can be joined.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ColumnProfile } from '../api/types';
import type { IJoinKey } from '../kernel/joinKeys';
import { modeLabels } from '../labels/modeLabels';

/** A DataFrame or a data file. */
export interface ITable {
  readonly name: string;
  readonly columns?: readonly Pick<ColumnProfile, 'name' | 'dtype'>[];
}

export interface ISuggestedQuestion {
  /** The question as a person asks it. */
  readonly text: string;
  /** The request that asks it, which may begin with a slash word. */
  readonly request: string;
  /** Why it is suggested. */
  readonly reason?: string;
}

type Column = Pick<ColumnProfile, 'name' | 'dtype'>;

const MAX_NAME = 40;
/** Match dtypes of pandas and polars, and classes of R. */
const TEXT =
  /^(object|str|string|utf8|category|categorical|enum|character|factor|ordered)/i;
const NUMBER = /^(u?int|float|decimal|numeric)/i;
const DATE = /^(datetime|date|period|posixct)/i;
/** Matches the name of a column that contains dates, as texts or numbers. */
const DATE_NAME =
  /(^|[_\s-])(date|datetime|timestamp|day|month|year)$|(日期|年份|月份|年|月)$/;
/** Matches the name of a column that contains dates if it contains texts. */
const TIME_NAME = /(^|[_\s-])time$|(时间|時間)$/;
/** Matches the name of a column that identifies rows. */
const KEY_NAME =
  /(^|[_\s-])(id|key|code|no|uuid|zip|isbn|sku)$|(编号|代码|编码|序号|号码|編號|代碼|編碼|序號|號碼)$/;
/** Matches the name of a column of texts most of which differ. */
const PROSE_NAME =
  /(^|[_\s-])(name|text|title|notes?|comment|description|url|email|address|phone)$|(姓名|名称|名稱|标题|標題|备注|備註|描述|说明|說明|地址|邮箱|信箱|电话|電話)$/;

const MAX_QUESTIONS = 3;

/** Return at most three questions about one table, or about joins of several by `keys`. */
export function suggestQuestions(
  tables: readonly ITable[],
  trans: TranslationBundle,
  keys: readonly IJoinKey[] = []
): ISuggestedQuestion[] {
  if (tables.length > 1) {
    return keys
      .filter(({ leftColumn, rightColumn }) =>
        [leftColumn, rightColumn].every(name => isUsable({ name }))
      )
      .slice(0, MAX_QUESTIONS)
      .map(key => joinQuestion(key, trans));
  }
  return tables.length ? questionsAbout(tables[0], trans) : [];
}

function questionsAbout(
  { columns = [] }: ITable,
  trans: TranslationBundle
): ISuggestedQuestion[] {
  const usable = columns.filter(isUsable);
  const date = usable.find(isDate);
  const number = usable.find(isNumber);
  const category = usable.find(isCategory);
  const questions: ISuggestedQuestion[] = [];
  if (date && number) {
    const text = trans.__('How does %1 change over time?', number.name);
    const visualise = modeLabels(trans).find(
      ({ mode }) => mode === 'visualise'
    );
    questions.push({ text, request: `${visualise?.slashWord ?? ''} ${text}` });
  }
  if (category && number) {
    const names = [number.name, category.name];
    questions.push(plain(trans.__('Compare %1 by %2', ...names)));
  }
  if (columns.length) {
    const text = trans.__('Describe the columns, missing values and outliers');
    questions.push(plain(text));
  }
  return questions;
}

function joinQuestion(
  { left, leftColumn, right, rightColumn, share }: IJoinKey,
  trans: TranslationBundle
): ISuggestedQuestion {
  const columns =
    leftColumn === rightColumn ? leftColumn : `${leftColumn} = ${rightColumn}`;
  const question = plain(
    trans.__('Join %1 and %2 on %3', left, right, columns)
  );
  const percent = Math.floor((share ?? 0) * 100);
  return share === null
    ? question
    : {
        ...question,
        reason: trans.__('%1% of the values occur in both', percent)
      };
}

function plain(text: string): ISuggestedQuestion {
  return { text, request: text };
}

/** Return whether a column's name, in snake case, matches: `orderId` as `order_id`. */
function isNamed({ name }: Column, pattern: RegExp): boolean {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  return pattern.test(words);
}

/** Return whether a column's name is short enough for a question. */
function isUsable({ name }: Pick<Column, 'name'>): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME && !/[\r\n]/.test(name);
}

function isDate(column: Column): boolean {
  const { dtype } = column;
  const isText = TEXT.test(dtype);
  return (
    DATE.test(dtype) ||
    ((isText || NUMBER.test(dtype)) && isNamed(column, DATE_NAME)) ||
    (isText && isNamed(column, TIME_NAME))
  );
}

function isNumber(column: Column): boolean {
  const isOther = isNamed(column, KEY_NAME) || isDate(column);
  return NUMBER.test(column.dtype) && !isOther;
}

function isCategory(column: Column): boolean {
  const isOther =
    isNamed(column, KEY_NAME) || isNamed(column, PROSE_NAME) || isDate(column);
  return TEXT.test(column.dtype) && !isOther;
}
