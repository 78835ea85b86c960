/** A chip that says that requests contain the entries of memories, and that turns this off. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { IMemory } from '../../../tokens';
import { Button } from '../../../ui/button';
import type { MemoryUse } from '../../model/context/memoryUse';
import { Chip } from './chip';

const MAX_LISTED = 8;

export function MemoryChip(props: {
  memory: IMemory;
  use: MemoryUse;
  trans: TranslationBundle;
  /** Focus the input field. */
  focus: () => void;
}): React.JSX.Element {
  const { memory, use, trans, focus } = props;
  const set = (isOn: boolean) => {
    use.set(isOn);
    focus();
  };
  const draw = () => {
    const entries = memory.usedEntries;
    if (!entries.length) {
      return null;
    }
    return (
      <div className="jp-AIServer-Ask-chips">
        {use.isOn ? (
          <Chip
            className="jp-mod-words"
            title={titleOf(
              entries.map(({ text }) => text),
              trans
            )}
            removeLabel={trans.__('Don’t use the memory in this notebook')}
            onRemove={() => set(false)}
          >
            {trans._n('Memory: %1 entry', 'Memory: %1 entries', entries.length)}
          </Chip>
        ) : (
          <Button
            label={trans.__('Use the memory again')}
            quiet
            run={() => set(true)}
          />
        )}
      </div>
    );
  };
  return (
    <UseSignal signal={memory.changed}>
      {() => <UseSignal signal={use.changed}>{draw}</UseSignal>}
    </UseSignal>
  );
}

/** Return the tooltip: the first entries, of which those that matter for a request are sent. */
function titleOf(texts: readonly string[], trans: TranslationBundle): string {
  const more = texts.length - MAX_LISTED;
  return [
    trans.__('What matters for the request is sent:'),
    ...texts.slice(0, MAX_LISTED).map(text => `• ${text.split('\n')[0]}`),
    ...(more > 0 ? [trans.__('… and %1 more', more)] : [])
  ].join('\n');
}
