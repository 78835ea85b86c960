/**
 * The form in which a provider is connected.
 *
 * What must hold:
 * - A key is written, never read: the field is a password field, and it is emptied as soon as
 *   the server has the key (P8).
 * - What is sent where stands above the button that chooses it, and before that button is
 *   pressed nobody is asked anything (P4).
 */
import * as React from 'react';

import type { Provider, Verdict } from '../../api/types';
import { Command } from '../command';
import { Button, IModelServices, Problem, useAct } from './parts';
import {
  isLoopback,
  keyText,
  placeOfTyped,
  sentText,
  verdictText
} from './words';

export function ProviderForm(props: {
  provider: Provider;
  services: IModelServices;
  onChosen?: () => void;
  onWorks?: () => void;
}): React.JSX.Element {
  const { provider, services, onChosen, onWorks } = props;
  const { choice, trans } = services;
  const { current } = choice;
  const own =
    current?.provider === provider.name
      ? current.id.slice(provider.name.length + 1)
      : '';
  const [key, setKey] = React.useState('');
  const [address, setAddress] = React.useState(provider.address ?? '');
  const [model, setModel] = React.useState(
    own || (provider.suggested[0] ?? '')
  );
  const [isDeclared, setDeclared] = React.useState(
    provider.onThisMachine ?? false
  );
  const { busy, failure, act } = useAct();
  const [verdict, setVerdict] = React.useState<Verdict | null>(null);
  const id = React.useId();
  // What came of it stands below the fields: a dialog would keep it out of sight.
  const end = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (failure || verdict) {
      end.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [failure, verdict]);

  if (!provider.installed) {
    return (
      <div className="jp-AIServer-Models-form">
        <p>
          {trans.__(
            'This needs one more Python package. Run this where Jupyter is installed, then look again.'
          )}
        </p>
        {provider.install && (
          <Command command={provider.install} services={services} />
        )}
        <div className="jp-AIServer-Models-ways">
          <Button
            label={trans.__('Look again')}
            run={() => void choice.refresh()}
          />
        </div>
      </div>
    );
  }

  const { keySource, needsAddress, needsKey } = provider;
  const isFixed = keySource === 'environment' || keySource === 'config';
  const isKept = keySource === 'keyring' || keySource === 'file';
  const lacksKey = needsKey && !keySource && !key;
  const wanted = needsAddress ? address.trim() : provider.address;
  const name = model.trim();
  const known = choice.find(`${provider.name}:${name}`);
  const isMoved = needsAddress && wanted !== (provider.address ?? '');
  const mayDeclare = !provider.placeSettled && isLoopback(wanted);
  const isHere = mayDeclare
    ? isDeclared
    : !isMoved && (provider.onThisMachine ?? false);
  const place = placeOfTyped(provider, wanted, name, known, isHere, trans);

  const send = async () => {
    setVerdict(null);
    await act(async () => {
      await choice.connect({
        provider: provider.name,
        model: name,
        key: key || null,
        address: needsAddress && (key || isMoved) ? wanted : null,
        onThisMachine: isHere
      });
      setKey('');
      onChosen?.();
      // It is kept and chosen, whatever comes of this: here a mistake can be mended at once.
      const found = await choice.check(provider.name, name);
      setVerdict(found);
      if (found === 'ok') {
        onWorks?.();
      }
    });
  };

  return (
    <Form send={() => void send()}>
      {needsAddress && (
        <Field
          id={`${id}-address`}
          label={trans.__('Address')}
          hint={trans.__(
            'Qwen (通义千问), Kimi, Zhipu (智谱), vLLM, LM Studio and many others have such an address; most end in /v1.'
          )}
        >
          <input
            id={`${id}-address`}
            type="url"
            required
            spellCheck={false}
            aria-describedby={`${id}-address-hint`}
            placeholder="http://127.0.0.1:8000/v1"
            value={address}
            onChange={event => {
              const { value } = event.target;
              setAddress(value);
              // It was said of the server at that address, and of no other.
              setDeclared(
                value.trim() === provider.address &&
                  (provider.onThisMachine ?? false)
              );
            }}
          />
        </Field>
      )}
      {isKept && isMoved && !key && (
        <p role="status">
          {trans.__(
            'The kept key is for the old address: it is removed when you use this one.'
          )}
        </p>
      )}
      {keySource && (
        <div className="jp-AIServer-Models-kept">
          <span>{keyText(provider, trans)}</span>
          {isKept && (
            <Button
              label={trans.__('Remove key')}
              disabled={busy}
              run={() => void act(() => choice.disconnect(provider.name))}
            />
          )}
        </div>
      )}
      {!isFixed && (needsKey || needsAddress) && (
        <Field
          id={`${id}-key`}
          label={
            isKept
              ? trans.__('New key')
              : needsKey
                ? trans.__('Key')
                : trans.__('Key, if it asks for one')
          }
          hint={trans.__(
            'It is kept on the server: in its keychain where there is one, else in a file that only you can read. It is never shown again.'
          )}
        >
          <input
            id={`${id}-key`}
            type="password"
            // No password manager has anything to do with it.
            autoComplete="new-password"
            spellCheck={false}
            aria-describedby={`${id}-key-hint`}
            placeholder={
              isKept ? trans.__('to put in place of the kept one') : ''
            }
            value={key}
            onChange={event => setKey(event.target.value)}
          />
        </Field>
      )}
      <Field id={`${id}-model`} label={trans.__('Model')}>
        <input
          id={`${id}-model`}
          required
          spellCheck={false}
          autoComplete="off"
          list={`${id}-models`}
          value={model}
          onChange={event => setModel(event.target.value)}
        />
        <datalist id={`${id}-models`}>
          {provider.suggested.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </Field>
      {mayDeclare && (
        <div className="jp-AIServer-Models-field">
          <label className="jp-AIServer-Models-check">
            <input
              type="checkbox"
              checked={isDeclared}
              aria-describedby={`${id}-here-hint`}
              onChange={event => setDeclared(event.target.checked)}
            />
            {trans.__('Runs on the Jupyter server’s machine')}
          </label>
          <small id={`${id}-here-hint`}>
            {trans.__(
              'Leave this off for a proxy or a tunnel, such as LiteLLM or SSH: it passes what you ask on to another machine. When it is on, keys and passwords are not masked.'
            )}
          </small>
        </div>
      )}
      {(wanted || !needsAddress) && (
        <p className="jp-AIServer-Models-sent">
          {place === null
            ? trans.__('It answers on the machine on which Jupyter runs.')
            : sentText(place, trans)}
        </p>
      )}
      <Problem failure={failure} services={services} />
      {verdict && !busy && (
        <p
          role="status"
          className={
            'jp-AIServer-Models-verdict' +
            (verdict === 'ok' ? ' jp-mod-ok' : '')
          }
        >
          {verdictText(verdict, provider, trans)}
        </p>
      )}
      <div ref={end} className="jp-AIServer-Models-ways">
        <Button
          primary
          submit
          disabled={
            busy || lacksKey || !name || (needsAddress && !address.trim())
          }
          label={busy ? trans.__('Trying it…') : trans.__('Use this model')}
        />
      </div>
    </Form>
  );
}

/**
 * A form that may stand inside another, as it does in the settings editor. Browsers let no
 * submit event out of a form inside a form: React, which listens at the root, would not hear of
 * it, and the browser would load the page anew. So it is heard here.
 */
function Form(props: {
  send: () => void;
  children: React.ReactNode;
}): React.JSX.Element {
  const { send, children } = props;
  const form = React.useRef<HTMLFormElement>(null);
  React.useLayoutEffect(() => {
    const node = form.current;
    const onSubmit = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      send();
    };
    node?.addEventListener('submit', onSubmit);
    return () => node?.removeEventListener('submit', onSubmit);
  });
  return (
    <form ref={form} className="jp-AIServer-Models-form">
      {children}
    </form>
  );
}

function Field(props: {
  id: string;
  label: string;
  hint?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const { id, label, hint, children } = props;
  return (
    <div className="jp-AIServer-Models-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}
