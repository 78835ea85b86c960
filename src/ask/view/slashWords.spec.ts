import type { TranslationBundle } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';

import { slashWordOf } from '../../labels/modeLabels';
import { completeSlashWord, textAfterFix } from './slashWords';

const english = nullTranslator.load('aiserver');
/** A language with a word for `/fix` only. */
const chinese = {
  ...english,
  __: (text: string) => (text === '/fix' ? '/修复' : text)
} as unknown as TranslationBundle;

const complete = (text: string, hasCode = true, trans = english) =>
  completeSlashWord(text, hasCode, trans).map(({ text }) => text);

describe('completeSlashWord', () => {
  it('lists all words after a slash, and then those that match', () => {
    expect(complete('/')).toHaveLength(10);
    expect(complete('/e')).toEqual(['/explain', '/edit']);
    expect(complete(' /EX')).toEqual(['/explain']);
    expect(complete('/修', true, chinese)).toEqual(['/修复']);
    expect(complete('/fi', true, chinese)).toEqual(['/修复']);
  });

  it('lists nothing for whole words, paths and other texts', () => {
    for (const text of ['', 'fix', '/fix', '/fix ', '/data/', 'a /', '//']) {
      expect(complete(text)).toEqual([]);
    }
  });

  it('lists for an empty cell only what needs no code', () => {
    expect(complete('/', false)).toEqual(['/visualise']);
  });
});

it('a request to fix is recognised in both languages', () => {
  expect(textAfterFix('/fix', english)).toBe('');
  expect(textAfterFix(' /修复 它 ', chinese)).toBe('它 ');
  expect(textAfterFix('/Fix it', chinese)).toBe('it');
  expect(textAfterFix('/fixed', english)).toBeNull();
  expect(textAfterFix('fix', english)).toBeNull();
});

it('the mode of a turn is shown unless it is a usual one or the request names it', () => {
  expect(slashWordOf('fix', 'repair it', chinese)).toBe('/修复');
  expect(slashWordOf('fix', '/fix it', english)).toBeNull();
  for (const mode of ['create', 'edit', 'generate', 'repair', undefined]) {
    expect(slashWordOf(mode, 'x', english)).toBeNull();
  }
});
