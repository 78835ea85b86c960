/**
 * The part of the prompt row that helps to set up a model while none is ready.
 *
 * Invariants:
 * - Nothing is sent or downloaded before a button is pressed.
 * - When it disappears, its focus moves to the input field, whose text is unchanged.
 */
import * as React from 'react';

import { InstallBar, InstallNote } from './install';
import { Button, Command } from '../../ui/button';
import { labelText } from '../../labels/serverText';
import { IModelServices, useModelChoice } from './parts';
import { installText, problemText } from './labels';

export function Offer(props: {
  services: IModelServices;
  focusInput: () => void;
  /** The number of requests that could not be sent. */
  attempts: number;
}): React.JSX.Element {
  const { services, focusInput, attempts } = props;
  const { choice, trans, connect } = services;
  useModelChoice(choice); // The list may be older than the row's.
  const node = React.useRef<HTMLElement>(null);
  const onUnmount = React.useRef(focusInput);
  onUnmount.current = focusInput;
  React.useLayoutEffect(() => {
    const section = node.current;
    return () => {
      if (section?.contains(document.activeElement)) {
        onUnmount.current();
      }
    };
  }, []);
  React.useEffect(() => {
    if (attempts) {
      // Focus the first button, so that Enter continues from there.
      const buttons = node.current?.querySelector('.jp-AIServer-Models-ways');
      const container = buttons ?? node.current;
      container?.querySelector<HTMLElement>('button')?.focus();
    }
  }, [attempts]);

  const { current, list, install } = choice;
  const local = list?.local;
  // A configured model that is not ready must be fixed first.
  const problem = current ? problemText(current, list, trans) : '';
  return (
    <section
      ref={node}
      className="jp-AIServer-Models-offer"
      aria-label={trans.__('Choose a model')}
    >
      {problem ? (
        <>
          <p role="alert">{problem}</p>
          {current?.install && (
            <Command command={current.install} trans={trans} />
          )}
        </>
      ) : (
        <p>
          {install.isRunning
            ? trans.__('You can keep typing; your text stays here.')
            : trans.__(
                'No model is set up yet. Your text stays here until you choose one.'
              )}
        </p>
      )}
      {attempts > 0 && (
        // A new element for each attempt, so that it is announced each time.
        <p key={attempts} role="alert" className="jp-AIServer-Models-asked">
          {install.isRunning
            ? trans.__(
                'The request was not sent: the model is still being installed. Ask again when it is ready.'
              )
            : trans.__(
                'The request was not sent: no model is ready yet. Choose one of these options first.'
              )}
        </p>
      )}
      {install.isRunning ? (
        <InstallBar services={services} onStop={focusInput} />
      ) : (
        <>
          <InstallNote services={services} />
          <div className="jp-AIServer-Models-ways">
            {local && !local.installed && local.package && (
              <Button
                primary
                label={installText(local, trans)}
                run={() => {
                  void install.start();
                  focusInput();
                }}
              />
            )}
            <Button label={trans.__('Connect a provider…')} run={connect} />
            <Button
              quiet
              label={trans.__('Refresh')}
              run={() => void choice.refresh()}
            />
          </div>
          <Hint services={services} />
        </>
      )}
    </section>
  );
}

/** Information on the options. */
function Hint(props: { services: IModelServices }): React.JSX.Element | null {
  const { services } = props;
  const { choice, trans } = services;
  const { local, providers } = choice.list ?? {};
  const withKey = providers?.filter(({ keySource }) => keySource) ?? [];
  return (
    <>
      {local && !local.package && local.install && (
        <div className="jp-AIServer-Models-hint">
          <p>
            {trans.__(
              'A model can also run on this machine. It needs one more Python package: run the command below in Jupyter’s Python environment, then select Refresh.'
            )}
          </p>
          <Command command={local.install} trans={trans} />
        </div>
      )}
      {local && local.package && !local.installed && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'The local model works offline and sends no data anywhere. It is small, so it works best for short cells.'
          )}
        </p>
      )}
      {withKey.length > 0 && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'API keys found: %1. A key is not used until you choose that provider.',
            withKey
              .map(({ label }) => labelText(label, trans))
              .join(trans._p('between names', ', '))
          )}
        </p>
      )}
    </>
  );
}
