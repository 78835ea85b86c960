/**
 * A row of the list of local models: the properties of one model, the progress of its installation,
 * and the buttons that install, choose and remove it.
 *
 * Invariants:
 * - Nothing is downloaded, chosen or removed before a button is pressed, and nothing is removed
 *   before a second button confirms it. The confirmation is part of the row, because JupyterLab
 *   shows a second dialog only after the first is closed.
 * - If the button that has the focus disappears, the row gets the focus.
 */
import * as React from 'react';

import { joinSentences } from '../../../labels/serverText';
import { Button } from '../../../ui/button';
import type { LocalModelEntry } from '../../../api/types';
import { IModelServices, Problem, useAction } from '../parts';
import { InstallBar, InstallNote, StopButton } from './install';
import {
  downloadedText,
  factsText,
  installText,
  qualityText,
  sizeText
} from './labels';

export function LocalModelRow(props: {
  services: IModelServices;
  entry: LocalModelEntry;
  /** Whether the model can be installed now. */
  canInstall: boolean;
}): React.JSX.Element {
  const { services, entry, canInstall } = props;
  const { choice, trans } = services;
  const { installed: isInstalled } = entry;
  const [isConfirming, setConfirming] = React.useState(false);
  // The number of bytes that the removal of the model has freed; 0 if it wasn't removed.
  const [removedBytes, setRemovedBytes] = React.useState(0);
  // Don't disable the buttons while an action runs: a disabled button would lose the focus.
  const { failure, act } = useAction();
  const focusProps = useFocusedRow();
  const labelId = React.useId();

  const isDefault = entry.id === choice.list?.default;
  const isTarget = choice.installTarget?.id === entry.id;
  const { status } = choice.install.state;
  // The number of bytes that become free if the model or its partial download is removed.
  const removableBytes =
    isInstalled && !entry.removable ? 0 : entry.installedBytes + entry.kept;
  const freedText = sizeText(removedBytes || removableBytes, trans);

  const remove = async () => {
    await act(async () => {
      await choice.removeLocal(entry.name);
      setRemovedBytes(removableBytes);
    });
    setConfirming(false);
  };
  const install = () => {
    setRemovedBytes(0);
    void choice.installLocal(entry);
  };

  let note = <p>{qualityText(entry, trans)}</p>;
  if (removedBytes && !isInstalled) {
    const text = trans.__(
      'Removed. %1 of disk space is free again.',
      freedText
    );
    note = <p role="status">{text}</p>;
  } else if (isTarget && status === 'done' && isInstalled) {
    note = <p role="status">{trans.__('Installed and ready to use.')}</p>;
  } else if (isTarget && (status === 'stopped' || status === 'failed')) {
    note = <InstallNote services={services} entry={entry} />;
  } else if (entry.kept && !isInstalled) {
    note = <p>{trans.__('%1 downloaded', downloadedText(entry, trans))}</p>;
  }
  let details = (
    <>
      <p>{factsText(entry, trans)}</p>
      {note}
    </>
  );
  let buttons = (
    <>
      {removableBytes > 0 && (
        <Button
          quiet
          label={isInstalled ? trans.__('Remove…') : trans.__('Delete…')}
          run={() => setConfirming(true)}
        />
      )}
      {isInstalled && !isDefault && (
        <Button
          primary
          label={trans.__('Use')}
          title={trans.__('Use %1', entry.label)}
          run={() => void act(() => choice.choose(entry.id))}
        />
      )}
      {!isInstalled && (
        <Button
          primary={entry.suggested}
          label={
            entry.kept
              ? trans.__('Continue')
              : !entry.fits
                ? trans.__('Install anyway')
                : trans.__('Install')
          }
          title={installText(entry, trans)}
          disabled={!canInstall}
          run={install}
        />
      )}
    </>
  );
  if (isTarget && choice.install.isRunning) {
    details = <InstallBar services={services} />;
    buttons = <StopButton services={services} />;
  } else if (isConfirming) {
    const question = isInstalled
      ? joinSentences(
          trans.__(
            'Remove this model? %1 of disk space becomes free.',
            freedText
          ),
          isDefault
            ? trans.__('Cells that use it then need another model.')
            : ''
        )
      : trans.__(
          'Delete the download? %1 of disk space becomes free.',
          freedText
        );
    details = <p role="status">{question}</p>;
    buttons = (
      <>
        <Button label={trans.__('Cancel')} run={() => setConfirming(false)} />
        <Button primary label={trans.__('Remove')} run={() => void remove()} />
      </>
    );
  }
  return (
    <li
      {...focusProps}
      className="jp-AIServer-LocalModels-row"
      aria-labelledby={labelId}
    >
      <div className="jp-AIServer-LocalModels-title">
        <strong id={labelId}>{entry.label}</strong>
        {isInstalled && (
          <span
            className={
              'jp-AIServer-Models-state' + (isDefault ? ' jp-mod-current' : '')
            }
          >
            {isDefault ? trans.__('In use') : trans.__('Installed')}
          </span>
        )}
        {entry.suggested && (
          <span className="jp-AIServer-Models-state">
            {trans.__('Suggested for this computer')}
          </span>
        )}
      </div>
      <div className="jp-AIServer-LocalModels-details">
        {details}
        {!entry.fits && (
          <p className="jp-AIServer-LocalModels-warning">
            {trans.__(
              'Needs more memory than this computer has. It may be very slow or not start at all.'
            )}
          </p>
        )}
        <Problem failure={failure} trans={trans} />
      </div>
      <div className="jp-AIServer-LocalModels-actions">{buttons}</div>
    </li>
  );
}

/**
 * Return properties for a row's element. They give the row the focus if its focused button
 * disappears. React dispatches no `blur` event for a removed button, so `isFocused` is still true
 * when the row is rendered without the button.
 */
function useFocusedRow() {
  const ref = React.useRef<HTMLLIElement>(null);
  const isFocused = React.useRef(false);
  React.useLayoutEffect(() => {
    if (isFocused.current && !ref.current?.contains(document.activeElement)) {
      ref.current?.focus();
    }
  });
  return {
    ref,
    tabIndex: -1,
    onFocus: () => void (isFocused.current = true),
    onBlur: () => void (isFocused.current = false)
  };
}
