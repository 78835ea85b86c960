import type { TranslationBundle } from '@jupyterlab/translation';

import type { ModelInfo, ModelList, Provider, Verdict } from '../../api/types';
import { labelText } from '../../labels/serverText';
import { isLoopback, parseUrl } from '../model/formValues';

/** Two titled groups, local and remote, without empty ones. */
export function groupReadyModels(
  list: ModelList | null,
  trans: TranslationBundle
): { title: string; models: ModelInfo[] }[] {
  const ready = list?.models.filter(model => model.ready) ?? [];
  return [
    {
      title: trans.__('On this computer'),
      models: ready.filter(model => model.onThisMachine)
    },
    {
      title: trans.__('Remote (your code is sent to the provider)'),
      models: ready.filter(model => !model.onThisMachine)
    }
  ].filter(({ models }) => models.length);
}

/** Name the destination of a remote model's requests, such as “OpenAI (https://…)”. */
export function destinationOf(
  provider: Provider | null,
  model: ModelInfo,
  trans: TranslationBundle
): string {
  return (
    (provider &&
      destinationAtAddress(
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
 * Name the destination of requests to `address` for the model `name`, as entered; null if the model
 * runs on the Jupyter server's machine.
 *
 * `isLocal`: the server at the address runs there. A loopback address doesn't prove this, as it may
 * be a proxy's. `listedModel` is the model's entry in the list.
 */
export function destinationAtAddress(
  provider: Provider,
  address: string | null,
  name: string,
  listedModel: ModelInfo | null,
  isLocal: boolean,
  trans: TranslationBundle
): string | null {
  // Ollama on this machine forwards requests for some models to its cloud. The Jupyter server lists
  // such a model as remote, although the address is a loopback address.
  const isForwarded =
    isCloudName(provider, name) ||
    (provider.name === 'ollama' &&
      listedModel !== null &&
      !listedModel.onThisMachine &&
      isLoopback(provider.address) &&
      isLoopback(address));
  if (isForwarded) {
    return trans.__('%1’s cloud', provider.label);
  }
  return isLocal ? null : providerText(provider, address, trans);
}

/** The server's rule (`is_cloud_name` in `aiserver/llm/providers.py`). */
function isCloudName({ name }: Provider, model: string): boolean {
  return name === 'ollama' && /[-:]cloud$/.test(model);
}

function providerText(
  provider: Provider,
  address: string | null,
  trans: TranslationBundle
): string {
  if (provider.needsAddress) {
    return address || labelText(provider.label, trans);
  }
  return address ? `${provider.label} (${address})` : provider.label;
}

export function verdictText(
  verdict: Verdict,
  provider: Provider,
  address: string | null,
  trans: TranslationBundle
): string {
  const { needsAddress } = provider;
  const label = (needsAddress && parseUrl(address)?.host) || provider.label;
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

/** Why a provider refused the key or the account. */
export function refusalText(code: string, trans: TranslationBundle): string {
  const texts: Record<string, string> = {
    model_no_credit: trans.__('No credit left'),
    model_key_missing: trans.__('API key required'),
    model_forbidden: trans.__('Model not allowed for this key')
  };
  return texts[code] ?? trans.__('API key rejected');
}

/** The place of a provider's key; empty without one. */
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
