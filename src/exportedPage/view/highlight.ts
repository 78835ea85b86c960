/** Highlights comments, strings, numbers and keywords. The text itself is never changed. */

const KEYWORDS: Readonly<Record<string, string>> = {
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield',
  r: 'break else FALSE for function if in NA NULL next repeat return TRUE while library',
  julia:
    'abstract begin break catch const continue do else elseif end export false finally for function global if import let local macro module mutable nothing quote return struct true try using while',
  sql: 'select from where group by order having join left right inner outer on as and or not in is null insert into values update set delete create table with union all distinct limit case when then else end',
  javascript:
    'async await break case catch class const continue default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield'
};
const COMMENTS: Readonly<Record<string, string>> = {
  javascript: '//[^\\n]*|/\\*[^]*?(?:\\*/|$)',
  sql: '--[^\\n]*'
};
const STRINGS =
  '"""[^]*?(?:"""|$)|\'\'\'[^]*?(?:\'\'\'|$)|"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'?';
const MAX_LENGTH = 200_000;

/** A piece of a line with its class: `c`omment, `s`tring, `n`umber, `k`eyword or none. */
export type Piece = readonly [text: string, name: string];

/** Return the pieces of each line. */
export function highlight(text: string, language: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const add = (piece: string, name: string) => {
    piece.split('\n').forEach((part, index) => {
      if (index) {
        lines.push([]);
      }
      if (part) {
        lines[lines.length - 1].push([part, name]);
      }
    });
  };
  const keywords = new Set(KEYWORDS[language]?.split(' '));
  if (!keywords.size || text.length > MAX_LENGTH) {
    add(text, '');
    return lines;
  }
  const token = new RegExp(
    `(${COMMENTS[language] ?? '#[^\\n]*'})|(${STRINGS})|(\\b\\d[\\w.]*)|[\\p{L}_][\\p{L}\\p{N}_]*`,
    'gu'
  );
  let end = 0;
  for (const match of text.matchAll(token)) {
    add(text.slice(end, match.index), '');
    const [all, comment, string, number] = match;
    const word = language === 'sql' ? all.toLowerCase() : all;
    add(
      all,
      comment
        ? 'c'
        : string
          ? 's'
          : number
            ? 'n'
            : keywords.has(word)
              ? 'k'
              : ''
    );
    end = match.index + all.length;
  }
  add(text.slice(end), '');
  return lines;
}
