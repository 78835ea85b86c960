/**
 * The offer of a past answer, below the buttons of the row, and the chip of an answer that was
 * chosen as an example.
 *
 * Invariants:
 * - Neither the input field nor the row's buttons move when an offer appears.
 * - Texts of other notebooks are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PastAnswer } from '../../../api/types';
import { localeOf, pickLocale } from '../../../labels/formats';
import { requestTitle } from '../../../labels/requestTitle';
import { showTime } from '../../../labels/time';
import { Button } from '../../../ui/button';
import type { GenerationModel } from '../../model/generation';
import { notebookName } from '../../model/context/mentions';
import type { IPromptRowServices } from '../promptServices';
import { Chip } from './chip';

interface IProps {
  model: GenerationModel;
  trans: TranslationBundle;
  /** Focus the input field. */
  focus: () => void;
}

export function ExampleChip({
  model,
  trans,
  focus
}: IProps): React.JSX.Element | null {
  const { pastAnswers } = model;
  const { example } = model;
  return example ? (
    <div className="jp-AIServer-Ask-chips">
      <Chip
        className="jp-mod-words"
        title={`${example.intent}\n\n${example.code}`}
        removeLabel={trans.__('Don’t send the example')}
        onRemove={() => {
          pastAnswers?.removeExample();
          focus();
        }}
      >
        <span>{trans.__('Example from %1', nameOf(example, trans))}</span>
      </Chip>
    </div>
  ) : null;
}

export function PastAnswerOffer(
  props: IProps & {
    /** The text of the input field. */
    text: string;
    showTurn?: IPromptRowServices['showTurn'];
  }
): React.JSX.Element | null {
  const { model, text, trans, focus, showTurn } = props;
  const { pastAnswers } = model;
  React.useEffect(() => pastAnswers?.onText(text), [pastAnswers, text]);
  const answer = pastAnswers?.answer;
  const sentence = answer ? offerText(answer, trans) : '';
  return pastAnswers ? (
    <>
      <div className="jp-AIServer-Ask-announcement" role="status">
        {sentence}
      </div>
      {answer && (
        <div
          className="jp-AIServer-Ask-pastAnswer"
          role="group"
          aria-label={trans.__('Your earlier answer')}
        >
          <span aria-hidden="true">{sentence}</span>
          <Actions
            key={`${answer.notebook_id} ${answer.cell_id} ${answer.turn_id}`}
            {...{ answer, trans, showTurn }}
            onExample={() => {
              pastAnswers.useAsExample();
              focus();
            }}
            onInsert={() => void pastAnswers.insert()}
            onDismiss={() => {
              pastAnswers.dismiss();
              focus();
            }}
          />
        </div>
      )}
    </>
  ) : null;
}

function Actions(props: {
  answer: PastAnswer;
  trans: TranslationBundle;
  showTurn?: IPromptRowServices['showTurn'];
  onExample: () => void;
  onInsert: () => void;
  onDismiss: () => void;
}): React.JSX.Element {
  const { answer, trans, showTurn, onExample, onInsert, onDismiss } = props;
  const { path } = answer;
  const [isOpen, setOpen] = React.useState(false);
  return (
    <>
      <Button
        label={isOpen ? trans.__('Hide') : trans.__('Show')}
        run={() => setOpen(!isOpen)}
      />
      <Button
        label={trans.__('Use as example')}
        title={trans.__('Send this answer with your next request')}
        run={onExample}
      />
      <Button
        label={trans.__('Insert')}
        title={trans.__('Write this code into the cell, without a model')}
        run={onInsert}
      />
      <Button label={trans.__('Not now')} quiet run={onDismiss} />
      {isOpen && (
        <div className="jp-AIServer-Ask-pastCode">
          <p>{requestTitle(answer.intent, trans)}</p>
          <pre tabIndex={0}>{answer.code}</pre>
          {showTurn && path && (
            <Button
              label={trans.__('Open in its notebook')}
              title={path}
              quiet
              run={() => showTurn(answer, path)}
            />
          )}
        </div>
      )}
    </>
  );
}

function offerText(answer: PastAnswer, trans: TranslationBundle): string {
  const locale = pickLocale(localeOf(trans), navigator.languages ?? []);
  const { short } = showTime(answer.timestamp, new Date(), locale);
  return trans.__(
    'You did this in %1 (%2): “%3”',
    nameOf(answer, trans),
    short,
    requestTitle(answer.intent, trans).split('\n')[0]
  );
}

function nameOf(answer: PastAnswer, trans: TranslationBundle): string {
  return notebookName(answer) ?? trans.__('another notebook');
}
