/**
 * The input field of the prompt row, which grows with its text.
 *
 * Invariants:
 * - While an input method for Chinese, Japanese or Korean composes a character, the field handles
 *   no key, because Enter then chooses among the input method's candidates.
 * - Shift+Enter never reaches the notebook, where it would run the cell. In a blank field it does
 *   nothing. Otherwise, if a person pressed it to accept just before the answer arrived, it would
 *   insert an invisible line break, and the next Shift+Enter would insert another instead of
 *   accepting, because the field has text.
 */
import * as React from 'react';

import type { IntentHistory } from '../model/intents';

export interface IPromptInputProps {
  label: string;
  placeholder: string;
  text: string;
  /** Whether to focus the field once it is mounted. */
  focusRequest: { focus: boolean };
  intents: IntentHistory;
  onText: (text: string) => void;
  onSend: () => void;
  /** Handle a key that is not for editing; returns whether it was handled. */
  onKey: (event: React.KeyboardEvent) => boolean;
}

/**
 * Whether an input method handles the key. In Safari, composing has already ended at the event of
 * the key that ends it; the key code tells.
 */
export function isComposing(event: React.KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}

/** Fit the field's height to its text. */
function fitHeight(node: HTMLTextAreaElement | null): void {
  if (node) {
    node.style.height = 'auto';
    if (node.scrollHeight) {
      node.style.height = `${node.scrollHeight}px`;
    }
  }
}

export function PromptInput(props: IPromptInputProps): React.JSX.Element {
  const { focusRequest, text, intents, onText } = props;
  const field = React.useRef<HTMLTextAreaElement>(null);

  React.useEffect(() => {
    if (focusRequest.focus) {
      focusRequest.focus = false;
      field.current?.focus();
    }
  }, [focusRequest]);

  React.useLayoutEffect(() => fitHeight(field.current), [text]);
  // Fit the height again when the width changes, because the text then wraps differently.
  React.useEffect(() => {
    const node = field.current;
    if (!node || typeof ResizeObserver === 'undefined') {
      return;
    }
    let width = node.clientWidth;
    const observer = new ResizeObserver(() => {
      if (node.clientWidth !== width) {
        width = node.clientWidth;
        fitHeight(node);
      }
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);

  const recall = (event: React.KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const up = event.key === 'ArrowUp';
    const outside = up
      ? value.slice(0, selectionStart)
      : value.slice(selectionEnd);
    if (outside.includes('\n') || selectionStart !== selectionEnd) {
      return false;
    }
    const intent = up ? intents.previous(value) : intents.next();
    if (intent === null) {
      return false;
    }
    onText(intent);
    return true;
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) {
      return;
    }
    const hasNoModifier = !(event.ctrlKey || event.metaKey || event.altKey);
    let isHandled = props.onKey(event);
    if (
      !isHandled &&
      hasNoModifier &&
      event.key === 'Enter' &&
      event.shiftKey
    ) {
      // JupyterLab prevents the browser's line break in cells, so it is inserted here.
      isHandled = true;
      const field = event.currentTarget;
      if (field.value.trim()) {
        const { selectionStart, selectionEnd } = field;
        field.setRangeText('\n', selectionStart, selectionEnd, 'end');
        // React notices the change only by an input event.
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    } else if (!isHandled && hasNoModifier && !event.shiftKey) {
      if (event.key === 'Enter') {
        isHandled = true;
        props.onSend();
      } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
        isHandled = recall(event);
      }
    }
    if (isHandled) {
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
        intents.restart();
        onText(event.target.value);
      }}
      onKeyDown={onKeyDown}
    />
  );
}
