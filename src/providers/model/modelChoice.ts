/**
 * Which models there are and which one answers, for all of the page: the rows, the menus and
 * the settings look at one of these.
 *
 * What must hold:
 * - What stands here is what the server said last. A choice is made there, never here alone.
 * - A key goes to the server and is kept nowhere in the page (P8).
 * - Nothing is chosen, connected or installed but by a call that a person's act made (P4).
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type { ModelInfo, ModelList, Provider, Verdict } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import { IInstallView, InstallApi, LocalInstall } from './localInstall';

/** The calls that it needs; `ApiClient` has them. */
export type ModelsApi = InstallApi &
  Pick<
    ApiClient,
    | 'models'
    | 'chooseModel'
    | 'saveKey'
    | 'placeProvider'
    | 'removeKey'
    | 'check'
    | 'modelNames'
  >;

/** What a person entered for a provider. With both null, what the server has is meant. */
export interface IEntered {
  provider: string;
  key: string | null;
  address: string | null;
}

export class ModelChoice {
  constructor(private readonly _api: ModelsApi) {
    this.install = new LocalInstall(_api);
    this.install.changed.connect((_, { status }) => {
      this._changed.emit('install');
      if (status !== this._status && status !== 'running') {
        void this._again(); // It tells, too, how much is kept.
      }
      this._status = status;
    });
  }

  /** The local model's installation. */
  readonly install: LocalInstall;

  /** What the server said last; null before it did. */
  get list(): ModelList | null {
    return this._list;
  }

  /** Why the server could not be asked; null if it could. */
  get problem(): IFailure | null {
    return this._problem;
  }

  /** The list was fetched anew, or the installation went on. */
  get changed(): ISignal<this, 'list' | 'install'> {
    return this._changed;
  }

  /** The model that answers where none is chosen for a cell. */
  get current(): ModelInfo | null {
    return this.find(this._list?.default ?? null);
  }

  find(id: string | null): ModelInfo | null {
    return this._list?.models.find(model => model.id === id) ?? null;
  }

  provider(name: string): Provider | null {
    return this._list?.providers?.find(item => item.name === name) ?? null;
  }

  /** The models that can answer now, those of this machine first. */
  get ready(): { here: ModelInfo[]; remote: ModelInfo[] } {
    const ready = this._list?.models.filter(model => model.ready) ?? [];
    return {
      here: ready.filter(model => model.onThisMachine),
      remote: ready.filter(model => !model.onThisMachine)
    };
  }

  /** Ask the server what there is. Calls at the same time share one request. */
  refresh(): Promise<void> {
    this._asking ??= this._fetch().finally(() => (this._asking = null));
    return this._asking;
  }

  /** Let a model answer from now on; null forgets the choice. */
  async choose(id: string | null): Promise<void> {
    await this._api.chooseModel(id);
    await this._again();
  }

  /** Give the server what a provider needs, then let one of its models answer. */
  async connect(
    entered: IEntered,
    model: string,
    /** Whether the person says that its server is on the Jupyter server's machine. */
    onThisMachine: boolean
  ): Promise<void> {
    const { provider, key, address } = entered;
    if (key !== null || address !== null) {
      await this._api.saveKey(provider, key, address, onThisMachine);
    } else if (this._isElsewhere(provider, onThisMachine)) {
      await this._api.placeProvider(provider, onThisMachine);
    }
    await this._api.chooseModel(`${provider}:${model}`);
    await this._again();
  }

  /**
   * Ask the provider whether what was entered for it is right, or else what is saved. Only after
   * a person pressed a button (P4).
   *
   * @throws ApiError that says what is wrong.
   */
  async test(entered: IEntered, model: string): Promise<Verdict> {
    const { provider, key, address } = entered;
    try {
      return await this._api.check(`${provider}:${model}`, key, address);
    } finally {
      if (key === null && address === null) {
        await this.refresh(); // The server remembers how a saved key was taken.
      }
    }
  }

  /** The models that a provider lists. Only after a person opened the list (P4). */
  names({ provider, key, address }: IEntered): Promise<string[]> {
    return this._api.modelNames(provider, key, address);
  }

  /** Let the server forget the key of a provider. */
  async disconnect(provider: string): Promise<void> {
    await this._api.removeKey(provider);
    await this._again();
  }

  /** Whether the person says something else of a provider's place than they did before. */
  private _isElsewhere(name: string, onThisMachine: boolean): boolean {
    const provider = this.provider(name);
    return (
      !provider?.placeSettled &&
      (provider?.onThisMachine ?? false) !== onThisMachine
    );
  }

  /** A request that began before a change would bring what was before it. */
  private async _again(): Promise<void> {
    await this._asking;
    await this.refresh();
  }

  private async _fetch(): Promise<void> {
    const { round } = this.install;
    try {
      this._list = await this._api.models();
      this._problem = null;
    } catch (reason) {
      this._problem = toFailure(reason);
    }
    const running = this._list?.local?.installing;
    // A list that was asked for before a stop may still say that it runs.
    if (running && round === this.install.round) {
      void this.install.join(running);
    }
    this._changed.emit('list');
  }

  private readonly _changed = new Signal<this, 'list' | 'install'>(this);
  private _list: ModelList | null = null;
  private _problem: IFailure | null = null;
  private _status: IInstallView['status'] = 'idle';
  private _asking: Promise<void> | null = null;
}
