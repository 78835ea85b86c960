/**
 * The form in which a person connects a provider. The person enters the provider's key and URL, and
 * chooses one of its models.
 *
 * Invariants:
 * - A saved key is never shown. A new key is entered in a password field, which is cleared as soon
 *   as the server has saved the key.
 * - The list above the buttons states which data a request to the model contains, and to whom it is
 *   sent.
 * - No request is sent to the provider before the person presses a button or opens the list of
 *   models.
 * - “Use this model” first tests the key and the URL. If the provider refuses them, the model is
 *   not used, unless the person then selects “Use it anyway”.
 */
import * as React from 'react';
import { createPortal } from 'react-dom';

import type { Provider, Verdict } from '../../api/types';
import type { IFailure } from '../../state/failure';
import type { IProviderInput } from '../model/modelChoice';
import { Button } from '../../ui/button';
import { CheckField, Field, Form } from './fields';
import { ModelField } from './modelField';
import { IModelServices, PackageHint, Problem, useAction } from './parts';
import {
  isLoopback,
  keyText,
  destinationAtAddress,
  verdictText
} from './labels';
import { SentData } from './sentData';

export interface IProviderFormProps {
  provider: Provider;
  services: IModelServices;
  /** The element in which the buttons are shown. Without it, the buttons are below the fields. */
  footer?: HTMLElement | null;
  /** Called after a model of the provider was chosen. */
  onChosen?: () => void;
  /** Called after `onChosen`, if a test has shown that the provider lists the model. */
  onVerified?: () => void;
}

export function ProviderForm(props: IProviderFormProps): React.JSX.Element {
  const { provider, services } = props;
  return provider.installed ? (
    <Fields {...props} />
  ) : (
    <div className="jp-AIServer-Models-form">
      <PackageHint
        text={services.trans.__(
          'This provider needs one more Python package. Run the command below in Jupyter’s Python environment, then select Refresh.'
        )}
        command={provider.install}
        services={services}
      />
    </div>
  );
}

