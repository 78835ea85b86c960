import { Clipboard } from '@jupyterlab/apputils';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import { ApiError } from '../../api/request';
import type { Moment, Step } from '../../api/types';
import { CommandIDs } from '../../tokens';
import {
  chooseEntry,
  openEntries,
  pressInMenu
} from '../../ui/menuButton.fakes';
import { ReplayModel } from '../model/replay';
import {
  FAKE_HOST,
  FakeHistory,
  FakeSubject,
  runStep,
  stepsOf,
  summaryOf
} from '../model/replay.fakes';
import type { ReplayPanel } from './panel';
import { createPanel } from './panel.fakes';
import { positionAfterKey } from './slider';
import { untilDrawn } from '../../ui/drawn.fakes';

describe('the slider', () => {
  it('moves by one position, by a tenth of all positions, and to both ends', () => {
    expect(positionAfterKey('ArrowRight', 3, 40)).toBe(4);
    expect(positionAfterKey('ArrowUp', 3, 40)).toBe(4);
    expect(positionAfterKey('ArrowLeft', 3, 40)).toBe(2);
    expect(positionAfterKey('ArrowDown', 0, 40)).toBe(0);
    expect(positionAfterKey('PageUp', 3, 40)).toBe(7);
    expect(positionAfterKey('PageDown', 3, 40)).toBe(0);
    expect(positionAfterKey('Home', 3, 40)).toBe(0);
    expect(positionAfterKey('End', 3, 40)).toBe(39);
    expect(positionAfterKey('a', 3, 40)).toBeNull();
  });
});

