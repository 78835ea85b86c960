import { nullTranslator } from '@jupyterlab/translation';

import type { IShownStep } from '../../../records/fold';
import { rowBlock } from './code';
import { el } from './dom';
import type { PageLabels } from './labels';

describe('rowBlock', () => {
  it('shows how the data has changed since the last request, as text (P12)', () => {
    const step = {
      kind: 'turn',
      title: 'mean price',
      before: 'x',
      code: 'x',
      outcome: 'done',
      schemaChanges: [
        {
          name: 'sales',
          added: [{ name: '<b>地区</b>', dtype: 'object' }],
          removed: [],
          retyped: [],
          addedCount: 1,
          removedCount: 0,
          retypedCount: 0,
          rows: { before: 3, after: 2 }
        }
      ]
    } as unknown as IShownStep;
    const labels = {
      trans: nullTranslator.load('aiserver'),
      replay: { stepOf: () => step, data: { pictures: {} } }
    } as unknown as PageLabels;
    const node = el('div', rowBlock(labels, 0, step, { isShort: true }));
    expect(node.querySelector('.data-change')!.innerHTML).toBe(
      'sales has changed since the last request with it: ' +
        '<ins>+ &lt;b&gt;地区&lt;/b&gt; (object)</ins> <span>1 row fewer</span>'
    );
  });
});
