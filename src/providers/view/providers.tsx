/** The list of providers, with the form of the open one. */
import * as React from 'react';

import type { Provider } from '../../api/types';
import { labelText } from '../../labels/serverText';
import { IModelServices, LoadingModels, useModelChoice } from './parts';
import { ProviderForm } from './providerForm';
import { refusalText } from './labels';

/** Sort providers with a key first, and those without their package last. */
function sortProviders(providers: readonly Provider[]): Provider[] {
  const rank = (item: Provider) =>
    item.keySource ? 0 : item.installed ? 1 : 2;
  return [...providers].sort((a, b) => rank(a) - rank(b));
}

export function Providers(props: {
  services: IModelServices;
  /** The provider whose form is open initially. */
  open?: string;
  /** The element for the form's buttons, if they are not below the fields. */
  footer?: HTMLElement | null;
  /** Called when a model of a provider was chosen. */
  onChosen?: () => void;
  /** Called when the provider has also accepted the input in a test. */
  onVerified?: () => void;
}): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  useModelChoice(choice);
  const [open, setOpen] = React.useState<string | null>(props.open ?? null);
  const name = React.useId();
  if (!choice.list) {
    return <LoadingModels services={services} />;
  }
  const providers = sortProviders(choice.list.providers);
  // The form of a provider with a key is open by default.
  const shown = open ?? providers.find(item => item.keySource)?.name ?? null;
  return (
    <div
      className="jp-AIServer-Models-providers"
      role="radiogroup"
      aria-label={trans.__('Providers')}
    >
      {providers.map(provider => (
        <div
          key={provider.name}
          className="jp-AIServer-Models-provider"
          data-open={provider.name === shown || undefined}
        >
          <label>
            <input
              type="radio"
              name={name}
              checked={provider.name === shown}
              onChange={({ target }) => {
                setOpen(provider.name);
                // In a low window the form would be out of view.
                requestAnimationFrame(() =>
                  target.labels?.[0]?.scrollIntoView?.({ block: 'start' })
                );
              }}
            />
            <span>{labelText(provider.label, trans)}</span>
            <ProviderState provider={provider} services={services} />
          </label>
          {provider.name === shown && (
            <ProviderForm
              provider={provider}
              services={services}
              footer={props.footer}
              onChosen={props.onChosen}
              onVerified={props.onVerified}
            />
          )}
        </div>
      ))}
    </div>
  );
}

/** The provider's state. A provider that rejected its key is not shown as in use. */
function ProviderState(props: {
  provider: Provider;
  services: IModelServices;
}): React.JSX.Element | null {
  const { provider, services } = props;
  const { choice, trans } = services;
  const isRefused = Boolean(provider.refusal);
  const isUsed = !isRefused && choice.current?.provider === provider.name;
  const text = isRefused
    ? refusalText(provider.refusal ?? '', trans)
    : isUsed
      ? trans.__('In use')
      : !provider.installed
        ? trans.__('needs a package')
        : provider.keySource
          ? trans.__('API key found')
          : '';
  return text ? (
    <span
      className={
        'jp-AIServer-Models-state' +
        (isUsed ? ' jp-mod-current' : '') +
        (isRefused ? ' jp-mod-refused' : '')
      }
    >
      {text}
    </span>
  ) : null;
}
