/** A field for a short text of several lines, which Enter saves and Escape leaves. */
import React from 'react';

import { isComposing } from './keys';

/** In characters, to estimate the height of the field. */
const COLUMNS = 36;
const MAX_ROWS = 8;

export function TextField(props: {
  label: string;
  text: string;
  placeholder?: string;
  tabIndex?: 0 | -1;
  /** Whether the field takes the focus when it is mounted. */
  takesFocus?: boolean;
  onText: (text: string) => void;
  /** Called by Enter. */
  onSave: () => void;
  /** Called by Escape. */
  onCancel: () => void;
}): React.JSX.Element {
  const { text, takesFocus } = props;
  const field = React.useRef<HTMLTextAreaElement>(null);
  React.useLayoutEffect(() => {
    if (takesFocus) {
      field.current?.focus();
      field.current?.setSelectionRange(text.length, text.length);
    }
    // Only when the field is mounted.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return (
    <textarea
      ref={field}
      className="jp-AIServer-TextField"
      data-lm-suppress-shortcuts="true"
      rows={rowCount(text)}
      maxLength={2000} // The limit of the HTTP API.
      aria-label={props.label}
      placeholder={props.placeholder}
      tabIndex={props.tabIndex}
      value={text}
      onChange={event => props.onText(event.target.value)}
      onKeyDown={event => {
        const isEnter = event.key === 'Enter';
        // The other keys belong to the field, not to the list or the prompt row around it.
        if (isEnter || !(event.ctrlKey || event.metaKey)) {
          event.stopPropagation();
        }
        if (isComposing(event)) {
          return;
        }
        if (isEnter && !event.shiftKey) {
          event.preventDefault();
          if (!event.repeat) {
            props.onSave();
          }
        } else if (event.key === 'Escape') {
          event.preventDefault();
          props.onCancel();
        }
      }}
    />
  );
}

/** Chinese characters are twice as wide. */
function rowCount(text: string): number {
  const lines = text.split('\n').map(line => {
    const wide = line.match(/[\u1100-\uffff]/g)?.length ?? 0;
    return Math.max(1, Math.ceil((line.length + wide) / COLUMNS));
  });
  return Math.min(
    MAX_ROWS,
    lines.reduce((sum, count) => sum + count, 0)
  );
}

/** A held key would also press the button that takes the focus next. */
export function ignoreRepeatedKey(event: React.KeyboardEvent): void {
  if (event.repeat && (event.key === 'Enter' || event.key === ' ')) {
    event.preventDefault();
  }
}
