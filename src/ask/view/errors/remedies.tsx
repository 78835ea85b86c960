/**
 * Buttons that help with an error or with problems of a suggestion.
 *
 * Invariant: lines from the check are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Remedy, findRemedies } from '../../model/problems';
import type { ITarget } from '../../../cells/notebookCell';
import { Button } from '../../../ui/button';

export function RemedyButtons(props: {
  remedies: readonly Remedy[];
  trans: TranslationBundle;
  apply: (remedy: Remedy) => void;
}): React.JSX.Element {
  const { remedies, trans, apply } = props;
  return (
    <>
      {remedies.map(line => (
        <Button
          key={line}
          label={line ?? trans.__('Run the cells above')}
          title={
            line === null
              ? trans.__('They define what is missing in the kernel')
              : trans.__('Add this line')
          }
          run={() => apply(line)}
        />
      ))}
    </>
  );
}

/** The buttons for a cell's error: what helps without a model, and “Fix it”. */
export function ErrorButtons(props: {
  target: Pick<ITarget, 'error' | 'source' | 'check'>;
  /** A change of this value makes the remedies be looked for again. */
  version: unknown;
  trans: TranslationBundle;
  apply: (remedy: Remedy) => void;
  fix: () => void;
}): React.JSX.Element | null {
  const { target, version, trans, apply, fix } = props;
  const error = target.error();
  const [last, setLast] = React.useState({
    error,
    remedies: [] as readonly Remedy[]
  });
  React.useEffect(() => {
    let isCurrent = true;
    void findRemedies(target).then(
      remedies => isCurrent && setLast({ error, remedies })
    );
    return () => {
      isCurrent = false;
    };
  }, [target, error, version]);
  return error === null ? null : (
    <>
      <RemedyButtons
        remedies={last.error === error ? last.remedies : []}
        trans={trans}
        apply={apply}
      />
      <Button
        label={trans.__('Fix it')}
        title={trans.__('Ask for a fix for this error: %1', error)}
        run={fix}
      />
    </>
  );
}
