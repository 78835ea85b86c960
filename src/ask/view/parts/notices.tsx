/**
 * The prompt row's sentences: failures, the question whether a text is remembered, and notices.
 *
 * Invariants: each warning about the server's store is shown in only one of the page's rows. Text
 * from a model or a server is never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { failureText } from '../../../labels/failureText';
import { joinSentences, sentenceText } from '../../../labels/serverText';
import { costText } from '../../../prompt/usageLabels';
import type { DailyBudget } from '../../../state/dailyBudget';
import { Button, Command } from '../../../ui/button';
import { noticeText, readOnlyText } from '../promptLabels';
import type { IRow } from '../row';

export function Failure(props: { row: IRow }): React.JSX.Element | null {
  const { model, services, trans, focus } = props.row;
  const { failure } = model.state;
  if (!failure) {
    return null;
  }
  const { install, provider, signIn, generationId } = failure;
  const connect = async (name: string) => {
    if (await services.models?.connect(name)) {
      model.clearModelFailure();
    }
    focus();
  };
  return (
    <div className="jp-AIServer-Ask-failure" role="alert">
      <span className="jp-AIServer-Ask-sentence">
        {failureText(failure, trans)}
      </span>
      {install && <Command command={install} trans={trans} />}
      {provider && services.models && (
        <Button
          label={trans.__('Model settings…')}
          run={() => void connect(provider.name)}
        />
      )}
      {signIn && (
        <a
          className="jp-AIServer-Ask-button"
          href={signIn}
          target="_blank"
          rel="noopener"
        >
          {trans.__('Sign in')}
        </a>
      )}
      {generationId ? (
        <Button
          label={trans.__('Stop and ask again')}
          run={() => void model.takeOver()}
        />
      ) : (
        <Button label={trans.__('Try again')} run={() => void model.retry()} />
      )}
    </div>
  );
}

const shownTexts = new Set<string>();

function useStoreNotice(
  texts: readonly string[],
  trans: TranslationBundle
): string {
  const ownTexts = React.useRef(new Set<string>());
  for (const text of texts) {
    if (!shownTexts.has(text)) {
      shownTexts.add(text);
      ownTexts.current.add(text);
    }
  }
  const own = texts.filter(text => ownTexts.current.has(text));
  return joinSentences(...own.map(text => sentenceText(text, trans)));
}

export function Notices(props: { row: IRow }): React.JSX.Element {
  const { model, services, trans } = props.row;
  const { failure, storeNotices = [] } = model.state;
  const storeNotice = useStoreNotice(storeNotices, trans);
  const excess = useExcess(services.budget, model.isBusy);
  const { isReadOnly } = model.target;
  const notices = [
    noticeText(model, trans) ||
      (!failure && ((isReadOnly && readOnlyText(trans)) || storeNotice)),
    excess &&
      trans.__(
        'Today’s requests have cost %1, more than your budget of %2.',
        costText(excess.cost, trans),
        costText(excess.limit, trans)
      )
  ];
  return (
    <>
      {notices.map(
        (notice, index) =>
          notice && (
            <p key={index} className="jp-AIServer-Ask-notice">
              {notice}
            </p>
          )
      )}
    </>
  );
}

/** Return by how much today's costs exceed the budget, after each request. */
function useExcess(budget: DailyBudget | undefined, isBusy: boolean) {
  const [excess, setExcess] = React.useState(budget?.excess);
  React.useEffect(() => {
    const update = () => setExcess(budget?.excess);
    budget?.changed.connect(update);
    return () => void budget?.changed.disconnect(update);
  }, [budget]);
  React.useEffect(() => {
    if (!isBusy) {
      void budget?.update();
    }
  }, [budget, isBusy]);
  return excess;
}

/** If all of the typed text is to be remembered, propose it, clear the field, and return true. */
export async function proposeRequest({
  model,
  setText
}: Pick<IRow, 'model' | 'setText'>): Promise<boolean> {
  const { memory, inputText } = model;
  if (!memory?.isFor(inputText)) {
    return false;
  }
  if (await memory.propose(inputText)) {
    setText(current => (current === inputText ? '' : current));
  }
  return true;
}

/** The question whether a text is remembered, or why it can't be. */
export function RememberBar(props: { row: IRow }): React.JSX.Element | null {
  const { model, trans, focus, canAsk, setText } = props.row;
  const { memory } = model;
  if (!memory) {
    return null;
  }
  const { asked, failure, result } = memory;
  /** Send a request that begins with “remember”, or else put it into the field. */
  const askInstead = async (request: string) => {
    if (!model.isBusy && (await canAsk())) {
      void model.ask(request);
      focus();
    } else {
      setText(current => current || request);
    }
  };
  return (
    <>
      <p className="jp-AIServer-Ask-notice" role="status" hidden={!result}>
        {result}
      </p>
      {failure && (
        <p className="jp-AIServer-Ask-notice" role="alert">
          {failureText(failure, trans)}
        </p>
      )}
      {asked && (
        <React.Fragment key={asked.id}>
          {memory.memory.renderProposal({
            id: asked.id,
            takesFocus: asked.request !== '',
            onEnd: (text, isHere) => {
              memory.end(text);
              if (isHere) {
                focus();
              }
            },
            onAsk: asked.request
              ? () => void askInstead(asked.request)
              : undefined
          })}
        </React.Fragment>
      )}
    </>
  );
}
