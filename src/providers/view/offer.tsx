/**
 * What the prompt row shows where nothing can answer yet: the two ways to change that.
 *
 * What must hold:
 * - Neither way is gone without a press of a button: nothing is sent or fetched before (P4).
 * - When it goes, the focus it held goes back to the text field, and the text is still there.
 */
import * as React from 'react';

import { InstallBar, InstallNote } from './install';
import { Command } from '../../ui/command';
import { serverText } from '../../labels/serverMessages';
import { Button, IModelServices, useChoice } from './parts';
import { installText, problemText } from './labels';

export function Offer(props: {
  services: IModelServices;
  focusInput: () => void;
  /** How often it was tried to ask all the same. */
  attempts: number;
}): React.JSX.Element {
  const { services, focusInput, attempts } = props;
  const { choice, trans, connect } = services;
  useChoice(choice);
  const node = React.useRef<HTMLElement>(null);
  const leave = React.useRef(focusInput);
  leave.current = focusInput;
  React.useLayoutEffect(() => {
    const section = node.current;
    return () => {
      if (section?.contains(document.activeElement)) {
        leave.current();
      }
    };
  }, []);
  React.useEffect(() => {
    if (attempts) {
      // The way out, not the note above it: one more Enter goes on from there.
      const ways = node.current?.querySelector('.jp-AIServer-Models-ways');
      const way = ways ?? node.current;
      way?.querySelector<HTMLElement>('button')?.focus();
    }
  }, [attempts]);
  React.useEffect(() => {
    void choice.refresh(); // The row looked just now; what was known here may be of before.
  }, [choice]);

  const { current, list, install } = choice;
  const local = list?.local;
  // Something is configured, but it can't answer: that is to be mended first.
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
            <Command command={current.install} services={services} />
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
        // Anew for each try, so that it is said each time.
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

/** What speaks for the one or the other way. */
function Hint(props: { services: IModelServices }): React.JSX.Element | null {
  const { services } = props;
  const { choice, trans } = services;
  const { local, providers } = choice.list ?? {};
  const found = providers?.filter(({ keySource }) => keySource) ?? [];
  return (
    <>
      {local && !local.package && local.install && (
        <div className="jp-AIServer-Models-hint">
          <p>
            {trans.__(
              'A model can also run on this machine. It needs one more Python package: run the command below in Jupyter’s Python environment, then select Refresh.'
            )}
          </p>
          <Command command={local.install} services={services} />
        </div>
      )}
      {local && local.package && !local.installed && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'The local model works offline and sends no data anywhere. It is small, so it works best for short cells.'
          )}
        </p>
      )}
      {found.length > 0 && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'API keys found: %1. A key is not used until you choose that provider.',
            found
              .map(({ label }) => serverText(label, trans))
              .join(trans._p('between names', ', '))
          )}
        </p>
      )}
    </>
  );
}
