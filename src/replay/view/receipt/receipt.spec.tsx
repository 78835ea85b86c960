/** The receipts of turns in the sidebar. */
import { Widget } from '@lumino/widgets';

import type {
  ContextItem,
  PromptMessage,
  TurnPrompt
} from '../../../api/types';
import { ReplayModel } from '../../model/replay';
import {
  FAKE_HOST,
  FakeHistory,
  FakeSubject,
  NO_USAGE,
  stepsOf
} from '../../model/replay.fakes';
import { chooseEntry } from '../../../ui/menuButton.fakes';
import type { ReplayPanel } from '../panel';
import { createPanel, until } from '../panel.fakes';
import { receiptChanges } from './promptDialog';

const item = (name: string, tokens: number, included = true): ContextItem => ({
  kind: 'dataframe',
  name,
  tokens,
  included,
  forbidden: false,
  shortened: false,
  level: 'schema',
  count: 1,
  hasOutput: false,
  image: null,
  defines: [],
  cellIds: [],
  turnIds: []
});
const message = (text: string): PromptMessage => ({
  role: 'user',
  text,
  example: false,
  images: []
});
const EVIL = '<img src="https://evil.example" onerror="alert(1)">';

describe('receiptChanges', () => {
  it('lists what was added, removed or resized', () => {
    const changes = receiptChanges(
      [
        item('same', 5),
        item('old', 7),
        item('grew', 1),
        item('left out', 3, false)
      ],
      [item('same', 5), item('new', 2), item('grew', 4)],
      ({ name }) => name
    );
    expect(changes).toEqual([
      { text: 'new', before: undefined, after: 2 },
      { text: 'grew', before: 1, after: 4 },
      { text: 'old', before: 7, after: undefined }
    ]);
  });
});

