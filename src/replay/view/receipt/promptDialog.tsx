/**
 * The dialog “What the model saw”: a turn's prompt, or its changes since another turn. Invariant:
 * the messages are shown as they are stored, never as HTML.
 */
import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { ContextItem, Step, TurnPrompt } from '../../../api/types';
import { countText } from '../../../labels/formats';
import { Messages, messagesText, redactedText } from '../../../prompt/messages';
import { IReceiptProps, itemText, Receipt } from '../../../prompt/receipt';
import { receiptTexts } from '../../../prompt/usageLabels';
import { isRequestOf } from '../../../records/answers';
import type { ICellKey } from '../../../tokens';
import { showView } from '../../../ui/dialogs';
import { Thumbnail } from '../cell/output';
import { StepCode } from '../cell/diffEditor';
import { IReplayContext, ReplayContext, useReplay } from '../context';
import { usePrompt } from '../loaded';
import { Progress } from './receipt';

export async function showPrompt(
  step: Step,
  steps: readonly Step[],
  key: ICellKey,
  context: IReplayContext
): Promise<void> {
  const { trans } = context;
  const view = (
    <ReplayContext value={context}>
      <PromptView step={step} steps={steps} cellKey={key} />
    </ReplayContext>
  );
  await showView(trans.__('What the model saw'), view, trans);
}

function PromptView(props: {
  step: Step;
  steps: readonly Step[];
  cellKey: ICellKey;
}): React.JSX.Element {
  const { step, steps, cellKey } = props;
  const { trans } = useReplay();
  const [otherId, setOtherId] = React.useState<number | null>(null);
  const prompt = usePrompt(cellKey, step.turnId ?? null);
  const other = usePrompt(cellKey, otherId);
  if (!prompt.value) {
    return <Progress failure={prompt.failure} />;
  }
  const { messages } = prompt.value;
  const otherMessages = other.value?.messages;
  return (
    <>
      <PromptHead step={step} prompt={prompt.value} />
      {messages && (
        <TurnMenu
          step={step}
          steps={steps}
          chosen={otherId}
          choose={setOtherId}
        />
      )}
      {other.failure && <Progress failure={other.failure} />}
      {other.value && !otherMessages && (
        <p role="status">{deletedText(trans)}</p>
      )}
      {messages && otherMessages ? (
        <>
          <ReceiptChanges
            before={other.value!.items}
            after={prompt.value.items}
            steps={steps}
          />
          <StepCode
            before={messagesText(otherMessages, trans)}
            code={messagesText(messages, trans)}
            mimeType="text/plain"
            isSplit={false}
            transitionMs={0}
            label={trans.__('What was sent, shown as changes')}
            labelBefore={trans.__('What was sent before')}
          />
        </>
      ) : (
        <WholePrompt step={step} steps={steps} prompt={prompt.value} />
      )}
    </>
  );
}

function PromptHead(props: {
  step: Step;
  prompt: TurnPrompt;
}): React.JSX.Element {
  const { step, prompt } = props;
  const { model, trans } = useReplay();
  const { hidden, masked } = prompt;
  const texts = [
    model.modelInfo(step.model)?.label ?? step.model,
    ...(step.receipt ? receiptTexts(step.receipt, trans) : [])
  ];
  return (
    <>
      <p>{texts.filter(Boolean).join(' · ')}</p>
      {hidden > 0 && <p>{redactedText(hidden, trans)}</p>}
      {masked > 0 && (
        <p>
          {trans._n(
            'The model on this computer also got %1 key or password, which is not stored.',
            'The model on this computer also got %1 keys or passwords, which are not stored.',
            masked
          )}
        </p>
      )}
    </>
  );
}

function TurnMenu(props: {
  step: Step;
  steps: readonly Step[];
  chosen: number | null;
  choose: (turnId: number | null) => void;
}): React.JSX.Element | null {
  const { step, steps, chosen, choose } = props;
  const { trans } = useReplay();
  const others = steps.filter(
    ({ receipt, turnId = 0 }) =>
      receipt?.hasPrompt && turnId < (step.turnId ?? 0)
  );
  return others.length ? (
    <label className="jp-AIServer-Preview-compare">
      {trans.__('Changes since')}
      <select
        value={chosen ?? ''}
        onChange={event => choose(Number(event.target.value) || null)}
      >
        <option value="">{trans.__('(show everything)')}</option>
        {others.map(({ turnId, title }) => (
          <option key={turnId} value={turnId}>
            {trans.__(
              '%1: %2',
              numberOf(turnId!, steps),
              ellipsis(title.trim().split('\n')[0])
            )}
          </option>
        ))}
      </select>
    </label>
  ) : null;
}

