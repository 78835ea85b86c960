/**
 * A text field with a list of names to choose from: any text may be written, and what is
 * written filters the list. The keyboard follows the ARIA pattern for a combobox.
 *
 * Invariant: the list is fetched only when the person opens it, with the arrow keys or the
 * button (P4). Writing asks nobody.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

/** The most names that are drawn at once: some servers list hundreds. */
const DRAWN = 100;

export interface IComboboxProps {
  id: string;
  value: string;
  /** Names that are there without asking anybody. */
  suggested: readonly string[];
  /** Fetch all names; null while that can't be done. Another function, another list. */
  fetch: (() => Promise<readonly string[]>) | null;
  /** Words for a failed fetch. */
  problemText: (reason: unknown) => string;
  trans: TranslationBundle;
  onChange: (value: string) => void;
}

export function Combobox(props: IComboboxProps): React.JSX.Element {
  const { id, value, suggested, trans, onChange } = props;
  const { names, status, load } = useNames(props);
  const [isOpen, setOpen] = React.useState(false);
  // After opening, all names are shown; what is written from then on filters them.
  const [filter, setFilter] = React.useState('');
  const [active, setActive] = React.useState(-1);
  const field = React.useRef<HTMLInputElement>(null);
  const list = React.useRef<HTMLDivElement>(null);

  const found = search(names ?? suggested, filter);
  const shown = found.slice(0, DRAWN);
  const current = active < shown.length ? active : -1;
  const hasList = isOpen && (shown.length > 0 || status !== '');

  React.useEffect(() => {
    const option = list.current?.querySelector('[aria-selected="true"]');
    option?.scrollIntoView?.({ block: 'nearest' });
  }, [current, isOpen]);

  React.useEffect(() => {
    // What scrolls the form may cut the list off.
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
      event.preventDefault(); // It chooses a name, and sends no form.
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
          // A press in it leaves the focus in the field.
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
          {found.length > shown.length && (
            <p>
              {trans.__(
                '%1 more: type to search.',
                found.length - shown.length
              )}
            </p>
          )}
          {status && <p role="status">{status}</p>}
        </div>
      )}
    </div>
  );
}

/** The fetched names, or null, and what is to be said about them. */
function useNames({ fetch, problemText, trans }: IComboboxProps): {
  names: readonly string[] | null;
  status: string;
  load: () => void;
} {
  const [names, setNames] = React.useState<readonly string[] | null>(null);
  const [status, setStatus] = React.useState('');
  // The function for which names were fetched, or are being fetched.
  const asked = React.useRef<typeof fetch | null>(null);
  React.useEffect(() => {
    asked.current = null;
    setNames(null);
    setStatus('');
  }, [fetch]);
  const load = () => {
    if (!fetch) {
      setStatus(trans.__('Fill in the fields above to list all models.'));
      return;
    }
    if (asked.current === fetch) {
      return;
    }
    asked.current = fetch;
    setStatus(trans.__('Loading models…'));
    void fetch().then(
      found => {
        if (asked.current === fetch) {
          setNames(found.length ? found : null);
          setStatus(
            found.length
              ? ''
              : trans.__('This server lists no models. Enter a model name.')
          );
        }
      },
      reason => {
        if (asked.current === fetch) {
          asked.current = null; // Opening the list again asks again.
          setStatus(problemText(reason));
        }
      }
    );
  };
  return { names, status, load };
}

/** The names that hold what is written, those that begin with it first. */
function search(names: readonly string[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) {
    return names;
  }
  const found = names.filter(name => name.toLowerCase().includes(wanted));
  const begins = (name: string) => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter(name => !begins(name))];
}
