/** One entry: its text, which can be edited in place, and the buttons that decide about it. */
import { deleteIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { MemoryEntry } from '../../api/types';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/iconButton';
import { type Section, entryKey } from '../model/rows';
import { confirmForget } from './confirmForget';
import { useMemory } from './context';
import { dateText } from './memoryLabels';
import { FailureText, SourceLink } from './parts';
import { TextField } from '../../ui/textField';

export interface IEntryProps {
  entry: MemoryEntry;
  section: Section;
  tabIndex: 0 | -1;
  /** Called with the result of an action that removes the focused button. */
  onAction: (result: Promise<boolean>) => void;
}

export function EntryView(props: IEntryProps): React.JSX.Element {
  const { entry, section, tabIndex, onAction } = props;
  const { model, trans, locale } = useMemory();
  const key = entryKey(entry);
  const draft = model.draft(key);
  const textId = React.useId();
  const buttons = { tabIndex, describedBy: textId };
  if (draft.text !== null) {
    return <EditedEntry {...props} />;
  }
  const forget = async () => {
    if (await confirmForget(entry, trans)) {
      onAction(model.forget(entry));
    }
  };
  const isUsed = section === 'project' || section === 'person';
  return (
    <div className="jp-AIServer-Memory-entry">
      <p id={textId} className="jp-AIServer-Memory-text">
        {entry.text}
      </p>
      {isUsed ? (
        <span className="jp-AIServer-Memory-icons">
          <IconButton
            icon={editIcon}
            label={trans.__('Edit')}
            tabIndex={tabIndex}
            aria-describedby={textId}
            onClick={() => model.edit(key, entry.text)}
          />
          <IconButton
            icon={deleteIcon}
            label={trans.__('Forget…')}
            tabIndex={tabIndex}
            aria-describedby={textId}
            onClick={() => void forget()}
          />
        </span>
      ) : (
        <div className="jp-AIServer-Memory-buttons">
          <Button
            {...buttons}
            label={trans.__('Use')}
            run={() => onAction(model.review([entry], true))}
          />
          {section === 'new' && (
            <Button
              {...buttons}
              label={trans.__('Don’t use')}
              run={() => onAction(model.review([entry], false))}
            />
          )}
        </div>
      )}
      <FailureText failure={draft.failure} />
      <p className="jp-AIServer-Memory-meta">
        {entry.section && <span>{entry.section}</span>}
        {entry.date && <span>{dateText(entry.date, locale)}</span>}
        <SourceLink source={entry.source} tabIndex={tabIndex} />
      </p>
    </div>
  );
}

/** The field with the text of an entry that is being edited. */
function EditedEntry(props: IEntryProps): React.JSX.Element {
  const { entry, tabIndex, onAction } = props;
  const { model, trans } = useMemory();
  const key = entryKey(entry);
  const { text, failure, newerText, isForgotten } = model.draft(key);
  const save = () => onAction(model.save(entry));
  const cancel = () => {
    model.edit(key, null);
    onAction(Promise.resolve(true));
  };
  return (
    <>
      <TextField
        label={trans.__('Text of the entry')}
        text={text ?? ''}
        tabIndex={tabIndex}
        takesFocus
        onText={typed => model.edit(key, typed)}
        onSave={save}
        onCancel={cancel}
      />
      {isForgotten ? (
        <p className="jp-AIServer-Memory-failure" role="alert">
          {trans.__(
            'Meanwhile, this entry was removed or changed outside this view. “Save” adds your text as a new entry.'
          )}
        </p>
      ) : newerText !== null ? (
        <p className="jp-AIServer-Memory-failure" role="alert">
          {trans.__(
            'Meanwhile, this entry was changed to “%1”. “Save” replaces it with your text.',
            newerText
          )}
        </p>
      ) : null}
      <FailureText failure={failure} />
      <div className="jp-AIServer-Memory-buttons">
        <Button
          label={trans.__('Save')}
          keys="⏎"
          primary
          tabIndex={tabIndex}
          disabled={!text?.trim()}
          run={save}
        />
        <Button
          label={trans.__('Cancel')}
          keys="Esc"
          tabIndex={tabIndex}
          run={cancel}
        />
      </div>
    </>
  );
}