describe('the receipts in the sidebar', () => {
  let history: FakeHistory;
  let model: ReplayModel;
  let panel: ReplayPanel;

  beforeEach(() => {
    history = new FakeHistory();
    const receipt = { inputTokens: 90, outputTokens: 10, cost: 0.25 };
    history.steps.set(
      'a',
      stepsOf('a = 0', 'a = 1').map((step, index) => ({
        ...step,
        turnId: index + 1,
        model: 'openai:x',
        receipt: { ...receipt, hasPrompt: true }
      }))
    );
    [1, 2].forEach(turnId =>
      history.prompts.set(turnId, {
        turnId,
        model: 'openai:x',
        hidden: 1,
        masked: 0,
        thoughts: '',
        items: [item('df', 10 * turnId)],
        messages: [message('the rules'), message(`${EVIL} ${turnId}`)]
      } satisfies TurnPrompt)
    );
    model = new ReplayModel(new FakeSubject(), history, FAKE_HOST);
    panel = createPanel(model);
    Widget.attach(panel, document.body);
  });

  afterEach(() => {
    panel.dispose();
    model.dispose();
    document.body.textContent = '';
  });

  /** Close the dialog, because JupyterLab shows the next one only then. */
  async function showPrompt(): Promise<void> {
    const more = '[aria-label="More about this step"]';
    const button = await until(() => document.querySelector<HTMLElement>(more));
    chooseEntry(button, 'What the model saw');
  }
  async function close(): Promise<void> {
    byText('.jp-Dialog-footer button', 'Close')!.click();
    await until(() => !document.querySelector('.jp-Dialog'));
  }
  const byText = (selector: string, text: string) =>
    [...document.querySelectorAll<HTMLElement>(selector)].find(node =>
      node.textContent!.includes(text)
    );

  it('shows the sums of a cell and what one turn used', async () => {
    await until(() =>
      byText('.jp-AIServer-Replay-totals', '200 tokens · $0.50')
    );
    await until(() => byText('.jp-AIServer-Replay-receipt', '90 tokens read'));
  });

  it('shows the messages of a turn as text (P12), and what changed since another', async () => {
    await showPrompt();
    const dialog = await until(() =>
      document.querySelector<HTMLElement>('.jp-AIServer-Preview')
    );
    await until(() => byText('.jp-AIServer-Preview pre', `${EVIL} 2`));
    expect(dialog.querySelector('img')).toBeNull();
    expect(dialog.textContent).toContain('1 key or password was masked.');
    const select = dialog.querySelector('select')!;
    expect([...select.options].map(option => option.textContent)).toEqual([
      '(show everything)',
      '1: make a = 0'
    ]);
    select.value = '1';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await until(() => byText('.jp-AIServer-Preview th', 'Tokens before'));
    const row = byText('.jp-AIServer-Preview tr', 'df: columns')!;
    expect([...row.children].map(cell => cell.textContent)).toEqual([
      'df: columns',
      '10',
      '20'
    ]);
    await until(() => dialog.querySelector('.cm-editor'));
    await close();
  });

  /** Let the newest turn have an answer in words about an output. */
  function explain(explanation: string, hasPrompt: boolean): void {
    const [first, second] = history.steps.get('a')!;
    const receipt = { handsOutput: true, hasPrompt };
    history.steps.set('a', [first, { ...second, explanation, receipt }]);
    history.prompts.get(2)!.messages = [
      message('44'),
      message('<mentions ab12>\n@output:\nmean 42.5127\n</mentions ab12>\nwhy?')
    ];
    history.notify({ notebookId: 'nb', cellId: 'a', isRemote: true });
  }

  it('marks the numbers of an answer that the output didn’t contain', async () => {
    explain('It is 42.5, not 44.', true);
    await until(() => byText('.jp-AIServer-Replay-step mark', '44'));
    expect(document.querySelectorAll('mark')).toHaveLength(1);
    await until(() => byText('p', 'The marked numbers aren’t in the output'));
  });

  it('says if the numbers can’t be compared', async () => {
    explain('It is 44.', false);
    await until(() => byText('p', 'The numbers weren’t compared'));
    expect(document.querySelector('mark')).toBeNull();
  });

  it('describes the images of a prompt', async () => {
    const sha256 = 'ab'.repeat(32);
    const image = { width: 64, height: 48, size: 2345, sha256 };
    history.prompts.get(2)!.messages = [
      { ...message('why?'), images: [{ mediaType: 'image/png', ...image }] }
    ];
    await showPrompt();
    const text = 'Image: PNG, 64 × 48 pixels, 3 kB, SHA-256 abababababab…';
    await until(() => byText('.jp-AIServer-Preview p', text));
    // The blob isn't stored any more.
    await until(() =>
      byText('.jp-AIServer-Preview span', 'no longer available')
    );
    await close();
  });

  it('says that what was sent was deleted, also when it is compared', async () => {
    history.prompts.get(1)!.messages = null;
    await showPrompt();
    const select = await until(() =>
      document.querySelector<HTMLSelectElement>('.jp-AIServer-Preview select')
    );
    expect(
      byText('.jp-AIServer-Preview p', 'no longer stored')
    ).toBeUndefined();
    select.value = '1';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await until(() => byText('.jp-AIServer-Preview p', 'no longer stored'));
    expect(byText('.jp-AIServer-Preview pre', `${EVIL} 2`)).toBeDefined();
    await close();
    history.prompts.get(2)!.messages = null;
    await showPrompt();
    await until(() => byText('.jp-AIServer-Preview p', 'no longer stored'));
    expect(byText('.jp-AIServer-Preview p', 'Only the sizes')).toBeUndefined();
    await close();
  });

  it('P51: unfolds the thoughts of a turn as text (P12)', async () => {
    const [first, second] = history.steps.get('a')!;
    await until(() => byText('.jp-AIServer-Replay-receipt', '90 tokens read'));
    expect(byText('button', 'Thoughts')).toBeUndefined();
    const receipt = { inputTokens: 90, hasPrompt: false, hasThoughts: true };
    history.steps.set('a', [first, { ...second, receipt }]);
    history.notify({ notebookId: 'nb', cellId: 'a', isRemote: true });
    const button = await until(() => byText('button', 'Thoughts'));
    expect(button.getAttribute('aria-expanded')).toBe('false');
    history.prompts.get(2)!.thoughts = EVIL;
    button.click();
    await until(() => byText('.jp-AIServer-Replay-thoughts pre', EVIL));
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(document.querySelector('img')).toBeNull();
    button.click();
    await until(() => !byText('.jp-AIServer-Replay-thoughts pre', EVIL));
  });

  it('says that only sizes were stored', async () => {
    const [first, second] = history.steps.get('a')!;
    const receipt = { inputTokens: 77, hasPrompt: false };
    history.steps.set('a', [first, { ...second, receipt }]);
    history.notify({ notebookId: 'nb', cellId: 'a', isRemote: true });
    await until(() => byText('.jp-AIServer-Replay-receipt', '77 tokens read'));
    history.prompts.get(2)!.messages = null;
    await showPrompt();
    await until(() => byText('.jp-AIServer-Preview p', 'Only the sizes'));
    await close();
  });

  it('shows the sums of the notebook and of today', async () => {
    const usage = { ...NO_USAGE, requests: 2, inputTokens: 5, outputTokens: 5 };
    history.usageByNotebook.set('nb', { ...usage, cost: 1 });
    history.usageByNotebook.set(null, { ...usage, cost: 0.5, unpriced: 1 });
    model.selectedTab = 'notebook';
    await until(() => byText('span', 'This notebook: 10 tokens · $1.00'));
    await until(() => byText('span', 'Today: at least 10 tokens · $0.50'));
  });
});
