import { Clipboard } from '@jupyterlab/apputils';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import type { ModelInfo } from '../../api/types';
import { PromptRow } from './promptRow';
import { LOCAL, button, setState, setup, suggest } from './promptRow.fakes';

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

describe('PromptRow', () => {
  it('shows a warning of the store once per page', async () => {
    const notices = ['The disk has no locks.'];
    const first = await setup({ notices });
    expect(first.row.node.textContent).toContain(notices[0]);
    first.row.dispose();
    const second = await setup({ notices });
    expect(second.row.node.textContent).not.toContain(notices[0]);
  });

  it('sends with Enter, and empties the field', async () => {
    const t = await setup();
    await t.type('画图');
    await t.press('Enter');
    expect(t.ask).toHaveBeenCalledWith('画图', '画图');
    expect(t.field.value).toBe('');
  });

  it.each<[string, KeyboardEventInit]>([
    ['composing', { isComposing: true }],
    ['the key that ends composing in Safari', { keyCode: 229 }]
  ])('leaves Enter to the input method: %s', async (_, init) => {
    const t = await setup();
    await t.type('hua tu');
    const event = await t.press('Enter', init);
    expect(t.ask).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
    const escape = await t.press('Escape', init);
    expect(escape.defaultPrevented).toBe(false);
    expect(t.model.state.phase).toBe('editing');
  });

  it('inserts a new line on Shift+Enter and never runs the cell (P35)', async () => {
    const t = await setup();
    await t.type('one');
    const event = await t.press('Enter', { shiftKey: true });
    expect(t.ask).not.toHaveBeenCalled();
    // JupyterLab prevents the browser's new line in cells, so the row inserts it.
    expect(event.defaultPrevented).toBe(true);
    expect(t.field.value).toBe('one\n');
    expect(t.row.node.dataset.lmSuppressShortcuts).toBe('true');
  });

  it('notices a new line and its removal (P35)', async () => {
    const t = await setup();
    await t.type('一');
    await t.press('Enter', { shiftKey: true });
    expect(t.model.inputText).toBe('一\n');
    await t.type('一');
    expect(t.model.inputText).toBe('一');
  });

  it('accepts with a blank field after an early Shift+Enter (P35)', async () => {
    const t = await setup();
    const accept = jest
      .spyOn(t.model.decision, 'accept')
      .mockResolvedValue(true);
    await t.press('Enter', { shiftKey: true });
    expect(t.field.value).toBe('');
    await t.type('\u3000'); // A space as typed with a Chinese input method.
    suggest(t.model);
    t.row.update();
    await t.settle();
    expect(button(t.row, 'Accept')?.textContent).toBe('Accept⇧⏎');
    await t.press('Enter', { shiftKey: true });
    expect(accept).toHaveBeenCalledTimes(1);
  });

  it('accepts and runs with Alt+Enter or the button, which says what follows (P13)', async () => {
    const t = await setup();
    const startRun = jest
      .spyOn(t.model.decision, 'acceptAndRun')
      .mockResolvedValue();
    await t.press('Enter', { altKey: true });
    expect(startRun).not.toHaveBeenCalled();
    suggest(t.model);
    t.row.update();
    await t.settle();
    await t.press('Enter', { altKey: true });
    button(t.row, 'Accept and run')!.click();
    expect(startRun).toHaveBeenCalledTimes(2);
    expect(button(t.row, 'Accept and run')!.title).toContain('run the cell');
  });

  it('disables the buttons that a repair would replace, while it may still begin', async () => {
    const { model, row, settle } = await setup();
    suggest(model);
    const names = ['Accept', 'Accept and run', 'Regenerate', 'Reject'];
    const disabled = () => names.filter(name => button(row, name)?.disabled);
    setState(model, { isChecking: true });
    row.update();
    await settle();
    expect(disabled()).toEqual(['Accept', 'Accept and run', 'Regenerate']);
    setState(model, { isChecking: false });
    row.update();
    await settle();
    expect(disabled()).toEqual([]);
  });

  it('says how many lines written by hand a suggestion overwrites', async () => {
    const t = await setup();
    suggest(t.model);
    t.model.setState({ overwrittenCount: 2 });
    await t.settle();
    expect(t.row.node.textContent).toContain(
      'changes or removes 2 lines that were written by hand'
    );
  });

  it('does not send blank text', async () => {
    const t = await setup();
    await t.type('  ');
    await t.press('Enter');
    expect(t.ask).not.toHaveBeenCalled();
    expect(button(t.row, 'Ask')?.disabled).toBe(true);
  });

  it('shows the model, and whether it is local', async () => {
    const t = await setup();
    expect(t.row.node.textContent).toContain(
      'Qwen2.5-Coder · on this computer'
    );
    const remote = { ...LOCAL, label: 'gpt', onThisMachine: false };
    const other = await setup({ models: [remote] });
    expect(other.row.node.textContent).toContain('gpt · remote');
  });

  it('names the request that the next one continues from', async () => {
    const t = await setup();
    const title = "Fix this error:\nKeyError: 'month'";
    t.model.branchFrom({ turnId: 1, title });
    await t.settle();
    expect(t.row.node.textContent).toContain(
      "continues from “Fix: KeyError 'month'”"
    );
    const remove = 'Continue from the latest request instead';
    t.row.node.querySelector<HTMLElement>(`[aria-label="${remove}"]`)!.click();
    expect(t.model.state.branch).toBeNull();
  });

  it('shows the command that installs a missing model', async () => {
    const t = await setup({
      models: [
        {
          ...LOCAL,
          ready: false,
          problem: 'It is missing.',
          problemText: { template: 'It is missing.', params: [] },
          install: 'pip install x'
        }
      ]
    });
    const alert = t.row.node.querySelector('[role=alert]');
    expect(alert?.textContent).toContain('It is missing.');
    expect(alert?.querySelector('code')?.textContent).toBe('pip install x');
    const copy = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    await act(async () => button(t.row, 'Copy')?.click());
    expect(copy).toHaveBeenCalledWith('pip install x');
    expect(button(t.row, 'Try again')).toBeDefined();
  });

  it('accepts with Shift+Enter from the empty field, rejects with Escape', async () => {
    const t = await setup();
    const accept = jest
      .spyOn(t.model.decision, 'accept')
      .mockResolvedValue(true);
    const reject = jest.spyOn(t.model.decision, 'reject').mockResolvedValue();
    suggest(t.model);
    t.row.update();
    await t.settle();
    await t.press('Enter');
    expect(accept).not.toHaveBeenCalled();
    await t.press('Enter', { shiftKey: true });
    expect(accept).toHaveBeenCalledTimes(1);
    await t.type('but shorter');
    await t.press('Enter', { shiftKey: true }); // This inserts a new line.
    expect(accept).toHaveBeenCalledTimes(1);
    await t.press('Enter', { ctrlKey: true });
    expect(accept).toHaveBeenCalledTimes(2);
    await t.press('Escape'); // This clears the typed text first.
    expect(reject).not.toHaveBeenCalled();
    expect(t.field.value).toBe('');
    await t.press('Escape');
    expect(reject).toHaveBeenCalledTimes(1);
  });

  it('says which agent proposes the code, and can tell it why it is rejected', async () => {
    const t = await setup();
    const proposal = {
      turnId: 2,
      intent: 'tidy',
      source: 'y',
      explanation: ''
    };
    t.model.addAnswer({ ...proposal, saveError: null, agent: 'Codex' }, null);
    await act(async () => t.model.setState(t.model.suggested!));
    const { node } = t.row;
    const intent = node.querySelector('.jp-AIServer-Ask-intent')!;
    expect(intent.textContent).toBe('Codex · tidy');
    expect(button(t.row, 'Regenerate')).toBeUndefined();
    const reject = jest.spyOn(t.model.decision, 'reject');
    reject.mockResolvedValue(undefined);
    const reason = () =>
      node.querySelector<HTMLTextAreaElement>('.jp-AIServer-TextField');
    const key = (name: string) =>
      act(async () => {
        const init = { key: name, bubbles: true, cancelable: true };
        reason()!.dispatchEvent(new KeyboardEvent('keydown', init));
        MessageLoop.flush();
      });
    await act(async () => button(t.row, 'Reject with reason')!.click());
    expect(document.activeElement).toBe(reason());
    await key('Escape');
    expect(reason()).toBeNull();
    expect(document.activeElement).toBe(t.field);
    await act(async () => button(t.row, 'Reject with reason')!.click());
    const { set } = Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    )!;
    await act(async () => {
      set!.call(reason(), 'too\nlong');
      reason()!.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await key('Enter');
    expect(reject.mock.calls).toEqual([['too long']]);
  });

  it('renders a model’s answer as text (P11, P12)', async () => {
    const t = await setup();
    suggest(t.model);
    t.row.update();
    await t.settle();
    expect(t.row.node.querySelector('img')).toBeNull();
    expect(t.row.node.textContent).toContain('<img src=x');
    expect(t.row.node.textContent).toContain('Request 2');
  });

  it('recalls earlier requests with ArrowUp, on the first line only', async () => {
    const t = await setup();
    t.model.intents.add('earlier');
    await t.press('ArrowUp');
    expect(t.field.value).toBe('earlier');
    await t.press('ArrowDown');
    expect(t.field.value).toBe('');
    await t.type('two\nlines');
    t.field.setSelectionRange(9, 9);
    const event = await t.press('ArrowUp');
    expect(t.field.value).toBe('two\nlines');
    expect(event.defaultPrevented).toBe(false);
  });

  it('is focused when it opens, and preserves its text when it is recreated (P37)', async () => {
    const t = await setup();
    expect(document.activeElement).toBe(t.field);
    await t.type('half');
    await act(async () => {
      Widget.detach(t.row);
      Widget.attach(t.row, document.body);
      MessageLoop.flush();
    });
    expect(t.row.node.querySelector('textarea')?.value).toBe('half');
    // A moved cell gets a new row.
    const moved = new PromptRow(t.model, t.services);
    await act(async () => {
      t.row.dispose();
      Widget.attach(moved, document.body);
      MessageLoop.flush();
    });
    expect(moved.node.querySelector('textarea')?.value).toBe('half');
  });

  it('announces failures and notices once to a screen reader (P38)', async () => {
    const t = await setup();
    const announcement = () =>
      t.row.node.querySelector('[role=status]')?.textContent;
    jest
      .spyOn(t.model, 'reset')
      .mockImplementation(async () =>
        setState(t.model, { notice: 'not_written' })
      );
    await t.model.reset();
    t.row.update();
    await t.settle();
    expect(announcement()).toContain('was deleted');
    const failure = { code: 'error', message: 'It failed.' };
    setState(t.model, { phase: 'failed', notice: null, failure });
    t.row.update();
    await t.settle();
    expect(t.row.node.querySelector('[role=alert]')?.textContent).toContain(
      'It failed.'
    );
    expect(announcement()).toBe('');
  });

  it('announces that nothing would change, not that it can be accepted (P38)', async () => {
    const t = await setup();
    suggest(t.model);
    const code = t.model.target.source()!;
    setState(t.model, { code, explanation: '' });
    t.row.update();
    await t.settle();
    const notice = t.row.node.querySelector('.jp-AIServer-Ask-notice');
    expect(notice?.textContent).toContain('same as the current code');
    // There is nothing to accept.
    expect(t.row.node.querySelector('[role=status]')?.textContent).toBe(
      notice?.textContent
    );
  });

  it('stops rendering once it is disposed, though its model is not', async () => {
    const t = await setup();
    const draw = jest.spyOn(
      t.row as unknown as { render: () => unknown },
      'render'
    );
    await act(async () => t.row.dispose());
    t.model.close();
    t.model.open();
    await t.settle();
    expect(draw).not.toHaveBeenCalled();
  });

  it('preserves typed text when it is closed, and saves with the usual key', async () => {
    const t = await setup();
    await t.type('half a req');
    const save = await t.press('s', { ctrlKey: true });
    expect(t.services.save).toHaveBeenCalledTimes(1);
    expect(save.defaultPrevented).toBe(true);
    const palette = await t.press('C', { ctrlKey: true, shiftKey: true });
    expect(t.services.openPalette).toHaveBeenCalledTimes(1);
    expect(palette.defaultPrevented).toBe(true);
    const copy = await t.press('c', { ctrlKey: true });
    expect(copy.defaultPrevented).toBe(false);
    await t.press('Escape');
    expect(t.model.state).toMatchObject({ phase: 'idle', draft: 'half a req' });
  });

  it('lists the DataFrames, and states what is sent', async () => {
    const t = await setup();
    await act(async () => {
      t.row.pickDataFrames(true);
      MessageLoop.flush();
    });
    await t.settle();
    const box = t.row.node.querySelector<HTMLInputElement>('[type=checkbox]');
    await act(async () => box?.click());
    await t.settle();
    expect(t.model.state.dataframes.map(({ name }) => name)).toEqual(['df']);
    expect(t.row.node.textContent).toContain('3 rows × 2 columns');
    expect(t.row.node.textContent).toContain('Only column names');
    // Enter confirms the choice; it doesn't send.
    const enter = { key: 'Enter', bubbles: true, cancelable: true };
    const key = new KeyboardEvent('keydown', enter);
    await act(async () => void box?.dispatchEvent(key));
    expect(key.defaultPrevented).toBe(true);
    expect(t.row.node.querySelector('[type=checkbox]')).toBeNull();
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.model.state.dataframes.map(({ name }) => name)).toEqual(['df']);
  });

  it.each([
    ['a model on this computer', {}],
    ['a remote model', { onThisMachine: false }]
  ])(
    'attaches the DataFrames that the text names, until one is removed: %s',
    async (_, kind) => {
      const model: ModelInfo = { ...LOCAL, ...kind };
      const frame = (name: string) => ({
        name,
        kind: 'pandas.DataFrame',
        rowCount: 3,
        columnCount: 1,
        columns: [{ name: '城市', dtype: 'str', examples: ['北京'] }]
      });
      const frames = [frame('销售'), frame('costs')];
      const t = await setup({
        models: [model],
        kernel: { frames, variables: [] }
      });
      const chips = () =>
        [...t.row.node.querySelectorAll('.jp-AIServer-Ask-chip')].map(
          chip => chip.firstChild?.textContent
        );
      expect(chips()).toEqual([]);
      await t.type('把销售按月画图');
      expect(chips()).toEqual(['销售']);
      // Even if values were read for a local model, a remote one doesn't get them.
      expect(t.row.node.textContent?.includes('a few values')).toBe(
        model.onThisMachine
      );
      const remove = t.row.node.querySelector<HTMLElement>(
        '[aria-label="Remove 销售"]'
      );
      await act(async () => remove?.click());
      await t.settle();
      expect(chips()).toEqual([]);
      expect(t.model.buildRequest('销售').attached.frames).toEqual([]);
    }
  );
});
