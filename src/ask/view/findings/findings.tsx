/**
 * A section of the prompt row that lists the first problems of a suggestion, or the first warnings
 * about it.
 *
 * Invariant: names from the person's data are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

const MAX_SHOWN = 4;

export function Findings<T extends object>(props: {
  label: string;
  role?: 'status';
  findings: readonly T[];
  trans: TranslationBundle;
  /** Return the text of a finding, and its buttons. */
  show: (finding: T) => React.ReactNode;
  /** Buttons below the list. */
  children?: React.ReactNode;
}): React.JSX.Element | null {
  const { label, role, findings, trans, show, children } = props;
  const hiddenCount = findings.length - MAX_SHOWN;
  return findings.length ? (
    <section
      className="jp-AIServer-Ask-problems"
      role={role}
      aria-label={label}
    >
      <ul>
        {findings.slice(0, MAX_SHOWN).map((finding, index) => (
          <li key={index}>{show(finding)}</li>
        ))}
      </ul>
      {children}
      {hiddenCount > 0 && (
        <span className="jp-AIServer-Ask-hint">
          {trans._n('and %1 more', 'and %1 more', hiddenCount)}
        </span>
      )}
    </section>
  ) : null;
}
