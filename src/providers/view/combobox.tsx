/**
 * A text field with a list of names. It accepts any text, which also filters the list. The keyboard
 * follows the ARIA combobox pattern.
 *
 * Invariants: the list is fetched only when the person opens it with the arrow keys or the button
 *, never on typing.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

/** The maximum number of rendered names: some servers list hundreds. */
const MAX_OPTIONS = 100;

export interface IComboboxProps {
  id: string;
  value: string;
  /** The names that are available without a request. */
  suggested: readonly string[];
  /** Fetch all names; null while that is impossible. A new function invalidates the list. */
  fetch: (() => Promise<readonly string[]>) | null;
  /** The text for a failed fetch. */
  problemText: (reason: unknown) => string;
  trans: TranslationBundle;
  onChange: (value: string) => void;
}

export function Combobox(props: IComboboxProps): React.JSX.Element {
  const { id, value, suggested, trans, onChange } = props;
  const { names, status, load } = useNames(props);
  const [isOpen, setOpen] = React.useState(false);
  // All names are shown after opening; text that is typed later filters them.
  const [filter, setFilter] = React.useState('');
  const [active, setActive] = React.useState(-1);
  const field = React.useRef<HTMLInputElement>(null);
  const list = React.useRef<HTMLDivElement>(null);

  const matches = search(names ?? suggested, filter);
  const shown = matches.slice(0, MAX_OPTIONS);
  const current = active < shown.length ? active : -1;
  const hasList = isOpen && (shown.length > 0 || status !== '');

  React.useEffect(() => {
    const option = list.current?.querySelector('[aria-selected="true"]');
    option?.scrollIntoView?.({ block: 'nearest' });
  }, [current, isOpen]);

  React.useEffect(() => {
    // A scrolling ancestor of the form may clip the list.
    list.current?.scrollIntoView?.({ block: 'nearest' });
  }, [hasList, shown.length]);

  const open = () => {
    setOpen(true);
    setFilter('');
    setActive(-1);
    load();
  };
  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const pick = (name: string) => {
    onChange(name);
    close();
  };
  const move = (step: number) => {
    if (!isOpen) {
      open();
    } else if (shown.length) {
      const from = current < 0 && step < 0 ? 0 : current;
      setActive((from + step + shown.length) % shown.length);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.nativeEvent.isComposing) {
      return;
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && isOpen && current >= 0) {
      event.preventDefault(); // Choose a name instead of submitting the form.
      pick(shown[current]);
    } else if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      close();
    }
  };

  return (
    <div
      className="jp-AIServer-Models-combobox"
      onBlur={event => {
        if (!event.currentTarget.contains(event.relatedTarget)) {
          close();
        }
      }}
    >
      <div className="jp-AIServer-Models-comboboxField">
        <input
          ref={field}
          id={id}
          role="combobox"
          required
          spellCheck={false}
          autoComplete="off"
          aria-autocomplete="list"
          aria-expanded={hasList}
          aria-controls={`${id}-list`}
          aria-activedescendant={
            hasList && current >= 0 ? `${id}-${current}` : undefined
          }
          value={value}
          onChange={event => {
            onChange(event.target.value);
            setFilter(event.target.value);
            setActive(-1);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
        <button
          type="button"
          tabIndex={-1}
          className="jp-AIServer-Models-comboboxButton"
          aria-label={trans.__('Show models')}
          title={trans.__('Show models')}
          onMouseDown={event => event.preventDefault()}
          onClick={() => {
            field.current?.focus();
            if (isOpen) {
              close();
            } else {
              open();
            }
          }}
        >
          <caretDownEmptyIcon.react tag="span" width="16px" />
        </button>
      </div>
      {hasList && (
        <div
          ref={list}
          className="jp-AIServer-Models-comboboxList"
          // Keep the focus in the field.
          onMouseDown={event => event.preventDefault()}
        >
          <ul id={`${id}-list`} role="listbox" aria-label={trans.__('Models')}>
            {shown.map((name, index) => (
              <li
                key={name}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === current}
                onClick={() => pick(name)}
              >
                {name}
              </li>
            ))}
          </ul>
          {matches.length > shown.length && (
            <p>
              {trans.__(
                '%1 more: type to search.',
                matches.length - shown.length
              )}
            </p>
          )}
          {status && <p role="status">{status}</p>}
        </div>
      )}
    </div>
  );
}

/** The fetched names (null before), a status text, and a function that loads them. */
function useNames({ fetch, problemText, trans }: IComboboxProps): {
  names: readonly string[] | null;
  status: string;
  load: () => void;
} {
  const [names, setNames] = React.useState<readonly string[] | null>(null);
  const [status, setStatus] = React.useState('');
  // The function whose names are loaded or loading.
  const loaded = React.useRef<typeof fetch | null>(null);
  React.useEffect(() => {
    loaded.current = null;
    setNames(null);
    setStatus('');
  }, [fetch]);
  const load = () => {
    if (!fetch) {
      setStatus(trans.__('Fill in the fields above to list all models.'));
      return;
    }
    if (loaded.current === fetch) {
      return;
    }
    loaded.current = fetch;
    setStatus(trans.__('Loading models…'));
    void fetch().then(
      result => {
        if (loaded.current === fetch) {
          setNames(result.length ? result : null);
          setStatus(
            result.length
              ? ''
              : trans.__('This server lists no models. Enter a model name.')
          );
        }
      },
      reason => {
        if (loaded.current === fetch) {
          loaded.current = null; // Opening the list again retries.
          setStatus(problemText(reason));
        }
      }
    );
  };
  return { names, status, load };
}

/** Return the names that contain the text, those that start with it first. */
function search(names: readonly string[], text: string): readonly string[] {
  const query = text.trim().toLowerCase();
  if (!query) {
    return names;
  }
  const matches = names.filter(name => name.toLowerCase().includes(query));
  const isPrefix = (name: string) => name.toLowerCase().startsWith(query);
  return [
    ...matches.filter(isPrefix),
    ...matches.filter(name => !isPrefix(name))
  ];
}
