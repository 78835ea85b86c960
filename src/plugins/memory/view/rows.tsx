/** The rows of entries and proposals: their texts, and the buttons that decide on them. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { deleteIcon, editIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type {
  MemoryEntry,
  MemoryProposal,
  MemoryScope
} from '../../../api/types';
import { failureText } from '../../../labels/failureText';
import { removeChineseSpaces } from '../../../labels/serverText';
import { showTime } from '../../../labels/time';
import type { IFailure } from '../../../state/failure';
import { Button } from '../../../ui/button';
import { confirm } from '../../../ui/dialogs';
import { IconButton } from '../../../ui/iconButton';
import { TextField } from '../../../ui/textField';
import type { Note, SimilarEntry } from '../model/memoryModel';
import { entryName } from '../../../prompt/memoryItem';
import type { Section } from '../model/rows';
import { type Source, useMemory } from './context';

/** The characters of an entry that a sentence quotes. */
const MAX_QUOTED = 60;

interface IEntryProps {
  entry: MemoryEntry;
  section: Section;
  tabIndex: 0 | -1;
  /** Called with the result of an action that removes the focused button. */
  onAction: (result: Promise<boolean>) => void;
}

export function EntryView(props: IEntryProps): React.JSX.Element {
  const { entry, section, tabIndex, onAction } = props;
  const { model, trans, locale } = useMemory();
  const key = entryName(entry);
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

function EditedEntry(props: IEntryProps): React.JSX.Element {
  const { entry, tabIndex, onAction } = props;
  const { model, trans } = useMemory();
  const key = entryName(entry);
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

interface IProposalProps {
  proposal: MemoryProposal;
  /** Whether the text is always in a field, as in the prompt row. */
  isInRow?: boolean;
  takesFocus?: boolean;
  tabIndex?: 0 | -1;
  /** Called with the result of an action that removes the proposal, or when an edit ends. */
  onAction?: (result: Promise<boolean>) => void;
  /** Called by Escape in the prompt row. */
  onLater?: () => void;
  /** Reject the proposal, and send its request to the model. */
  onAsk?: () => void;
}

export function ProposalView(props: IProposalProps): React.JSX.Element {
  const { proposal, isInRow, takesFocus, tabIndex, onAction, onAsk } = props;
  const { model, trans, locale } = useMemory();
  const textId = React.useId();
  const draft = model.draft(proposal.id);
  const isEdited = draft.text !== null;
  const text = draft.text ?? proposal.text;
  const buttons = { tabIndex, describedBy: textId };
  const remember = (
    scope: MemoryScope,
    replaced: SimilarEntry | null = null
  ) => {
    if (text.trim()) {
      onAction?.(model.confirm(proposal, scope, replaced));
    }
  };
  const endEdit = () => {
    model.edit(proposal.id, null);
    onAction?.(Promise.resolve(true));
  };
  const hasField = isInRow || isEdited;
  const origin = originText(proposal, trans);
  return (
    <>
      {hasField ? (
        <TextField
          label={trans.__('Text to remember')}
          text={text}
          tabIndex={tabIndex}
          takesFocus={isInRow ? takesFocus : true}
          onText={typed => model.edit(proposal.id, typed)}
          onSave={() => remember(model.scopes[0])}
          onCancel={isInRow ? () => props.onLater?.() : endEdit}
        />
      ) : (
        <p id={textId} className="jp-AIServer-Memory-text">
          {text}
        </p>
      )}
      <FailureText failure={draft.failure} />
      <div className="jp-AIServer-Memory-buttons">
        <RememberButtons
          {...buttons}
          hasKey={hasField}
          disabled={!text.trim()}
          onRemember={remember}
        />
        {!hasField && (
          <Button
            {...buttons}
            label={trans.__('Edit')}
            run={() => model.edit(proposal.id, text)}
          />
        )}
        {isEdited && !isInRow && (
          <Button {...buttons} label={trans.__('Cancel')} run={endEdit} />
        )}
        <Button
          {...buttons}
          label={trans.__('Don’t remember')}
          run={() => onAction?.(model.reject(proposal))}
        />
        {onAsk && (
          <Button
            {...buttons}
            quiet
            label={trans.__('Ask the model instead')}
            title={trans.__('Don’t remember this, but send it as a request')}
            run={onAsk}
          />
        )}
      </div>
      <Similar proposal={proposal} tabIndex={tabIndex} onReplace={remember} />
      {!isInRow && (
        <p className="jp-AIServer-Memory-meta">
          {origin && <span>{origin}</span>}
          <SourceLink source={proposal.source} tabIndex={tabIndex} />
          <span>{expiryText(proposal, trans, locale)}</span>
        </p>
      )}
    </>
  );
}

function Similar(props: {
  proposal: MemoryProposal;
  tabIndex?: 0 | -1;
  onReplace: (scope: MemoryScope, replaced: SimilarEntry) => void;
}): React.JSX.Element | null {
  const { proposal, tabIndex, onReplace } = props;
  const { trans } = useMemory();
  const id = React.useId();
  return proposal.similar.length ? (
    <div className="jp-AIServer-Memory-similar">
      <p>{trans.__('Similar entries. “Remember” keeps both.')}</p>
      <ul>
        {proposal.similar.map(entry => (
          <li key={entryName(entry)}>
            <span id={`${id}-${entry.id}`}>{entry.text}</span>
            <Button
              label={trans.__('Replace')}
              title={
                entry.scope === 'project'
                  ? trans.__(
                      'Remember the new text for this project, and forget this entry'
                    )
                  : trans.__(
                      'Remember the new text for me, and forget this entry'
                    )
              }
              tabIndex={tabIndex}
              describedBy={`${id}-${entry.id}`}
              run={() => onReplace(entry.scope, entry)}
            />
          </li>
        ))}
      </ul>
    </div>
  ) : null;
}

function confirmForget(
  { scope, text }: MemoryEntry,
  trans: TranslationBundle
): Promise<boolean> {
  const consequence =
    scope === 'project'
      ? trans.__(
          'It is removed from the project’s MEMORY.md, for everyone who works on the project, and models no longer get it. Stored prompts that contain it are deleted; your requests and their answers stay.'
        )
      : trans.__(
          'It is removed from your MEMORY.md, and models no longer get it. Stored prompts that contain it are deleted; your requests and their answers stay.'
        );
  return confirm(
    {
      title: trans.__('Forget this entry?'),
      body: `${trans.__('“%1”', shortened(text))} ${consequence}`,
      accept: trans.__('Forget'),
      warns: true
    },
    trans
  );
}

function SourceLink(props: {
  source: Source | null;
  tabIndex?: 0 | -1;
}): React.JSX.Element | null {
  const { source, tabIndex } = props;
  const { trans, showSource } = useMemory();
  return source && showSource ? (
    <button
      type="button"
      className="jp-AIServer-Memory-link"
      tabIndex={tabIndex}
      title={trans.__('Show in the replay from where this text comes')}
      onClick={() => showSource(source)}
    >
      {source.turn_id ? trans.__('From a request') : trans.__('From a cell')}
    </button>
  ) : null;
}

/** One for each memory that exists here. Enter presses the first. */
export function RememberButtons(props: {
  /** Whether Enter in the text field presses the first button. */
  hasKey: boolean;
  disabled: boolean;
  tabIndex?: 0 | -1;
  describedBy?: string;
  onRemember: (scope: MemoryScope) => void;
}): React.JSX.Element {
  const { hasKey, disabled, tabIndex, describedBy, onRemember } = props;
  const { model, trans } = useMemory();
  return (
    <>
      {model.scopes.map((scope, index) => (
        <Button
          key={scope}
          label={rememberLabel(scope, trans)}
          title={
            scope === 'project'
              ? trans.__(
                  'In the project’s MEMORY.md: for everyone who works on the project'
                )
              : trans.__('In your own MEMORY.md: for you, in all projects')
          }
          keys={hasKey && !index ? '⏎' : undefined}
          primary={!index}
          {...{ disabled, tabIndex, describedBy }}
          run={() => onRemember(scope)}
        />
      ))}
    </>
  );
}

export function FailureText(props: {
  failure: IFailure | null;
}): React.JSX.Element | null {
  const { trans } = useMemory();
  return props.failure ? (
    <p className="jp-AIServer-Memory-failure" role="alert">
      {failureText(props.failure, trans)}
    </p>
  ) : null;
}

export function rememberLabel(
  scope: MemoryScope,
  trans: TranslationBundle
): string {
  return scope === 'project'
    ? trans.__('Remember for this project')
    : trans.__('Remember for me');
}

/** The origin of a proposal; empty if its source link says it. */
function originText(
  { origin, source }: MemoryProposal,
  trans: TranslationBundle
): string {
  if (origin === 'import') {
    return trans.__('From another program');
  }
  return origin === 'request' && !source ? trans.__('From a request') : '';
}

function expiryText(
  { expires_at }: MemoryProposal,
  trans: TranslationBundle,
  locale: string
): string {
  const stored = new Date(expires_at * 1000).toISOString();
  const { short, clock } = showTime(stored, new Date(), locale);
  const time = short === clock ? clock : `${short} ${clock}`;
  return removeChineseSpaces(trans.__('Waits until %1', time));
}

/** An ISO date in the person's language; an invalid one as it is. */
function dateText(date: string, locale: string): string {
  const day = new Date(`${date}T00:00`);
  return Number.isNaN(day.getTime())
    ? date
    : new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(day);
}

export function noteText(note: Note | null, trans: TranslationBundle): string {
  switch (note?.kind) {
    case 'remembered':
      return note.scope === 'project'
        ? trans.__('Remembered for this project.')
        : trans.__('Remembered for you.');
    case 'replaced':
      return trans.__(
        'Remembered instead of “%1”.',
        shortened(note.entry.text)
      );
    case 'forgotten':
      return trans.__('Forgotten: “%1”.', shortened(note.entry.text));
    case 'missing':
      return trans.__(
        'This text no longer waits: you decided about it in another window, or it has expired.'
      );
    default:
      return '';
  }
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
