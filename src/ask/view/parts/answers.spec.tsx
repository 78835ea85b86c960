import { act } from 'react';

import type { IRequest } from '../../model/request';
import { LOCAL, setState, setup, suggest } from '../promptRow.fakes';

it('tabs have the model’s name after a reload, and the size of what is shown', async () => {
  const t = await setup();
  suggest(t.model);
  t.model.answers = [1, 2].map(turnId => ({
    suggestion: { ...t.model.suggestion!, turnId, model: LOCAL.id },
    request: {} as IRequest,
    model: null, // It isn't in the history.
    shown: null
  }));
  // The answer of the second tab was corrected.
  setState(t.model, { code: 'y\nz' });
  await act(async () => t.row.update());
  await t.settle();
  const tabs = [...t.row.node.querySelectorAll('[role="tab"]')];
  const label = LOCAL.label;
  expect(tabs.map(tab => tab.textContent)).toEqual([
    expect.stringContaining(`1: ${label}+1`),
    expect.stringContaining(`2: ${label}+2`)
  ]);
});
