import type { TranslationBundle } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';

import { slashWordOf } from '../../../labels/modeLabels';
import type { GenerationModel } from '../../model/generation';
import {
  NearestCode,
  completeRemember,
  completeSlashWord,
  completedRequest
} from './completions';

const english = nullTranslator.load('aiserver');
/** A language with a word for `/fix` only. */
const chinese = {
  ...english,
  __: (text: string) => (text === '/fix' ? '/修复' : text)
} as unknown as TranslationBundle;

const complete = (
  text: string,
  nearest: NearestCode = 'own',
  trans = english
) => completeSlashWord(text, () => nearest, trans).map(({ text }) => text);

describe('completeSlashWord', () => {
  it('lists all words after a slash, and then those that match', () => {
    expect(complete('/')).toHaveLength(10);
    expect(complete('/e')).toEqual(['/explain', '/edit']);
    expect(complete(' /EX')).toEqual(['/explain']);
    expect(complete('／ex')).toEqual(['/explain']);
    expect(complete('/修', 'own', chinese)).toEqual(['/修复']);
    expect(complete('/fi', 'own', chinese)).toEqual(['/修复']);
  });

  it('lists nothing for whole words, paths and other texts', () => {
    for (const text of ['', 'fix', '/fix', '/fix ', '/data/', 'a /', '//']) {
      expect(complete(text)).toEqual([]);
    }
  });

  it('lists for an empty cell only what needs no code', () => {
    expect(complete('/', 'none')).toEqual(['/visualise']);
  });

  it('lists below a code cell also what can be about that cell, and says so', () => {
    expect(completeSlashWord('/', () => 'above', english)).toMatchObject([
      { text: '/explain', description: 'Explain the cell above in words' },
      {
        text: '/visualise',
        description: 'Draw a plot, with title and labels'
      },
      { text: '/test', description: 'Write tests for the cell above' },
      {
        text: '/convert',
        description: 'Rewrite the cell above for another library or language'
      }
    ]);
    expect(complete('/f', 'above')).toEqual([]);
  });
});

describe('completeRemember', () => {
  const words = (text: string, trans = english) =>
    completeRemember(text, trans).map(({ text }) => text);
  const translated = {
    ...english,
    __: (text: string) => (text === '/remember' ? '/记住' : text)
  } as unknown as TranslationBundle;

  it('completes the word in both languages', () => {
    expect(words('/')).toEqual(['/remember']);
    expect(words(' /RE'.toLowerCase())).toEqual(['/remember']);
    expect(words('／记', translated)).toEqual(['/记住']);
    expect(words('/rem', translated)).toEqual(['/记住']);
  });

  it('completes no other text', () => {
    for (const text of ['', 're', '/remember', '/remember x', 'a /re', '/x']) {
      expect(words(text)).toEqual([]);
    }
  });
});

describe('completedRequest', () => {
  const model = (error: string | null, suggestion: object | null = null) =>
    ({
      suggestion,
      target: {
        error: () => error,
        source: () => 'x',
        check: async () => [{ line: 1, message: 'No x.', candidates: [] }]
      }
    }) as unknown as GenerationModel;
  const error = 'NameError: x';
  const sent = (text: string) => `${text}\nLine 1: No x.\n${error}`;

  it('adds the error and the problems to a request to fix', async () => {
    for (const text of ['/fix', '/Fix it', '/debug: it', '/修复它', '／修正']) {
      expect(await completedRequest(model(error), text)).toBe(sent(text));
    }
  });

  it('leaves other requests unchanged', async () => {
    for (const text of ['/fixed', 'fix', '/edit it', sent('/fix')]) {
      expect(await completedRequest(model(error), text)).toBe(text);
    }
    expect(await completedRequest(model(null), '/fix')).toBe('/fix');
    expect(await completedRequest(model(error, {}), '/fix')).toBe('/fix');
  });
});

it('the mode of a turn is shown unless it is a usual one or the request names it', () => {
  expect(slashWordOf('fix', 'repair it', chinese)).toBe('/修复');
  expect(slashWordOf('fix', '/fix it', english)).toBeNull();
  for (const mode of ['create', 'edit', 'generate', 'repair', undefined]) {
    expect(slashWordOf(mode, 'x', english)).toBeNull();
  }
});
