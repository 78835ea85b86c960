/** One proposal: its text, the buttons that decide about it, similar entries, and its source. */
import React from 'react';

import type { MemoryProposal, MemoryScope } from '../../api/types';
import { Button } from '../../ui/button';
import type { SimilarEntry } from '../model/memoryLists';
import { useMemory } from './context';
import { expiryText, originText } from './memoryLabels';
import { FailureText, RememberButtons, SourceLink } from './parts';
import { TextField } from '../../ui/textField';

export interface IProposalProps {
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
          {originText(proposal, trans) && (
            <span>{originText(proposal, trans)}</span>
          )}
          <SourceLink source={proposal.source} tabIndex={tabIndex} />
          <span>{expiryText(proposal, trans, locale)}</span>
        </p>
      )}
    </>
  );
}

/** The entries that are similar to the proposal. Each of them can be replaced by it. */
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
          <li key={`${entry.scope}/${entry.id}`}>
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
