import { PageConfig } from '@jupyterlab/coreutils';

import { ApiError } from '../../../api/request';
import { FakeHistory, FakeSubject } from '../replay.fakes';
import { NotebookNote, toNoteCells } from './note';
import { FakeNotes, OUTLINE } from './note.fakes';

const MINUTE_MS = 60_000;

describe('NotebookNote', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let api: FakeNotes;
  let note: NotebookNote;

  beforeEach(() => {
    jest.useFakeTimers();
    subject = new FakeSubject();
    subject.isActive = true;
    history = new FakeHistory();
    api = new FakeNotes();
    note = new NotebookNote(subject, history, api);
  });

  afterEach(() => {
    note.dispose();
    PageConfig.setOption('aiserverFeatures', '');
    jest.useRealTimers();
  });

  const settle = () => jest.advanceTimersByTimeAsync(0);
  const show = async (mode: 'outline' | 'model' = 'outline') => {
    note.mode = mode;
    note.isActive = true;
    await settle();
  };
  const hide = () => {
    note.isActive = false;
  };
  const accept = async (notebookId = 'nb', type = 'accept') => {
    const key = { notebookId, cellId: 'a' };
    history.eventsQueued.emit({ key, events: [{ type }] });
    await settle();
  };

  it('is made from the cells when the view is opened', async () => {
    await show();
    expect(note.note?.text).toBe(OUTLINE);
    expect(api.bodies).toEqual([
      {
        cells: ['a = 1', 'b = 1', ''].map(source => ({
          cellType: 'code',
          source
        })),
        usesModel: false
      }
    ]);
  });

  it('is checked once in five minutes, but read each time', async () => {
    await show();
    hide();
    subject.notebookId = 'other';
    await show();
    hide();
    subject.notebookId = 'nb';
    await show();
    expect(api.requests).toEqual(['update nb', 'update other', 'get nb']);
    hide();
    jest.advanceTimersByTime(5 * MINUTE_MS);
    subject.notebookId = 'other';
    await show();
    expect(api.requests[3]).toBe('update other');
  });

  it('is checked after an accepted answer, also while it is hidden', async () => {
    note.mode = 'outline';
    await accept('nb', 'edit');
    await accept('other');
    expect(api.requests).toEqual([]);
    await accept();
    await accept();
    expect(api.requests).toEqual(['update nb']);
    expect(note.note?.text).toBe(OUTLINE);
  });

  it('is checked again after a failed check', async () => {
    api.failure = new ApiError(0, 'unreachable', 'No answer.');
    await show();
    expect(note.error?.code).toBe('unreachable');
    hide();
    await show();
    api.failure = null;
    hide();
    await accept();
    await accept();
    expect(api.requests).toEqual(['update nb', 'update nb', 'update nb']);
    expect(note.note?.text).toBe(OUTLINE);
  });

  it('isn’t checked while a person types or a history changes', async () => {
    await show();
    jest.advanceTimersByTime(6 * MINUTE_MS);
    subject.type('x');
    history.changed.emit({ notebookId: 'nb', cellId: 'a' });
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(api.requests).toEqual(['update nb']);
  });

  it('sends nothing while notes are off, forbidden or without a notebook', async () => {
    note.isActive = true;
    await accept();
    expect(note.isShown).toBe(false);
    PageConfig.setOption('aiserverFeatures', '{"memory": "forbidden"}');
    await show();
    await accept();
    expect(note.isShown).toBe(false);
    PageConfig.setOption('aiserverFeatures', '');
    subject.notebookId = null;
    hide();
    await show();
    expect(note.isShown).toBe(false);
    expect(api.requests).toEqual([]);
  });

  it('isn’t shown to people who have no notes here', async () => {
    api.failure = new ApiError(403, 'not_owner', 'Not yours.');
    await show();
    expect([note.isShown, note.error]).toEqual([false, null]);
  });

  it('is read again while a model words it', async () => {
    api.isBeingWorded = true;
    await show('model');
    expect(api.bodies[0].usesModel).toBe(true);
    api.isBeingWorded = false;
    api.set('nb', { text: 'Worded', author: 'model' });
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(note.note?.text).toBe('Worded');
    expect(api.requests).toEqual(['update nb', 'get nb']);
  });

  it('is edited, switched, written again and deleted, with undo', async () => {
    await show();
    note.edit(OUTLINE);
    note.edit(' Mine ');
    expect(await note.save()).toBe(true);
    expect(note.note).toMatchObject({ text: 'Mine', author: 'person' });
    expect([note.draft.text, note.canUndo]).toEqual([null, false]);
    await note.setUsed(false);
    expect(note.note?.used).toBe(false);
    await note.writeAgain();
    expect([note.note?.text, note.canUndo]).toEqual([OUTLINE, true]);
    await note.undo();
    expect([note.note?.text, note.canUndo]).toEqual(['Mine', false]);
    await note.delete();
    expect([note.note?.text, note.canUndo]).toEqual(['', true]);
    subject.notebookId = 'other';
    expect(note.canUndo).toBe(false);
    subject.notebookId = 'nb';
    await note.undo();
    expect(note.note?.text).toBe('Mine');
  });

  it('has its author again after undo', async () => {
    await show();
    await note.delete();
    await note.undo();
    expect(note.note).toMatchObject({ text: OUTLINE, author: 'outline' });
    note.edit('Mine');
    await note.save();
    await note.writeAgain();
    await note.undo();
    expect(note.note).toMatchObject({ text: 'Mine', author: 'person' });
  });

  it('isn’t written again if it has changed meanwhile', async () => {
    await show();
    api.set('nb', { text: 'Theirs', author: 'person' });
    expect(await note.writeAgain()).toBe(false);
    expect(note.draft.failure?.code).toBe('memory_entry_changed');
    expect(note.note?.text).toBe('Theirs');
    expect(await note.writeAgain()).toBe(true);
    await note.undo();
    expect(note.note).toMatchObject({ text: 'Theirs', author: 'person' });
  });

  it('can be restored if it can’t be read after it was deleted', async () => {
    await show();
    const get = jest.spyOn(api, 'get').mockRejectedValueOnce(new Error());
    expect(await note.delete()).toBe(true);
    expect(get).toHaveBeenCalled();
    expect([note.note, note.canUndo]).toEqual([null, true]);
    await note.undo();
    expect(note.note?.text).toBe(OUTLINE);
  });

  it('keeps what is typed while it is saved', async () => {
    await show();
    note.edit('Mine');
    const saved = note.save();
    note.edit('Mine, too');
    expect(await saved).toBe(true);
    expect(note.note?.text).toBe('Mine');
    expect(note.draft).toMatchObject({ text: 'Mine, too', newerText: null });
    expect(await note.save()).toBe(true);
    expect(note.note?.text).toBe('Mine, too');
  });

  it('sends nothing more after a refusal', async () => {
    note.mode = 'outline';
    api.failure = new ApiError(403, 'not_owner', '');
    await accept();
    await accept();
    expect(api.requests).toEqual(['update nb']);
  });

  it('keeps the typed text if the note has changed meanwhile', async () => {
    await show();
    note.edit('Mine');
    api.set('nb', { text: 'Theirs', author: 'person' });
    expect(await note.save()).toBe(false);
    expect(note.draft).toMatchObject({ text: 'Mine', newerText: 'Theirs' });
    expect(note.draft.failure?.code).toBe('memory_entry_changed');
    expect(await note.save()).toBe(true);
    expect(note.note?.text).toBe('Mine');
  });

  it('says that the note has changed if typing began while it was written', async () => {
    await show();
    note.edit('Old');
    await note.save();
    const written = note.writeAgain();
    note.edit('Mine');
    await written;
    expect(note.draft).toMatchObject({ text: 'Mine', newerText: OUTLINE });
  });

  it('keeps the typed text if saving fails, and per notebook', async () => {
    await show();
    note.edit('Mine');
    api.failure = new ApiError(0, 'unreachable', 'No answer.');
    expect(await note.save()).toBe(false);
    api.failure = null;
    subject.notebookId = 'other';
    subject.emitChange('activeCell');
    await settle();
    expect(note.draft.text).toBeNull();
    subject.notebookId = 'nb';
    subject.emitChange('activeCell');
    await settle();
    expect(note.draft.text).toBe('Mine');
  });

  it('limits what is sent of long notebooks', () => {
    const source = 'x'.repeat(5000);
    const cells = toNoteCells(
      Array.from({ length: 1500 }, () => ({ type: 'markdown', source }))
    );
    expect(cells).toHaveLength(1000);
    expect(cells[0]).toEqual({
      cellType: 'markdown',
      source: 'x'.repeat(400)
    });
    expect(toNoteCells([])).toEqual([]);
    expect(toNoteCells([{ type: 'odd', source }])).toEqual([
      { cellType: 'code', source: 'x'.repeat(4000) }
    ]);
  });
});
