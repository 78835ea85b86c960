/** The providers as radio buttons, with the form of the selected one. */
import * as React from 'react';

import type { Provider } from '../../api/types';
import { forbiddenText } from '../../labels/failureText';
import { labelText } from '../../labels/serverText';
import { isForbidden } from '../../state/features';
import { useServices } from './parts';
import { IProviderFormProps, ProviderForm } from './providerForm';
import { refusalText } from './labels';

function sortProviders(providers: readonly Provider[]): Provider[] {
  const rank = (provider: Provider) =>
    provider.keySource ? 0 : provider.installed ? 1 : 2;
  return [...providers].sort((a, b) => rank(a) - rank(b));
}

interface IProvidersProps extends Omit<IProviderFormProps, 'provider'> {
  initialProvider?: string;
}

export function Providers(props: IProvidersProps): React.JSX.Element {
  const { choice, trans } = useServices();
  const [selectedName, setSelectedName] = React.useState<string | null>(
    props.initialProvider ?? null
  );
  const groupName = React.useId();
  const providers = sortProviders(choice.list?.providers ?? []);
  // Until a person selects a provider, the first with a key is open.
  const shownName =
    selectedName ?? providers.find(({ keySource }) => keySource)?.name ?? null;
  return (
    <>
      {isForbidden('remote_models') && (
        <p>{forbiddenText('remote_models', trans)}</p>
      )}
      <div
        className="jp-AIServer-Models-providers"
        role="radiogroup"
        aria-label={trans.__('Providers')}
      >
        {providers.map(provider => (
          <div
            key={provider.name}
            className="jp-AIServer-Models-provider"
            data-open={provider.name === shownName || undefined}
          >
            <label>
              <input
                type="radio"
                name={groupName}
                checked={provider.name === shownName}
                onChange={({ target }) => {
                  setSelectedName(provider.name);
                  // In a small window, the form may open below the visible area.
                  requestAnimationFrame(() =>
                    target.labels?.[0]?.scrollIntoView?.({ block: 'start' })
                  );
                }}
              />
              <span>{labelText(provider.label, trans)}</span>
              <ProviderState provider={provider} />
            </label>
            {provider.name === shownName && (
              <ProviderForm {...props} provider={provider} />
            )}
          </div>
        ))}
      </div>
    </>
  );
}

function ProviderState(props: {
  provider: Provider;
}): React.JSX.Element | null {
  const { provider } = props;
  const { choice, trans } = useServices();
  const { refusal } = provider;
  const isUsed = !refusal && choice.defaultModel?.provider === provider.name;
  const text = refusal
    ? refusalText(refusal, trans)
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
        (refusal ? ' jp-mod-refused' : '')
      }
    >
      {text}
    </span>
  ) : null;
}
