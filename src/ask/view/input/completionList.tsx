/**
 * The list of completions below the input field.
 *
 * Invariants: the focus stays in the field. The list is open, and handles keys, only while the field
 * has the focus. Escape closes it until the text changes.
 */
import * as React from 'react';
import { createPortal } from 'react-dom';

// In pixels.
const MAX_HEIGHT = 320;
const MARGIN = 4;

/** Can replace the input from the offset `start` to the cursor. */
export interface ICompletion {
  readonly start: number;
  readonly text: string;
  readonly description: string;
  /** The text to insert instead of `text`, and the range of it to select. */
  readonly insertion?: {
    readonly text: string;
    readonly from: number;
    readonly to: number;
  };
  /** Whether this is only a note, `description`, below the completions. */
  readonly isNote?: boolean;
}

export interface ICompletionState {
  readonly completions: readonly ICompletion[];
  readonly index: number;
  readonly notes: readonly string[];
  readonly listId: string;
  readonly activeId: string | undefined;
  onKey: (event: React.KeyboardEvent) => boolean;
  choose: (completion: ICompletion) => void;
  onTyped: (text: string) => void;
  setFocused: (isFocused: boolean) => void;
}

export function useCompletion(
  text: string,
  completions: readonly ICompletion[],
  onChoose: (completion: ICompletion) => void
): ICompletionState {
  // The typed text for which the list is open. For text that was put into the field, such as an
  // earlier request, it stays closed.
  const [typedText, setTypedText] = React.useState<string | null>(null);
  const [isFocused, setFocused] = React.useState(false);
  const [position, setPosition] = React.useState(0);
  const isOpen = text === typedText && isFocused;
  const shown = isOpen ? completions.filter(({ isNote }) => !isNote) : [];
  const notes = isOpen ? completions.filter(({ isNote }) => isNote) : [];
  const index = Math.min(position, Math.max(0, shown.length - 1));
  const choose = (completion: ICompletion) => {
    setPosition(0);
    onChoose(completion);
  };
  const move = (steps: number) =>
    setPosition((index + steps + shown.length) % shown.length);
  const chooseShown = () => choose(shown[index]);
  const keys: Record<string, () => void> = {
    ...(shown.length + notes.length && { Escape: () => setTypedText(null) }),
    ...(shown.length && {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Enter: chooseShown,
      Tab: chooseShown
    })
  };
  const onKey = (event: React.KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const hasModifier = ctrlKey || metaKey || altKey || shiftKey;
    const isHandled = !hasModifier && key in keys;
    if (isHandled) {
      keys[key]();
    }
    return isHandled;
  };
  const listId = React.useId();
  return {
    completions: shown,
    notes: notes.map(({ description }) => description),
    index,
    listId,
    activeId: shown.length ? `${listId}-${index}` : undefined,
    onKey,
    choose,
    setFocused,
    onTyped: typed => {
      // The field has the focus, even if its focus event was missed.
      setFocused(true);
      setTypedText(typed);
      setPosition(0);
    }
  };
}

export function CompletionList(props: {
  state: ICompletionState;
  label: string;
  field: React.RefObject<HTMLTextAreaElement>;
}): React.JSX.Element | null {
  const { state, label, field } = props;
  const { completions, notes, index, listId } = state;
  const list = React.useRef<HTMLUListElement>(null);
  const isOpen = completions.length + notes.length > 0;

  React.useLayoutEffect(() => {
    const node = list.current;
    const anchor = field.current;
    if (!node || !anchor) {
      return;
    }
    const place = () => {
      // JupyterLab's HoverBox hides a box if another element covers a corner of it.
      const { left, top, bottom } = anchor.getBoundingClientRect();
      const spaceBelow = window.innerHeight - bottom;
      const isBelow = spaceBelow > MAX_HEIGHT || spaceBelow > top;
      const space = (isBelow ? spaceBelow : top) - 2 * MARGIN;
      node.style.maxHeight = `${Math.min(space, MAX_HEIGHT)}px`;
      node.style.left = `${left}px`;
      node.style.top = isBelow ? `${bottom + MARGIN}px` : '';
      node.style.bottom = isBelow
        ? ''
        : `${window.innerHeight - top + MARGIN}px`;
    };
    place();
    // The list isn't in the notebook, so it must follow when that scrolls.
    window.addEventListener('scroll', place, true);
    window.addEventListener('resize', place);
    return () => {
      window.removeEventListener('scroll', place, true);
      window.removeEventListener('resize', place);
    };
  }, [completions, notes.length, field]);
  React.useLayoutEffect(() => {
    list.current?.children[index]?.scrollIntoView?.({ block: 'nearest' });
  }, [index, isOpen]);

  return isOpen
    ? createPortal(
        <ul
          ref={list}
          id={listId}
          className="jp-AIServer-Ask-completions jp-ThemedContainer"
          role="listbox"
          aria-label={label}
          // Keep the focus in the field.
          onMouseDown={event => event.preventDefault()}
        >
          {completions.map((completion, at) => (
            <li
              key={completion.text}
              id={`${listId}-${at}`}
              role="option"
              aria-selected={at === index}
              onClick={() => state.choose(completion)}
            >
              <span className="jp-AIServer-Ask-slashWord">
                {completion.text}
              </span>
              <span className="jp-AIServer-Ask-slashDescription">
                {completion.description}
              </span>
            </li>
          ))}
          {notes.map(note => (
            <li key={note} role="option" aria-selected={false} aria-disabled>
              <span className="jp-AIServer-Ask-slashDescription">{note}</span>
            </li>
          ))}
        </ul>,
        document.body
      )
    : null;
}
