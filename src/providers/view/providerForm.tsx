/**
 * The form in which a provider is connected.
 *
 * Invariants:
 * - A key is written, never read: the field is a password field, and it is emptied as soon as
 *   the server has the key (P8).
 * - What is sent where stands above the buttons, and nobody is asked anything before the person
 *   presses one of them or opens the list of models (P4).
 * - A model is used only after its provider took what was entered, or the person insists.
 */
import * as React from 'react';
import { createPortal } from 'react-dom';

import type { Provider, Verdict } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import type { IEntered } from '../model/modelChoice';
import { Command } from '../../ui/command';
import { failureText } from '../../labels/failureText';
import { Combobox } from './combobox';
import { CheckField, Field, Form } from './fields';
import { Button, IModelServices, Problem, useAct } from './parts';
import {
  isLoopback,
  keyText,
  placeOfTyped,
  sentText,
  verdictText
} from './labels';

export interface IProviderFormProps {
  provider: Provider;
  services: IModelServices;
  /** Where the buttons go, if not below the fields. */
  footer?: HTMLElement | null;
  /** Called when a model of the provider was chosen. */
  onChosen?: () => void;
  /** Called when the provider is found to take what was entered, too. */
  onWorks?: () => void;
}

export function ProviderForm(props: IProviderFormProps): React.JSX.Element {
  return props.provider.installed ? (
    <Fields {...props} />
  ) : (
    <PackageMissing {...props} />
  );
}

function PackageMissing(props: IProviderFormProps): React.JSX.Element {
  const { provider, services } = props;
  const { choice, trans } = services;
  return (
    <div className="jp-AIServer-Models-form">
      <p>
        {trans.__(
          'This provider needs one more Python package. Run the command below in Jupyter’s Python environment, then select Refresh.'
        )}
      </p>
      {provider.install && (
        <Command command={provider.install} services={services} />
      )}
      <div className="jp-AIServer-Models-ways">
        <Button label={trans.__('Refresh')} run={() => void choice.refresh()} />
      </div>
    </div>
  );
}

