/**
 * The form in which a person connects a provider: enters its key and URL, and chooses a model.
 *
 * Invariants:
 * - A saved key is never shown. A new key is entered in a password field, which is cleared as soon
 *   as the server has saved the key.
 * - The text above the buttons states which data is sent to whom. No request is sent before the
 *   person presses a button or opens the list of models.
 * - A model is used only after its provider accepted the key and the URL in a test, or after the
 *   person chose to use the model although the test failed.
 */
import * as React from 'react';
import { createPortal } from 'react-dom';

import type { Provider, Verdict } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import type { IProviderInput } from '../model/modelChoice';
import { Button, Command } from '../../ui/button';
import { failureText } from '../../labels/failureText';
import { Combobox } from './combobox';
import { CheckField, Field, Form } from './fields';
import { IModelServices, Problem, useAction } from './parts';
import {
  isLoopback,
  keyText,
  destinationOfInput,
  sentDataText,
  verdictText
} from './labels';

export interface IProviderFormProps {
  provider: Provider;
  services: IModelServices;
  /** The element in which the buttons are shown; without it, they are below the fields. */
  footer?: HTMLElement | null;
  /** Called after a model of the provider was chosen. */
  onChosen?: () => void;
  /** Called after a model was chosen, if the provider has accepted the input in a test. */
  onVerified?: () => void;
}

export function ProviderForm(props: IProviderFormProps): React.JSX.Element {
  return props.provider.installed ? (
    <Fields {...props} />
  ) : (
    <PackageMissing {...props} />
  );
}

/** The command that installs the Python package which the provider needs. */
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
      {provider.install && <Command command={provider.install} trans={trans} />}
      <div className="jp-AIServer-Models-ways">
        <Button label={trans.__('Refresh')} run={() => void choice.refresh()} />
      </div>
    </div>
  );
}

