import type { TranslationBundle } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';

import type { Step } from '../api/types';
import { stepsOf } from '../replay/model/replay.fakes';
import { errorText, stepTitle } from './stepLabels';

/** A language in which each text is translated as `<text>`. */
const trans = {
  ...nullTranslator.load('aiserver'),
  gettext: (text: string) => `<${text}>`,
  __: (text: string) => `<${text}>`
} as unknown as TranslationBundle;

function stepWith(more: Partial<Step>): Step {
  return { ...stepsOf('x = 1')[0], ...more };
}

describe('stepTitle', () => {
  const english = nullTranslator.load('aiserver');

  it('titles a request to fix an error with that error', () => {
    const title = "Fix this error:\n  df['month']\nKeyError: 'month'\n";
    const step = stepWith({ kind: 'turn', title });
    expect(stepTitle(step, english)).toBe("Fix: KeyError 'month'");
    const slashWord = stepWith({
      title: "/fix\nLine 1: No m.\nKeyError: 'month'"
    });
    expect(stepTitle(slashWord, english)).toBe("Fix: KeyError 'month'");
    const own = title.replace('Fix this error:', '<Fix this error:>');
    expect(stepTitle(stepWith({ title: own }), trans)).toBe('<Fix: %1>');
  });

  it('names the notebook from which code was inserted', () => {
    const inserted = (notebook: unknown) =>
      stepTitle(
        stepWith({
          kind: 'edit',
          author: 'model',
          name: 'test:model',
          data: { past_answer: { notebook } }
        }),
        english
      );
    expect(inserted('sales.ipynb')).toBe('Inserted from sales.ipynb');
    expect(inserted(3)).toBe('Edited by test:model');
  });

  it('says that a cell was restored with the notebook (P58)', () => {
    const data = { restored_to: '2026-01-27T10:00:00.000Z' };
    const step = stepWith({ kind: 'edit', author: 'person', data });
    expect(stepTitle(step, english)).toBe('Restored with the notebook');
  });

  it('counts the changes of a suggestion that were accepted one by one', () => {
    const part = (hunks: unknown) =>
      stepTitle(
        stepWith({ kind: 'accept', fromStep: 1, data: { part: true, hunks } }),
        english
      );
    expect(part({ accepted: 2, of: 3 })).toBe('Accepted 2 of 3 changes');
    expect(part('?')).toBe('Accepted a change');
  });

  it('distinguishes AI Server’s changes from a person’s edits', () => {
    const data = { corrections: ['prise → price', 'import math'] };
    const edit = { kind: 'edit', event: 'accept', data } as const;
    const contributors = [
      { author: 'program', name: 'AI Server' },
      { author: 'program', name: 'formatter' },
      { author: 'person' }
    ] as const;
    expect(
      contributors.map(contributor =>
        stepTitle(stepWith({ ...edit, ...contributor }), english)
      )
    ).toEqual([
      'Edited by AI Server: prise → price, import math',
      'Accepted with edits',
      'Accepted with edits'
    ]);
  });

  it('leaves other requests unchanged', () => {
    for (const title of ['Fix this error:', 'Fix it\nnow']) {
      expect(stepTitle(stepWith({ title }), english)).toBe(title);
    }
  });
});

describe('errorText', () => {
  it('translates the reason of a failed request', () => {
    const message = 'The answer was empty. Try rephrasing the request.';
    const step = stepWith({ kind: 'turn', error: message });
    expect(errorText(step, trans)).toBe(`<${message}>`);
    const text = { template: 'From the server.', params: [] };
    expect(errorText({ ...step, errorText: text }, trans)).toBe(
      `<${text.template}>`
    );
  });

  it('leaves Python’s errors unchanged', () => {
    const error = 'Something went wrong.';
    expect(errorText(stepWith({ kind: 'run', error }), trans)).toBe(error);
    expect(errorText(stepWith({ kind: 'turn' }), trans)).toBeUndefined();
  });
});
