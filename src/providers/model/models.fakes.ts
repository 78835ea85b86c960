/**
 * A fake of the server's API for models: real providers charge for requests, and the local model is
 * a download of half a gigabyte.
 */
import type {
  InstallEvent,
  LocalModel,
  LocalModelEntry,
  ModelInfo,
  ModelList,
  Provider,
  Verdict
} from '../../api/types';
import type { ModelsApi } from './modelChoice';

export const LOCAL: ModelInfo = {
  id: 'local:qwen',
  provider: 'local',
  label: 'Qwen2.5-Coder',
  onThisMachine: true,
  ready: true
};

export const REMOTE: ModelInfo = {
  id: 'openai:gpt',
  provider: 'openai',
  label: 'gpt (OpenAI)',
  onThisMachine: false,
  ready: true
};

export const OPENAI: Provider = {
  name: 'openai',
  label: 'OpenAI',
  installed: true,
  install: "pip install 'aiserver[openai]'",
  keySource: null,
  keyName: 'OPENAI_API_KEY',
  needsKey: true,
  needsAddress: false,
  address: 'https://api.openai.com/v1',
  onThisMachine: false,
  placeSettled: false,
  refusal: null,
  suggested: ['gpt', 'gpt-mini']
};

export const OWN_SERVER: Provider = {
  ...OPENAI,
  name: 'openai_compatible',
  label: 'OpenAI-compatible server',
  keyName: null,
  needsKey: false,
  needsAddress: true,
  address: null,
  suggested: []
};

export const NOT_INSTALLED: LocalModel = {
  id: LOCAL.id,
  label: LOCAL.label,
  installed: false,
  bytes: 491_400_064,
  kept: 0,
  package: true,
  install: 'jupyter aiserver model install',
  installing: null
};

export const SMALL: LocalModelEntry = {
  name: 'small-0.5b',
  id: LOCAL.id,
  label: 'Small 0.5B',
  parameters: '0.5B',
  bytes: 491_400_064,
  memory: 1.1e9,
  licence: 'Apache-2.0',
  quality: { right: 15, of: 52 },
  speed: null,
  installed: false,
  installedBytes: 0,
  kept: 0,
  removable: false,
  suggested: false,
  fits: true
};

export const LARGE: LocalModelEntry = {
  ...SMALL,
  name: 'large-1.5b',
  id: 'local:large-1.5b',
  label: 'Large 1.5B',
  parameters: '1.5B',
  bytes: 1_117_320_768,
  memory: 1.9e9,
  quality: { right: 24, of: 52 },
  suggested: true
};

/** The entry of an installed model. */
export function installed(entry: LocalModelEntry): LocalModelEntry {
  const installedBytes = entry.bytes ?? 0;
  return { ...entry, installed: true, installedBytes, removable: true };
}

/** As the model appears among the ready ones of a `ModelList`. */
export function readyModel({ id, label }: LocalModelEntry): ModelInfo {
  return { ...LOCAL, id, label };
}

/** By default, no model is ready, and only the smallest local one is listed. */
export function modelList(change: Partial<ModelList> = {}): ModelList {
  const { local = NOT_INSTALLED } = change;
  return {
    default: null,
    models: [],
    providers: [OPENAI, OWN_SERVER],
    local,
    localModels: local ? [{ ...SMALL, ...local, suggested: true }] : [],
    ...change
  };
}

/** Records its calls, and streams the events that a spec sends. */
export class ModelsApiFake implements ModelsApi {
  list = modelList();
  calls: [string, ...unknown[]][] = [];
  failure: Error | null = null;
  /** The result of `check`, or the error that it throws. */
  verdict: Verdict | Error = 'ok';
  /** Every provider lists these models. */
  listedNames: string[] = [];

  async models(): Promise<ModelList> {
    return this._do('models', () => this.list);
  }

  async chooseModel(model: string | null): Promise<void> {
    return this._do('choose', () => undefined, model);
  }

  async saveKey(
    provider: string,
    key: string | null,
    address: string | null,
    onThisMachine: boolean
  ): Promise<void> {
    const location = onThisMachine ? ['here'] : [];
    return this._do(
      'save',
      () => undefined,
      provider,
      key,
      address,
      ...location
    );
  }

  async setProviderLocation(
    provider: string,
    onThisMachine: boolean
  ): Promise<void> {
    return this._do('place', () => undefined, provider, onThisMachine);
  }

  async check(
    model: string,
    key: string | null = null,
    address: string | null = null
  ): Promise<Verdict> {
    this.calls.push(['check', model, ...[key, address].filter(Boolean)]);
    if (this.verdict instanceof Error) {
      throw this.verdict;
    }
    return this.verdict;
  }

  async modelNames(
    provider: string,
    key: string | null,
    address: string | null
  ): Promise<string[]> {
    return this._do('names', () => this.listedNames, provider, key, address);
  }

  async removeKey(provider: string): Promise<void> {
    return this._do('remove', () => undefined, provider);
  }

  async removeLocal(name: string): Promise<void> {
    return this._do('removeLocal', () => undefined, name);
  }

  async *installLocal(
    join: boolean,
    name: string | null
  ): AsyncGenerator<InstallEvent, void, void> {
    const names = name === null ? [] : [name];
    this._do(join ? 'join' : 'install', () => undefined, ...names);
    for (;;) {
      const event = await new Promise<InstallEvent | 'end' | Error>(resolve => {
        this._resolveEvent = resolve;
      });
      if (event instanceof Error) {
        throw event;
      }
      if (event === 'end') {
        return;
      }
      yield event;
    }
  }

  async stopInstall(): Promise<void> {
    return this._do('stop', () => undefined);
  }

  /**
   * Send an event to the page. `end` closes the stream before the installation has ended, and an
   * `Error` makes it fail.
   */
  async give(event: InstallEvent | 'end' | Error): Promise<void> {
    this._resolveEvent(event);
    // Let the page handle the event.
    for (let count = 0; count < 10; count++) {
      await Promise.resolve();
    }
  }

  get names(): string[] {
    return this.calls.map(([name]) => name);
  }

  private _do<T>(name: string, result: () => T, ...values: unknown[]): T {
    this.calls.push([name, ...values]);
    if (this.failure) {
      throw this.failure;
    }
    return result();
  }

  private _resolveEvent: (event: InstallEvent | 'end' | Error) => void = () =>
    undefined;
}
