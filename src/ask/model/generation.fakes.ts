/** Fakes for the specs of a generation: a cell, a history and streams that a spec feeds. */
import { Signal } from '@lumino/signaling';

import type {
  GenerateBody,
  Interaction,
  Step,
  StreamEvent
} from '../../api/types';
import type { INumberedCell } from '../../cells/notebookCell';
import type { IImage } from '../../cells/plots/images';
import type {
  ICheck,
  ICheckedRequest,
  IProblem,
  IWarning
} from '../../kernel/check';
import type { IDataValues } from '../../kernel/dataValues';
import type { ISignal } from '../../kernel/signals';
import type { IKernelVariables } from '../../kernel/variables';
import type {
  IHistory,
  IMemory,
  IQueuedEvents,
  ISessionChange
} from '../../tokens';
import { GenerationModel } from './generation';
import type { GenerationApi } from './stream';
import type { PastAnswerSource } from './pastAnswers';
import type { IGenerationState } from './state';

export const MODEL = {
  id: 'test:model',
  provider: 'test',
  label: 'model',
  onThisMachine: true,
  ready: true
};

export function turn(
  id: number,
  suggestion: string,
  intent = 'do it'
): Interaction {
  return {
    turn_id: id,
    timestamp: '2026-01-01T00:00:00.000Z',
    user_request: { intent },
    ai_response: { suggestion, explanation: 'why', status: 'success' }
  };
}

export const start = (turnId = 1): StreamEvent => ({
  type: 'start',
  generationId: `g${turnId}`,
  turnId,
  model: MODEL
});
export const code = (text: string): StreamEvent => ({
  type: 'token',
  part: 'code',
  text
});
export const done = (id: number, suggestion: string): StreamEvent => ({
  type: 'done',
  interaction: turn(id, suggestion),
  revision: id
});

/**
 * A test supplies the items with `push`: an event is yielded, an error is thrown, and null ends the
 * stream.
 */
export class Feed {
  private queue: (StreamEvent | Error | null)[] = [];
  private wake: () => void = () => undefined;

  push(...items: (StreamEvent | Error | null)[]): void {
    this.queue.push(...items);
    this.wake();
  }

  async *read(signal?: AbortSignal): AsyncGenerator<StreamEvent, void, void> {
    signal?.addEventListener('abort', () => this.push(new Error('aborted')));
    for (;;) {
      while (!this.queue.length) {
        await new Promise<void>(resolve => (this.wake = resolve));
      }
      const item = this.queue.shift();
      if (item === null || item === undefined) {
        return;
      }
      if (item instanceof Error) {
        throw item;
      }
      yield item;
    }
  }
}

