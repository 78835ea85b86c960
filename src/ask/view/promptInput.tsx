/**
 * The input field of the prompt row: it grows with its text and handles its keys.
 *
 * Invariants:
 * - While an input method composes (Chinese, Japanese, Korean), the field handles no key: there
 *   Enter chooses a candidate.
 * - Shift+Enter never reaches the notebook, where it would run the cell (P35). In a blank field it
 *   does nothing: pressed just before the answer arrives, it would leave invisible line breaks and
 *   the next Shift+Enter would add another instead of accepting.
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

/** Whether an input method handles the key. (Safari ends composing before the key event.) */
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
  // The text wraps differently when the width changes.
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
        // React only notices the change by an event.
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
