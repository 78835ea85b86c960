import type { Cell } from '@jupyterlab/cells';
import type { PanelLayout } from '@lumino/widgets';

import { code, done, start } from '../model/generation.fakes';
import { act, rows, setup } from './notebookAskManager.fakes';

const diffs = () => document.querySelectorAll('.jp-AIServer-Diff').length;

beforeAll(() => {
  Element.prototype.scrollIntoView ??= () => undefined;
});
afterEach(() => document.body.replaceChildren());

describe('NotebookAskManager', () => {
  it('inserts the beginning of a request into an empty field, again and again', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    const openWith = async (text: string) => {
      t.manager.openWith(cell as unknown as Cell, text);
      await t.settle();
      return document.querySelector('textarea')!;
    };
    expect((await openWith('/fix ')).value).toBe('/fix ');
    expect((await openWith('/test ')).value).toBe('/fix ');
    for (const text of ['/test ', '/test ']) {
      t.manager.get(cell as unknown as Cell)!.inputText = '';
      expect((await openWith(text)).value).toBe('/test ');
    }
    t.manager.dispose();
  });

  it('puts the row below the input, above the output, and shows a hidden input', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    const { widgets } = cell.layout as PanelLayout;
    expect(widgets[1].hasClass('jp-AIServer-Ask')).toBe(true);
    expect(cell.inputHidden).toBe(false);
    await t.open(cell);
    expect(rows()).toBe(1);
    t.manager.dispose();
  });

  it('closes a row on focus after its answer was accepted or rejected in another page', async () => {
    const t = setup();
    const cell = await t.place(true);
    expect(t.manager.hasOpenRow).toBe(false);
    await t.open(cell);
    expect(t.manager.hasOpenRow).toBe(true);
    await t.answer('one', 'y');
    expect(t.manager.hasOpenRow).toBe(true);
    t.steps.push({ kind: 'turn', turnId: 1, outcome: 'accepted' });
    window.dispatchEvent(new Event('focus'));
    await t.phase('idle');
    expect(t.recorded).toEqual([]);
    expect(t.manager.hasOpenRow).toBe(false);
    t.manager.dispose();
  });

  it('shows an agent’s proposal without the focus, or no row if there is none', async () => {
    const t = setup();
    await t.place(true);
    const field = document.body.appendChild(document.createElement('input'));
    field.focus();
    expect(await t.manager.showProposal('c1')).toBeNull();
    await t.settle();
    expect(rows()).toBe(0);
    const turn = { kind: 'turn', author: 'agent', name: 'Codex' } as const;
    const scroll = jest.spyOn(Element.prototype, 'scrollIntoView');
    t.steps.push({
      ...{ ...turn, turnId: 1, title: 'tidy', before: 'x = 1', code: 'x = 2' },
      outcome: 'open'
    });
    expect(await t.manager.showProposal('c1')).toMatchObject({ turnId: 1 });
    await t.settle();
    expect([rows(), diffs()]).toEqual([1, 1]);
    expect(document.body.textContent).toContain('Codex · tidy');
    expect(document.activeElement).toBe(field);
    expect(scroll).not.toHaveBeenCalled();
    await t.manager.showProposal('c1', true);
    await t.settle();
    expect(document.activeElement?.tagName).toBe('TEXTAREA');
    t.manager.dispose();
  });

  it('sends a request to fix the cell’s error in its row', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    t.manager.fix(cell as unknown as Cell);
    expect(t.bodies).toHaveLength(0); // There is no error.
    jest.spyOn(t.target, 'error').mockReturnValue("KeyError: 'prize'" as never);
    t.manager.fix(cell as unknown as Cell);
    await t.requested(1);
    expect(t.target.check).toHaveBeenCalledWith('x = 1');
    expect(t.bodies[0].intent).toBe("Fix this error:\nKeyError: 'prize'");
    expect(rows()).toBe(1);
    t.manager.dispose();
  });

  it('restores row and diff in a recreated cell widget (P34)', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    const feed = await t.requested(1);
    feed.push(start(), code('x = '));
    await t.phase('streaming');
    await t.place(true); // A move: another widget, the same id.
    expect([rows(), diffs()]).toEqual([1, 1]);
    feed.push(done(1, 'x = 2'), null);
    await t.phase('suggested');
    await t.settle();
    expect(document.body.textContent).toContain('x = 2');
    expect(t.onCellDeleted).not.toHaveBeenCalled();
    t.manager.dispose();
  });

  it('shows the part of an interrupted answer until the row is closed', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), code('x = half'), null);
    await t.phase('failed');
    await t.settle();
    expect(diffs()).toBe(1);
    expect(document.body.textContent).toContain('x = half');
    await act(() => t.model.close('do it'));
    await t.settle();
    expect(diffs()).toBe(0);
    t.manager.dispose();
  });

  it('reports once that the cell of an answer was deleted, and shows it after an undo (P34)', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    const feed = await t.requested(1);
    feed.push(start());
    await t.place(false);
    expect(rows()).toBe(0);
    feed.push(done(1, 'x = 2'), null);
    await t.phase('suggested');
    expect(t.onCellDeleted).toHaveBeenCalledTimes(1);
    expect(t.onCellDeleted.mock.calls[0][0].state.code).toBe('x = 2');
    expect(t.target.apply).not.toHaveBeenCalled();
    await t.place(true);
    expect([rows(), diffs()]).toEqual([1, 1]);
    expect(t.onCellDeleted).toHaveBeenCalledTimes(1);
    t.manager.dispose();
  });

  it('removes row and diff on Accept, and reports what could not be recorded', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    await t.answer('do it', 'x = 2');
    await t.settle();
    expect(diffs()).toBe(1);
    expect(cell.hasClass('jp-AIServer-mod-diff')).toBe(true);
    t.history.record.mockRejectedValueOnce(new Error('full'));
    cell.node.querySelector('textarea')?.focus();
    await act(() => t.model.decision.accept());
    t.model.setState({ kernel: { frames: [], variables: [] } }); // Another change.
    expect([rows(), diffs()]).toEqual([0, 0]);
    expect(cell.hasClass('jp-AIServer-mod-diff')).toBe(false);
    // The focus returns to the code.
    expect(cell.editor.focus).toHaveBeenCalled();
    expect(t.content.mode).toBe('edit');
    expect(t.onUnsaved.mock.calls).toEqual([
      [expect.stringContaining('this step will be saved as soon as possible')]
    ]);
    t.manager.dispose();
  });

  it('preserves the row and its typed text on Accept', async () => {
    const t = setup();
    await t.open(await t.place(true));
    await t.answer('do it', 'x = 2');
    await t.settle();
    const field = document.querySelector('textarea')!;
    const setter = Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    )!.set!;
    await act(async () => {
      setter.call(field, 'and shorter');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await act(() => t.model.decision.accept());
    await t.settle();
    expect([rows(), diffs()]).toEqual([1, 0]);
    expect(document.querySelector('textarea')?.value).toBe('and shorter');
    t.manager.dispose();
  });

  it('reports that the cell changed under an open answer (P34)', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    await t.answer('do it', 'x = 2');
    t.edit('x = 1  # mine');
    cell.contentChanged.emit();
    await t.settle();
    expect(document.body.textContent).toContain('has changed since you asked');
    expect(document.body.textContent).toContain('# mine');
    t.manager.dispose();
  });

  it('reports that the cell was reloaded under an open answer (P34)', async () => {
    const t = setup();
    await t.open(await t.place(true));
    await t.answer('do it', 'x = 2');
    t.edit('x = 1  # other branch');
    await t.place(true); // Another widget, the same id.
    await t.settle();
    expect(document.body.textContent).toContain('has changed since you asked');
    t.manager.dispose();
  });

  it('stops the generation and removes all views when the notebook is closed', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), code('x'));
    await t.phase('streaming');
    await act(() => t.disposed.emit());
    expect(t.signals[0]?.aborted).toBe(true);
    expect([rows(), diffs()]).toEqual([0, 0]);
    expect(t.manager.isDisposed).toBe(true);
  });
});
