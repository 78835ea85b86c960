import { Notification, showDialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import React, { act } from 'react';
import { createRoot } from 'react-dom/client';

import type {
  INotebookPlan,
  RestoreRefusal
} from '../../model/notebook/notebookRestore';
import { type IReplayContext, ReplayContext } from '../context';
import { RestoreButton } from './restoreDialog';

jest.mock('@jupyterlab/apputils', () => {
  const actual = jest.requireActual('@jupyterlab/apputils');
  return { ...actual, showDialog: jest.fn() };
});

const dialog = showDialog as unknown as jest.Mock;
const { manager } = Notification;

const COUNTS = { changed: 3, returned: 1, removed: 2, moved: 0 };

/** Draw the button at a past moment, click it, and return what the dialog said. */
async function click(
  more: Partial<INotebookPlan>,
  refusal: RestoreRefusal | null = null,
  isLoaded = true
) {
  const operations = [{ op: 'move', cell: 'a', after: null }];
  const time = '2026-01-27T10:00:00.000Z';
  const done: string[] = [];
  const restore = {
    plan: async () =>
      ({ operations, counts: COUNTS, missing: 0, time, ...more }) as never,
    refusal: () => refusal,
    restoreHere: async () => (done.push('here'), 'changed'),
    restoreCopy: async () => done.push('copy')
  };
  const timeline = {
    moment: { index: 1 },
    snapshot: { index: isLoaded ? 1 : 0 }
  };
  const commands = new CommandRegistry();
  commands.addCommand('notebook:undo-cell-action', {
    label: 'Undo Cell Operation',
    execute: () => undefined
  });
  const context = {
    ...{ commands, restore, locale: 'en', now: new Date(time) },
    model: { timeline, subject: { notebookId: 'nb' } },
    trans: nullTranslator.load('aiserver')
  } as unknown as IReplayContext;
  const node = document.createElement('div');
  const root = createRoot(node);
  await act(async () =>
    root.render(
      <ReplayContext value={context}>
        <RestoreButton />
      </ReplayContext>
    )
  );
  const button = node.querySelector('button')!;
  await act(async () => button.click());
  const [options] = dialog.mock.calls.at(-1) ?? [];
  const body = document.createElement('div');
  await act(async () => createRoot(body).render(options?.body));
  await act(async () => root.unmount());
  const buttons: string[] = (options?.buttons ?? []).map(
    ({ label }: { label: string }) => label
  );
  return {
    done,
    text: body.textContent,
    buttons,
    isOff: button.getAttribute('aria-disabled') === 'true'
  };
}

const choose = (actions: string[], accept = true) =>
  dialog.mockResolvedValueOnce({ button: { accept, actions } });

beforeAll(() => {
  (
    globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }
  ).IS_REACT_ACT_ENVIRONMENT = true;
});
beforeEach(() => dialog.mockReset());
afterEach(() => Notification.dismiss());

describe('RestoreButton', () => {
  it('says what changes, and restores as the person chooses (P58)', async () => {
    choose(['copy']);
    const { done, text, buttons } = await click({});
    expect(text).toBe(
      '3 cells change, 1 cell comes back, 2 cells are removed' +
        'What is replaced stays in the history. “Undo Cell Operation” brings it back.'
    );
    expect(buttons).toEqual(['Cancel', 'As a copy', 'Here']);
    expect(done).toEqual(['copy']);
    choose([]);
    expect((await click({})).done).toEqual(['here']);
    expect(manager.notifications.map(({ message }) => message)).toEqual([
      'The notebook has just changed. Try again.'
    ]);
    choose([], false);
    expect((await click({})).done).toEqual([]);
  });

  it.each([
    ['running', /A cell is running/],
    ['readOnly', /read-only/]
  ] as const)('offers only a copy if it is %s', async (refusal, words) => {
    choose([], false);
    const { text, buttons } = await click({}, refusal);
    expect(text).toMatch(words);
    expect(buttons).toEqual(['Cancel', 'As a copy']);
  });

  it('offers only a copy if nothing has changed since', async () => {
    choose([], false);
    const counts = { changed: 0, returned: 0, removed: 0, moved: 0 };
    const { text, buttons } = await click({ counts, operations: [] });
    expect(text).toBe('The notebook is as it was then.');
    expect(buttons).toEqual(['Cancel', 'As a copy']);
  });

  it('counts the cells that get marks in place of keys', async () => {
    choose([], false);
    const { text } = await click({ redacted: 2 });
    expect(text).toContain('2 cells get marks in place of keys or passwords');
  });

  it('waits until the notebook at the moment has loaded', async () => {
    expect((await click({}, null, false)).isOff).toBe(true);
    expect(dialog).not.toHaveBeenCalled();
  });
});
