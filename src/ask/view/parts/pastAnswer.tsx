/**
 * The offer of a past answer, below the buttons, which don't move when it appears. Texts of other
 * notebooks are never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PastAnswer } from '../../../api/types';
import { localeOf, pickLocale } from '../../../labels/formats';
import { requestTitle } from '../../../labels/requestTitle';
import { showTime } from '../../../labels/time';
import { Button } from '../../../ui/button';
import { notebookName } from '../../model/context/mentions';
import type { IRow } from '../row';

export function PastAnswerOffer(props: {
  row: IRow;
}): React.JSX.Element | null {
  const { model, text, trans } = props.row;
  const { pastAnswers } = model;
  React.useEffect(() => pastAnswers?.onText(text), [pastAnswers, text]);
  if (!pastAnswers) {
    return null;
  }
  const { answer } = pastAnswers;
  const sentence = answer ? offerText(answer, trans) : '';
  return (
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
            answer={answer}
            row={props.row}
          />
        </div>
      )}
    </>
  );
}

function Actions(props: { answer: PastAnswer; row: IRow }): React.JSX.Element {
  const { answer, row } = props;
  const { model, services, trans, focus } = row;
  const { showTurn } = services;
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
        run={() => {
          model.pastAnswers?.useAsExample();
          focus();
        }}
      />
      <Button
        label={trans.__('Insert')}
        title={trans.__('Write this code into the cell, without a model')}
        run={() => void model.pastAnswers?.insert()}
      />
      <Button
        label={trans.__('Not now')}
        quiet
        run={() => {
          model.pastAnswers?.dismiss();
          focus();
        }}
      />
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
    notebookText(answer, trans),
    short,
    requestTitle(answer.intent, trans).split('\n')[0]
  );
}

export function notebookText(answer: PastAnswer, trans: TranslationBundle) {
  return notebookName(answer) ?? trans.__('another notebook');
}