export function setup(
  options: {
    source?: string | null;
    storesPrompts?: () => boolean;
    pastAnswers?: PastAnswerSource;
    memory?: IMemory;
  } = {}
) {
  let source: string | null =
    options.source === undefined ? 'x = 1' : options.source;
  const feeds: Feed[] = [];
  const bodies: GenerateBody[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const api = {
    generate: jest.fn((body: GenerateBody, signal?: AbortSignal) => {
      const feed = new Feed();
      feeds.push(feed);
      bodies.push(body);
      signals.push(signal);
      return feed.read(signal);
    }),
    stop: jest.fn(async (_id: string) => undefined),
    warmUp: jest.fn(async () => undefined)
  };
  /** The server's steps of the cell. */
  const steps: Partial<Step>[] = [];
  const recorded: unknown[] = [];
  const notified: unknown[] = [];
  const reader = {
    models: jest.fn(async () => ({ default: MODEL.id, models: [MODEL] })),
    replay: jest.fn(async () => ({ steps: [...steps] }))
  };
  const history = {
    ...reader,
    api: reader,
    changed: new Signal<object, ISessionChange>({}),
    eventsQueued: new Signal<object, IQueuedEvents>({}),
    notify: jest.fn(key => notified.push(key)),
    record: jest.fn(async (_key, events) => void recorded.push(...events))
  };
  /** The check's warnings besides the problems. */
  const warnings: IWarning[] = [];
  /** Its signals. */
  const earlySignals: ISignal[] = [];
  const target = {
    cellId: 'c1',
    cellType: 'code' as const,
    isReadOnly: false,
    notebookPath: 'a.ipynb',
    cellNumber: () => null,
    cellAt: jest.fn((_number: number): INumberedCell | null => null),
    images: jest.fn((): IImage[] => []),
    cellTitles: (): { number: number; title: string }[] => [],
    key: () => ({ notebookId: 'nb', cellId: 'c1' }),
    ensure: jest.fn(async () => 'nb'),
    source: () => source,
    error: jest.fn((): string | null => null),
    output: jest.fn((): string => ''),
    run: jest.fn(async () => true),
    interrupt: jest.fn(async () => undefined),
    insertMarkdownBelow: jest.fn((_source: string, _by: object) => true),
    codeAbove: () => '',
    check: jest.fn(
      async (
        _code: string,
        _request?: ICheckedRequest
      ): Promise<IProblem[] | null> => null
    ),
    checkSuggestion: async (
      ...args: [string, ICheckedRequest?]
    ): Promise<ICheck | null> => {
      const problems = await target.check(...args);
      return (
        problems && {
          problems,
          warnings: [...warnings],
          signals: [...earlySignals]
        }
      );
    },
    runCount: (): number | null => null,
    kernelState: jest.fn(async (_code: string) => null as string | null),
    resultSignals: jest.fn(async () => [] as ISignal[] | null),
    joinKeys: jest.fn(async () => []),
    variables: jest.fn(
      async (_examples: number): Promise<IKernelVariables | null> => null
    ),
    dataValues: jest.fn(
      async (
        _name: string,
        _level: 'statistics' | 'sample'
      ): Promise<IDataValues | null> => null
    ),
    apply: jest.fn((text: string) => {
      if (source === null) {
        return false;
      }
      source = text;
      return true;
    }),
    surroundings: () => ({
      language: 'python',
      cellType: 'code' as const,
      context: { cells: [], kernel: 'Python 3' }
    })
  };
  const model = new GenerationModel({
    api: api as unknown as GenerationApi,
    history: history as unknown as IHistory,
    target,
    storesPrompts: options.storesPrompts,
    pastAnswers: options.pastAnswers,
    memory: options.memory
  });
  const states: IGenerationState[] = [];
  model.changed.connect((_, state) => states.push(state));
  /** Wait until `check` returns true for the model's state. */
  const until = (check: (state: IGenerationState) => boolean) =>
    new Promise<IGenerationState>(resolve => {
      const onChanged = () => {
        if (check(model.state)) {
          model.changed.disconnect(onChanged);
          resolve(model.state);
        }
      };
      model.changed.connect(onChanged);
      onChanged();
    });
  const phase = (name: string) => until(state => state.phase === name);
  /** Wait for request number `count`, and return its stream. */
  const requested = async (count: number) => {
    while (feeds.length < count) {
      await Promise.resolve();
    }
    return feeds[count - 1];
  };
  /** Ask, and answer with this code, which is then checked and open. */
  const answer = async (intent: string, suggestion: string) => {
    const id = feeds.length + 1;
    const asked = model.ask(intent);
    (await requested(id)).push(start(id), done(id, suggestion), null);
    await asked;
  };
  return {
    answer,
    api,
    bodies,
    feeds,
    history,
    model,
    notified,
    phase,
    recorded,
    requested,
    signals,
    states,
    target,
    warnings,
    earlySignals,
    steps,
    untilNotified: async (count: number) => {
      while (notified.length < count) {
        await new Promise(resolve => setTimeout(resolve));
      }
    },
    until,
    edit: (text: string) => (source = text),
    remove: () => (source = null),
    source: () => source
  };
}
