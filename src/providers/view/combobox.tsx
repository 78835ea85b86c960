/**
 * A text field for a model's name, with a list of names to choose from. The field accepts any text,
 * also names that are not in the list, and shows only the names that contain the text. The keys are
 * those of the ARIA combobox pattern.
 *
 * Invariant: the list is fetched only when a person opens it with the arrow keys or the button,
 * never while a person types.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

/** The maximum number of rendered names, because some servers list hundreds of models. */
const MAX_OPTIONS = 100;

export interface IComboboxProps {
  id: string;
  value: string;
  /** The names to show until the list is fetched, or if it is empty. */
  suggested: readonly string[];
  /**
   * Fetch all names; null while other fields lack input that the request needs. Passing another
   * function discards the fetched list.
   */
  fetch: (() => Promise<readonly string[]>) | null;
  /** Return the text that explains why fetching the list failed. */
  problemText: (reason: unknown) => string;
  trans: TranslationBundle;
  onChange: (value: string) => void;
}

export function Combobox(props: IComboboxProps): React.JSX.Element {
  const { id, value, suggested, trans, onChange } = props;
  const { names, status, load } = useNames(props);
  const [isOpen, setOpen] = React.useState(false);
  // Opening the list shows all names; only text that is typed afterwards filters them.
  const [filter, setFilter] = React.useState('');
  const [activeIndex, setActiveIndex] = React.useState(-1);
  const field = React.useRef<HTMLInputElement>(null);
  const list = React.useRef<HTMLDivElement>(null);

  const matches = search(names ?? suggested, filter);
  const shown = matches.slice(0, MAX_OPTIONS);
  // The highlighted name; -1 if none is highlighted.
  const current = activeIndex < shown.length ? activeIndex : -1;
  const isListVisible = isOpen && (shown.length > 0 || status !== '');

  React.useEffect(() => {
    const option = list.current?.querySelector('[aria-selected="true"]');
    option?.scrollIntoView?.({ block: 'nearest' });
  }, [current, isOpen]);

  React.useEffect(() => {
    // Without scrolling, the part of the list below the visible area would be cut off.
    list.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isListVisible, shown.length]);

  const open = () => {
    setOpen(true);
    setFilter('');
    setActiveIndex(-1);
    load();
  };
  const close = () => {
    setOpen(false);
    setActiveIndex(-1);
  };
  const pick = (name: string) => {
    onChange(name);
    close();
  };
  const move = (offset: 1 | -1) => {
    if (!isOpen) {
      open();
    } else if (shown.length) {
      // ArrowUp starts at the last name if none is highlighted.
      const from = current < 0 && offset < 0 ? 0 : current;
      setActiveIndex((from + offset + shown.length) % shown.length);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    // While an input method composes text, such as Chinese, the keys belong to the input method.
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
          aria-expanded={isListVisible}
          aria-controls={`${id}-list`}
          aria-activedescendant={
            isListVisible && current >= 0 ? `${id}-${current}` : undefined
          }
          value={value}
          onChange={event => {
            onChange(event.target.value);
            setFilter(event.target.value);
            setActiveIndex(-1);
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
      {isListVisible && (
        <div
          ref={list}
          className="jp-AIServer-Models-comboboxList"
          // Keep the focus in the text field when the list is clicked.
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

/** Return the fetched names (null before they are fetched), a status text, and a load function. */
function useNames({ fetch, problemText, trans }: IComboboxProps): {
  names: readonly string[] | null;
  status: string;
  load: () => void;
} {
  const [names, setNames] = React.useState<readonly string[] | null>(null);
  const [status, setStatus] = React.useState('');
  // The `fetch` function that was called last. If the property has changed since, the result of
  // the call is outdated and ignored.
  const calledFetch = React.useRef<typeof fetch | null>(null);
  React.useEffect(() => {
    calledFetch.current = null;
    setNames(null);
    setStatus('');
  }, [fetch]);
  const load = () => {
    if (!fetch) {
      setStatus(trans.__('Fill in the fields above to list all models.'));
      return;
    }
    if (calledFetch.current === fetch) {
      return;
    }
    calledFetch.current = fetch;
    setStatus(trans.__('Loading models…'));
    void fetch().then(
      result => {
        if (calledFetch.current === fetch) {
          setNames(result.length ? result : null);
          setStatus(
            result.length
              ? ''
              : trans.__('This server lists no models. Enter a model name.')
          );
        }
      },
      reason => {
        if (calledFetch.current === fetch) {
          calledFetch.current = null; // So that opening the list again retries.
          setStatus(problemText(reason));
        }
      }
    );
  };
  return { names, status, load };
}

/** Return the names that contain the text. Names that start with the text come first. */
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
