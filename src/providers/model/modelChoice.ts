/**
 * The list of models, and the choice of the default model, for all prompt rows, menus and settings
 * of a page.
 *
 * Invariants:
 * - The list is always the server's last response. A choice is sent to the server, and shown when
 *   its next list contains it.
 * - A key is sent to the server and never stored in the page.
 * - Models are chosen, connected and installed only on a person's action.
 */
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import type {
  LocalModelEntry,
  ModelInfo,
  ModelList,
  Provider,
  Verdict
} from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import { ILocalInstallState, InstallApi, LocalInstall } from './localInstall';

export type ModelsApi = InstallApi &
  Pick<
    ApiClient,
    | 'models'
    | 'chooseModel'
    | 'saveKey'
    | 'setProviderLocation'
    | 'removeKey'
    | 'removeLocal'
    | 'check'
    | 'modelNames'
  >;

/** Without a new key and address, the server uses its current ones. */
export interface IProviderInput {
  provider: string;
  key: string | null;
  address: string | null;
}

export class ModelChoice {
  constructor(private readonly _api: ModelsApi) {
    this.install = new LocalInstall(_api);
    this.install.changed.connect((_, { status }) => {
      // After `done`, `_finishInstall` emits `changed` as soon as the list contains the model.
      if (status !== 'done') {
        this.changed.emit('install');
      }
      if (status !== this._installStatus && status !== 'running') {
        // The server's list now contains the installed model or the size of the partial download.
        void this._finishInstall(status);
      }
      this._installStatus = status;
    });
  }

  readonly install: LocalInstall;

  /** The server's last list; null before its first response. */
  get list(): ModelList | null {
    return this._list;
  }

  /** Why fetching the list, or choosing a newly installed model, failed. */
  get problem(): IFailure | null {
    return this._problem;
  }

  /** Emitted when the list, its problem or the installation changes, unless that is `done`. */
  readonly changed = new Signal<this, 'list' | 'install'>(this);

  /** The model of cells for which no other was chosen; null if there is none. */
  get defaultModel(): ModelInfo | null {
    return this.findModel(this._list?.default ?? null);
  }

  findModel(id: string | null): ModelInfo | null {
    return this._list?.models.find(model => model.id === id) ?? null;
  }

  /** Installed or not; empty if the administrator excludes them. */
  get localModels(): readonly LocalModelEntry[] {
    return this._list?.localModels ?? [];
  }

  /** The model of the installation that runs or that this page has followed last. */
  get installTarget(): LocalModelEntry | null {
    const { status, name } = this.install.state;
    if (status === 'idle') {
      return null;
    }
    const isTarget = (entry: LocalModelEntry) =>
      name === null ? entry.id === this._list?.local?.id : entry.name === name;
    return this.localModels.find(isTarget) ?? null;
  }

  findProvider(name: string): Provider | null {
    return (
      this._list?.providers?.find(provider => provider.name === name) ?? null
    );
  }

  /** Concurrent calls share one request. */
  refresh(): Promise<void> {
    this._pendingRefresh ??= this._fetchList().finally(
      () => (this._pendingRefresh = null)
    );
    return this._pendingRefresh;
  }

  /**
   * Install a local model, or resume its installation. Make it the default model unless there was
   * another one that is ready or isn't local.
   */
  async installLocal(entry: LocalModelEntry): Promise<void> {
    if (!this.install.isRunning) {
      const { defaultModel } = this;
      const isUnusable =
        defaultModel?.provider === 'local' && !defaultModel.ready;
      this._idAfterInstall = !defaultModel || isUnusable ? entry.id : null;
      await this.install.start(entry.name);
    }
  }

  async removeLocal(name: string): Promise<void> {
    await this._api.removeLocal(name);
    await this._refreshAfterChange();
  }

  /** With null, the server chooses a default model. */
  async choose(id: string | null): Promise<void> {
    await this._api.chooseModel(id);
    await this._refreshAfterChange();
  }

  /** Save the entered values, then make `model` the default model. */
  async connect(
    input: IProviderInput,
    model: string,
    /** Whether the person declares that the provider's server is on the Jupyter server's machine. */
    onThisMachine: boolean
  ): Promise<void> {
    const { provider, key, address } = input;
    if (key !== null || address !== null) {
      await this._api.saveKey(provider, key, address, onThisMachine);
    } else if (this._isOtherLocation(provider, onThisMachine)) {
      await this._api.setProviderLocation(provider, onThisMachine);
    }
    await this._api.chooseModel(`${provider}:${model}`);
    await this._refreshAfterChange();
  }

  /** Call this only after a person pressed a button. Throws an `ApiError`. */
  async test(input: IProviderInput, model: string): Promise<Verdict> {
    const { provider, key, address } = input;
    try {
      return await this._api.check(`${provider}:${model}`, key, address);
    } finally {
      if (key === null && address === null) {
        // The list shows whether the provider rejected the saved key.
        await this.refresh();
      }
    }
  }

  /** Call this only after a person opened the list. */
  modelNames({ provider, key, address }: IProviderInput): Promise<string[]> {
    return this._api.modelNames(provider, key, address);
  }

  async disconnect(provider: string): Promise<void> {
    await this._api.removeKey(provider);
    await this._refreshAfterChange();
  }

  private _isOtherLocation(name: string, onThisMachine: boolean): boolean {
    const provider = this.findProvider(name);
    return (
      !provider?.placeSettled &&
      (provider?.onThisMachine ?? false) !== onThisMachine
    );
  }

  /** The response of a pending refresh may not contain the change. */
  private async _refreshAfterChange(): Promise<void> {
    await this._pendingRefresh;
    await this.refresh();
  }

  /**
   * Refresh the list and choose the new model. The server might pick another default when a second
   * local model is installed.
   */
  private async _finishInstall(
    status: ILocalInstallState['status']
  ): Promise<void> {
    const id = this._idAfterInstall;
    this._idAfterInstall = null;
    await this._refreshAfterChange();
    if (status === 'done' && this.findModel(id)?.ready) {
      try {
        await this.choose(id);
      } catch (reason) {
        this._problem = toFailure(reason);
        this.changed.emit('list');
      }
    }
  }

  private async _fetchList(): Promise<void> {
    const { epoch } = this.install;
    try {
      this._list = await this._api.models();
      this._problem = null;
    } catch (reason) {
      this._problem = toFailure(reason);
    }
    const runningInstall = this._list?.local?.installing;
    // If the installation was stopped after the list was requested, the list may still contain it.
    // Don't join it again.
    if (runningInstall && epoch === this.install.epoch) {
      void this.install.join(runningInstall);
    }
    this.changed.emit('list');
  }

  private _list: ModelList | null = null;
  private _problem: IFailure | null = null;
  private _installStatus: ILocalInstallState['status'] = 'idle';
  private _pendingRefresh: Promise<void> | null = null;
  private _idAfterInstall: string | null = null;
}
