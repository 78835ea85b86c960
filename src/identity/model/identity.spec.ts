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

/** As much of a notebook panel as an identity needs. */
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

function setup(answer: (body: NotebookBody) => string = () => 'new-id') {
  const register = jest.fn(async (body: NotebookBody) => ({
    notebookId: answer(body)
  }));
  const identity = new NotebookIdentity({
    register,
    save: panel => panel.context.save(),
    trans: nullTranslator.load('aiserver')
  });
  return { identity, register };
}

describe('NotebookIdentity', () => {
  it('gives an id, and saves before it says so', async () => {
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

  it('saves anew only where ids changed that must be on disk', async () => {
    const { identity } = setup();
    const t = makePanel();
    await identity.ensure(t.panel);
    await identity.ensure(t.panel);
    expect(t.context.save).toHaveBeenCalledTimes(1);
    t.model.cells.push(makeCell('c'));
    await identity.ensure(t.panel);
    expect(t.context.save).toHaveBeenCalledTimes(2);
  });

  it('saves a notebook that has an id once: its cells’ ids may not be on disk', async () => {
    const { identity } = setup(body => body.notebookId ?? 'x');
    const t = makePanel({ aiserver: { notebook_id: 'mine' } });
    expect(await identity.ensure(t.panel)).toBe('mine');
    expect(t.context.save).toHaveBeenCalledTimes(1);
  });

  it('gives two requests at once the same id', async () => {
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

  it('asks in a read-only notebook, and writes nothing, until it is saved elsewhere', async () => {
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

  it('mends cell ids before it saves', async () => {
    const { identity, register } = setup();
    const t = makePanel({}, ['a', 'a', '$']);
    await identity.ensure(t.panel);
    const [{ cellIds }] = register.mock.calls[0];
    expect(cellIds[0]).toBe('a');
    expect(new Set(cellIds).size).toBe(3);
  });

  it('says so where the notebook can’t be saved, and tries again the next time', async () => {
    const { identity } = setup();
    const t = makePanel();
    t.context.save.mockRejectedValueOnce(new Error('disk full'));
    await expect(identity.ensure(t.panel)).rejects.toThrow('not be saved');
    expect(await identity.ensure(t.panel)).toBe('new-id');
    expect(t.context.save).toHaveBeenCalledTimes(2);
  });

  it('takes no id from a file that is none', () => {
    const { identity } = setup();
    for (const bad of ['../x', '', 3, null, 'a'.repeat(65)]) {
      const t = makePanel({ aiserver: { notebook_id: bad } });
      expect(identity.get(t.panel)).toBeNull();
    }
  });

  it('notices a copy when it is opened, and tells, but saves nothing by itself', async () => {
    const { identity, register } = setup(() => 'copy-id');
    const t = makePanel({ aiserver: { notebook_id: 'original' } });
    const told: (string | null)[] = [];
    identity.changed.connect((sender, panel) => told.push(sender.get(panel)));
    await identity.observe(t.panel);
    expect(told.at(-1)).toBe('copy-id');
    expect(register).toHaveBeenCalledTimes(1);
    expect(t.context.save).not.toHaveBeenCalled();
  });

  it('leaves a notebook without an id alone when it is opened', async () => {
    const { identity, register } = setup();
    const t = makePanel();
    await identity.observe(t.panel);
    expect(register).not.toHaveBeenCalled();
    expect(t.metadata).toEqual({});
  });

  it('saves once more where a cell was added while it was saved', async () => {
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
