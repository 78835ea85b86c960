/**
 * The form in which a person connects a provider.
 *
 * Invariants:
 * - A saved key is never shown. A new key is entered in a password field, which is cleared as soon
 *   as the server has saved it.
 * - The list above the buttons states which data a request contains, and to whom it is sent.
 * - Nothing is sent to the provider before the person presses a button or opens the list of models.
 * - “Use this model” first tests the key and the URL. If the provider refuses them, the model is not
 *   used, unless the person then selects “Use it anyway”.
 */
import * as React from 'react';
import { createPortal } from 'react-dom';

import type { Provider, Verdict } from '../../api/types';
import { FormValues, type IEntered, initialValues } from '../model/formValues';
import type { IFailure } from '../../state/failure';
import type { IProviderInput } from '../model/modelChoice';
import { Button } from '../../ui/button';
import { CheckField, Field, Form } from './fields';
import { ModelField } from './modelField';
import { PackageHint, Problem, useAction, useServices } from './parts';
import { keyText, destinationAtAddress, verdictText } from './labels';
import { SentData } from './sentData';

export interface IProviderFormProps {
  provider: Provider;
  /** For the buttons, which are otherwise below the fields. */
  footer?: HTMLElement | null;
  onChosen?: () => void;
  /** Called after `onChosen`, if a test has shown that the provider lists the model. */
  onVerified?: () => void;
}

export function ProviderForm(props: IProviderFormProps): React.JSX.Element {
  const { provider } = props;
  const { trans } = useServices();
  return provider.installed ? (
    <Fields {...props} />
  ) : (
    <div className="jp-AIServer-Models-form">
      <PackageHint
        text={trans.__(
          'This provider needs one more Python package. Run the command below in Jupyter’s Python environment, then select Refresh.'
        )}
        command={provider.install}
      />
    </div>
  );
}

function Fields(props: IProviderFormProps): React.JSX.Element {
  const { provider, footer } = props;
  const { choice, trans } = useServices();
  const [entered, setEntered] = React.useState(() =>
    initialValues(provider, choice.defaultModel)
  );
  const enter = (change: Partial<IEntered>) =>
    setEntered(current => ({ ...current, ...change }));
  const values = new FormValues(provider, entered);
  const { sentKey, sentAddress } = values;
  const input = React.useMemo<IProviderInput>(
    () => ({ provider: provider.name, key: sentKey, address: sentAddress }),
    [provider.name, sentKey, sentAddress]
  );
  const connection = useConnection(props, input, values, () =>
    enter({ key: '' })
  );
  const id = React.useId();
  const part: IPartProps = { connection, enter, id, values };
  const buttons = <Buttons {...part} isSticky={!footer} />;
  return (
    <Form id={`${id}-form`} send={() => void connection.use()}>
      {provider.needsAddress && <AddressField {...part} />}
      <KeyFields {...part} />
      <Field id={`${id}-model`} label={trans.__('Model')}>
        <ModelField
          // Discards names that were fetched with another key or address.
          key={JSON.stringify(input)}
          id={`${id}-model`}
          value={entered.model}
          suggested={provider.suggested}
          fetch={values.canAsk ? () => choice.modelNames(input) : null}
          onChange={model => enter({ model })}
        />
      </Field>
      {values.canDeclareLocal && (
        <CheckField
          id={`${id}-here`}
          label={trans.__('Runs on the Jupyter server’s machine')}
          hint={trans.__(
            'Leave this off for a proxy or tunnel, such as LiteLLM or SSH, that forwards requests to another machine. When it is on, keys and passwords in your code are not masked.'
          )}
          checked={entered.isDeclaredLocal}
          onChange={isDeclaredLocal => enter({ isDeclaredLocal })}
        />
      )}
      <Destination {...part} />
      <Result {...part} />
      {footer ? createPortal(buttons, footer) : buttons}
    </Form>
  );
}

interface IPartProps {
  connection: ReturnType<typeof useConnection>;
  enter: (change: Partial<IEntered>) => void;
  id: string;
  values: FormValues;
}

