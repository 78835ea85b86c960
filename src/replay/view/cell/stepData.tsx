/** The changes of a request's DataFrames since earlier requests with them. */
import React from 'react';

import type { SchemaChange } from '../../../api/types';
import {
  schemaChangeParts,
  schemaChangeTitle
} from '../../../prompt/schemaChangeText';
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
