import { ServerConnection } from '@jupyterlab/services';

import type { PrivacyLevel } from '../../../api/types';
import { Channel } from './channel';
import type { ServerMessage } from './messages';

/** A socket that a spec opens, closes and feeds. */
class FakeSocket {
  static all: FakeSocket[] = [];
  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!;
  }
  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }
  readyState = 0;
  onopen = () => undefined as void;
  onclose = () => undefined as void;
  onmessage = (_: { data: unknown }) => undefined as void;
  readonly sent: unknown[] = [];
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  open(): void {
    this.readyState = 1;
    this.onopen();
  }
  close(): void {
    this.readyState = 3;
    this.onclose();
  }
  receive(data: unknown): void {
    this.onmessage({ data });
  }
}

function setup(options: Partial<ServerConnection.ISettings> = {}) {
  FakeSocket.all = [];
  let open: string[] = [];
  let level: PrivacyLevel = 'schema';
  const channel = new Channel({
    settings: ServerConnection.makeSettings({
      wsUrl: 'ws://host/user/me/',
      WebSocket: FakeSocket as never,
      ...options
    }),
    page: 'page1',
    paths: () => open,
    level: () => level
  });
  const received: ServerMessage[] = [];
  channel.received.connect((_, message) => received.push(message));
  return {
    channel,
    received,
    /** Open these notebooks, and no other ones. */
    show: (...paths: string[]) => {
      open = paths;
      channel.update();
    },
    /** Allow agents this level of data. */
    allow: (chosen: PrivacyLevel) => {
      level = chosen;
      channel.update();
    }
  };
}

const hello = (...paths: string[]) => ({
  type: 'hello',
  page: 'page1',
  paths,
  level: 'schema'
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('the channel', () => {
  it('opens with the first notebook, with the token of the page', () => {
    const t = setup({ token: 'a b', appendToken: true });
    t.show();
    expect(FakeSocket.all).toEqual([]);
    t.show('a.ipynb');
    t.show('a.ipynb', 'b.ipynb');
    expect(FakeSocket.all.map(({ url }) => url)).toEqual([
      'ws://host/user/me/aiserver/agents/channel?token=a%20b'
    ]);
    const other = setup({ token: 'a b', appendToken: false });
    other.show('a.ipynb');
    expect(FakeSocket.last.url).not.toContain('token');
  });

  it('says which notebooks are open, and again when that changes', () => {
    const t = setup();
    t.show('a.ipynb');
    const { last } = FakeSocket;
    expect(last.sent).toEqual([]);
    last.open();
    t.show('a.ipynb');
    t.show('moved.ipynb');
    t.show();
    expect(last.sent).toEqual([
      hello('a.ipynb'),
      hello('moved.ipynb'),
      hello()
    ]);
  });

  it('says what agents get of the data, and again when that changes', () => {
    const t = setup();
    t.allow('sample');
    expect(FakeSocket.all).toEqual([]);
    t.show('a.ipynb');
    FakeSocket.last.open();
    t.allow('sample');
    t.allow('statistics');
    expect(FakeSocket.last.sent).toEqual([
      { ...hello('a.ipynb'), level: 'sample' },
      { ...hello('a.ipynb'), level: 'statistics' }
    ]);
  });

  it('passes messages on, but not what isn’t one', () => {
    const t = setup();
    t.show('a.ipynb');
    FakeSocket.last.open();
    for (const data of ['no JSON', 'null', '[]', new ArrayBuffer(1)]) {
      FakeSocket.last.receive(data);
    }
    const message = { type: 'changed', notebookId: 'nb' };
    FakeSocket.last.receive(JSON.stringify(message));
    expect(t.received).toEqual([message]);
    t.channel.send({ type: 'done' });
    expect(FakeSocket.last.sent.at(-1)).toEqual({ type: 'done' });
  });

  it('opens again after a pause that grows, and says hello', () => {
    const t = setup();
    t.show('a.ipynb');
    FakeSocket.last.open();
    FakeSocket.last.close();
    t.channel.send({ type: 'done' }); // It is lost.
    t.show('a.ipynb', 'b.ipynb');
    expect(FakeSocket.all).toHaveLength(1);
    jest.advanceTimersByTime(1_300);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.last.close();
    jest.advanceTimersByTime(1_400);
    expect(FakeSocket.all).toHaveLength(2);
    jest.advanceTimersByTime(1_200);
    expect(FakeSocket.all).toHaveLength(3);
    let opened = 0;
    t.channel.opened.connect(() => opened++);
    FakeSocket.last.open();
    expect(FakeSocket.last.sent).toEqual([hello('a.ipynb', 'b.ipynb')]);
    expect(opened).toBe(1);
    for (let attempt = 0; attempt < 12; attempt++) {
      FakeSocket.last.close();
      jest.advanceTimersByTime(75_000);
    }
    expect(FakeSocket.all).toHaveLength(15); // It never gives up.
    FakeSocket.last.open();
    FakeSocket.last.close();
    jest.advanceTimersByTime(1_300);
    expect(FakeSocket.all).toHaveLength(16);
  });

  it('gives up on a server that has never answered, until another notebook is opened', () => {
    const t = setup();
    t.show('a.ipynb');
    for (let attempt = 0; attempt < 10; attempt++) {
      if (FakeSocket.last.readyState === 0) {
        FakeSocket.last.close();
      }
      jest.advanceTimersByTime(75_000);
    }
    expect(FakeSocket.all).toHaveLength(5);
    t.show('a.ipynb', 'b.ipynb');
    expect(FakeSocket.all).toHaveLength(6);
  });

  it('stays closed after it was disposed of', () => {
    const t = setup();
    t.show('a.ipynb');
    FakeSocket.last.open();
    t.channel.dispose();
    jest.advanceTimersByTime(100_000);
    expect(FakeSocket.all).toHaveLength(1);
  });
});
