/**
 * The available models and the default model that a person chose. The prompt rows, menus and
 * settings of a page share one instance.
 *
 * Invariants:
 * - The list of models is the server's last response. A choice is saved on the server before it
 *   is shown in the page.
 * - A key is sent to the server and never stored in the page.
 * - Models are chosen, connected and installed only on a person's action.
 */
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type { ModelInfo, ModelList, Provider, Verdict } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import { IInstallView, InstallApi, LocalInstall } from './localInstall';

/** The methods of `ApiClient` that `ModelChoice` needs. */
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

/**
 * The values that a person entered in a provider's form. A null key or address means that
 * nothing new was entered, so the server uses its saved value.
 */
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
      if (status !== this._installStatus && status !== 'running') {
        // The list of models contains the installed model or the size of the partial download.
        void this._refreshAfterChange();
      }
      this._installStatus = status;
    });
  }

  /** The local model's installation. */
  readonly install: LocalInstall;

  /** The server's last response; null before the first response. */
  get list(): ModelList | null {
    return this._list;
  }

  /** The failure of the last refresh; null if it succeeded. */
  get problem(): IFailure | null {
    return this._problem;
  }

  /** Emitted after a refresh (with `list`) and when the installation progresses (`install`). */
  readonly changed = new Signal<this, 'list' | 'install'>(this);

  /** The default model, which applies to cells for which no model was chosen. */
  get current(): ModelInfo | null {
    return this.find(this._list?.default ?? null);
  }

  find(id: string | null): ModelInfo | null {
    return this._list?.models.find(model => model.id === id) ?? null;
  }

  provider(name: string): Provider | null {
    return (
      this._list?.providers?.find(provider => provider.name === name) ?? null
    );
  }

  /** Fetch the list of models. Concurrent calls share one request. */
  refresh(): Promise<void> {
    this._pendingRefresh ??= this._fetch().finally(
      () => (this._pendingRefresh = null)
    );
    return this._pendingRefresh;
  }

  /** Choose the default model; null removes an earlier choice. */
  async choose(id: string | null): Promise<void> {
    await this._api.chooseModel(id);
    await this._refreshAfterChange();
  }

  /** Save the input for a provider, then make one of its models the default model. */
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
   * Ask the provider whether it accepts the key and the address: those of the input, or the saved
   * values where the input is null. Call it only after a person pressed a button.
   *
   * @throws ApiError with the reason of a failure.
   */
  async test(input: IProviderInput, model: string): Promise<Verdict> {
    const { provider, key, address } = input;
    try {
      return await this._api.check(`${provider}:${model}`, key, address);
    } finally {
      if (key === null && address === null) {
        // The test used the saved key; the refreshed list shows whether it was rejected.
        await this.refresh();
      }
    }
  }

  /**
   * Fetch the names of the models that a provider lists. Call it only after a person opened the
   * list.
   */
  modelNames({ provider, key, address }: IProviderInput): Promise<string[]> {
    return this._api.modelNames(provider, key, address);
  }

  /** Remove a provider's key from the server. */
  async disconnect(provider: string): Promise<void> {
    await this._api.removeKey(provider);
    await this._refreshAfterChange();
  }

  /**
   * Whether the person declared another location of the provider's server than the saved one. The
   * person can't change a location that the administrator or Ollama decides (`placeSettled`).
   */
  private _isLocationChanged(name: string, onThisMachine: boolean): boolean {
    const provider = this.provider(name);
    return (
      !provider?.placeSettled &&
      (provider?.onThisMachine ?? false) !== onThisMachine
    );
  }

  /**
   * Refresh once more after a pending refresh, whose response may show the state before the change.
   */
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
    const runningInstall = this._list?.local?.installing;
    // A list that was requested before the installation was stopped may still contain it.
    if (runningInstall && epoch === this.install.epoch) {
      void this.install.join(runningInstall);
    }
    this.changed.emit('list');
  }

  private _list: ModelList | null = null;
  private _problem: IFailure | null = null;
  private _installStatus: IInstallView['status'] = 'idle';
  private _pendingRefresh: Promise<void> | null = null;
}
