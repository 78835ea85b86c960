import { nullTranslator } from '@jupyterlab/translation';

import { INITIAL_STATE } from '../model/state';
import { noticeText } from './promptLabels';

const trans = nullTranslator.load('aiserver');

it('says in one sentence what was corrected, by the server and in the page', () => {
  const state = {
    ...INITIAL_STATE,
    phase: 'suggested' as const,
    replacedCharacters: ['quotes', 'of a later version'],
    corrections: ['prise → price']
  };
  expect(noticeText(state, trans)).toBe(
    'Corrected automatically: typographic quotes, prise → price.'
  );
  expect(noticeText({ ...state, corrections: [] }, trans)).toBe(
    'Corrected automatically: typographic quotes.'
  );
  // The next answer has other characters.
  const waiting = { ...state, phase: 'waiting' as const, corrections: [] };
  expect(noticeText(waiting, trans)).toBe('');
});

it('doesn’t speak of a description if an answer changes nothing', () => {
  const state = {
    ...INITIAL_STATE,
    phase: 'suggested',
    notice: 'same'
  } as const;
  const text =
    'The answer is the same as the current code. Say what should be different, or choose another model.';
  expect(noticeText(state, trans)).toBe(text);
});
