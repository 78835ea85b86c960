/** The content of the memory view: the field for a new entry, the list, or what a memory is. */
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { failureText } from '../../../labels/failureText';
import { Button } from '../../../ui/button';
import { FilterField } from '../../../ui/filterField';
import { IconButton } from '../../../ui/iconButton';
import { NEW, UNDO, canAddAgain } from '../model/memoryModel';
import { TextField, ignoreRepeatedKey } from '../../../ui/textField';
import { useMemory } from './context';
import { MemoryList } from './list';
import { FailureText, RememberButtons, noteText } from './rows';

interface IProps {
  focusField: () => void;
}

export function MemoryView({ focusField }: IProps): React.JSX.Element {
  const { model, trans } = useMemory();
  const { rows, filter, failure, hasLoaded } = model;
  return (
    <div
      className="jp-AIServer-Memory-view"
      onKeyDownCapture={ignoreRepeatedKey}
    >
      <NewEntry />
      <NoteLine focusField={focusField} />
      <FailureText failure={model.draft(UNDO).failure} />
      {failure && (
        <div className="jp-AIServer-Memory-failure" role="alert">
          <span>{failureText(failure, trans)}</span>
          <Button label={trans.__('Try again')} run={() => void model.load()} />
        </div>
      )}
      {model.unreadable.map(scope => (
        <p key={scope} className="jp-AIServer-Memory-failure" role="alert">
          {scope === 'project'
            ? trans.__(
                'The project’s MEMORY.md is not used: it must be Markdown in UTF-8, of at most 256 KB, readable, and not a link.'
              )
            : trans.__(
                'Your MEMORY.md is not used: it must be Markdown in UTF-8, of at most 256 KB, readable, and not a link.'
              )}
        </p>
      ))}
      {model.entries.length > 0 && (
        <div
          className="jp-AIServer-Memory-tools"
          data-lm-suppress-shortcuts="true"
        >
          <FilterField
            text={filter}
            label={trans.__('Filter entries')}
            placeholder={trans.__('Filter entries')}
            onFilter={text => model.setFilter(text)}
          />
        </div>
      )}
      {rows.length ? (
        <MemoryList rows={rows} focusField={focusField} />
      ) : (
        <div className="jp-AIServer-Memory-empty">
          {model.entries.length ? (
            <p>{trans.__('No entry contains “%1”.', filter.trim())}</p>
          ) : (
            hasLoaded && <Introduction />
          )}
        </div>
      )}
      <p className="jp-AIServer-Memory-foot">
        {trans.__(
          'Models get the entries in use with your requests. The entries are in files called MEMORY.md, which you can edit, too.'
        )}
      </p>
    </div>
  );
}

function NewEntry(): React.JSX.Element {
  const { model, trans } = useMemory();
  const { text, failure } = model.draft(NEW);
  const cancel = () => model.edit(NEW, null);
  return (
    <div
      className="jp-AIServer-Memory-new"
      role="group"
      aria-label={trans.__('New entry')}
    >
      <TextField
        label={trans.__('What should models remember?')}
        placeholder={trans.__('New entry…')}
        text={text ?? ''}
        onText={typed => model.edit(NEW, typed)}
        onSave={() => model.scopes[0] && void model.add(model.scopes[0])}
        onCancel={cancel}
      />
      <FailureText failure={failure} />
      {!!text && (
        <div className="jp-AIServer-Memory-buttons">
          <RememberButtons
            hasKey
            disabled={!text.trim()}
            onRemember={scope => void model.add(scope)}
          />
          <Button label={trans.__('Cancel')} run={cancel} />
        </div>
      )}
      {model.newSource && (
        <p className="jp-AIServer-Memory-meta">
          {trans.__(
            'From a request. Shorten it to what should hold for other cells, too.'
          )}
        </p>
      )}
    </div>
  );
}

/** The result of the last action, with a button that adds a removed entry again. */
function NoteLine({ focusField }: IProps): React.JSX.Element {
  const { model, trans } = useMemory();
  const { note } = model;
  return (
    <div className="jp-AIServer-Memory-note" hidden={!note}>
      <span role="status">{noteText(note, trans)}</span>
      {note && 'entry' in note && canAddAgain(note.entry) && (
        <Button
          label={trans.__('Undo')}
          run={() => {
            focusField();
            void model.undo();
          }}
        />
      )}
      {note && (
        <IconButton
          icon={closeIcon}
          label={trans.__('Dismiss')}
          onClick={() => {
            focusField();
            model.clearNote();
          }}
        />
      )}
    </div>
  );
}

/** Explains memories to a person who has none yet. */
function Introduction(): React.JSX.Element {
  const { trans } = useMemory();
  return (
    <>
      <h3>{trans.__('Nothing is remembered yet')}</h3>
      <p>
        {trans.__(
          'Write down once what models should know in every cell. They get it with your requests. For example:'
        )}
      </p>
      <ul>
        <li>{trans.__('Use polars instead of pandas.')}</li>
        <li>{trans.__('Titles and labels of plots are in Chinese.')}</li>
        <li>
          {trans.__('The fact table is sales_2026, and its key is order_id.')}
        </li>
      </ul>
      <p>
        {trans.__(
          'Type it above, begin a request with “remember”, or choose “Remember…” at a request in the replay. Nothing is remembered without your yes.'
        )}
      </p>
    </>
  );
}