function AddressField(props: IPartProps): React.JSX.Element {
  const { enter, id, values } = props;
  const { provider, entered } = values;
  const { trans } = useServices();
  return (
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
        value={entered.address}
        onChange={({ target: { value } }) =>
          enter({
            address: value,
            // The saved value of the checkbox applies only to the saved address.
            isDeclaredLocal:
              value.trim() === provider.address &&
              (provider.onThisMachine ?? false)
          })
        }
      />
    </Field>
  );
}

function KeyFields(props: IPartProps): React.JSX.Element {
  const { connection, enter, id, values } = props;
  const { entered, isAddressChanged, isKeySaved, provider } = values;
  const { trans } = useServices();
  const label = provider.needsKey
    ? trans.__('API key')
    : trans.__('API key (optional)');
  return (
    <>
      {isKeySaved && isAddressChanged && !entered.key && (
        <p role="status">
          {trans.__(
            'The saved key belongs to the old URL. It is removed when you use the new one.'
          )}
        </p>
      )}
      {provider.keySource && (
        <div className="jp-AIServer-Models-savedKey">
          <span>{keyText(provider, trans)}</span>
          {isKeySaved && (
            <Button
              label={trans.__('Remove key')}
              disabled={connection.isBusy}
              run={() => void connection.removeKey()}
            />
          )}
        </div>
      )}
      {values.canEnterKey && (
        <Field
          id={`${id}-key`}
          label={isKeySaved ? trans.__('Replace saved key') : label}
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
            value={entered.key}
            onChange={event => enter({ key: event.target.value })}
          />
        </Field>
      )}
    </>
  );
}

function Destination({ values }: IPartProps): React.JSX.Element | null {
  const { provider, address, model, isLocal } = values;
  const { choice, trans } = useServices();
  if (provider.needsAddress && !address) {
    return null;
  }
  const listed = choice.findModel(`${provider.name}:${model}`);
  const destination = destinationAtAddress(
    provider,
    address,
    model,
    listed,
    isLocal,
    trans
  );
  return destination === null ? (
    <p className="jp-AIServer-Models-sentData">
      {trans.__('This model runs on the Jupyter server’s machine.')}
    </p>
  ) : (
    <SentData destination={destination} trans={trans} />
  );
}

function Result({ connection, values }: IPartProps): React.JSX.Element {
  const { failure, isBusy, verdict } = connection;
  const { trans } = useServices();
  const ref = React.useRef<HTMLDivElement>(null);
  // The result is below the fields, maybe out of view in a dialog.
  React.useEffect(() => {
    if (failure || verdict) {
      ref.current?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [failure, verdict]);
  return (
    <div ref={ref}>
      <Problem failure={failure} />
      {verdict && !isBusy && (
        <p
          role="status"
          className={
            'jp-AIServer-Models-verdict' +
            (verdict === 'ok' ? ' jp-mod-ok' : '')
          }
        >
          {verdictText(verdict, values.provider, values.address, trans)}
        </p>
      )}
    </div>
  );
}

function Buttons(props: IPartProps & { isSticky: boolean }): React.JSX.Element {
  const { connection, id, isSticky, values } = props;
  const { trans } = useServices();
  const { isBusy } = connection;
  const isDisabled = isBusy || !values.canAsk || !values.model;
  return (
    <div
      className={
        'jp-AIServer-Models-buttons' + (isSticky ? ' jp-mod-sticky' : '')
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
}

function useConnection(
  props: IProviderFormProps,
  input: IProviderInput,
  { model, isLocal }: FormValues,
  onSaved: () => void
) {
  const { provider, onChosen, onVerified } = props;
  const { choice } = useServices();
  const { isBusy, failure, act } = useAction();
  const [verdict, setVerdict] = React.useState<Verdict | null>(null);
  const [canUseAnyway, setCanUseAnyway] = React.useState(false);
  // Offered after a failed test, until the input changes.
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
        // If the test fails, save nothing. The person can use the model anyway: the test asks for
        // the list of models, which some servers refuse even with a valid key.
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

function isProviderFailure(failure: IFailure | null): boolean {
  const { code } = failure ?? { code: '' };
  return code.startsWith('model_') && code !== 'model_not_allowed';
}
