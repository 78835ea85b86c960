/**
 * The text field of the prompt row: it grows with its text and knows its keys.
 *
 * What must hold:
 * - While an input method composes (Chinese, Japanese, Korean), no key is taken: Enter
 *   there chooses a word.
 * - Shift+Enter never reaches the notebook, where it would run the cell (P35). In a blank
 *   field it does nothing: pressed a moment before the answer is there, it would otherwise
 *   leave line breaks that can't be seen, and mean them from then on.
 */
import * as React from 'react';

import type { IntentHistory } from '../model/intents';

export interface IPromptInputProps {
  label: string;
  placeholder: string;
  text: string;
  /** Whether the cursor is wanted here; asked once, when the field is there. */
  box: { focus: boolean };
  intents: IntentHistory;
  onText: (text: string) => void;
  onSend: () => void;
  /** Keys that are not for writing; true if they were taken. */
  onKey: (event: React.KeyboardEvent) => boolean;
}

/** Whether an input method has the key. (Safari ends composing before the key arrives.) */
export function isComposing(event: React.KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}

/** As high as its text. */
function fit(node: HTMLTextAreaElement | null): void {
  if (node) {
    node.style.height = 'auto';
    if (node.scrollHeight) {
      node.style.height = `${node.scrollHeight}px`;
    }
  }
}

export function PromptInput(props: IPromptInputProps): React.JSX.Element {
  const { box, text, intents, onText } = props;
  const field = React.useRef<HTMLTextAreaElement>(null);

  React.useEffect(() => {
    if (box.focus) {
      box.focus = false;
      field.current?.focus();
    }
  }, [box]);

  React.useLayoutEffect(() => fit(field.current), [text]);
  // A narrower row breaks the text into more lines.
  React.useEffect(() => {
    const node = field.current;
    if (!node || typeof ResizeObserver === 'undefined') {
      return;
    }
    let width = node.clientWidth;
    const observer = new ResizeObserver(() => {
      if (node.clientWidth !== width) {
        width = node.clientWidth;
        fit(node);
      }
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);

  const recall = (event: React.KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const up = event.key === 'ArrowUp';
    const beyond = up
      ? value.slice(0, selectionStart)
      : value.slice(selectionEnd);
    if (beyond.includes('\n') || selectionStart !== selectionEnd) {
      return false;
    }
    const found = up ? intents.previous(value) : intents.next();
    if (found === null) {
      return false;
    }
    onText(found);
    return true;
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) {
      return;
    }
    const bare = !(event.ctrlKey || event.metaKey || event.altKey);
    let taken = props.onKey(event);
    if (!taken && bare && event.key === 'Enter' && event.shiftKey) {
      // JupyterLab cancels the browser's own line break in cells, so it is made here.
      taken = true;
      const field = event.currentTarget;
      if (field.value.trim()) {
        const { selectionStart, selectionEnd } = field;
        field.setRangeText('\n', selectionStart, selectionEnd, 'end');
        // React learns of it by an event alone, or it takes the next change back for none.
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    } else if (!taken && bare && !event.shiftKey) {
      if (event.key === 'Enter') {
        taken = true;
        props.onSend();
      } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
        taken = recall(event);
      }
    }
    if (taken) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  return (
    <textarea
      ref={field}
      className="jp-AIServer-Ask-input"
      rows={1}
      maxLength={20000}
      spellCheck={false}
      aria-label={props.label}
      placeholder={props.placeholder}
      value={text}
      onChange={event => {
        intents.leave();
        onText(event.target.value);
      }}
      onKeyDown={onKeyDown}
    />
  );
}
