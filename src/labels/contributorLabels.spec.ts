import { nullTranslator } from '@jupyterlab/translation';

import type { BlameLine } from '../api/types';
import {
  describeLine,
  summariseLines
} from '../plugins/blame/view/blameLabels';
import { Contribution, contributorTone, editedBy } from './contributorLabels';

const trans = nullTranslator.load('aiserver');

describe('contributor labels (P40)', () => {
  it.each<[string, Contribution & { data?: Record<string, unknown> }, string]>([
    ['Edited by hand', { author: 'person' }, 'hand'],
    [
      'Edited by jupyter-mcp-server',
      { author: 'agent', name: 'jupyter-mcp-server' },
      'agent'
    ],
    ['Edited by an agent', { author: 'agent' }, 'agent'],
    ['Edited by a program', { author: 'program' }, 'other'],
    [
      'Formatted by jupyterlab_code_formatter',
      {
        author: 'program',
        name: 'jupyterlab_code_formatter',
        data: { command: 'jupyterlab_code_formatter:format' }
      },
      'other'
    ],
    ['Changed on disk', { author: 'program', name: 'file on disk' }, 'other'],
    ['Changed on disk', { author: 'unknown', name: 'file on disk' }, 'other'],
    ['Changed by Ada', { author: 'unknown', name: 'Ada' }, 'other'],
    ['Changed by an unknown source', { author: 'unknown' }, 'other']
  ])('%s', (text, step, tone) => {
    expect(editedBy(step, trans)).toBe(text);
    expect(contributorTone(step)).toBe(tone);
  });

  it('describe the contributor of a line', () => {
    const line = { step: 1, seq: 2 };
    const lines: BlameLine[] = [
      { ...line, author: 'model', turnId: 1, intent: 'plot' },
      { ...line, author: 'person' },
      { ...line, author: 'agent', name: 'bot', intent: 'tidy  up' },
      { ...line, author: 'unknown', existing: true },
      { author: 'unknown', step: null, seq: null }
    ];
    expect(
      lines.map(line => describeLine(line, { trans, locale: 'en' }))
    ).toEqual([
      'AI, request 1 · “plot”',
      'By hand',
      'Edited by bot · “tidy up”',
      'Existing content',
      'Not recorded yet'
    ]);
    expect(summariseLines('a\nb\nc\nd\ne', lines, trans)).toBe(
      'Lines: 1 by AI, 1 by hand, 1 by agents, 1 of unknown origin, 1 existing'
    );
  });
});
