import { nullTranslator } from '@jupyterlab/translation';

import { setup } from '../model/generation.fakes';
import { IGenerationState, INITIAL_STATE } from '../model/state';
import { noticeText } from './promptLabels';

const trans = nullTranslator.load('aiserver');
const SHOWN = {
  changesNothing: false,
  isAnotherAttempt: false,
  isOffered: true,
  isUnrelated: false
};

it('says in one sentence what was corrected, by the server and in the page', () => {
  const state = {
    ...INITIAL_STATE,
    phase: 'suggested' as const,
    replacedCharacters: ['quotes', 'of a later version'],
    corrections: ['prise → price']
  };
  const textOf = (state: IGenerationState) =>
    noticeText({ ...SHOWN, state }, trans);
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
  const { model } = setup();
  const suggestion = { turnId: 1, code: 'x', outcome: 'open', title: '', mode };
  jest.spyOn(model, 'suggestion', 'get').mockReturnValue(suggestion as never);
  model.setState({ phase: 'suggested', intent });
  expect(/^This is another attempt/.test(noticeText(model, trans))).toBe(
    isExpected
  );
  model.setState({
    signals: [{ kind: 'unrelated', name: '', labels: [], before: 0, after: 0 }]
  });
  expect(noticeText(model, trans)).toMatch(/it isn’t offered/);
});

it('doesn’t speak of a description if an answer changes nothing', () => {
  const state = { ...INITIAL_STATE, phase: 'suggested' } as const;
  const text =
    'The answer is the same as the current code. Say what should be different, or choose another model.';
  expect(noticeText({ ...SHOWN, state, changesNothing: true }, trans)).toBe(
    text
  );
});
