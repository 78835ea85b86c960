import { Widget } from '@lumino/widgets';

import { FakeNotes, OUTLINE } from '../../model/notebook/note.fakes';
import { ReplayModel } from '../../model/replay';
import { FAKE_HOST, FakeHistory, FakeSubject } from '../../model/replay.fakes';
import type { ReplayPanel } from '../panel';
import { createPanel, until } from '../panel.fakes';

describe('the note of the notebook', () => {
  let api: FakeNotes;
  let model: ReplayModel;
  let panel: ReplayPanel;

  beforeEach(() => {
    api = new FakeNotes();
    model = new ReplayModel(
      new FakeSubject(),
      new FakeHistory(),
      FAKE_HOST,
      null,
      api
    );
    model.selectedTab = 'notebook';
    model.note.mode = 'outline';
    panel = createPanel(model);
  });

  afterEach(() => {
    panel.dispose();
    document.body.textContent = '';
  });

  const show = (outline = OUTLINE) => {
    api.outline = outline;
    Widget.attach(panel, document.body);
  };
  const section = () =>
    document.querySelector<HTMLElement>(
      'section[aria-label="About this notebook"]'
    );
  const has = (text: string) =>
    until(() => section()?.textContent?.includes(text));
  const button = (name: string) =>
    until(() =>
      [...(section()?.querySelectorAll('button') ?? [])].find(
        node =>
          node.getAttribute('aria-label') === name ||
          node.textContent!.startsWith(name)
      )
    );
  const type = async (text: string) => {
    const field = await until(() => section()?.querySelector('textarea'));
    Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    )!.set!.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return field;
  };
  const press = (field: HTMLElement, key: string) =>
    field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));

  it('says who wrote it, and is edited by keyboard (P38)', async () => {
    show();
    await has(OUTLINE);
    await has('From the notebook’s own text');
    (await button('Edit')).click();
    press(await type('Mine'), 'Enter');
    await has('Edited by you');
    expect(api.notes.get('nb')?.text).toBe('Mine');
    await until(() => document.activeElement === section());
    (await button('Edit')).click();
    press(await type('Other'), 'Escape');
    await until(() => !section()!.querySelector('textarea'));
    expect(api.notes.get('nb')?.text).toBe('Mine');
  });

  it('shows its text as text (P12)', async () => {
    show('<img src=x onerror=alert(1)> **bold**');
    await has('<img src=x onerror=alert(1)> **bold**');
    expect(section()!.querySelector('img')).toBeNull();
  });

  it('is switched off for requests', async () => {
    show();
    const box = await until(() => section()?.querySelector('input'));
    expect(box.checked).toBe(true);
    box.click();
    await until(() => api.notes.get('nb')?.used === false);
  });

  it('is deleted after a question, and written again', async () => {
    show();
    (await button('Delete…')).click();
    const accept = await until(() =>
      document.querySelector<HTMLElement>('.jp-Dialog .jp-mod-warn')
    );
    accept.click();
    await has('You deleted the note');
    await has('The note was deleted.');
    (await button('Write it from the notebook')).click();
    await has(OUTLINE);
  });

  it('teaches what a notebook without a note needs', async () => {
    show('');
    await has('Begin the notebook with a heading');
    expect(section()!.textContent).not.toContain('You deleted');
    (await button('Write a note')).click();
    press(await type('Mine'), 'Enter');
    await has('Mine');
  });

  it('doesn’t call a note deleted of which only the choice is stored', async () => {
    api.set('nb', { used: false });
    show('');
    await has('Begin the notebook with a heading');
  });

  it('isn’t shown while notes are off', async () => {
    show();
    await has(OUTLINE);
    model.note.mode = 'off';
    await until(() => !section());
  });
});
