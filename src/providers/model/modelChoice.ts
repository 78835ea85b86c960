/**
 * The available models and the chosen one. The rows, menus and settings of a page share one
 * instance.
 *
 * Invariants:
 * - The state is the server's last response. A choice is made on the server, never only here.
 * - A key is sent to the server and never stored in the page.
 * - Models are chosen, connected and installed only on a person's action.
 */
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type { ModelInfo, ModelList, Provider, Verdict } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import { IInstallView, InstallApi, LocalInstall } from './localInstall';

/** The required methods of `ApiClient`. */
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

/** The input for a provider. If key and address are null, the server's saved values apply. */
export interface IProviderInput {
  provider: string;
  key: string | null;
  address: string | null;
}

export class ModelChoice {
  constructor(private readonly _api: ModelsApi) {
    this.install = new LocalInstall(_api);
    this.install.changed.connect((_, { status }) => {
      this.changed.emit('install');
      if (status !== this._status && status !== 'running') {
        void this._refreshAfterChange(); // The list includes the size of the partial download.
      }
      this._status = status;
    });
  }

  /** The local model's installation. */
  readonly install: LocalInstall;

  /** The server's last response; null before the first one. */
  get list(): ModelList | null {
    return this._list;
  }

  /** The failure of the last refresh; null if it succeeded. */
  get problem(): IFailure | null {
    return this._problem;
  }

  /** Emitted after a refresh (`list`) and on progress of the installation (`install`). */
  readonly changed = new Signal<this, 'list' | 'install'>(this);

  /** The default model, for cells without their own. */
  get current(): ModelInfo | null {
    return this.find(this._list?.default ?? null);
  }

  find(id: string | null): ModelInfo | null {
    return this._list?.models.find(model => model.id === id) ?? null;
  }

  provider(name: string): Provider | null {
    return this._list?.providers?.find(item => item.name === name) ?? null;
  }

  /** Fetch the list of models. Concurrent calls share one request. */
  refresh(): Promise<void> {
    this._pendingRefresh ??= this._fetch().finally(
      () => (this._pendingRefresh = null)
    );
    return this._pendingRefresh;
  }

  /** Choose the default model; null removes the choice. */
  async choose(id: string | null): Promise<void> {
    await this._api.chooseModel(id);
    await this._refreshAfterChange();
  }

  /** Save the input for a provider, then choose one of its models. */
  async connect(
    input: IProviderInput,
    model: string,
    /**
     * Whether the person declares that the provider's server is on the Jupyter server's machine.
     */
    onThisMachine: boolean
  ): Promise<void> {
    const { provider, key, address } = input;
    if (key !== null || address !== null) {
      await this._api.saveKey(provider, key, address, onThisMachine);
    } else if (this._isLocationChanged(provider, onThisMachine)) {
      await this._api.placeProvider(provider, onThisMachine);
    }
    await this._api.chooseModel(`${provider}:${model}`);
    await this._refreshAfterChange();
  }

  /**
   * Test the input, or else the saved values, with the provider. Call it only after a person
   * pressed a button.
   *
   * @throws ApiError with the reason of a failure.
   */
  async test(input: IProviderInput, model: string): Promise<Verdict> {
    const { provider, key, address } = input;
    try {
      return await this._api.check(`${provider}:${model}`, key, address);
    } finally {
      if (key === null && address === null) {
        await this.refresh(); // The server records whether a saved key was rejected.
      }
    }
  }

  /** Fetch the models that a provider lists. Call it only after a person opened the list. */
  names({ provider, key, address }: IProviderInput): Promise<string[]> {
    return this._api.modelNames(provider, key, address);
  }

  /** Remove a provider's key from the server. */
  async disconnect(provider: string): Promise<void> {
    await this._api.removeKey(provider);
    await this._refreshAfterChange();
  }

  /** Whether the declared location of a provider's server differs from the saved one. */
  private _isLocationChanged(name: string, onThisMachine: boolean): boolean {
    const provider = this.provider(name);
    return (
      !provider?.placeSettled &&
      (provider?.onThisMachine ?? false) !== onThisMachine
    );
  }

  /** Refresh after a pending request, which may return the state before the change. */
  private async _refreshAfterChange(): Promise<void> {
    await this._pendingRefresh;
    await this.refresh();
  }

  private async _fetch(): Promise<void> {
    const { epoch } = this.install;
    try {
      this._list = await this._api.models();
      this._problem = null;
    } catch (reason) {
      this._problem = toFailure(reason);
    }
    const running = this._list?.local?.installing;
    // A list that was requested before a stop may still contain the installation.
    if (running && epoch === this.install.epoch) {
      void this.install.join(running);
    }
    this.changed.emit('list');
  }

  private _list: ModelList | null = null;
  private _problem: IFailure | null = null;
  private _status: IInstallView['status'] = 'idle';
  private _pendingRefresh: Promise<void> | null = null;
}