describe('ReplayPanel', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let model: ReplayModel;
  let panel: ReplayPanel;
  let copied: string[];
  let commands: CommandRegistry;
  let savedTexts: unknown[];

  beforeAll(() => {
    // jsdom has no layout: pretend that ten rows fit.
    Object.defineProperty(HTMLElement.prototype, 'clientHeight', {
      configurable: true,
      get: () => 300
    });
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
      configurable: true,
      get: () => 30
    });
  });

  beforeEach(() => {
    subject = new FakeSubject();
    subject.sources.set('a', 'a = 2');
    history = new FakeHistory();
    history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
    copied = [];
    jest
      .spyOn(Clipboard, 'copyToSystem')
      .mockImplementation(text => copied.push(text as string));
    commands = new CommandRegistry();
    const { ask } = CommandIDs;
    commands.addCommand(ask, { execute: () => undefined });
    savedTexts = [];
    commands.addCommand(CommandIDs.saveRecipe, {
      execute: ({ text }) => savedTexts.push(text)
    });
    commands.addKeyBinding({ command: ask, keys: ['Ctrl K'], selector: '*' });
    model = new ReplayModel(subject, history, FAKE_HOST);
    panel = createPanel(model, commands);
  });

  afterEach(() => {
    panel.dispose();
    model.dispose();
  });

  async function show(selector = '[role="slider"]'): Promise<void> {
    Widget.attach(panel, document.body);
    await untilDrawn(() => find(selector));
  }

  const find = (selector: string) =>
    panel.node.querySelector<HTMLElement>(selector)!;
  const button = (label: string) =>
    [...panel.node.querySelectorAll('button')].find(
      node => (node.getAttribute('aria-label') ?? node.textContent) === label
    )!;
  const more = () => button('More about this step');
  const press = (key: string) =>
    find('[role="slider"]').dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true })
    );
  const untilPosition = (position: number) =>
    untilDrawn(
      () =>
        find('[role="slider"]').getAttribute('aria-valuenow') ===
        String(position)
    );

  it('offers to save the text of a request as a recipe, without the code', async () => {
    await show();
    chooseEntry(more(), 'Save as recipe…');
    expect(savedTexts).toEqual([model.step?.title]);
    expect(model.step?.title).toBeTruthy();
  });

  it('begins a memory entry with the text of a request and its turn', async () => {
    const execute = jest.fn();
    commands.addCommand(CommandIDs.addMemory, { execute });
    history.steps.set('a', [
      { ...stepsOf('a = 0')[0], kind: 'turn', title: 'plot it', turnId: 4 }
    ]);
    await show();
    chooseEntry(more(), 'Remember…');
    expect(execute).toHaveBeenCalledWith({
      text: 'plot it',
      notebookId: 'nb',
      cellId: 'a',
      turnId: 4
    });
  });

  it('has no such entry if there are no memories', async () => {
    await show();
    const entries = openEntries(more());
    expect(entries).toContain('Save as recipe…');
    expect(entries).not.toContain('Remember…');
  });

  it('shows three buttons below the code; the menu returns the focus (P48)', async () => {
    await show();
    const buttons = panel.node.querySelectorAll(
      'footer > button, .jp-AIServer-Replay-step button'
    );
    expect([...buttons].map(node => node.getAttribute('aria-label'))).toEqual([
      null,
      'Compare with another step',
      'More about this step'
    ]);
    expect(openEntries(more()).slice(0, 3)).toEqual([
      'Continue from here…',
      'Copy this version',
      'Insert this version below the cell'
    ]);
    await untilDrawn(() => more().getAttribute('aria-expanded') === 'true');
    pressInMenu('Escape');
    expect(document.activeElement).toBe(more());
    await untilDrawn(() => more().getAttribute('aria-expanded') === 'false');
  });

  it('is active only while it is visible', async () => {
    expect(model.isActive).toBe(false);
    await show();
    expect(model.isActive).toBe(true);
    panel.hide();
    expect(model.isActive).toBe(false);
    panel.show();
    expect(model.isActive).toBe(true);
    Widget.detach(panel);
    expect(model.isActive).toBe(false);
  });

  it('moves by keyboard, and describes its position', async () => {
    await show();
    const slider = find('[role="slider"]');
    expect(slider.getAttribute('aria-valuetext')).toBe(
      'Step 3 of 3: make a = 2'
    );
    press('Home');
    await untilPosition(1);
    press('ArrowRight');
    await untilPosition(2);
    expect(slider.getAttribute('aria-valuetext')).toBe(
      'Step 2 of 3: make a = 1'
    );
    expect(find('li [aria-current="step"]').title).toBe('make a = 1');
  });

  it('shows a step as a read-only diff from the previous step', async () => {
    await show();
    const code = find('.jp-AIServer-Replay-code');
    await untilDrawn(() => code.querySelector('.cm-deletedChunk'));
    expect(code.querySelector('.cm-deletedChunk')?.textContent).toContain(
      'a = 1'
    );
    expect(code.querySelector('.cm-changedLine')?.textContent).toBe('a = 2');
    expect(code.querySelector('button')).toBeNull();
    const content = code.querySelector('.cm-content')!;
    expect(content.getAttribute('contenteditable')).toBe('false');
    press('Home');
    await untilDrawn(() => !code.querySelector('.cm-deletedChunk'));
    expect(code.querySelector('.cm-content')?.textContent).toBe('a = 0');
  });

  it('marks only the new lines if some were appended', async () => {
    history.steps.set('a', stepsOf('first', 'first\nsecond'));
    await show();
    const code = find('.jp-AIServer-Replay-code');
    await untilDrawn(() => code.querySelector('.cm-changedLine'));
    expect(code.querySelector('.cm-deletedLine')).toBeNull();
    const changed = [...code.querySelectorAll('.cm-changedLine')];
    expect(changed.map(line => line.textContent)).toEqual(['second']);
  });

  it('copies and restores a version, and shows a message', async () => {
    await show();
    press('Home');
    await untilPosition(1);
    chooseEntry(more(), 'Copy this version');
    expect(document.activeElement).toBe(more());
    await untilDrawn(() => find('[role="status"]').textContent === 'Copied.');
    expect(copied).toEqual(['a = 0']);
    button('Restore this version').click();
    expect(subject.source).toBe('a = 0');
    await untilDrawn(() => button('Current version'));
    expect(find('[role="status"]').textContent).toContain('Restored.');
    expect(button('Current version').getAttribute('aria-disabled')).toBe(
      'true'
    );
  });

  it('draws only the visible rows and the current row of a long history', async () => {
    const codes = Array.from({ length: 1000 }, (_, i) => `a = ${i}`);
    history.steps.set('a', stepsOf(...codes));
    await show();
    await untilDrawn(() => find('li [aria-current="step"]'));
    const rows = panel.node.querySelectorAll('.jp-AIServer-Replay-list li');
    expect(rows.length).toBeLessThan(60);
    expect(find('li [aria-current="step"]').title).toBe('make a = 999');
    const current = find('li [aria-current="step"]').closest('li')!;
    expect(current.getAttribute('aria-posinset')).toBe('1000');
    expect(current.getAttribute('aria-setsize')).toBe('1000');
  });

  it('moves in the list by keyboard, with the focus on the current step', async () => {
    await show();
    await untilDrawn(() => find('li [aria-current="step"]'));
    const key = (name: string) =>
      document.activeElement!.dispatchEvent(
        new KeyboardEvent('keydown', { key: name, bubbles: true })
      );
    find('li [aria-current="step"]').focus();
    key('ArrowUp');
    await untilPosition(2);
    await untilDrawn(
      () => document.activeElement === find('li [aria-current="step"]')
    );
    key('Home');
    await untilPosition(1);
    key('End');
    await untilPosition(3);
  });

  it('compares any two steps', async () => {
    await show();
    button('Compare with another step').click();
    await untilDrawn(() => find('.jp-AIServer-Replay-compare'));
    const [a, b] = panel.node.querySelectorAll<HTMLInputElement>(
      'input[type="number"]'
    );
    expect([a.value, b.value]).toEqual(['2', '3']);
    expect(document.activeElement).toBe(a);
    const type = (input: HTMLInputElement, value: string) => {
      // React overrides the setter of the element, so call the setter of the prototype.
      Object.getOwnPropertyDescriptor(
        HTMLInputElement.prototype,
        'value'
      )!.set!.call(input, value);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    };
    type(a, '1');
    await untilDrawn(() => model.player.positionA === 0);
    await untilDrawn(() => find('.cm-deletedChunk')?.textContent === 'a = 0');
    type(b, '2');
    await untilPosition(2);
    type(a, '9'); // There is no such step, so A stays the same.
    expect(model.player.positionA).toBe(0);
    find('.jp-AIServer-Replay-compare').dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
    await untilDrawn(() => !find('.jp-AIServer-Replay-compare'));
    expect(document.activeElement).toBe(button('Compare with another step'));
  });

  it('shows the last of several runs, or the chosen run', async () => {
    const steps = stepsOf('a = 1');
    const ran = (text: string, data = {}) => {
      steps.push(runStep(steps, { outputs: { text }, ...data }));
    };
    ran('first', { duration_ms: 40 });
    ran('second', { duration_ms: 2000 });
    history.steps.set('a', steps);
    await show();
    const output = () =>
      find('.jp-AIServer-Replay-output pre')?.textContent ?? '';
    await untilDrawn(() => output() === 'second');
    const menu = find('select[aria-label="Runs of this version"]');
    const { options, value } = menu as HTMLSelectElement;
    expect([...options].map(({ text }) => text)).toEqual([
      expect.stringMatching(/^1 of 2 · .*\d:\d\d.* · 40 ms$/),
      expect.stringMatching(/^2 of 2 · .*\d:\d\d.* · 2 s$/)
    ]);
    expect(value).toBe(options[1].value);
    (menu as HTMLSelectElement).value = options[0].value;
    menu.dispatchEvent(new Event('change', { bubbles: true }));
    await untilDrawn(() => output() === 'first');
    expect(find('.jp-AIServer-Replay-list li').textContent).toContain('×2');
  });

  it('shows the outputs of both compared steps', async () => {
    const [a, b, c] = stepsOf('a = 0', 'a = 1', 'a = 2');
    const ran = (step: Step, seq: number, data: object) => ({
      ...runStep([step], data),
      seq,
      index: seq - 1,
      parent: seq - 2,
      partOf: seq - 2
    });
    history.steps.set('a', [
      a,
      ran(a, 2, { outputs: { text: 'zero' } }),
      { ...b, index: 2, seq: 3, parent: 1 },
      ran(b, 4, { outputs: { text: 'one' } }),
      { ...c, index: 4, seq: 5, parent: 3 }
    ]);
    await show();
    const side = (name: string) => find(`[aria-label="Output of ${name}"]`);
    model.player.goTo(1);
    model.player.compareWith(0);
    await untilDrawn(() => side('B'));
    expect(side('A').querySelector('pre')!.textContent).toBe('zero');
    expect(side('B').querySelector('pre')!.textContent).toBe('one');
    model.player.goTo(2);
    await untilDrawn(() => side('B').textContent!.includes('Not run'));
    expect(side('A').querySelector('pre')!.textContent).toBe('zero');
  });

  it('lists merged cells, and opens their histories', async () => {
    const [step] = stepsOf('p = 1\n\nq = 2');
    const data = { parents: ['p', 'b'] };
    const merge = { ...step, author: 'person', kind: 'merge' as const, data };
    history.steps.set('a', [merge as Step]);
    history.steps.set('p', stepsOf('p = 1'));
    history.summaryList = [{ ...summaryOf('p'), lastSource: '\n  p = 1\nq' }];
    await show();
    const links = () => [
      ...panel.node.querySelectorAll<HTMLElement>(
        '[aria-label="Merged from 2 cells"] button'
      )
    ];
    await untilDrawn(() =>
      links().every(node => !node.textContent!.includes('…'))
    );
    expect(links().map(node => node.textContent)).toEqual([
      'Deleted cellp = 1',
      'Cell 2b = 1'
    ]);
    links()[0].click();
    await untilDrawn(() => model.steps.shownCell?.cellId === 'p' && model.step);
    await model.goTo('a'); // This is still the active cell.
    await untilDrawn(
      () => model.steps.shownCell?.cellId === 'a' && links().length
    );
    links()[1].click();
    await untilDrawn(() => subject.activeId === 'b');
  });

  it('shows output as text, and images only from this server (P11, P12)', async () => {
    const steps = stepsOf('a = 2');
    const sha256 = 'ab'.repeat(32);
    const evil = '<img src="https://evil.example/x.png">';
    const image = { sha256, mime: 'image/png', width: 40, height: 20 };
    const outputs = {
      text: evil,
      truncated: true,
      images: [
        image,
        { ...image, mime: 'image/svg+xml' },
        { ...image, sha256: '../../secret' }
      ]
    };
    history.steps.set('a', [...steps, runStep(steps, { outputs })]);
    history.blobs.set(sha256, new Blob(['x'], { type: 'image/png' }));
    const createObjectUrl = jest.fn((_: Blob) => 'blob:here');
    const revoked = jest.fn();
    Object.assign(URL, {
      createObjectURL: createObjectUrl,
      revokeObjectURL: revoked
    });
    await show();
    await untilDrawn(() => find('.jp-AIServer-Replay-output img'));
    const pictures = panel.node.querySelectorAll('img');
    expect([...pictures].map(node => node.src)).toEqual(['blob:here']);
    expect(find('.jp-AIServer-Replay-output pre').textContent).toContain(evil);
    panel.hide();
    panel.dispose();
    expect(revoked).toHaveBeenCalledWith('blob:here');
  });

  it('renders foreign text as text, never as HTML or Markdown (P11, P12)', async () => {
    const evil =
      '<img src="https://evil.example/x.png" onerror="alert(1)"> ' +
      '![x](https://evil.example/y.png) <b>b</b>';
    const [step] = stepsOf(evil);
    history.steps.set('a', [
      {
        ...step,
        title: evil,
        explanation: evil,
        error: evil,
        model: evil,
        timestamp: evil
      }
    ]);
    const moment: Moment = {
      index: 0,
      timestamp: '2026-01-27T10:00:00.000Z',
      kind: 'turn',
      cellId: 'a',
      step: 0,
      author: 'model',
      outcome: 'accepted',
      title: evil,
      saved: false
    };
    history.timelineResult.moments = [moment];
    await show();
    expect(panel.node.querySelector('img, b, a, script')).toBeNull();
    expect(find('.jp-AIServer-Replay-request').textContent).toBe(evil);
    expect(find('.jp-AIServer-Replay-explanation').textContent).toBe(evil);
    button('Notebook').click();
    await untilDrawn(() => find('.jp-AIServer-Replay-intent'));
    expect(
      panel.node.querySelector('img, b:not([class]), a, script')
    ).toBeNull();
    expect(find('.jp-AIServer-Replay-intent').textContent).toBe(evil);
  });

  it('explains how to ask for code if there is nothing to replay', async () => {
    subject.activate(null);
    subject.activeId = 'c';
    await show('.jp-AIServer-Replay-empty');
    const text = panel.node.textContent!;
    expect(text).toContain('This cell has no history yet');
    expect(text).toContain('Press Ctrl+K in a cell to ask for code.');
    expect(button('Ask for code')).toBeTruthy();
  });

  it('shows the failure and a button to try again', async () => {
    history.failure = new ApiError(0, 'unreachable', 'fetch failed');
    await show('[role="alert"]');
    expect(find('[role="alert"]').textContent).toContain(
      'The Jupyter server is not responding.'
    );
    history.failure = null;
    button('Try again').click();
    await untilDrawn(() => find('[role="slider"]'));
    expect(find('[role="alert"]')).toBeNull();
  });

  it('does not say that there is no history if loading failed', async () => {
    await show();
    history.failure = new ApiError(0, 'unreachable', 'fetch failed');
    button('Notebook').click();
    await untilDrawn(() => find('[role="alert"]'));
    expect(panel.node.textContent).not.toContain('No history yet');
    history.failure = null;
    button('Try again').click();
    await untilDrawn(() => panel.node.textContent!.includes('No history yet'));
  });

  it('counts successful requests, or failed requests if all requests failed', async () => {
    history.summaryList = [
      { ...summaryOf('a', 3), failed: 1 },
      { ...summaryOf('b', 2), failed: 2 }
    ];
    await show();
    button('Notebook').click();
    await untilDrawn(() => panel.node.textContent!.includes('2 requests'));
    expect(panel.node.textContent).toContain('2 failed requests');
  });

  it('goes to a cell from the overview', async () => {
    history.summaryList = [summaryOf('b')];
    await show();
    button('Notebook').click();
    await untilDrawn(() => panel.node.textContent!.includes('1 request'));
    const rows = panel.node.querySelectorAll<HTMLElement>('ol button');
    expect(rows).toHaveLength(3);
    expect(rows[1].textContent).toContain('1 request');
    rows[1].click();
    expect(subject.activeId).toBe('b');
  });
});
