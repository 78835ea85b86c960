/**
 * The notices in the prompt row: about the request, the cell, the store and the daily budget.
 *
 * Invariant: each warning about the server's store is shown in only one of the page's rows.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { joinSentences, sentenceText } from '../../labels/serverText';
import { costText } from '../../prompt/usageLabels';
import type { DailyBudget } from '../../state/dailyBudget';
import type { GenerationModel } from '../model/generation';
import { noticeText, readOnlyText } from './promptLabels';
import type { IPromptRowServices } from './promptServices';

/** The warnings that rows of this page show or have shown. */
const shownTexts = new Set<string>();

/**
 * Return those warnings of `texts` that this row shows, as one text. The row shows a warning only
 * if no other row has shown it before.
 */
function useStoreNotice(
  texts: readonly string[],
  trans: TranslationBundle
): string {
  const textsOfThisRow = React.useRef(new Set<string>());
  for (const text of texts) {
    if (!shownTexts.has(text)) {
      shownTexts.add(text);
      textsOfThisRow.current.add(text);
    }
  }
  return joinSentences(
    ...texts
      .filter(text => textsOfThisRow.current.has(text))
      .map(text => sentenceText(text, trans))
  );
}

export function Notices(props: {
  model: GenerationModel;
  services: IPromptRowServices;
}): React.JSX.Element {
  const { model, services } = props;
  const { state } = model;
  const { trans, budget } = services;
  const storeNotice = useStoreNotice(state.storeNotices ?? [], trans);
  const notice =
    noticeText(model, trans) ||
    (model.target.isReadOnly && !state.failure ? readOnlyText(trans) : '') ||
    (state.failure ? '' : storeNotice);
  return (
    <>
      {notice && <p className="jp-AIServer-Ask-notice">{notice}</p>}
      {budget && (
        <BudgetNotice budget={budget} isBusy={model.isBusy} trans={trans} />
      )}
    </>
  );
}

/** The line that warns when today’s requests have cost more than the person’s budget. */
function BudgetNotice(props: {
  budget: DailyBudget;
  /** Whether a request is running. The cost is compared again when it has ended. */
  isBusy: boolean;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { budget, isBusy, trans } = props;
  const [excess, setExcess] = React.useState(budget.excess);
  React.useEffect(() => {
    const update = () => setExcess(budget.excess);
    budget.changed.connect(update);
    return () => {
      budget.changed.disconnect(update);
    };
  }, [budget]);
  React.useEffect(() => {
    if (!isBusy) {
      void budget.update();
    }
  }, [budget, isBusy]);
  return excess ? (
    <p className="jp-AIServer-Ask-notice">
      {trans.__(
        'Today’s requests have cost %1, more than your budget of %2.',
        costText(excess.cost, trans),
        costText(excess.limit, trans)
      )}
    </p>
  ) : null;
}
