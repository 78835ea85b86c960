/**
 * The part of the prompt row that offers to install a local model or to connect a provider while no
 * model is ready.
 *
 * Invariants:
 * - Nothing is downloaded or sent to a provider before a button is pressed.
 * - If one of its buttons has the focus when the offer disappears, the focus moves to the row's text
 *   field, whose text stays.
 */
import * as React from 'react';

import type { LocalModelEntry } from '../../api/types';
import { Button, Command } from '../../ui/button';
import { labelText, serverText } from '../../labels/serverText';
import { IModelServices, ModelViews, useServices } from './parts';
import { InstallBar, InstallNote, StopButton } from './local/install';
import { installText } from './local/labels';

interface IOfferProps {
  focusInput: () => void;
  attempts: number;
}

export function Offer(
  props: IOfferProps & { services: IModelServices }
): React.JSX.Element {
  return (
    <ModelViews services={props.services} needsList={false}>
      <Section {...props} />
    </ModelViews>
  );
}

function Section({ focusInput, attempts }: IOfferProps): React.JSX.Element {
  const { choice, trans } = useServices();
  const sectionRef = React.useRef<HTMLElement>(null);
  const focusInputRef = React.useRef(focusInput);
  focusInputRef.current = focusInput;
  React.useLayoutEffect(() => {
    const section = sectionRef.current;
    return () => {
      if (section?.contains(document.activeElement)) {
        focusInputRef.current();
      }
    };
  }, []);
  const { defaultModel, install } = choice;
  const problem = defaultModel?.problemText;
  return (
    <section
      ref={sectionRef}
      className="jp-AIServer-Models-offer"
      aria-label={trans.__('Choose a model')}
    >
      {problem ? (
        <>
          <p role="alert">{serverText(problem, trans)}</p>
          {defaultModel.install && (
            <Command command={defaultModel.install} trans={trans} />
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
        // With a new `key`, React creates a new element for each attempt: screen readers announce
        // only these.
        <p key={attempts} role="alert" className="jp-AIServer-Models-notSent">
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
        <InstallBar>
          <StopButton onStop={focusInput} />
        </InstallBar>
      ) : (
        <Options focusInput={focusInput} />
      )}
    </section>
  );
}

function Options(props: { focusInput: () => void }): React.JSX.Element {
  const { focusInput } = props;
  const { choice, trans, connect, openLocalModels } = useServices();
  const { list, localModels, installTarget } = choice;
  const offered =
    list?.local?.package === false
      ? null
      : offeredEntry(localModels, installTarget);
  return (
    <>
      <InstallNote entry={installTarget} />
      <div className="jp-AIServer-Models-buttons">
        {offered && (
          <Button
            primary
            label={installText(offered, trans)}
            run={() => {
              void choice.installLocal(offered);
              focusInput();
            }}
          />
        )}
        {localModels.length > 1 && (
          <Button
            label={trans.__('Other models…')}
            run={async () => {
              await openLocalModels();
              // If a model was installed, this button has disappeared, so the dialog could not
              // return the focus.
              if (document.activeElement === document.body) {
                focusInput();
              }
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
      <Hints offered={offered} />
    </>
  );
}

function Hints(props: { offered: LocalModelEntry | null }): React.JSX.Element {
  const { offered } = props;
  const { choice, trans } = useServices();
  const { local, providers } = choice.list ?? {};
  const providersWithKey =
    providers?.filter(({ keySource }) => keySource) ?? [];
  return (
    <>
      {local && !local.package && local.install && (
        <div className="jp-AIServer-Models-hint">
          <p>
            {trans.__(
              'A model can also run on this computer. It needs one more Python package: run the command below in Jupyter’s Python environment, then select Refresh.'
            )}
          </p>
          <Command command={local.install} trans={trans} />
        </div>
      )}
      {offered && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'Local models work offline and send no data anywhere. They are small, so they work best for short cells.'
          )}
        </p>
      )}
      {providersWithKey.length > 0 && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'API keys found: %1. A key is not used until you choose that provider.',
            providersWithKey
              .map(({ label }) => labelText(label, trans))
              .join(trans._p('between names', ', '))
          )}
        </p>
      )}
    </>
  );
}

function offeredEntry(
  entries: readonly LocalModelEntry[],
  lastTarget: LocalModelEntry | null
): LocalModelEntry | null {
  const entry =
    lastTarget ??
    entries.find(({ installed, kept }) => !installed && kept) ??
    entries.find(({ suggested }) => suggested) ??
    entries[0];
  return entry && !entry.installed ? entry : null;
}