function WholePrompt(props: {
  step: Step;
  steps: readonly Step[];
  prompt: TurnPrompt;
}): React.JSX.Element {
  const { step, steps, prompt } = props;
  const { trans } = useReplay();
  const { items, messages } = prompt;
  const receiptProps = useReceiptProps(steps);
  return (
    <>
      <Receipt items={items} {...receiptProps} />
      {messages ? (
        <Messages
          messages={messages}
          trans={trans}
          renderImage={(image, label) => (
            <Thumbnail image={image} label={label} />
          )}
        />
      ) : (
        <p>
          {step.receipt?.hasPrompt
            ? deletedText(trans)
            : trans.__(
                'Only the sizes were stored for this request, not the texts.'
              )}
        </p>
      )}
    </>
  );
}

function useReceiptProps(steps: readonly Step[]): Omit<IReceiptProps, 'items'> {
  const { model, memory, trans } = useReplay();
  const showNote = () => {
    Dialog.flush();
    model.selectedTab = 'notebook';
  };
  return {
    cellNumber: id => model.subject.numberOf(id),
    requestNumber: turnId => numberOf(turnId, steps),
    memory,
    showNote: model.note.isShown ? showNote : undefined,
    trans
  };
}

function deletedText(trans: TranslationBundle): string {
  return trans.__(
    'What was sent for this request is no longer stored. It was deleted together with a memory that it contained, or when stored data was cleaned up. The request and its answer are still here.'
  );
}

/** Return the number of a turn's request among those of the cell, from 1; null if it has none. */
function numberOf(turnId: number, steps: readonly Step[]): number | null {
  const turns = steps.filter(({ kind }) => kind === 'turn');
  return turns.findIndex(turn => isRequestOf(turn, turnId)) + 1 || null;
}

function ellipsis(line: string): string {
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function ReceiptChanges(props: {
  before: readonly ContextItem[];
  after: readonly ContextItem[];
  steps: readonly Step[];
}): React.JSX.Element {
  const { before, after, steps } = props;
  const { trans } = useReplay();
  const receiptProps = useReceiptProps(steps);
  const textOf = (item: ContextItem) => itemText(item, receiptProps);
  const changes = receiptChanges(before, after, textOf);
  if (!changes.length) {
    return <p>{trans.__('The same parts were sent, with the same sizes.')}</p>;
  }
  const size = (tokens: number | undefined) =>
    tokens === undefined ? '–' : countText(tokens, trans);
  return (
    <table className="jp-AIServer-Preview-receipt">
      <thead>
        <tr>
          <th scope="col">{trans.__('Content')}</th>
          <th scope="col">{trans.__('Tokens before')}</th>
          <th scope="col">{trans.__('Tokens')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(change => (
          <tr key={change.text}>
            <th scope="row">{change.text}</th>
            <td>{size(change.before)}</td>
            <td>{size(change.after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/**
 * Return the items whose size in tokens differs; those with the same text count as one. The size is
 * undefined in a prompt without the item.
 */
export function receiptChanges(
  before: readonly ContextItem[],
  after: readonly ContextItem[],
  textOf: (item: ContextItem) => string
) {
  const sizes = (items: readonly ContextItem[]) => {
    const sizeByText = new Map<string, number>();
    for (const item of items.filter(({ included }) => included)) {
      const text = textOf(item);
      const size = (sizeByText.get(text) ?? 0) + (item.tokens ?? 0);
      sizeByText.set(text, size);
    }
    return sizeByText;
  };
  const [old, current] = [sizes(before), sizes(after)];
  return [...new Set([...current.keys(), ...old.keys()])]
    .map(text => ({
      text,
      before: old.get(text),
      after: current.get(text)
    }))
    .filter(change => change.before !== change.after);
}
