/**
 * Buttons that help with an error or a problem without a model.
 *
 * Invariant: lines from the check are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { GenerationModel } from '../../model/generation';
import { Remedy, findRemedies, offerLine } from '../../model/remedies';
import { Button } from '../../../ui/button';

/** Return the label and the tooltip of a remedy's button. */
export function remedyTexts(
  remedy: Remedy,
  trans: TranslationBundle
): { label: string; title: string } {
  switch (remedy.kind) {
    case 'install':
      return {
        label: remedy.line,
        title: trans.__('Add a line that installs it')
      };
    case 'import':
      return { label: remedy.line, title: trans.__('Add this line') };
    default:
      return {
        label: trans.__('Run the cells above'),
        title: trans.__('They define what is missing in the kernel')
      };
  }
}

/** Apply a remedy to the error below a cell whose row is open. */
export function applyRemedy(
  remedy: Remedy,
  model: GenerationModel,
  runCellsAbove: (cellId: string) => void
): void {
  if (remedy.kind === 'run_above') {
    runCellsAbove(model.target.cellId);
  } else {
    offerLine(model, remedy.line);
  }
}

/** The buttons for the error below the cell. */
export function ErrorRemedies(props: {
  model: GenerationModel;
  trans: TranslationBundle;
  /** Run the cells above the one with this id. */
  runCellsAbove: (cellId: string) => void;
  /** Focus the input field. */
  focus: () => void;
}): React.JSX.Element {
  const { model, trans, runCellsAbove, focus } = props;
  const { target, state } = model;
  const error = target.error();
  const [last, setLast] = React.useState<{
    readonly error: string | null;
    readonly remedies: readonly Remedy[];
  }>({ error: null, remedies: [] });
  React.useEffect(() => {
    let isCurrent = true;
    void findRemedies(target).then(
      remedies => isCurrent && setLast({ error, remedies })
    );
    return () => {
      isCurrent = false;
    };
    // The kernel's variables are read again after each run.
  }, [target, error, state.kernel]);
  const remedies = error !== null && last.error === error ? last.remedies : [];
  return (
    <>
      {remedies.map(remedy => {
        const texts = remedyTexts(remedy, trans);
        return (
          <Button
            key={texts.label}
            {...texts}
            run={() => {
              applyRemedy(remedy, model, runCellsAbove);
              focus();
            }}
          />
        );
      })}
    </>
  );
}
