/**
 * A text field for a model's name, and a list of the provider's models. A person can also enter a
 * name that is not in the list.
 *
 * Invariant: the names are fetched only when a person opens the list, never because a person types.
 */
import * as React from 'react';

import { Button } from '../../ui/button';
import { Problem, useAction, useServices } from './parts';

const MAX_ROWS = 8;

export function ModelField(props: {
  id: string;
  value: string;
  /** The names to show until the provider's names are fetched, or if the provider lists none. */
  suggested: readonly string[];
  /** Fetch the names of all models. Null while the other fields lack input that this needs. */
  fetch: (() => Promise<readonly string[]>) | null;
  onChange: (value: string) => void;
}): React.JSX.Element {
  const { id, value, suggested, fetch, onChange } = props;
  const { trans } = useServices();
  const [isOpen, setOpen] = React.useState(false);
  /** The fetched names; null before they are fetched. */
  const [names, setNames] = React.useState<readonly string[] | null>(null);
  /** The text that was typed since the list was opened. */
  const [filter, setFilter] = React.useState('');
  const { isBusy, failure, act } = useAction();
  const list = React.useRef<HTMLSelectElement>(null);

  const open = () => {
    setOpen(true);
    setFilter('');
    if (fetch && !names) {
      void act(async () => setNames(await fetch()));
    }
  };
  React.useEffect(() => {
    list.current?.scrollIntoView?.({ block: 'nearest' }); // In the form.
  }, [isOpen, names]);

  const shownNames = matchingNames(names?.length ? names : suggested, filter);
  return (
    <>
      <div className="jp-AIServer-Models-modelField">
        <input
          id={id}
          required
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={event => {
            onChange(event.target.value);
            setFilter(event.target.value);
          }}
          onKeyDown={event => {
            if (event.key === 'ArrowDown' && !event.nativeEvent.isComposing) {
              event.preventDefault();
              open();
              list.current?.focus();
            }
          }}
        />
        <Button
          label={trans.__('Show models')}
          title={
            fetch
              ? undefined
              : trans.__('Fill in the fields above to list all models.')
          }
          disabled={!fetch}
          run={open}
        />
      </div>
      {isOpen && shownNames.length > 0 && (
        <select
          ref={list}
          aria-label={trans.__('Models')}
          size={Math.max(2, Math.min(MAX_ROWS, shownNames.length))}
          value={shownNames.includes(value) ? value : ''}
          onChange={event => onChange(event.target.value)}
        >
          {/* If this is selected instead of the first name, that name can be chosen. */}
          <option value="" hidden />
          {shownNames.map(name => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      {isBusy && <p role="status">{trans.__('Loading models…')}</p>}
      {names?.length === 0 && (
        <p role="status">
          {trans.__('This server lists no models. Enter a model name.')}
        </p>
      )}
      <Problem failure={failure} />
    </>
  );
}

/** Return the names that contain the text; all of them if none does. */
function matchingNames(
  names: readonly string[],
  text: string
): readonly string[] {
  const query = text.trim().toLowerCase();
  const matches = names.filter(name => name.toLowerCase().includes(query));
  return matches.length ? matches : names;
}