function Fields(props: IProviderFormProps): React.JSX.Element {
  const { provider, services, footer } = props;
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
  const id = React.useId();

  const { keySource, needsAddress, needsKey } = provider;
  const isFixed = keySource === 'environment' || keySource === 'config';
  const isSaved = keySource === 'keyring' || keySource === 'file';
  const lacksKey = needsKey && !keySource && !key;
  const wanted = needsAddress ? address.trim() : provider.address;
  const lacksAddress = needsAddress && !wanted;
  const name = model.trim();
  const isMoved = needsAddress && wanted !== (provider.address ?? '');
  const mayDeclare = !provider.placeSettled && isLoopback(wanted);
  const isHere = mayDeclare
    ? isDeclared
    : !isMoved && (provider.onThisMachine ?? false);
  const found = choice.find(`${provider.name}:${name}`);
  const place = placeOfTyped(provider, wanted, name, found, isHere, trans);

  const sentKey = key || null;
  const sentAddress = needsAddress && (key || isMoved) ? wanted : null;
  const entered = React.useMemo<IEntered>(
    () => ({ provider: provider.name, key: sentKey, address: sentAddress }),
    [provider.name, sentKey, sentAddress]
  );
  const fetchNames = React.useCallback(
    () => choice.names(entered),
    [choice, entered]
  );
  const trial = useTrial(props, entered, name, isHere, () => setKey(''));
  const { busy, failure, verdict } = trial;
  // What came of it stands below the fields: a dialog would keep it out of sight.
  const end = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (failure || verdict) {
      end.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [failure, verdict]);

  const isIncomplete = busy || lacksKey || lacksAddress;
  const buttons = (
    <div
      className={'jp-AIServer-Models-ways' + (footer ? '' : ' jp-mod-sticky')}
    >
      <Button
        label={trans.__('Test')}
        disabled={isIncomplete || !name}
        run={() => void trial.test()}
      />
      {trial.mayInsist && (
        <Button
          label={trans.__('Use it anyway')}
          disabled={isIncomplete || !name}
          run={() => void trial.insist()}
        />
      )}
      <Button
        primary
        submit
        form={`${id}-form`}
        disabled={isIncomplete || !name}
        label={busy ? trans.__('Testing…') : trans.__('Use this model')}
      />
    </div>
  );
  return (
    <Form id={`${id}-form`} send={() => void trial.use()}>
      {needsAddress && (
        <Field
          id={`${id}-address`}
          label={trans.__('Base URL')}
          hint={trans.__(
            'The URL of an OpenAI-compatible API, such as Qwen (通义千问), Kimi, Zhipu (智谱), vLLM or LM Studio. Most end in /v1.'
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
      {mayDeclare && (
        <CheckField
          id={`${id}-here`}
          label={trans.__('Runs on the Jupyter server’s machine')}
          hint={trans.__(
            'Leave this off for a proxy or tunnel, such as LiteLLM or SSH, that forwards requests to another machine. When it is on, keys and passwords in your code are not masked.'
          )}
          checked={isDeclared}
          onChange={setDeclared}
        />
      )}
      {isSaved && isMoved && !key && (
        <p role="status">
          {trans.__(
            'The saved key belongs to the old URL. It is removed when you use the new one.'
          )}
        </p>
      )}
      {keySource && (
        <div className="jp-AIServer-Models-kept">
          <span>{keyText(provider, trans)}</span>
          {isSaved && (
            <Button
              label={trans.__('Remove key')}
              disabled={busy}
              run={() => void trial.removeKey()}
            />
          )}
        </div>
      )}
      {!isFixed && (needsKey || needsAddress) && (
        <Field
          id={`${id}-key`}
          label={
            isSaved
              ? trans.__('Replace saved key')
              : needsKey
                ? trans.__('API key')
                : trans.__('API key (optional)')
          }
          hint={trans.__(
            'The key is stored on the server, in its keychain or in a file that only you can read. It is never shown again.'
          )}
        >
          <input
            id={`${id}-key`}
            type="password"
            // No password manager has anything to do with it.
            autoComplete="new-password"
            spellCheck={false}
            aria-describedby={`${id}-key-hint`}
            value={key}
            onChange={event => setKey(event.target.value)}
          />
        </Field>
      )}
      <Field id={`${id}-model`} label={trans.__('Model')}>
        <Combobox
          id={`${id}-model`}
          value={model}
          suggested={provider.suggested}
          fetch={lacksKey || lacksAddress ? null : fetchNames}
          problemText={reason => failureText(toFailure(reason), trans)}
          trans={trans}
          onChange={setModel}
        />
      </Field>
      {(wanted || !needsAddress) && (
        <p className="jp-AIServer-Models-sent">
          {place === null
            ? trans.__('This model runs on the Jupyter server’s machine.')
            : sentText(place, trans)}
        </p>
      )}
      <div ref={end}>
        <Problem failure={failure} services={services} />
        {verdict && !busy && (
          <p
            role="status"
            className={
              'jp-AIServer-Models-verdict' +
              (verdict === 'ok' ? ' jp-mod-ok' : '')
            }
          >
            {verdictText(verdict, provider, wanted, trans)}
          </p>
        )}
      </div>
      {footer ? createPortal(buttons, footer) : buttons}
    </Form>
  );
}

/** Trying what was entered, and using it. */
function useTrial(
  props: IProviderFormProps,
  entered: IEntered,
  model: string,
  isHere: boolean,
  onSaved: () => void
) {
  const { provider, services, onChosen, onWorks } = props;
  const { choice } = services;
  const { busy, failure, act } = useAct();
  const [verdict, setVerdict] = React.useState<Verdict | null>(null);
  const [mayInsist, setMayInsist] = React.useState(false);
  // What was found is of what was entered then.
  React.useEffect(() => {
    setMayInsist(false);
  }, [entered, model]);

  const connect = async () => {
    await choice.connect(entered, model, isHere);
    onSaved();
    onChosen?.();
  };
  const run = async (what: () => Promise<void>): Promise<void> => {
    setVerdict(null);
    setMayInsist(false);
    await act(what);
  };
  return {
    busy,
    failure,
    verdict,
    mayInsist: mayInsist && isModelFailure(failure),
    test: () => run(async () => setVerdict(await choice.test(entered, model))),
    use: () =>
      run(async () => {
        // Until it has passed, nothing is saved. Some servers list no models to a key that may
        // ask them, so the person may insist.
        setMayInsist(true);
        const tested = await choice.test(entered, model);
        setMayInsist(false);
        await connect();
        setVerdict(tested);
        if (tested === 'ok') {
          onWorks?.();
        }
      }),
    insist: () =>
      run(async () => {
        await connect();
        const saved = { provider: provider.name, key: null, address: null };
        setVerdict(await choice.test(saved, model));
      }),
    removeKey: () => run(() => choice.disconnect(provider.name))
  };
}

/** Whether it was the provider that failed, and not what was written or this server. */
function isModelFailure(failure: IFailure | null): boolean {
  const { code } = failure ?? { code: '' };
  return code.startsWith('model_') && code !== 'model_not_allowed';
}
