/** An answer's words, with marks at the numbers that the output doesn't support. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { CheckedText } from '../../../prompt/checkedText';
import type { GenerationModel } from '../../model/generation';

export function AnswerText(props: {
  model: GenerationModel;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { model, trans } = props;
  const { explanation } = model.state;
  return explanation ? (
    <div className="jp-AIServer-Ask-explanation">
      <CheckedText
        text={explanation}
        handed={model.handedOutput}
        trans={trans}
      />
    </div>
  ) : null;
}