/** The fields and buttons of the form, for a provider whose package is installed. */
function Fields(props: IProviderFormProps): React.JSX.Element {
  const { provider, services, footer } = props;
  const { choice, trans } = services;
  const { defaultModel } = choice;
  // The id of a model is the provider's name, a colon and the model's name.
  const defaultModelName =
    defaultModel?.provider === provider.name
      ? defaultModel.id.slice(provider.name.length + 1)
      : '';
  const [key, setKey] = React.useState('');
  const [address, setAddress] = React.useState(provider.address ?? '');
  const [model, setModel] = React.useState(
    defaultModelName || (provider.suggested[0] ?? '')
  );
  const [isDeclaredLocal, setDeclaredLocal] = React.useState(
    provider.onThisMachine ?? false
  );
  const id = React.useId();

  const { keySource, needsAddress, needsKey } = provider;
  // The form can't change a key that is set in the environment or the configuration.
  const isKeyFixed = keySource === 'environment' || keySource === 'config';
  const isKeySaved = keySource === 'keyring' || keySource === 'file';
  const isKeyMissing = needsKey && !keySource && !key;
  // The address to which requests are sent. It is entered in the form, or fixed for the provider.
  const requestAddress = needsAddress ? address.trim() : provider.address;
  const isAddressMissing = needsAddress && !requestAddress;
  const modelName = model.trim();
  const isAddressChanged =
    needsAddress && requestAddress !== (provider.address ?? '');
  // A server at a loopback address may be a proxy that forwards requests to a remote server. Only
  // the person knows this, so the form asks whether the model runs on the Jupyter server's machine.
  const canDeclareLocal = !provider.placeSettled && isLoopback(requestAddress);
  const isLocal = canDeclareLocal
    ? isDeclaredLocal
    : !isAddressChanged && (provider.onThisMachine ?? false);
  const listedModel = choice.findModel(`${provider.name}:${modelName}`);
  const destination = destinationAtAddress(
    provider,
    requestAddress,
    modelName,
    listedModel,
    isLocal,
    trans
  );

  // A new key is saved together with its address, because the server sends a key only to the
  // address with which the key was saved.
  const sentKey = key || null;
  const sentAddress =
    needsAddress && (key || isAddressChanged) ? requestAddress : null;
  const input = React.useMemo<IProviderInput>(
    () => ({ provider: provider.name, key: sentKey, address: sentAddress }),
    [provider.name, sentKey, sentAddress]
  );
  const connection = useConnection(props, input, modelName, isLocal, () =>
    setKey('')
  );
  const { isBusy, failure, verdict } = connection;
  // Scroll to the result of an action. It is below the fields, and may be out of view in a dialog.
  const resultRef = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (failure || verdict) {
      resultRef.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [failure, verdict]);

  const isDisabled = isBusy || isKeyMissing || isAddressMissing || !modelName;
  const buttons = (
    <div
      className={
        'jp-AIServer-Models-buttons' + (footer ? '' : ' jp-mod-sticky')
      }
    >
      <Button
        label={trans.__('Test')}
        disabled={isDisabled}
        run={() => void connection.test()}
      />
      {connection.canUseAnyway && (
        <Button
          label={trans.__('Use it anyway')}
          disabled={isDisabled}
          run={() => void connection.useAnyway()}
        />
      )}
      <Button
        primary
        form={`${id}-form`}
        disabled={isDisabled}
        label={isBusy ? trans.__('Testing…') : trans.__('Use this model')}
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
              // The saved value of the checkbox applies only to the saved address.
              setDeclaredLocal(
                value.trim() === provider.address &&
                  (provider.onThisMachine ?? false)
              );
            }}
          />
        </Field>
      )}
      {isKeySaved && isAddressChanged && !key && (
        <p role="status">
          {trans.__(
            'The saved key belongs to the old URL. It is removed when you use the new one.'
          )}
        </p>
      )}
      {keySource && (
        <div className="jp-AIServer-Models-savedKey">
          <span>{keyText(provider, trans)}</span>
          {isKeySaved && (
            <Button
              label={trans.__('Remove key')}
              disabled={isBusy}
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
            // With this value, password managers don't fill in a saved password.
            autoComplete="new-password"
            spellCheck={false}
            aria-describedby={`${id}-key-hint`}
            value={key}
            onChange={event => setKey(event.target.value)}
          />
        </Field>
      )}
      <Field id={`${id}-model`} label={trans.__('Model')}>
        <ModelField
          // Names that were fetched with another key or address are discarded.
          key={JSON.stringify(input)}
          id={`${id}-model`}
          value={model}
          suggested={provider.suggested}
          fetch={
            isKeyMissing || isAddressMissing
              ? null
              : () => choice.modelNames(input)
          }
          trans={trans}
          onChange={setModel}
        />
      </Field>
      {canDeclareLocal && (
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
      {(requestAddress || !needsAddress) &&
        (destination === null ? (
          <p className="jp-AIServer-Models-sentData">
            {trans.__('This model runs on the Jupyter server’s machine.')}
          </p>
        ) : (
          <SentData destination={destination} trans={trans} />
        ))}
      <div ref={resultRef}>
        <Problem failure={failure} trans={trans} />
        {verdict && !isBusy && (
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

/** Return the actions of the form's buttons, and the result of the last action. */
function useConnection(
  props: IProviderFormProps,
  input: IProviderInput,
  model: string,
  isLocal: boolean,
  onSaved: () => void
) {
  const { provider, services, onChosen, onVerified } = props;
  const { choice } = services;
  const { isBusy, failure, act } = useAction();
  const [verdict, setVerdict] = React.useState<Verdict | null>(null);
  const [canUseAnyway, setCanUseAnyway] = React.useState(false);
  // “Use it anyway” is offered after a failed test, but not if the input has changed since then.
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
    isBusy,
    failure,
    verdict,
    canUseAnyway: canUseAnyway && isProviderFailure(failure),
    test: () => run(async () => setVerdict(await choice.test(input, model))),
    use: () =>
      run(async () => {
        // Save nothing unless the test passes. If the test fails, the person can use the model
        // anyway: the test asks for the list of models, and some servers refuse that request even
        // with a valid key.
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
        const savedInput = { ...input, key: null, address: null };
        setVerdict(await choice.test(savedInput, model));
      }),
    removeKey: () => run(() => choice.disconnect(provider.name))
  };
}

/** Return whether the failure comes from the provider, not from the Jupyter server. */
function isProviderFailure(failure: IFailure | null): boolean {
  const { code } = failure ?? { code: '' };
  return code.startsWith('model_') && code !== 'model_not_allowed';
}
