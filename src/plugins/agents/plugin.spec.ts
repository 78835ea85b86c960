/** The plugin with an open notebook, a fake socket and fake prompt rows. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { NotebookTracker } from '@jupyterlab/notebook';
import { ServerConnection } from '@jupyterlab/services';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import { setFeatures } from '../../state/features.fakes';
import {
  CommandIDs,
  type IAgents,
  type IPromptRows,
  type ITracking
} from '../../tokens';
import { Page, openWithTurn } from '../../tracking/model/tracking.fakes';
import { digestOf } from '../../cells/source';
import { agentsPlugin } from './plugin';

class FakeSocket {
  static last: FakeSocket | null = null;
  constructor(readonly url: string) {
    FakeSocket.last = this;
  }
  readyState = 1;
  onopen = () => undefined as void;
  onmessage = (_: { data: string }) => undefined as void;
  readonly sent: { type: string }[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string });
  }
}

async function setup(
  withTracking = true,
  registry: ISettingRegistry | null = null
) {
  FakeSocket.last = null;
  const page = new Page();
  const open = await openWithTurn(page);
  const tracker = new NotebookTracker({ namespace: 'notebook' });
  await tracker.add(open.panel);
  const shown: unknown[] = [];
  const rows = {
    showProposal: async (_: unknown, id: string) => {
      shown.push(id);
      return null;
    }
  } as unknown as IPromptRows;
  const commands = new CommandRegistry();
  const serverSettings = ServerConnection.makeSettings({
    WebSocket: FakeSocket as never
  });
  const agents = (await agentsPlugin.activate(
    {
      commands,
      serviceManager: { serverSettings }
    } as unknown as JupyterFrontEnd,
    ...[tracker, page.history, page.identity],
    withTracking ? (page.tracking as ITracking) : null,
    rows,
    ...[null, null, registry]
  )) as IAgents | null;
  await open.settle();
  const socket = FakeSocket.last as FakeSocket | null;
  socket?.onopen();
  return { agents, commands, open, page, shown, socket, tracker };
}

afterEach(() => {
  setFeatures();
  document.body.replaceChildren();
});

describe('the plugin of agents', () => {
  it('says which notebooks are open, and answers the server', async () => {
    const t = await setup();
    const { localPath: path } = t.open.panel.context;
    const hello = {
      type: 'hello',
      paths: [path]
    };
    expect(t.socket!.sent).toMatchObject([hello]);
    const cell = t.open.panel.context.model.sharedModel.cells[0];
    const operation = {
      ...{ op: 'edit', cell: 'aa', base: digestOf(cell), source: 'a = 2' }
    };
    const author = { contributor: { kind: 'agent', name: 'Codex' }, run: 'r1' };
    const message = { id: 'm1', type: 'apply', path, author };
    t.socket!.onmessage({
      data: JSON.stringify({ ...message, operations: [operation] })
    });
    await t.open.settle();
    expect(t.socket!.sent.at(-1)).toMatchObject({ id: 'm1', type: 'done' });
    expect(t.open.sources[0]).toBe('a = 2');
    t.open.close();
    await Promise.resolve();
    await Promise.resolve();
    expect(t.socket!.sent.at(-1)).toMatchObject({ paths: [] });
  });

  it('says what the settings allow agents to get of the data', async () => {
    const changed = new Signal<object, void>({});
    const settings = { composite: { data: 'sample' }, changed };
    const load = jest.fn(async () => settings);
    const t = await setup(true, { load } as unknown as ISettingRegistry);
    expect(load).toHaveBeenCalledWith('aiserver:agents');
    expect(t.socket!.sent.at(-1)).toMatchObject({ level: 'sample' });
    settings.composite = { data: 'all of it' };
    changed.emit();
    expect(t.socket!.sent.at(-1)).toMatchObject({ level: 'schema' });
  });

  it('shows proposals, and tells the history about their turns', async () => {
    const t = await setup();
    const changed: unknown[] = [];
    t.page.history.changed.connect((_, change) => changed.push(change));
    const { localPath: path } = t.open.panel.context;
    const data = { type: 'proposed', path, cellId: 'aa', turnId: 1, run: 'r' };
    t.socket!.onmessage({ data: JSON.stringify(data) });
    await t.open.settle();
    expect(t.shown).toEqual(['aa']);
    expect(changed).toEqual([
      { notebookId: t.open.id, cellId: 'aa', isRemote: true }
    ]);
    const other = { ...data, path: 'other.ipynb' };
    t.socket!.onmessage({ data: JSON.stringify(other) });
    expect(t.shown).toEqual(['aa']);
  });

  it('lets nobody change notebooks without tracking', async () => {
    const t = await setup(false);
    expect(t.socket).toBeNull();
    expect(t.agents).not.toBeNull();
    expect(t.commands.hasCommand(CommandIDs.nextProposal)).toBe(true);
  });

  it('does nothing if the administrator forbids agents', async () => {
    setFeatures({ agents: 'forbidden' });
    const t = await setup();
    expect(t.agents).toBeNull();
    expect(t.socket).toBeNull();
    expect(t.commands.hasCommand(CommandIDs.nextProposal)).toBe(false);
  });
});
