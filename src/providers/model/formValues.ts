/** The values that a person has entered in a provider's form, and their consequences. */
import type { ModelInfo, Provider } from '../../api/types';

export interface IEntered {
  readonly key: string;
  readonly address: string;
  readonly model: string;
  readonly isDeclaredLocal: boolean;
}

export function initialValues(
  provider: Provider,
  defaultModel: ModelInfo | null
): IEntered {
  const { address, name, onThisMachine = false, suggested } = provider;
  // A model's id is the provider's name, a colon and the model's name.
  const current =
    defaultModel?.provider === name
      ? defaultModel.id.slice(name.length + 1)
      : '';
  return {
    key: '',
    address: address ?? '',
    model: current || (suggested[0] ?? ''),
    isDeclaredLocal: onThisMachine
  };
}

export class FormValues {
  constructor(
    readonly provider: Provider,
    readonly entered: IEntered
  ) {}

  get model(): string {
    return this.entered.model.trim();
  }

  /** The address for requests, entered in the form or fixed for the provider. */
  get address(): string | null {
    const { address, needsAddress } = this.provider;
    return needsAddress ? this.entered.address.trim() : address;
  }

  get isAddressChanged(): boolean {
    const { address, needsAddress } = this.provider;
    return needsAddress && this.address !== (address ?? '');
  }

  get isKeySaved(): boolean {
    return /^(keyring|file)$/.test(this.provider.keySource ?? '');
  }

  /** A key in the environment or in the configuration can't be changed here. */
  get canEnterKey(): boolean {
    const { keySource, needsAddress, needsKey } = this.provider;
    return (!keySource || this.isKeySaved) && (needsKey || needsAddress);
  }

  get canAsk(): boolean {
    const { keySource, needsAddress, needsKey } = this.provider;
    const isKeyMissing = needsKey && !keySource && !this.entered.key;
    return !isKeyMissing && !(needsAddress && !this.address);
  }

  /**
   * A server at a loopback address may be a proxy to a remote one. Only the person knows, so the
   * form asks whether the model runs on the Jupyter server's machine.
   */
  get canDeclareLocal(): boolean {
    return !this.provider.placeSettled && isLoopback(this.address);
  }

  get isLocal(): boolean {
    return this.canDeclareLocal
      ? this.entered.isDeclaredLocal
      : !this.isAddressChanged && (this.provider.onThisMachine ?? false);
  }

  get sentKey(): string | null {
    return this.entered.key || null;
  }

  /**
   * A new key is saved with its address, because the server sends a key only to the address with
   * which it was saved.
   */
  get sentAddress(): string | null {
    const isSent = this.sentKey !== null || this.isAddressChanged;
    return this.provider.needsAddress && isSent ? this.address : null;
  }
}

export function parseUrl(address: string | null): URL | undefined {
  try {
    return new URL(address ?? '');
  } catch {
    return undefined;
  }
}

export function isLoopback(address: string | null): boolean {
  const { hostname = '' } = parseUrl(address) ?? {};
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
