/** A field for a text that filters a list. */
import React from 'react';

/** Doesn't filter by the unfinished text of an input method. */
export function FilterField(props: {
  text: string;
  label: string;
  placeholder: string;
  onFilter: (text: string) => void;
}): React.JSX.Element {
  const [text, setText] = React.useState(props.text);
  const isComposing = React.useRef(false);
  return (
    <input
      type="search"
      value={text}
      aria-label={props.label}
      placeholder={props.placeholder}
      spellCheck={false}
      maxLength={200}
      onCompositionStart={() => (isComposing.current = true)}
      onCompositionEnd={event => {
        isComposing.current = false;
        props.onFilter(event.currentTarget.value);
      }}
      onChange={event => {
        setText(event.target.value);
        if (!isComposing.current) {
          props.onFilter(event.target.value);
        }
      }}
    />
  );
}
