/** Chips above the input field: the lines that may change, and the turn that is continued. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { linesText, requestTitle } from '../../../labels/requestTitle';
import type { GenerationModel } from '../../model/generation';
import { Chip } from './chip';

export function ScopeChips(props: {
  model: GenerationModel;
  trans: TranslationBundle;
  /** Focus the input field. */
  focus: () => void;
}): React.JSX.Element | null {
  const { model, trans, focus } = props;
  const { branch } = model.state;
  // While a suggestion is open, its lines can be fewer or more than those that the person selected.
  const source = model.target.source() ?? '';
  const lines =
    model.selectedLines &&
    (model.selectedLinesOf(source) ?? model.selectedLines);
  if (branch === null && lines === null) {
    return null;
  }
  const title = branch && requestTitle(branch.title, trans);
  return (
    <div className="jp-AIServer-Ask-chips">
      {lines && (
        <Chip
          className="jp-mod-lines"
          title={trans.__('The other lines of the cell stay as they are.')}
          removeLabel={trans.__('Let the whole cell change')}
          onRemove={() => {
            model.select(null);
            focus();
          }}
        >
          <span>{linesText(lines, trans)}</span>
        </Chip>
      )}
      {title !== null && (
        <Chip
          className="jp-mod-branch"
          title={title}
          removeLabel={trans.__('Continue from the latest request instead')}
          onRemove={() => {
            model.branchFrom(null);
            focus();
          }}
        >
          <span>{trans.__('continues from “%1”', title)}</span>
        </Chip>
      )}
    </div>
  );
}
