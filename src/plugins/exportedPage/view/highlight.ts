/**
 * A small syntax highlighter, because the exported page can't load JupyterLab's.
 *
 * Invariant: the texts of a line's tokens, joined together, are the unchanged line.
 */

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
/** Comments of languages in which they don't begin with `#`. */
const COMMENTS: Readonly<Record<string, string>> = {
  javascript: '//[^\\n]*|/\\*[^]*?(?:\\*/|$)',
  sql: '--[^\\n]*'
};
const STRINGS =
  '"""[^]*?(?:"""|$)|\'\'\'[^]*?(?:\'\'\'|$)|"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'?';
/** A longer text is not highlighted. */
const MAX_LENGTH = 200_000;

/** A piece of a line. Its type is `c` for a comment, `s` string, `n` number, `k` keyword, or ''. */
export type Token = readonly [text: string, type: string];

export function highlight(text: string, language: string): Token[][] {
  const lines: Token[][] = [[]];
  // Split a token that extends over several lines.
  const add = (tokenText: string, type: string) => {
    tokenText.split('\n').forEach((lineText, index) => {
      if (index) {
        lines.push([]);
      }
      if (lineText) {
        lines[lines.length - 1].push([lineText, type]);
      }
    });
  };
  const keywords = new Set(KEYWORDS[language]?.split(' '));
  if (!keywords.size || text.length > MAX_LENGTH) {
    add(text, '');
    return lines;
  }
  const pattern = new RegExp(
    `(${COMMENTS[language] ?? '#[^\\n]*'})|(${STRINGS})|(\\b\\d[\\w.]*)|[\\p{L}_][\\p{L}\\p{N}_]*`,
    'gu'
  );
  const typeOf = ([token, comment, string, number]: RegExpMatchArray) => {
    const word = language === 'sql' ? token.toLowerCase() : token;
    const keyword = keywords.has(word) ? 'k' : '';
    return comment ? 'c' : string ? 's' : number ? 'n' : keyword;
  };
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    add(text.slice(end, match.index), '');
    add(match[0], typeOf(match));
    end = match.index + match[0].length;
  }
  add(text.slice(end), '');
  return lines;
}
