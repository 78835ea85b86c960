/**
 * Sizes, times and the sentences about models that more than one view says.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  LocalModel,
  ModelInfo,
  ModelList,
  Provider,
  Verdict
} from '../../api/types';
import { durationText } from '../../labels/durations';
import { serverText } from '../../labels/serverMessages';

/** Whole megabytes, as a download page gives them. */
export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

/** What begins the installation of the local model, or goes on with it. */
export function installText(
  local: LocalModel,
  trans: TranslationBundle
): string {
  const { bytes, kept } = local;
  return kept
    ? trans.__(
        'Continue installing (%1 of %2 MB)',
        megabytes(kept),
        megabytes(bytes)
      )
    : trans.__('Install the local model (%1 MB)', megabytes(bytes));
}

/** "8.3 MB/s"; slower ones in kB/s. */
export function speedText(speed: number, trans: TranslationBundle): string {
  return speed >= 1e6
    ? trans.__('%1 MB/s', (speed / 1e6).toFixed(1))
    : trans.__('%1 kB/s', Math.max(1, Math.round(speed / 1e3)));
}

/** How long it will still take, in rough steps: a count that jumps helps nobody. */
export function restText(seconds: number, trans: TranslationBundle): string {
  if (seconds < 60) {
    return leftText(Math.max(5, Math.ceil(seconds / 5) * 5), trans);
  }
  const unit = seconds < 5400 ? 60 : 3600;
  return leftText(Math.ceil(seconds / unit) * unit, trans);
}

function leftText(seconds: number, trans: TranslationBundle): string {
  return trans.__('%1 left', durationText(seconds * 1000, trans));
}

/** The one sentence before a remote model is chosen: what goes where (P4). */
export function sentText(where: string, trans: TranslationBundle): string {
  return trans.__(
    'Your request, this cell and the cells above it, this cell’s earlier requests and answers, and the column names and types of DataFrames that you pick are sent to %1.',
    where
  );
}

/** Where the text for a remote model goes, as shown to people. */
export function placeOf(
  provider: Provider | null,
  model: ModelInfo,
  trans: TranslationBundle
): string {
  return (
    (provider &&
      placeOfTyped(
        provider,
        provider.address,
        model.id,
        model,
        provider.onThisMachine ?? false,
        trans
      )) ??
    model.label
  );
}

/**
 * Where a model is whose name may still be typed, at an address that may still be typed; null
 * if it answers on the server's machine, as the server or the form says (`isHere`): a proxy may
 * listen at a loopback address. An Ollama there hands some models on to its cloud.
 */
export function placeOfTyped(
  provider: Provider,
  address: string | null,
  name: string,
  known: ModelInfo | null,
  isHere: boolean,
  trans: TranslationBundle
): string | null {
  const isHandedOn =
    isCloudName(provider, name) ||
    (provider.name === 'ollama' &&
      known !== null &&
      !known.onThisMachine &&
      isLoopback(provider.address) &&
      isLoopback(address));
  if (isHandedOn) {
    return trans.__('%1’s cloud', provider.label);
  }
  return isHere ? null : nameOf(provider, address, trans);
}

/** Whether a name says by itself that Ollama's cloud runs it; the server goes by the same. */
function isCloudName({ name }: Provider, model: string): boolean {
  return name === 'ollama' && /[-:]cloud$/.test(model);
}

/** A provider's name and address; the address alone where that is all its name. */
function nameOf(
  provider: Provider,
  address: string | null,
  trans: TranslationBundle
): string {
  if (provider.needsAddress) {
    return address || serverText(provider.label, trans);
  }
  return address ? `${provider.label} (${address})` : provider.label;
}

function hostOf(address: string | null): string {
  try {
    return new URL(address ?? '').host;
  } catch {
    return '';
  }
}

/** Whether an address is of the machine on which Jupyter runs; a proxy may listen there. */
export function isLoopback(address: string | null): boolean {
  try {
    const { hostname } = new URL(address ?? '');
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  } catch {
    return false;
  }
}

/** Why a model that was chosen or configured can't answer, as far as can be told here. */
export function problemText(
  model: ModelInfo,
  list: ModelList | null,
  trans: TranslationBundle
): string {
  const { local } = list ?? {};
  if (model.ready) {
    return '';
  }
  if (local?.id === model.id) {
    return local.package
      ? trans.__('The local model is not installed yet.')
      : trans.__('The local model needs one more Python package.');
  }
  const provider = list?.providers.find(({ name }) => name === model.provider);
  if (provider && !provider.installed) {
    return trans.__('%1 models need one more Python package.', provider.label);
  }
  if (provider && !provider.address) {
    return trans.__('%1 has no base URL yet.', provider.label);
  }
  if (provider?.needsKey && !provider.keySource) {
    return trans.__('%1 has no API key yet.', provider.label);
  }
  return model.problem
    ? serverText(model.problem, trans)
    : trans.__('%1 is not available right now.', model.label);
}

/** What came of asking a provider for its models. */
export function verdictText(
  verdict: Verdict,
  provider: Provider,
  /** The address that was asked. */
  address: string | null,
  trans: TranslationBundle
): string {
  const { needsAddress } = provider;
  const label = (needsAddress && hostOf(address)) || provider.label;
  switch (verdict) {
    case 'ok':
      return trans.__('%1 is responding and lists this model.', label);
    case 'not_listed':
      return trans.__(
        '%1 is responding but doesn’t list a model with this name. Check the name.',
        label
      );
    case 'no_list':
      return needsAddress
        ? trans.__(
            'The server is responding but lists no models. If requests fail, check the base URL: most end in /v1.'
          )
        : trans.__(
            '%1 is responding but lists no models, so the model name can’t be checked.',
            label
          );
  }
}

/** That a provider refused its key or account the last time, by the code of the error. */
export function refusalText(code: string, trans: TranslationBundle): string {
  switch (code) {
    case 'model_no_credit':
      return trans.__('No credit left');
    case 'model_key_missing':
      return trans.__('API key required');
    case 'model_forbidden':
      return trans.__('Model not allowed for this key');
    default:
      return trans.__('API key rejected');
  }
}

/** Where the key of a provider comes from. */
export function keyText(provider: Provider, trans: TranslationBundle): string {
  switch (provider.keySource) {
    case 'environment':
      return trans.__(
        'The API key is set in the server’s environment (%1).',
        provider.keyName ?? ''
      );
    case 'keyring':
      return trans.__('The API key is stored in the server’s keychain.');
    case 'file':
      return trans.__(
        'The API key is stored in a file that only you can read.'
      );
    case 'config':
      return trans.__('The API key is set in the server’s configuration.');
    default:
      return '';
  }
}
