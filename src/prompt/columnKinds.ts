/** The kinds of columns, guessed from their names and dtypes alone. */
import type { ColumnProfile } from '../api/types';

export type Column = Pick<ColumnProfile, 'name' | 'dtype'>;

/** A DataFrame, a data file or a table of a database. */
export interface ITable {
  readonly name: string;
  readonly columns?: readonly Column[];
  /** False for a file whose columns have numbers instead of names. */
  readonly hasHeader?: boolean;
}

/** Match dtypes of pandas and polars, classes of R, and types of SQL. */
const TEXT =
  /^(object|str|string|utf8|category|categorical|enum|character|factor|ordered|n?(var)?char|(tiny|medium|long)?text|clob)/i;
const NUMBER =
  /^(u?(tiny|small|medium|big|huge)?int(?!erval)|float|double|real|decimal|numeric|number)/i;
const DATE = /^(datetime|date|timestamp|period|posixct)/i;
/** Matches a list or an array of SQL, such as `INTEGER[]` or `VARCHAR[3]`. */
const LIST = /\[\d*\]$/;
/** A column with dates, as texts or numbers. */
const DATE_NAME =
  /(^|[_\s-])(date|datetime|timestamp|day|month|year)$|(日期|年份|月份|年|月)$/;
/** A column with dates if it contains texts. */
const TIME_NAME = /(^|[_\s-])time$|(时间|時間)$/;
/** A column that identifies rows. */
const KEY_NAME =
  /(?:^|[_\s-]|(?<=\P{ASCII}))(id|key|code|no|uuid|zip|isbn|sku)$|(编号|代码|编码|序号|号码|編號|代碼|編碼|序號|號碼)$/u;
/** A column that only numbers the rows, such as the one that pandas writes. */
const INDEX_NAME =
  /^(unnamed(: ?| )[\d.]+(_level_\d+)?|\.\.\.1|(df_?)?index|level_\d+|rank|row_?(num(ber)?|names?|nr|index)?|#)$|^(索引|行号|排名|行號)$/i;
/** A column with the quantity that people ask about first. */
const MEASURE_NAME =
  /(^|[_\s-])(amount|cost|income|price|profit|quantity|revenue|sales|salary|score|total|value)([_\s-]|$)|(金额|价格|销量|销售额|收入|成本|利润|数量|分数|总计|金額|價格|銷量|銷售額|利潤|數量|分數|總計)$/;
/** A column of texts most of which differ. */
const PROSE_NAME =
  /(^|[_\s-])(name|text|title|notes?|comment|description|url|email|address|phone)$|(姓名|名称|名稱|标题|標題|备注|備註|描述|说明|說明|地址|邮箱|信箱|电话|電話)$/;

export function isDate(column: Column): boolean {
  const isText = hasTexts(column);
  return (
    DATE.test(column.dtype) ||
    ((isText || hasNumbers(column)) && isNamed(column, DATE_NAME)) ||
    (isText && isNamed(column, TIME_NAME))
  );
}

export function isNumber(column: Column): boolean {
  const isOther =
    keyName(column.name) ||
    INDEX_NAME.test(column.name.trim()) ||
    isDate(column);
  return hasNumbers(column) && !isOther;
}

export function isMeasure(column: Column): boolean {
  return isNumber(column) && isNamed(column, MEASURE_NAME);
}

export function isCategory(column: Column): boolean {
  const isOther =
    keyName(column.name) || isNamed(column, PROSE_NAME) || isDate(column);
  return hasTexts(column) && !isOther;
}

/** The name of a column that identifies rows, divided in two: `customer_id`. */
export interface IKeyName {
  /** The thing that a row describes, such as `customer`; may be empty. */
  readonly entity: string;
  /** The rest, such as `id`. */
  readonly end: string;
}

/** Null if the name isn't one of a key. */
export function keyName(name: string): IKeyName | null {
  const words = snakeCase(name);
  const match = KEY_NAME.exec(words);
  return (
    match && { entity: words.slice(0, match.index), end: match[1] ?? match[2] }
  );
}

/** Return whether the dtypes allow values of two columns to be equal. */
export function isComparable(left: Column, right: Column): boolean {
  return (
    (hasNumbers(left) && hasNumbers(right)) ||
    (hasTexts(left) && hasTexts(right)) ||
    left.dtype.toLowerCase() === right.dtype.toLowerCase()
  );
}

/** `orderId` becomes `order_id`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

function hasTexts({ dtype }: Column): boolean {
  return TEXT.test(dtype) && !LIST.test(dtype);
}

function hasNumbers({ dtype }: Column): boolean {
  return NUMBER.test(dtype) && !LIST.test(dtype);
}

function isNamed({ name }: Column, pattern: RegExp): boolean {
  return pattern.test(snakeCase(name));
}

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;

/** `@df.price` or `@df."unit price"` */
export function columnMention(frame: string, column: string): string {
  return `@${frame}.${IDENTIFIER.test(column) ? column : `"${column}"`}`;
}
