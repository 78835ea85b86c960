import { nullTranslator } from '@jupyterlab/translation';

import { IGenerationState, INITIAL_STATE } from '../model/state';
import { noticeText } from './promptLabels';

const trans = nullTranslator.load('aiserver');

it('says in one sentence what was corrected, by the server and in the page', () => {
  const state = {
    ...INITIAL_STATE,
    phase: 'suggested' as const,
    replacedCharacters: ['quotes', 'of a later version'],
    corrections: ['prise → price']
  };
  const textOf = (state: IGenerationState) =>
    noticeText({ state, changesNothing: false, suggestion: null }, trans);
  expect(textOf(state)).toBe(
    'Corrected automatically: typographic quotes, prise → price.'
  );
  expect(textOf({ ...state, corrections: [] })).toBe(
    'Corrected automatically: typographic quotes.'
  );
  // The next answer has other characters.
  const waiting = { ...state, phase: 'waiting' as const, corrections: [] };
  expect(textOf(waiting)).toBe('');
});

it.each([
  ['repair', 'sum', true],
  ['fix', 'Fix this error:\nKeyError: 1', true],
  ['fix', '/fix the title', false],
  ['document', 'sum', false]
])('says that an answer of mode %s to %j is another attempt: %s', (...args) => {
  const [mode, intent, isExpected] = args;
  const state = { ...INITIAL_STATE, phase: 'suggested' as const, intent };
  const shown = { state, changesNothing: false, suggestion: { mode } };
  expect(/^This is another attempt/.test(noticeText(shown, trans))).toBe(
    isExpected
  );
});

it('doesn’t speak of a description if an answer changes nothing', () => {
  const state = { ...INITIAL_STATE, phase: 'suggested' } as const;
  const text =
    'The answer is the same as the current code. Say what should be different, or choose another model.';
  expect(
    noticeText({ state, changesNothing: true, suggestion: null }, trans)
  ).toBe(text);
});
