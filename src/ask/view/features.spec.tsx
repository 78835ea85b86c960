import { setFeatures } from '../../state/features.fakes';
import { button, setup, suggest } from './promptRow.fakes';

afterEach(() => {
  setFeatures();
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

const options = () =>
  [...document.querySelectorAll<HTMLElement>('[role="option"]')].map(node => [
    node.textContent,
    node.getAttribute('aria-disabled')
  ]);
const FILES = 'Your administrator doesn’t allow files in requests.';
const OUTPUTS =
  'Your administrator doesn’t allow outputs and values in requests.';
const CELL = {
  cellId: 'c3',
  source: 'print(1)',
  error: '',
  output: 'canary-output',
  images: []
};

describe('a prompt row with features that the administrator has forbidden', () => {
  it('has no “Accept and run”, and its keys run nothing (P13)', async () => {
    setFeatures({ running: 'forbidden' });
    const t = await setup({ source: 'x' });
    const run = jest.spyOn(t.model.target, 'run');
    suggest(t.model);
    t.row.update();
    await t.settle();
    expect(button(t.row, 'Accept')).toBeTruthy();
    expect(button(t.row, 'Accept and run')).toBeUndefined();
    const event = await t.press('Enter', { altKey: true });
    expect(event.defaultPrevented).toBe(true); // JupyterLab would run the cell.
    expect(run).not.toHaveBeenCalled();
    expect(t.model.state.phase).toBe('suggested');
  });

  it('explains in the list of mentions what can’t be mentioned', async () => {
    setFeatures({ files: 'forbidden', outputs: 'forbidden' });
    const t = await setup();
    const listFiles = jest.spyOn(t.services, 'listFiles');
    t.model.target.cellTitles = () => [{ number: 3, title: 'print(1)' }];
    await t.type('like @');
    expect(options()).toEqual([
      ['@cell3print(1)', null],
      [OUTPUTS, 'true'],
      [FILES, 'true']
    ]);
    await t.type('like @notes.md');
    expect(options()).toEqual([[FILES, 'true']]);
    expect(listFiles).not.toHaveBeenCalled();
    // The note is no completion: Escape closes it, and Enter sends the request.
    await t.press('Escape');
    expect(options()).toEqual([]);
    expect(t.field.value).toBe('like @notes.md');
    await t.type('like @notes.m');
    await t.press('Enter');
    expect(t.ask).toHaveBeenCalledWith('like @notes.m', 'like @notes.m');
  });

  it.each([true, false])(
    'says on the chips what isn’t sent, and offers no choice (local: %s)',
    async onThisMachine => {
      setFeatures({ files: 'forbidden', outputs: 'forbidden' });
      const model = { id: 'a:b', provider: 'a', label: 'b', ready: true };
      const t = await setup({ models: [{ ...model, onThisMachine }] });
      t.model.target.cellAt = () => CELL;
      await t.type('like @cell3 and @notes.md');
      const chips = [...t.row.node.querySelectorAll('.jp-AIServer-Ask-chip')];
      expect(chips.map(({ textContent }) => textContent)).toEqual([
        '@cell3code',
        '@notes.mdnot sent'
      ]);
      expect(t.row.node.querySelector('input[type="checkbox"]')).toBeNull();
      expect(t.row.node.textContent).toContain(FILES);
      expect(t.row.node.textContent).toContain(OUTPUTS);
    }
  );
});
