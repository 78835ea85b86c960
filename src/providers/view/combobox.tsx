/**
 * A text field for a model's name, with a list of names to choose from. A person can also enter a
 * name that is not in the list. While a person types, the list shows only the names that contain
 * the text. The keys work as in the ARIA combobox pattern.
 *
 * Invariant: the names are fetched only when a person opens the list with the arrow keys or the
 * button, never because a person types.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

/** At most this number of names is rendered, because some servers list hundreds of models. */
const MAX_OPTIONS = 100;

export interface IComboboxProps {
  id: string;
  value: string;
  /** The names to show until the provider's names are fetched, or if the provider lists none. */
  suggested: readonly string[];
  /**
   * Fetch the names of all models of the provider. Null while the form's other fields lack input
   * that the request needs. When this property changes, the fetched names are discarded.
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
  // When the list is opened, it shows all names. The text that is typed after that filters them.
  const [filter, setFilter] = React.useState('');
  const [activeIndex, setActiveIndex] = React.useState(-1);
  const field = React.useRef<HTMLInputElement>(null);
  const list = React.useRef<HTMLDivElement>(null);

  const matchingNames = filterNames(names ?? suggested, filter);
  const shownNames = matchingNames.slice(0, MAX_OPTIONS);
  // The index of the highlighted name; -1 if no name is highlighted.
  const highlightedIndex = activeIndex < shownNames.length ? activeIndex : -1;
  const isListVisible = isOpen && (shownNames.length > 0 || status !== '');

  React.useEffect(() => {
    const option = list.current?.querySelector('[aria-selected="true"]');
    option?.scrollIntoView?.({ block: 'nearest' });
  }, [highlightedIndex, isOpen]);

  React.useEffect(() => {
    // Scroll the form until the whole list is visible.
    list.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isListVisible, shownNames.length]);

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
  const moveHighlight = (offset: 1 | -1) => {
    if (!isOpen) {
      open();
    } else if (shownNames.length) {
      // If no name is highlighted, ArrowDown goes to the first name and ArrowUp to the last.
      const fromIndex =
        highlightedIndex < 0 && offset < 0 ? 0 : highlightedIndex;
      setActiveIndex(
        (fromIndex + offset + shownNames.length) % shownNames.length
      );
    }
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    // While a person composes text with an input method (for Chinese, for example), the keys belong
    // to the input method.
    if (event.nativeEvent.isComposing) {
      return;
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      moveHighlight(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && isOpen && highlightedIndex >= 0) {
      event.preventDefault(); // Choose a name instead of submitting the form.
      pick(shownNames[highlightedIndex]);
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
            isListVisible && highlightedIndex >= 0
              ? `${id}-${highlightedIndex}`
              : undefined
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
          // A click in the list doesn't move the focus out of the text field.
          onMouseDown={event => event.preventDefault()}
        >
          <ul id={`${id}-list`} role="listbox" aria-label={trans.__('Models')}>
            {shownNames.map((name, index) => (
              <li
                key={name}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === highlightedIndex}
                onClick={() => pick(name)}
              >
                {name}
              </li>
            ))}
          </ul>
          {matchingNames.length > shownNames.length && (
            <p>
              {trans.__(
                '%1 more: type to search.',
                matchingNames.length - shownNames.length
              )}
            </p>
          )}
          {status && <p role="status">{status}</p>}
        </div>
      )}
    </div>
  );
}

/**
 * Return the fetched names, a text that tells the person the status of the request, and a function
 * that fetches the names. `names` is null as long as no names have been fetched.
 */
function useNames({ fetch, problemText, trans }: IComboboxProps): {
  names: readonly string[] | null;
  status: string;
  load: () => void;
} {
  const [names, setNames] = React.useState<readonly string[] | null>(null);
  const [status, setStatus] = React.useState('');
  // The `fetch` function that was called last. If the property `fetch` changes before the call
  // ends, the result of the call is ignored.
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
          calledFetch.current = null; // Opening the list again fetches the names again.
          setStatus(problemText(reason));
        }
      }
    );
  };
  return { names, status, load };
}

/** Return the names that contain the text. Names that start with the text come first. */
function filterNames(
  names: readonly string[],
  text: string
): readonly string[] {
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
