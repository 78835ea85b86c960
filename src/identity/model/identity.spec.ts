import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import type { NotebookBody } from '../../api/types';
import { NotebookIdentity } from './identity';

function makeCell(id: string) {
  const cell = {
    id,
    getMetadata: () => undefined,
    sharedModel: {
      ymodel: {
        get: () => cell.id,
        set: (_: string, value: string) => void (cell.id = value)
      }
    }
  };
  return cell;
}

/** The part of a notebook panel that `NotebookIdentity` uses. */
function makePanel(metadata: Record<string, unknown> = {}, ids = ['a', 'b']) {
  const metadataChanged = new Signal<unknown, void>({});
  const pathChanged = new Signal<unknown, void>({});
  const model = {
    readOnly: false,
    cells: ids.map(makeCell),
    sharedModel: { transact: (change: () => void) => change() },
    metadataChanged,
    getMetadata: (key: string) => metadata[key],
    setMetadata: (key: string, value: unknown) => {
      metadata[key] = value;
      metadataChanged.emit();
    }
  };
  const context = {
    ready: Promise.resolve(),
    model,
    path: 'a.ipynb',
    localPath: 'a.ipynb',
    contentsModel: { writable: true },
    pathChanged,
    save: jest.fn(async () => undefined)
  };
  const panel = { context, content: { model }, isDisposed: false };
  return { panel: panel as unknown as NotebookPanel, context, metadata, model };
}

function setup(assignId: (body: NotebookBody) => string = () => 'new-id') {
  const register = jest.fn(async (body: NotebookBody) => ({
    notebookId: assignId(body)
  }));
  const identity = new NotebookIdentity({
    register,
    save: panel => panel.context.save(),
    trans: nullTranslator.load('aiserver')
  });
  return { identity, register };
}

describe('NotebookIdentity', () => {
  it('assigns an id and saves before it resolves', async () => {
    const { identity, register } = setup();
    const t = makePanel({ aiserver: { other: 1 } });
    t.context.save.mockImplementation(async () => {
      expect(identity.get(t.panel)).toBe('new-id');
    });
    expect(identity.get(t.panel)).toBeNull();
    expect(await identity.ensure(t.panel)).toBe('new-id');
    expect(t.context.save).toHaveBeenCalledTimes(1);
    expect(register).toHaveBeenCalledWith({
      path: 'a.ipynb',
      notebookId: null,
      cellIds: ['a', 'b']
    });
    expect(t.metadata.aiserver).toEqual({ other: 1, notebook_id: 'new-id' });
  });

  it('saves again only if ids on disk are outdated', async () => {
    const { identity } = setup();
    const t = makePanel();
    await identity.ensure(t.panel);
    await identity.ensure(t.panel);
    expect(t.context.save).toHaveBeenCalledTimes(1);
    t.model.cells.push(makeCell('c'));
    await identity.ensure(t.panel);
    expect(t.context.save).toHaveBeenCalledTimes(2);
  });

  it('saves a notebook with an id once, because its cell ids may not be on disk', async () => {
    const { identity } = setup(body => body.notebookId ?? 'x');
    const t = makePanel({ aiserver: { notebook_id: 'mine' } });
    expect(await identity.ensure(t.panel)).toBe('mine');
    expect(t.context.save).toHaveBeenCalledTimes(1);
  });

  it('assigns the same id to simultaneous requests', async () => {
    let count = 0;
    const { identity, register } = setup(() => `id-${count++}`);
    const t = makePanel();
    const ids = await Promise.all([
      identity.ensure(t.panel),
      identity.ensure(t.panel)
    ]);
    expect(ids).toEqual(['id-0', 'id-0']);
    expect(register).toHaveBeenCalledTimes(1);
  });

  it('doesn’t write a read-only notebook until it is saved under another path', async () => {
    const { identity, register } = setup(body => body.notebookId ?? 'new-id');
    const t = makePanel();
    t.context.contentsModel.writable = false;
    expect(await identity.ensure(t.panel)).toBe('new-id');
    expect(identity.get(t.panel)).toBe('new-id');
    expect(t.context.save).not.toHaveBeenCalled();
    await identity.ensure(t.panel);
    expect(register).toHaveBeenCalledTimes(1);

    t.context.contentsModel.writable = true;
    t.context.path = t.context.localPath = 'copy.ipynb';
    expect(await identity.ensure(t.panel)).toBe('new-id');
    expect(register).toHaveBeenLastCalledWith({
      path: 'copy.ipynb',
      notebookId: 'new-id',
      cellIds: ['a', 'b']
    });
    expect(t.context.save).toHaveBeenCalledTimes(1);
    expect(t.metadata.aiserver).toEqual({ notebook_id: 'new-id' });
  });

  it('repairs cell ids before it saves', async () => {
    const { identity, register } = setup();
    const t = makePanel({}, ['a', 'a', '$']);
    await identity.ensure(t.panel);
    const [{ cellIds }] = register.mock.calls[0];
    expect(cellIds[0]).toBe('a');
    expect(new Set(cellIds).size).toBe(3);
  });

  it('reports that the notebook can’t be saved, and retries the next time', async () => {
    const { identity } = setup();
    const t = makePanel();
    t.context.save.mockRejectedValueOnce(new Error('disk full'));
    await expect(identity.ensure(t.panel)).rejects.toThrow('not be saved');
    expect(await identity.ensure(t.panel)).toBe('new-id');
    expect(t.context.save).toHaveBeenCalledTimes(2);
  });

  it('ignores invalid ids in the metadata', () => {
    const { identity } = setup();
    for (const invalid of ['../x', '', 3, null, 'a'.repeat(65)]) {
      const t = makePanel({ aiserver: { notebook_id: invalid } });
      expect(identity.get(t.panel)).toBeNull();
    }
  });

  it('detects a copy when it is opened, without saving it', async () => {
    const { identity, register } = setup(() => 'copy-id');
    const t = makePanel({ aiserver: { notebook_id: 'original' } });
    const ids: (string | null)[] = [];
    identity.changed.connect((sender, panel) => ids.push(sender.get(panel)));
    await identity.observe(t.panel);
    expect(ids.at(-1)).toBe('copy-id');
    expect(register).toHaveBeenCalledTimes(1);
    expect(t.context.save).not.toHaveBeenCalled();
  });

  it('doesn’t register a notebook without an id when it is opened', async () => {
    const { identity, register } = setup();
    const t = makePanel();
    await identity.observe(t.panel);
    expect(register).not.toHaveBeenCalled();
    expect(t.metadata).toEqual({});
  });

  it('saves again if a cell was added during the save', async () => {
    const { identity } = setup(body => body.notebookId ?? 'new-id');
    const t = makePanel();
    t.context.save.mockImplementationOnce(async () => {
      t.model.cells.push(makeCell('c'));
    });
    await identity.ensure(t.panel);
    await identity.ensure(t.panel);
    expect(t.context.save).toHaveBeenCalledTimes(2);
    await identity.ensure(t.panel);
    expect(t.context.save).toHaveBeenCalledTimes(2);
  });
});
