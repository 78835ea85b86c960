/** A form for a settings page or a dialog, and its labelled fields. */
import * as React from 'react';

/**
 * A form that may be nested in another form, as in the settings editor. The submit event of a
 * nested form doesn't reach React's listener at the root, so the browser would reload the page.
 * Therefore the form adds its own listener.
 */
export function Form(props: {
  id: string;
  send: () => void;
  children: React.ReactNode;
}): React.JSX.Element {
  const { id, send, children } = props;
  const form = React.useRef<HTMLFormElement>(null);
  React.useLayoutEffect(() => {
    const node = form.current;
    const onSubmit = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      send();
    };
    node?.addEventListener('submit', onSubmit);
    return () => node?.removeEventListener('submit', onSubmit);
  });
  return (
    <form ref={form} id={id} className="jp-AIServer-Models-form">
      {children}
    </form>
  );
}

/** A field under its label, with a hint below. */
export function Field(props: {
  id: string;
  label: string;
  hint?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const { id, label, hint, children } = props;
  return (
    <div className="jp-AIServer-Models-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A checkbox before its label, with a hint below. */
export function CheckField(props: {
  id: string;
  label: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}): React.JSX.Element {
  const { id, label, hint, checked, onChange } = props;
  return (
    <div className="jp-AIServer-Models-field">
      <label className="jp-AIServer-Models-check">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-hint`}
          onChange={event => onChange(event.target.checked)}
        />
        {label}
      </label>
      <small id={`${id}-hint`}>{hint}</small>
    </div>
  );
}
