/**
 * A row of the list of local models, with the buttons that install, choose and remove a model.
 *
 * Invariants:
 * - Nothing is downloaded, chosen or removed before a button is pressed, and nothing removed before
 *   a second one confirms it. The confirmation is part of the row, because JupyterLab shows a second
 *   dialog only after the first is closed.
 * - If the button that has the focus disappears, the row gets the focus.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { joinSentences } from '../../../labels/serverText';
import { Button } from '../../../ui/button';
import type { LocalModelEntry } from '../../../api/types';
import { Problem, useAction, useServices } from '../parts';
import { InstallBar, InstallNote, StopButton } from './install';
import {
  downloadedText,
  factsText,
  installText,
  qualityText,
  sizeText
} from './labels';

interface IRowProps {
  entry: LocalModelEntry;
  canInstall: boolean;
}

interface IPartProps {
  entry: LocalModelEntry;
  isInUse: boolean;
}

export function LocalModelRow(props: IRowProps): React.JSX.Element {
  const { entry, canInstall } = props;
  const { choice, trans } = useServices();
  const isInUse = entry.id === choice.list?.default;
  const isTarget = choice.installTarget?.id === entry.id;
  const [isConfirming, setConfirming] = React.useState(false);
  // The bytes that the removal has freed; 0 without one.
  const [removedBytes, setRemovedBytes] = React.useState(0);
  // The buttons stay enabled while an action runs: a disabled one would lose the focus.
  const { failure, act } = useAction();
  const focusProps = useFocusedRow();
  const labelId = React.useId();
  const remove = async () => {
    await act(async () => {
      await choice.removeLocal(entry.name);
      setRemovedBytes(removableBytes(entry));
    });
    setConfirming(false);
  };
  const install = () => {
    setRemovedBytes(0);
    void choice.installLocal(entry);
  };
  const { details, buttons } =
    isTarget && choice.install.isRunning
      ? {
          details: <InstallBar />,
          buttons: <StopButton />
        }
      : isConfirming
        ? {
            details: <Question entry={entry} isInUse={isInUse} />,
            buttons: (
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
            )
          }
        : {
            details: (
              <>
                <p>{factsText(entry, trans)}</p>
                <Note
                  entry={entry}
                  isTarget={isTarget}
                  removedBytes={removedBytes}
                />
              </>
            ),
            buttons: rowButtons({
              entry,
              isInUse,
              canInstall,
              trans,
              confirm: () => setConfirming(true),
              choose: () => void act(() => choice.choose(entry.id)),
              install
            })
          };
  return (
    <li
      {...focusProps}
      className="jp-AIServer-LocalModels-row"
      aria-labelledby={labelId}
    >
      <Title entry={entry} isInUse={isInUse} id={labelId} />
      <div className="jp-AIServer-LocalModels-details">
        {details}
        {!entry.fits && (
          <p className="jp-AIServer-LocalModels-warning">
            {trans.__(
              'Needs more memory than this computer has. It may be very slow or not start at all.'
            )}
          </p>
        )}
        <Problem failure={failure} />
      </div>
      <div className="jp-AIServer-LocalModels-actions">{buttons}</div>
    </li>
  );
}

function removableBytes(entry: LocalModelEntry): number {
  const { installed, installedBytes, kept, removable } = entry;
  return installed && !removable ? 0 : installedBytes + kept;
}

function Title(props: IPartProps & { id: string }): React.JSX.Element {
  const { entry, id, isInUse } = props;
  const { trans } = useServices();
  return (
    <div className="jp-AIServer-LocalModels-title">
      <strong id={id}>{entry.label}</strong>
      {entry.installed && (
        <span
          className={
            'jp-AIServer-Models-state' + (isInUse ? ' jp-mod-current' : '')
          }
        >
          {isInUse ? trans.__('In use') : trans.__('Installed')}
        </span>
      )}
      {entry.suggested && (
        <span className="jp-AIServer-Models-state">
          {trans.__('Suggested for this computer')}
        </span>
      )}
    </div>
  );
}

function Question({ entry, isInUse }: IPartProps): React.JSX.Element {
  const { trans } = useServices();
  const freed = sizeText(removableBytes(entry), trans);
  const question = entry.installed
    ? joinSentences(
        trans.__('Remove this model? %1 of disk space becomes free.', freed),
        isInUse ? trans.__('Cells that use it then need another model.') : ''
      )
    : trans.__('Delete the download? %1 of disk space becomes free.', freed);
  return <p role="status">{question}</p>;
}

function Note(props: {
  entry: LocalModelEntry;
  isTarget: boolean;
  removedBytes: number;
}): React.JSX.Element {
  const { entry, isTarget, removedBytes } = props;
  const { choice, trans } = useServices();
  const { installed, kept } = entry;
  const status = isTarget ? choice.install.state.status : null;
  if (removedBytes && !installed) {
    const freed = sizeText(removedBytes, trans);
    return (
      <p role="status">
        {trans.__('Removed. %1 of disk space is free again.', freed)}
      </p>
    );
  }
  if (status === 'done' && installed) {
    return <p role="status">{trans.__('Installed and ready to use.')}</p>;
  }
  if (status === 'stopped' || status === 'failed') {
    return <InstallNote entry={entry} />;
  }
  return kept && !installed ? (
    <p>{trans.__('%1 downloaded', downloadedText(entry, trans))}</p>
  ) : (
    <p>{qualityText(entry, trans)}</p>
  );
}

/** No component: when the buttons change, React keeps their elements, and so the focus. */
function rowButtons(
  props: IRowProps &
    IPartProps & {
      trans: TranslationBundle;
      confirm: () => void;
      choose: () => void;
      install: () => void;
    }
): React.JSX.Element {
  const { canInstall, confirm, choose, entry, install, trans } = props;
  const { installed, kept } = entry;
  const installLabel = entry.fits
    ? trans.__('Install')
    : trans.__('Install anyway');
  return (
    <>
      {removableBytes(entry) > 0 && (
        <Button
          quiet
          label={installed ? trans.__('Remove…') : trans.__('Delete…')}
          run={confirm}
        />
      )}
      {installed && !props.isInUse && (
        <Button
          primary
          label={trans.__('Use')}
          title={trans.__('Use %1', entry.label)}
          run={choose}
        />
      )}
      {!installed && (
        <Button
          primary={entry.suggested}
          label={kept ? trans.__('Continue') : installLabel}
          title={installText(entry, trans)}
          disabled={!canInstall}
          run={install}
        />
      )}
    </>
  );
}

/**
 * Gives a row the focus if its focused button disappears. React dispatches no `blur` event for a
 * removed button, so `isFocused` is still true when the row is rendered without it.
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
