import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ModelInfo } from '../../../api/types';
import { countLineChanges } from '../../../diff/changedLines';
import { labelText } from '../../../labels/serverText';
import { CheckedText } from '../../../prompt/checkedText';
import { receiptTexts } from '../../../prompt/usageLabels';
import type { IAnswer } from '../../model/answers';
import type { IRow } from '../row';

/** Numbers that the output doesn't support are marked. */
export function AnswerText(props: { row: IRow }): React.JSX.Element | null {
  const { model, trans } = props.row;
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

export function AnswerTabs(props: { row: IRow }): React.JSX.Element | null {
  const { model, trans } = props.row;
  const { answer: shown, answers, isBusy, state } = model;
  const count = answers.length;
  if (count < 2) {
    return null;
  }
  const shownIndex = answers.findIndex(answer => answer === shown);
  const show = (index: number) =>
    model.decision.show(answers[index].suggestion.turnId);
  return (
    <div
      className="jp-AIServer-Ask-answers"
      role="tablist"
      aria-label={trans.__('Answers to this request')}
      onKeyDown={event => {
        const offset = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (offset) {
          event.preventDefault();
          event.stopPropagation();
          const index = (shownIndex + offset + count) % count;
          show(index);
          (event.currentTarget.children[index] as HTMLElement).focus();
        }
      }}
    >
      {answers.map((answer, index) => {
        const isShown = answer === shown;
        const { receipt, source, turnId } = answer.suggestion;
        return (
          <button
            key={turnId}
            type="button"
            role="tab"
            aria-selected={isShown}
            tabIndex={isShown ? 0 : -1}
            // A new answer replaces the diff, so wait for it.
            disabled={isBusy || state.isChecking}
            title={receipt && receiptTexts(receipt, trans).join(' · ')}
            onClick={() => show(index)}
          >
            {trans.__(
              '%1: %2',
              index + 1,
              modelName(answer, state.model, trans)
            )}
            <AnswerSize
              code={
                isShown && !isBusy ? state.code : (answer.shown?.code ?? source)
              }
              source={model.target.source() ?? ''}
            />
          </button>
        );
      })}
    </div>
  );
}

function AnswerSize(props: {
  code: string;
  source: string;
}): React.JSX.Element {
  const { code, source } = props;
  const { added, removed } = React.useMemo(
    () => countLineChanges(source, code),
    [source, code]
  );
  return (
    <span className="jp-AIServer-Ask-answerSize" aria-hidden="true">
      {added > 0 && <ins>+{added}</ins>}
      {removed > 0 && <del>−{removed}</del>}
    </span>
  );
}

/** After a reload of the page, only the ids of the models are known. */
function modelName(
  { suggestion, model }: IAnswer,
  current: ModelInfo | null,
  trans: TranslationBundle
): string {
  const id = suggestion.model ?? '';
  const info = model ?? (current?.id === id ? current : null);
  return info ? labelText(info.label, trans) : id.slice(id.indexOf(':') + 1);
}
