/**
 * The providers that can be connected, the one that is open with its form.
 */
import * as React from 'react';

import type { Provider } from '../../api/types';
import { serverText } from '../../labels/serverMessages';
import { IModelServices, Looking, useChoice } from './parts';
import { ProviderForm } from './providerForm';
import { refusalText } from './labels';

/** Those whose key is at hand come first, those without their package last. */
function ordered(providers: readonly Provider[]): Provider[] {
  const rank = (item: Provider) =>
    item.keySource ? 0 : item.installed ? 1 : 2;
  return [...providers].sort((a, b) => rank(a) - rank(b));
}

export function Providers(props: {
  services: IModelServices;
  /** The provider whose form is open at first. */
  open?: string;
  /** Where the buttons of the form go, if not below its fields. */
  footer?: HTMLElement | null;
  /** Called when a model of a provider was chosen. */
  onChosen?: () => void;
  /** Called when the provider is found to take what was entered, too. */
  onWorks?: () => void;
}): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  useChoice(choice);
  const [open, setOpen] = React.useState<string | null>(props.open ?? null);
  const name = React.useId();
  React.useEffect(() => {
    void choice.refresh();
  }, [choice]);
  if (!choice.list) {
    return <Looking services={services} />;
  }
  const providers = ordered(choice.list.providers);
  // Whoever has a key at hand sees its form at once.
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
                // In a low window its form would be below what is in view.
                requestAnimationFrame(() =>
                  target.labels?.[0]?.scrollIntoView?.({ block: 'start' })
                );
              }}
            />
            <span>{serverText(provider.label, trans)}</span>
            <State provider={provider} services={services} />
          </label>
          {provider.name === shown && (
            <ProviderForm
              provider={provider}
              services={services}
              footer={props.footer}
              onChosen={props.onChosen}
              onWorks={props.onWorks}
            />
          )}
        </div>
      ))}
    </div>
  );
}

/** Whether it can be used, in a few words. A provider that refused does not count as in use. */
function State(props: {
  provider: Provider;
  services: IModelServices;
}): React.JSX.Element | null {
  const { provider, services } = props;
  const { choice, trans } = services;
  const isRefused = Boolean(provider.refusal);
  const isUsed = !isRefused && choice.current?.provider === provider.name;
  const words = isRefused
    ? refusalText(provider.refusal ?? '', trans)
    : isUsed
      ? trans.__('In use')
      : !provider.installed
        ? trans.__('needs a package')
        : provider.keySource
          ? trans.__('API key found')
          : '';
  return words ? (
    <span
      className={
        'jp-AIServer-Models-state' +
        (isUsed ? ' jp-mod-current' : '') +
        (isRefused ? ' jp-mod-refused' : '')
      }
    >
      {words}
    </span>
  ) : null;
}