/** The fields and buttons of the form, for a provider whose package is installed. */
function Fields(props: IProviderFormProps): React.JSX.Element {
  const { provider, services, footer } = props;
  const { choice, trans } = services;
  const { current } = choice;
  const currentName =
    current?.provider === provider.name
      ? current.id.slice(provider.name.length + 1)
      : '';
  const [key, setKey] = React.useState('');
  const [address, setAddress] = React.useState(provider.address ?? '');
  const [model, setModel] = React.useState(
    currentName || (provider.suggested[0] ?? '')
  );
  const [isDeclaredLocal, setDeclaredLocal] = React.useState(
    provider.onThisMachine ?? false
  );
  const id = React.useId();

  const { keySource, needsAddress, needsKey } = provider;
  // A person can't change a key of the environment or the configuration in this form.
  const isKeyFixed = keySource === 'environment' || keySource === 'config';
  const isKeySaved = keySource === 'keyring' || keySource === 'file';
  const isKeyMissing = needsKey && !keySource && !key;
  // The address to which requests are sent: what was entered, or the provider's fixed address.
  const requestAddress = needsAddress ? address.trim() : provider.address;
  const isAddressMissing = needsAddress && !requestAddress;
  const name = model.trim();
  const isAddressChanged =
    needsAddress && requestAddress !== (provider.address ?? '');
  // The server at a loopback address may be a proxy to a remote server. Only the person knows.
  const canDeclare = !provider.placeSettled && isLoopback(requestAddress);
  const isLocal = canDeclare
    ? isDeclaredLocal
    : !isAddressChanged && (provider.onThisMachine ?? false);
  const listedModel = choice.find(`${provider.name}:${name}`);
  const destination = destinationOfInput(
    provider,
    requestAddress,
    name,
    listedModel,
    isLocal,
    trans
  );

  // A new key is sent with its address, because the server sends no key to another address than
  // the one for which the key was saved.
  const sentKey = key || null;
  const sentAddress =
    needsAddress && (key || isAddressChanged) ? requestAddress : null;
  const input = React.useMemo<IProviderInput>(
    () => ({ provider: provider.name, key: sentKey, address: sentAddress }),
    [provider.name, sentKey, sentAddress]
  );
  const fetchNames = React.useCallback(
    () => choice.modelNames(input),
    [choice, input]
  );
  const connection = useConnection(props, input, name, isLocal, () =>
    setKey('')
  );
  const { busy, failure, verdict } = connection;
  // Scroll to the result below the fields, which may be out of view in a dialog.
  const result = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (failure || verdict) {
      result.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [failure, verdict]);

  const isIncomplete = busy || isKeyMissing || isAddressMissing;
  const buttons = (
    <div
      className={'jp-AIServer-Models-ways' + (footer ? '' : ' jp-mod-sticky')}
    >
      <Button
        label={trans.__('Test')}
        disabled={isIncomplete || !name}
        run={() => void connection.test()}
      />
      {connection.canUseAnyway && (
        <Button
          label={trans.__('Use it anyway')}
          disabled={isIncomplete || !name}
          run={() => void connection.useAnyway()}
        />
      )}
      <Button
        primary
        form={`${id}-form`}
        disabled={isIncomplete || !name}
        label={busy ? trans.__('Testing…') : trans.__('Use this model')}
      />
    </div>
  );
  return (
    <Form id={`${id}-form`} send={() => void connection.use()}>
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
              // The declaration applies only to the server at the saved address.
              setDeclaredLocal(
                value.trim() === provider.address &&
                  (provider.onThisMachine ?? false)
              );
            }}
          />
        </Field>
      )}
      {canDeclare && (
        <CheckField
          id={`${id}-here`}
          label={trans.__('Runs on the Jupyter server’s machine')}
          hint={trans.__(
            'Leave this off for a proxy or tunnel, such as LiteLLM or SSH, that forwards requests to another machine. When it is on, keys and passwords in your code are not masked.'
          )}
          checked={isDeclaredLocal}
          onChange={setDeclaredLocal}
        />
      )}
      {isKeySaved && isAddressChanged && !key && (
        <p role="status">
          {trans.__(
            'The saved key belongs to the old URL. It is removed when you use the new one.'
          )}
        </p>
      )}
      {keySource && (
        <div className="jp-AIServer-Models-kept">
          <span>{keyText(provider, trans)}</span>
          {isKeySaved && (
            <Button
              label={trans.__('Remove key')}
              disabled={busy}
              run={() => void connection.removeKey()}
            />
          )}
        </div>
      )}
      {!isKeyFixed && (needsKey || needsAddress) && (
        <Field
          id={`${id}-key`}
          label={
            isKeySaved
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
            // Keep password managers from filling in a password.
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
          fetch={isKeyMissing || isAddressMissing ? null : fetchNames}
          problemText={reason => failureText(toFailure(reason), trans)}
          trans={trans}
          onChange={setModel}
        />
      </Field>
      {(requestAddress || !needsAddress) && (
        <p className="jp-AIServer-Models-sent">
          {destination === null
            ? trans.__('This model runs on the Jupyter server’s machine.')
            : sentDataText(destination, trans)}
        </p>
      )}
      <div ref={result}>
        <Problem failure={failure} trans={trans} />
        {verdict && !busy && (
          <p
            role="status"
            className={
              'jp-AIServer-Models-verdict' +
              (verdict === 'ok' ? ' jp-mod-ok' : '')
            }
          >
            {verdictText(verdict, provider, requestAddress, trans)}
          </p>
        )}
      </div>
      {footer ? createPortal(buttons, footer) : buttons}
    </Form>
  );
}

/** The actions of the form's buttons, with the state and result of the last action. */
function useConnection(
  props: IProviderFormProps,
  input: IProviderInput,
  model: string,
  isLocal: boolean,
  onSaved: () => void
) {
  const { provider, services, onChosen, onVerified } = props;
  const { choice } = services;
  const { busy, failure, act } = useAction();
  const [verdict, setVerdict] = React.useState<Verdict | null>(null);
  const [canUseAnyway, setCanUseAnyway] = React.useState(false);
  // A failed test of earlier input doesn't apply to new input.
  React.useEffect(() => {
    setCanUseAnyway(false);
  }, [input, model]);

  const connect = async () => {
    await choice.connect(input, model, isLocal);
    onSaved();
    onChosen?.();
  };
  const run = async (action: () => Promise<void>): Promise<void> => {
    setVerdict(null);
    setCanUseAnyway(false);
    await act(action);
  };
  return {
    busy,
    failure,
    verdict,
    canUseAnyway: canUseAnyway && isProviderFailure(failure),
    test: () => run(async () => setVerdict(await choice.test(input, model))),
    use: () =>
      run(async () => {
        // Save nothing unless the test passes. If it fails, the person may use the model anyway,
        // because the test lists models, which some servers refuse even for a valid key.
        setCanUseAnyway(true);
        const testResult = await choice.test(input, model);
        setCanUseAnyway(false);
        await connect();
        setVerdict(testResult);
        if (testResult === 'ok') {
          onVerified?.();
        }
      }),
    useAnyway: () =>
      run(async () => {
        await connect();
        const savedInput = {
          provider: provider.name,
          key: null,
          address: null
        };
        setVerdict(await choice.test(savedInput, model));
      }),
    removeKey: () => run(() => choice.disconnect(provider.name))
  };
}

/** Whether the failure was caused by the provider, not by the input or the Jupyter server. */
function isProviderFailure(failure: IFailure | null): boolean {
  const { code } = failure ?? { code: '' };
  return code.startsWith('model_') && code !== 'model_not_allowed';
}
