/**
 * The input field of the prompt row, which grows with its text.
 *
 * Invariants:
 * - While an input method composes text, the field handles no key.
 * - Shift+Enter never reaches the notebook, where it would run the cell. It inserts a line break
 *   only into text: in an empty field, it accepts a suggestion, maybe just before that arrives.
 */
import * as React from 'react';

import { isComposing } from '../../../ui/keys';
import { useWidth } from '../../../ui/width';
import type { IntentHistory } from '../../model/intents';
import { selectNextParameter } from './completions';
import { CompletionList, ICompletion, useCompletion } from './completionList';

export interface IFocusRequest {
  /** Whether to focus the field once it is mounted, which sets this to false. */
  focus: boolean;
}

export interface IPromptInputProps {
  label: string;
  placeholder: string;
  text: string;
  focusRequest: IFocusRequest;
  intents: IntentHistory;
  onText: (text: string) => void;
  onSend: () => void;
  /** Return whether a key of the row, such as Escape, was handled. */
  onKey: (event: React.KeyboardEvent) => boolean;
  complete: (textBeforeCursor: string) => ICompletion[];
  completionsLabel: string;
}

function fitHeight(node: HTMLTextAreaElement | null): void {
  if (node) {
    node.style.height = 'auto';
    if (node.scrollHeight) {
      node.style.height = `${node.scrollHeight}px`;
    }
  }
}

export function focusAtEnd(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

function cursorOf(field: HTMLTextAreaElement): number | null {
  const { selectionStart, selectionEnd } = field;
  return selectionStart === selectionEnd ? selectionStart : null;
}

export function replaceText(
  field: HTMLTextAreaElement,
  text: string,
  start: number,
  end: number
): void {
  field.setRangeText(text, start, end, 'end');
  // React doesn't notice the change without an input event.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** JupyterLab prevents the browser from inserting a line break. */
function insertLineBreak(field: HTMLTextAreaElement): boolean {
  if (field.value.trim()) {
    replaceText(field, '\n', field.selectionStart, field.selectionEnd);
  }
  return true;
}

/** The selection after a text was replaced: React may move the cursor. */
const rangesAfterChange = new WeakMap<HTMLTextAreaElement, [number, number]>();

/**
 * Insert a text apart from the words at the cursor, or append it to `typed`; return the new text.
 */
export function insertWord(
  field: HTMLTextAreaElement | null,
  typed: string,
  text: string
): string {
  const { value, selectionStart, selectionEnd } = field ?? {
    value: typed,
    selectionStart: typed.length,
    selectionEnd: typed.length
  };
  const before = value.slice(0, selectionStart);
  const after = value.slice(selectionEnd);
  const word =
    (/\S$/.test(before) ? ' ' : '') +
    (/^\s/.test(after) ? text.trimEnd() : text);
  if (field) {
    const end = (before + word).length;
    rangesAfterChange.set(field, [end, end]);
    field.focus();
    replaceText(field, word, selectionStart, selectionEnd);
  }
  return before + word + after;
}

export function PromptInput(props: IPromptInputProps): React.JSX.Element {
  const { focusRequest, text, intents, onText } = props;
  const field = React.useRef<HTMLTextAreaElement>(null);
  // Null while text is selected.
  const [cursor, setCursor] = React.useState<number | null>(null);
  const isAfterWord = cursor !== null && /^(\s|$)/.test(text.slice(cursor));
  const completion = useCompletion(
    text,
    isAfterWord ? props.complete(text.slice(0, cursor)) : [],
    ({ start, text: completed, insertion }) => {
      if (field.current && cursor !== null) {
        // After a folder's name, a file's follows.
        const isComplete = !completed.endsWith('/');
        const hasSpace = /^\s/.test(text.slice(cursor));
        const plain = completed + (isComplete && !hasSpace ? ' ' : '');
        const end = plain.length;
        const inserted = insertion ?? { text: plain, from: end, to: end };
        rangesAfterChange.set(field.current, [
          start + inserted.from,
          start + inserted.to
        ]);
        replaceText(field.current, inserted.text, start, cursor);
      }
    }
  );

  React.useEffect(() => {
    if (focusRequest.focus) {
      focusRequest.focus = false;
      focusAtEnd(field.current);
    }
  }, [focusRequest]);

  // Text wraps differently in a field of another width.
  const width = useWidth(field);
  React.useLayoutEffect(() => {
    fitHeight(field.current);
  }, [text, props.placeholder, width]);
  React.useLayoutEffect(() => {
    const range = field.current && rangesAfterChange.get(field.current);
    if (field.current && range) {
      rangesAfterChange.delete(field.current);
      field.current.setSelectionRange(...range);
    }
  }, [text]);
  /** Recall an earlier request by ArrowUp in the first line, a later one by ArrowDown. */
  const recallIntent = (
    event: React.KeyboardEvent<HTMLTextAreaElement>
  ): boolean => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const isUp = event.key === 'ArrowUp';
    const textInDirection = isUp
      ? value.slice(0, selectionStart)
      : value.slice(selectionEnd);
    if (textInDirection.includes('\n') || selectionStart !== selectionEnd) {
      return false;
    }
    const intent = isUp ? intents.previous(value) : intents.next();
    if (intent === null) {
      return false;
    }
    onText(intent);
    return true;
  };

  const keys = new Map([
    ['Enter', () => (props.onSend(), true)],
    ['Tab', () => selectNextParameter(field.current!)],
    ['ArrowUp', recallIntent],
    ['ArrowDown', recallIntent]
  ]);
  const onFieldKey = (
    event: React.KeyboardEvent<HTMLTextAreaElement>
  ): boolean => {
    const { altKey, ctrlKey, key, metaKey, shiftKey } = event;
    if (ctrlKey || metaKey || altKey) {
      return false;
    }
    return shiftKey
      ? key === 'Enter' && insertLineBreak(event.currentTarget)
      : (keys.get(key)?.(event) ?? false);
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLTextAreaElement>) => {
    if (
      !isComposing(event) &&
      (completion.onKey(event) || props.onKey(event) || onFieldKey(event))
    ) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  const { activeId } = completion;
  return (
    <>
      <textarea
        ref={field}
        className="jp-AIServer-Ask-input"
        rows={1}
        maxLength={20000} // The limit of the HTTP API.
        spellCheck={false}
        aria-label={props.label}
        aria-autocomplete="list"
        aria-controls={activeId && completion.listId}
        aria-activedescendant={activeId}
        placeholder={props.placeholder}
        value={text}
        onChange={event => {
          intents.resetPosition();
          completion.onTyped(event.target.value);
          setCursor(cursorOf(event.target));
          onText(event.target.value);
        }}
        onSelect={event => setCursor(cursorOf(event.currentTarget))}
        onFocus={() => completion.setFocused(true)}
        onBlur={() => completion.setFocused(false)}
        onKeyDown={onKeyDown}
      />
      <CompletionList
        state={completion}
        label={props.completionsLabel}
        field={field}
      />
    </>
  );
}
