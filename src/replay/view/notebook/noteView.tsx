/** The note of the notebook: its text, which can be edited in place, its author, and its use. */
import { deleteIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Note } from '../../../api/types';
import { failureText } from '../../../labels/failureText';
import { Button } from '../../../ui/button';
import { confirm } from '../../../ui/dialogs';
import { IconButton } from '../../../ui/iconButton';
import { TextField } from '../../../ui/textField';
import { LinkButton, When } from '../buttons';
import { useReplay } from '../context';

export function NoteView(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  const { note: noteModel } = model;
  const section = React.useRef<HTMLElement>(null);
  if (!noteModel.isShown) {
    return null;
  }
  const { note, draft, hasLoaded, canUndo } = noteModel;
  // The button that had the focus may not exist any more.
  const withFocus = async (result: Promise<boolean>) => {
    if (await result) {
      section.current?.focus();
    }
  };
  return (
    <section
      ref={section}
      tabIndex={-1}
      className="jp-AIServer-Replay-about"
      aria-label={trans.__('About this notebook')}
      aria-busy={!hasLoaded || draft.isSending || undefined}
    >
      <h3>{trans.__('About this notebook')}</h3>
      <Content onEnd={withFocus} />
      {draft.failure && (
        <p className="jp-AIServer-Replay-aboutFailure" role="alert">
          {failureText(draft.failure, trans)}
        </p>
      )}
      {canUndo && draft.text === null && (
        <p role="status">
          {note?.text
            ? trans.__('The note was written again.')
            : trans.__('The note was deleted.')}{' '}
          <LinkButton onClick={() => void withFocus(noteModel.undo())}>
            {trans.__('Undo')}
          </LinkButton>
        </p>
      )}
    </section>
  );
}

interface IPartProps {
  /** Called with the result of an action that may remove the focused element. */
  onEnd: (result: Promise<boolean>) => Promise<void>;
}

function Content({ onEnd }: IPartProps): React.JSX.Element | null {
  const { draft, hasLoaded, note } = useReplay().model.note;
  if (draft.text !== null) {
    return <EditedNote onEnd={onEnd} />;
  }
  if (note?.text) {
    return <NoteText note={note} onEnd={onEnd} />;
  }
  const isDeleted = note?.author === 'person';
  return hasLoaded ? <NoNote isDeleted={isDeleted} onEnd={onEnd} /> : null;
}

function NoteText(props: IPartProps & { note: Note }): React.JSX.Element {
  const { note, onEnd } = props;
  const { model, trans } = useReplay();
  const noteModel = model.note;
  const textId = React.useId();
  const remove = async () => {
    const isConfirmed = await confirm(
      {
        title: trans.__('Delete this note?'),
        body: trans.__(
          'Models no longer get it, and it isn’t made again unless you ask for it. Stored prompts that contain it are deleted; your requests and their answers stay.'
        ),
        accept: trans.__('Delete'),
        warns: true
      },
      trans
    );
    if (isConfirmed) {
      await onEnd(noteModel.delete());
    }
  };
  const authors = {
    outline: trans.__('From the notebook’s own text'),
    model: trans.__(
      'Written by %1',
      model.modelInfo(note.model)?.label ?? note.model
    ),
    person: trans.__('Edited by you')
  };
  return (
    <>
      <div className="jp-AIServer-Replay-aboutText">
        <p id={textId}>{note.text}</p>
        <IconButton
          icon={editIcon}
          label={trans.__('Edit')}
          aria-describedby={textId}
          onClick={() => noteModel.edit(note.text)}
        />
        <IconButton
          icon={deleteIcon}
          label={trans.__('Delete…')}
          aria-describedby={textId}
          onClick={() => void remove()}
        />
      </div>
      <p className="jp-AIServer-Replay-aboutMeta">
        <span>{authors[note.author]}</span>
        <When time={new Date(note.written_at * 1000).toISOString()} />
        <LinkButton
          title={trans.__('Replace the note by the notebook’s own text')}
          onClick={() => void onEnd(noteModel.writeAgain())}
        >
          {trans.__('Write again')}
        </LinkButton>
      </p>
      <label
        className="jp-AIServer-Replay-aboutUse"
        title={trans.__(
          'So that models know the purpose of the notebook in each cell. Small models don’t get it.'
        )}
      >
        <input
          type="checkbox"
          checked={note.used}
          onChange={event => void noteModel.setUsed(event.target.checked)}
        />
        {trans.__('Send it to models with my requests')}
      </label>
    </>
  );
}

function EditedNote({ onEnd }: IPartProps): React.JSX.Element {
  const { model, trans } = useReplay();
  const noteModel = model.note;
  const { text, newerText } = noteModel.draft;
  const save = () => void onEnd(noteModel.save());
  const cancel = () => {
    noteModel.edit(null);
    void onEnd(Promise.resolve(true));
  };
  return (
    <>
      <TextField
        label={trans.__('Note about this notebook')}
        text={text ?? ''}
        takesFocus
        onText={typed => noteModel.edit(typed)}
        onSave={save}
        onCancel={cancel}
      />
      {newerText !== null && (
        <p className="jp-AIServer-Replay-aboutFailure" role="alert">
          {newerText
            ? trans.__(
                'Meanwhile, the note was changed to “%1”. “Save” replaces it with your text.',
                newerText
              )
            : trans.__(
                'Meanwhile, the note was deleted. “Save” writes your text.'
              )}
        </p>
      )}
      <div className="jp-AIServer-Replay-aboutButtons">
        <Button
          label={trans.__('Save')}
          keys="⏎"
          primary
          disabled={!text?.trim()}
          run={save}
        />
        <Button label={trans.__('Cancel')} keys="Esc" run={cancel} />
      </div>
    </>
  );
}

function NoNote(props: IPartProps & { isDeleted: boolean }): React.JSX.Element {
  const { isDeleted, onEnd } = props;
  const { model, trans } = useReplay();
  return (
    <>
      <p className="jp-AIServer-Replay-aboutMeta">
        {isDeleted
          ? trans.__('You deleted the note, so models get none.')
          : trans.__(
              'Begin the notebook with a heading and a sentence about its purpose: models then know it in each cell.'
            )}
      </p>
      <p className="jp-AIServer-Replay-aboutMeta">
        <LinkButton onClick={() => model.note.edit('')}>
          {trans.__('Write a note')}
        </LinkButton>
        {isDeleted && (
          <LinkButton onClick={() => void onEnd(model.note.writeAgain())}>
            {trans.__('Write it from the notebook')}
          </LinkButton>
        )}
      </p>
    </>
  );
}
