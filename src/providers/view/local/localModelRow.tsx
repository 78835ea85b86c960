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
import type { ILocalEntry } from '../../model/catalogue';
import { IModelServices, Problem, useAction } from '../parts';
import { InstallBar, InstallNote, StopButton } from './install';
import {
  downloadedText,
  factsText,
  installText,
  qualityText,
  sizeText
} from './labels';

interface IRowProps {
  services: IModelServices;
  entry: ILocalEntry;
  /** Whether the model can be installed now. */
  canInstall: boolean;
}

export function LocalModelRow(props: IRowProps): React.JSX.Element {
  const { services, entry } = props;
  const { choice, trans } = services;
  const { install } = choice;
  const [isConfirming, setConfirming] = React.useState(false);
  const [removedBytes, setRemovedBytes] = React.useState(0);
  // Don't disable the buttons while an action runs: a disabled button would lose the focus.
  const { failure, act } = useAction();
  const focusProps = useFocusedRow();
  const labelId = React.useId();

  const isTarget = choice.installTarget?.id === entry.id;
  const isInstalling = isTarget && install.isRunning;
  const remove = async () => {
    const bytes = removableBytes(entry);
    await act(async () => {
      await choice.removeLocal(entry.name!);
      setRemovedBytes(bytes);
    });
    setConfirming(false);
  };
  return (
    <li
      {...focusProps}
      className="jp-AIServer-LocalModels-row"
      aria-labelledby={labelId}
    >
      <div className="jp-AIServer-LocalModels-title">
        <strong id={labelId}>{entry.label}</strong>
        <Chips {...props} />
      </div>
      <div className="jp-AIServer-LocalModels-details">
        {isInstalling ? (
          <InstallBar services={services} />
        ) : isConfirming ? (
          <p role="status">{confirmationText(props)}</p>
        ) : (
          <>
            <p>{factsText(entry, trans)}</p>
            <Note {...props} removedBytes={removedBytes} />
          </>
        )}
        {entry.fits === false && (
          <p className="jp-AIServer-LocalModels-warning">
            {trans.__(
              'Needs more memory than this computer has. It may be very slow or not start at all.'
            )}
          </p>
        )}
        <Problem failure={failure} trans={trans} />
      </div>
      <div className="jp-AIServer-LocalModels-actions">
        {isInstalling ? (
          <StopButton services={services} />
        ) : isConfirming ? (
          <>
            <Button
              label={trans.__('Cancel')}
              run={() => setConfirming(false)}
            />
            <Button
              primary
              label={trans.__('Remove')}
              run={() => void remove()}
            />
          </>
        ) : (
          <>
            {entry.name !== undefined && removableBytes(entry) > 0 && (
              <Button
                quiet
                label={
                  entry.installed ? trans.__('Remove…') : trans.__('Delete…')
                }
                run={() => setConfirming(true)}
              />
            )}
            <MainButton
              {...props}
              onInstall={() => setRemovedBytes(0)}
              act={act}
            />
          </>
        )}
      </div>
    </li>
  );
}

/** A note about the model's removal, installation or download; else its quality and speed. */
function Note(
  props: IRowProps & {
    /** The number of bytes that the removal of the model has freed; 0 if it wasn't removed. */
    removedBytes: number;
  }
): React.JSX.Element {
  const { services, entry, removedBytes } = props;
  const { choice, trans } = services;
  const { status } = choice.install.state;
  const isTarget = choice.installTarget?.id === entry.id;
  if (removedBytes && !entry.installed) {
    const size = sizeText(removedBytes, trans);
    return (
      <p role="status">
        {trans.__('Removed. %1 of disk space is free again.', size)}
      </p>
    );
  }
  if (isTarget && status === 'done' && entry.installed) {
    return <p role="status">{trans.__('Installed and ready to use.')}</p>;
  }
  if (isTarget && (status === 'stopped' || status === 'failed')) {
    return <InstallNote services={services} entry={entry} />;
  }
  if (entry.kept && !entry.installed) {
    return <p>{trans.__('%1 downloaded', downloadedText(entry, trans))}</p>;
  }
  return <p>{qualityText(entry, trans)}</p>;
}

/**
 * The button that installs the model, or makes an installed model the default model. There is no
 * button for an installed default model.
 */
function MainButton(
  props: IRowProps & {
    onInstall: () => void;
    act: (action: () => Promise<void>) => Promise<void>;
  }
): React.JSX.Element | null {
  const { services, entry, canInstall, onInstall, act } = props;
  const { choice, trans } = services;
  if (entry.id === choice.list?.default && entry.installed) {
    return null;
  }
  if (entry.installed) {
    return (
      <Button
        primary
        label={trans.__('Use')}
        title={trans.__('Use %1', entry.label)}
        run={() => void act(() => choice.choose(entry.id))}
      />
    );
  }
  return (
    <Button
      primary={entry.suggested}
      label={
        entry.kept
          ? trans.__('Continue')
          : entry.fits === false
            ? trans.__('Install anyway')
            : trans.__('Install')
      }
      title={installText(entry, trans)}
      disabled={!canInstall}
      run={() => {
        onInstall();
        void choice.installLocal(entry);
      }}
    />
  );
}

/** The chips after the model's name. */
function Chips(props: IRowProps): React.JSX.Element {
  const { services, entry } = props;
  const { choice, trans } = services;
  const isUsed = entry.installed && entry.id === choice.list?.default;
  return (
    <>
      {isUsed && (
        <span className="jp-AIServer-Models-state jp-mod-current">
          {trans.__('In use')}
        </span>
      )}
      {entry.installed && !isUsed && (
        <span className="jp-AIServer-Models-state">
          {trans.__('Installed')}
        </span>
      )}
      {entry.suggested && (
        <span className="jp-AIServer-Models-state">
          {trans.__('Suggested for this computer')}
        </span>
      )}
    </>
  );
}

/** Return the number of bytes that a person can free by removing the model or its download. */
function removableBytes(entry: ILocalEntry): number {
  const {
    installed,
    installedBytes = 0,
    kept: downloadedBytes,
    removable
  } = entry;
  return installed && !removable ? 0 : installedBytes + downloadedBytes;
}

/** Return the question by which the person confirms the removal of the model or its download. */
function confirmationText({ services, entry }: IRowProps): string {
  const { choice, trans } = services;
  const size = sizeText(removableBytes(entry), trans);
  return entry.installed
    ? joinSentences(
        trans.__('Remove this model? %1 of disk space becomes free.', size),
        entry.id === choice.list?.default
          ? trans.__('Cells that use it then need another model.')
          : ''
      )
    : trans.__('Delete the download? %1 of disk space becomes free.', size);
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
