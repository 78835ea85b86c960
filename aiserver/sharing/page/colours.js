// Code in colours: comments, strings, numbers, keywords. No more, and never wrong about the text.

const KEYWORDS = {
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield',
  r: 'break else FALSE for function if in NA NULL next repeat return TRUE while library',
  julia:
    'abstract begin break catch const continue do else elseif end export false finally for function global if import let local macro module mutable nothing quote return struct true try using while',
  sql: 'select from where group by order having join left right inner outer on as and or not in is null insert into values update set delete create table with union all distinct limit case when then else end',
  javascript:
    'async await break case catch class const continue default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield'
};
const COMMENTS = { javascript: '//[^\\n]*|/\\*[^]*?(?:\\*/|$)', sql: '--[^\\n]*' };
const STRINGS =
  '"""[^]*?(?:"""|$)|\'\'\'[^]*?(?:\'\'\'|$)|"(?:\\\\.|[^"\\\\\\n])*"?|\'(?:\\\\.|[^\'\\\\\\n])*\'?';
const LONGEST_COLOURED = 200_000;

/** For each line of a text its pieces, as `[text, class or '']`. */
function coloured(text, language) {
  const lines = [[]];
  const put = (piece, name) => {
    piece.split('\n').forEach((part, number) => {
      if (number) {
        lines.push([]);
      }
      if (part) {
        lines[lines.length - 1].push([part, name]);
      }
    });
  };
  const known = KEYWORDS[language];
  if (!known || text.length > LONGEST_COLOURED) {
    put(text, '');
    return lines;
  }
  const keywords = new Set(known.split(' '));
  const any = new RegExp(
    `(${COMMENTS[language] || '#[^\\n]*'})|(${STRINGS})|(\\b\\d[\\w.]*)|([\\p{L}_][\\p{L}\\p{N}_]*)`,
    'gu'
  );
  let end = 0;
  for (const found of text.matchAll(any)) {
    put(text.slice(end, found.index), '');
    const [all, comment, string, number] = found;
    const word = language === 'sql' ? all.toLowerCase() : all;
    put(
      all,
      comment ? 'c' : string ? 's' : number ? 'n' : keywords.has(word) ? 'k' : ''
    );
    end = found.index + all.length;
  }
  put(text.slice(end), '');
  return lines;
}
