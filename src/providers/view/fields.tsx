/** A form that works in dialogs and in JupyterLab's settings editor, and labelled fields for it. */
import * as React from 'react';

/**
 * A form that may be nested in another one, as in the settings editor. The submit event of a nested
 * form doesn't reach React's root container, so the browser would submit the form and reload the
 * page. A listener on the form's own element prevents this.
 */
export function Form(props: {
  id: string;
  send: () => void;
  children: React.ReactNode;
}): React.JSX.Element {
  const { id, send, children } = props;
  const formRef = React.useRef<HTMLFormElement>(null);
  React.useLayoutEffect(() => {
    const node = formRef.current;
    const onSubmit = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      send();
    };
    node?.addEventListener('submit', onSubmit);
    return () => node?.removeEventListener('submit', onSubmit);
  });
  return (
    <form ref={formRef} id={id} className="jp-AIServer-Models-form">
      {children}
    </form>
  );
}

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
