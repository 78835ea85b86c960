/**
 * A text field for a model's name, also one that isn't in the list of the provider's models beside
 * it.
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
  /** Shown until the provider's names are fetched, or if it lists none. */
  suggested: readonly string[];
  /** Fetch all models' names. Null while the other fields lack input for this. */
  fetch: (() => Promise<readonly string[]>) | null;
  onChange: (value: string) => void;
}): React.JSX.Element {
  const { id, value, suggested, fetch, onChange } = props;
  const { trans } = useServices();
  const [isOpen, setOpen] = React.useState(false);
  const [names, setNames] = React.useState<readonly string[] | null>(null);
  /** Typed since the list was opened. */
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
          {/* If this is selected, the first name can be chosen. */}
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

function matchingNames(
  names: readonly string[],
  text: string
): readonly string[] {
  const query = text.trim().toLowerCase();
  const matches = names.filter(name => name.toLowerCase().includes(query));
  return matches.length ? matches : names;
}
