/**
 * The DataFrames of a request: how they have changed since an earlier request, and the button that
 * asks again about them as they are now.
 */
import React from 'react';

import type { SchemaChange, Step } from '../../../api/types';
import {
  schemaChangeParts,
  schemaChangeTitle
} from '../../../prompt/schemaChangeText';
import { CommandIDs } from '../../../tokens';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';

/** The changes of a request's DataFrames since the earlier requests with them. */
export function SchemaChanges(props: {
  changes: readonly SchemaChange[] | undefined;
}): React.JSX.Element[] | null {
  const { trans } = useReplay();
  return (
    props.changes?.map(change => (
      <div
        key={change.name}
        className="jp-AIServer-Replay-dataChange"
        role="note"
      >
        {schemaChangeTitle(change, trans)}
        <ul>
          {schemaChangeParts(change, trans).map(({ tag: Tag, text }) => (
            <li key={text}>
              <Tag>{text}</Tag>
            </li>
          ))}
        </ul>
      </div>
    )) ?? null
  );
}

/**
 * A button that fills the cell's prompt row with a request and its DataFrames as they are in the
 * kernel now, if prompt rows are available. Requests that the page composed have no such button.
 */
export function AskWithCurrentData(props: {
  step: Step;
}): React.JSX.Element | null {
  const { dataframes, mode, title } = props.step;
  const { commands, model, trans } = useReplay();
  const command = CommandIDs.askWithCurrentData;
  if (!dataframes || mode === 'repair' || !commands.hasCommand(command)) {
    return null;
  }
  const isInNotebook = model.steps.isActiveCellShown;
  return (
    <LinkButton
      disabled={!isInNotebook}
      title={
        isInNotebook
          ? trans.__(
              'Put this request and its DataFrames into the cell’s prompt row, as they are in the kernel now. Nothing is sent yet.'
            )
          : trans.__('The cell is no longer in the notebook.')
      }
      onClick={() =>
        void commands.execute(command, { text: title, dataframes })
      }
    >
      {trans.__('Ask again with today’s data')}
    </LinkButton>
  );
}
