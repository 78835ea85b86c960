/**
 * The buttons of the prompt row, a generation's progress, the row's model, and the open request.
 * Text from a model or a server is never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import * as React from 'react';

import { contributorName } from '../../labels/contributorLabels';
import { durationText } from '../../labels/formats';
import { requestTitle } from '../../labels/requestTitle';
import { labelText, removeChineseSpaces } from '../../labels/serverText';
import { unsupportedNote } from '../../prompt/checkedText';
import { isForbidden } from '../../state/features';
import { Button, CopyButton } from '../../ui/button';
import { askIcon } from '../../ui/icons';
import { TextField, ignoreRepeatedKey } from '../../ui/textField';
import { isProposal } from '../model/answers';
import { type IGenerationState, requestNumber } from '../model/state';
import type { IRow } from './row';

export function RequestNumber(props: { row: IRow }): React.JSX.Element | null {
  const { model, trans } = props.row;
  const number = requestNumber(model.state);
  return number ? (
    <span className="jp-AIServer-Ask-turn">
      {trans.__('Request %1', number)}
    </span>
  ) : null;
}

export function RequestLine(props: { row: IRow }): React.JSX.Element {
  const { model, trans } = props.row;
  const { intent, isRemedy } = model.state;
  const agent = model.suggestion?.agent;
  const title = requestTitle(intent, trans);
  const by = contributorName({ author: 'agent', name: agent }, trans);
  return (
    <div className="jp-AIServer-Ask-request">
      <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
      <span className="jp-AIServer-Ask-intent" title={intent}>
        {agent === undefined ? title : `${by} · ${title}`}
      </span>
      {!isRemedy && <RequestNumber row={props.row} />}
    </div>
  );
}

interface IRowProps {
  row: Pick<IRow, 'model' | 'trans' | 'text' | 'focus'>;
}

interface IActionsProps extends IRowProps {
  send: () => void;
  children?: React.ReactNode;
}

export function Actions(props: IActionsProps): React.JSX.Element {
  const { model, trans } = props.row;
  const { state } = model;
  if (model.isBusy) {
    return (
      <>
        <Button label={trans.__('Stop')} keys="Esc" run={() => model.stop()} />
        <Progress key={state.requestTime} state={state} trans={trans} />
      </>
    );
  }
  switch (state.phase) {
    case 'suggested':
      return <SuggestionActions {...props} />;
    case 'answered':
      return <AnswerActions {...props} />;
    default:
      return <RequestActions {...props} />;
  }
}

function SuggestionActions({ row }: IRowProps): React.JSX.Element {
  const { model, trans } = row;
  const { decision, isOffered, state, target } = model;
  const isOfAgent = model.suggestion?.agent !== undefined;
  // What can't be saved or written into the cell can be copied.
  const needsCopy =
    target.isReadOnly || state.saveError || state.notice === 'not_written';
  return (
    <>
      {isOffered ? (
        <AcceptButton row={row} />
      ) : (
        <RetryButton row={row} isPrimary />
      )}
      <Button
        label={trans.__('Reject')}
        keys="Esc"
        run={() => void decision.reject()}
      />
      {isOfAgent && <RejectReason row={row} />}
      {isOffered && <RunButton row={row} />}
      {needsCopy && <CopyButton text={state.code} trans={trans} />}
      {isOffered && !state.isRemedy && <RetryButton row={row} />}
      {decision.isRevised && (
        <Button
          label={trans.__('Restore the original suggestion')}
          run={() => decision.restore()}
        />
      )}
    </>
  );
}

/** In characters. */
const MAX_REASON = 500;

function RejectReason({ row }: IRowProps): React.JSX.Element {
  const { model, trans, focus } = row;
  const [text, setText] = React.useState<string | null>(null);
  if (text === null) {
    return (
      <Button
        label={trans.__('Reject with reason…')}
        title={trans.__('Reject it, and tell the agent why')}
        run={() => setText('')}
      />
    );
  }
  const close = () => {
    setText(null);
    focus();
  };
  const reject = () => void model.decision.reject(text.trim());
  const label = trans.__('Reason (optional)');
  return (
    <div
      className="jp-AIServer-Ask-reason"
      role="group"
      aria-label={label}
      onKeyDownCapture={ignoreRepeatedKey}
    >
      <TextField
        label={label}
        placeholder={trans.__('Why? The agent can read it.')}
        text={text}
        takesFocus
        onText={typed =>
          setText(typed.replace(/\n/g, ' ').slice(0, MAX_REASON))
        }
        onSave={reject}
        onCancel={close}
      />
      <Button label={trans.__('Reject')} keys="⏎" run={reject} />
      <Button label={trans.__('Cancel')} keys="Esc" run={close} />
    </div>
  );
}

function AcceptButton({ row }: IRowProps): React.JSX.Element {
  const { model, trans, text } = row;
  return (
    <Button
      label={trans.__('Accept')}
      // In a field with text, Shift+Enter inserts a line break.
      keys={text.trim() ? keyNames('Accel Enter') : '⇧⏎'}
      primary
      disabled={model.state.isChecking}
      run={() => void model.decision.accept()}
    />
  );
}

function RunButton({ row }: IRowProps): React.JSX.Element | null {
  const { model, trans } = row;
  return model.target.cellType === 'code' && !isForbidden('running') ? (
    <Button
      label={trans.__('Accept and run')}
      keys={keyNames('Alt Enter')}
      title={trans.__('Accept the suggestion and run the cell.')}
      disabled={model.state.isChecking}
      run={() => void model.decision.acceptAndRun()}
    />
  ) : null;
}

/** Asks the same model again; none for a proposal, which no model made. */
function RetryButton(
  props: IRowProps & { isPrimary?: boolean }
): React.JSX.Element | null {
  const { row, isPrimary } = props;
  const { model, trans } = row;
  return isProposal(model.suggestion) ? null : (
    <Button
      label={isPrimary ? trans.__('Try again') : trans.__('Regenerate')}
      title={trans.__('Ask the model for another answer')}
      primary={isPrimary}
      disabled={model.state.isChecking}
      run={() => void model.retry()}
    />
  );
}

function AnswerActions({ row, children }: IActionsProps): React.JSX.Element {
  const { model, trans } = row;
  const { explanation } = model.state;
  const note = () => unsupportedNote(explanation, model.handedOutput, trans);
  return (
    <>
      <Button
        label={trans.__('Insert below')}
        title={trans.__('Insert the answer as a Markdown cell below')}
        primary
        disabled={model.target.isReadOnly}
        run={() => model.insertAnswer(note())}
      />
      <CopyButton text={explanation} trans={trans} />
      <CloseButton row={row} />
      <Button label={trans.__('Regenerate')} run={() => void model.retry()} />
      {children}
    </>
  );
}

function RequestActions(props: IActionsProps): React.JSX.Element {
  const { row, send, children } = props;
  return (
    <>
      <Button
        label={row.trans.__('Ask')}
        keys="⏎"
        primary={row.model.state.failure?.code !== 'no_model'}
        disabled={!row.text.trim()}
        run={send}
      />
      <CloseButton row={row} />
      {children}
    </>
  );
}

function CloseButton({ row }: Pick<IActionsProps, 'row'>): React.JSX.Element {
  const { model, trans, text } = row;
  return (
    <Button
      label={trans.__('Close')}
      keys="Esc"
      run={() => model.close(text)}
    />
  );
}

/** As the platform writes them, such as Ctrl+⏎ or ⌘⏎. */
function keyNames(keys: string): string {
  return CommandRegistry.formatKeystroke(keys).replace('Enter', '⏎');
}

function Progress(props: {
  state: IGenerationState;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { state, trans } = props;
  const { phase, requestTime, nextAttemptTime } = state;
  const [now, setNow] = React.useState(() => performance.now());
  React.useEffect(() => {
    const timer = window.setInterval(() => setNow(performance.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - requestTime) / 1000));
  const remaining = Math.ceil((nextAttemptTime - now) / 1000);
  const info = state.askedModel ?? state.model;
  const name = info ? labelText(info.label, trans) : trans.__('the model');
  const hasTime = phase !== 'running' && seconds > 0 && remaining <= 0;
  return (
    <span className="jp-AIServer-Ask-progress" aria-hidden="true">
      <span className="jp-AIServer-Ask-dots" />
      {phase === 'running'
        ? trans.__('Running…')
        : phase === 'streaming'
          ? trans.__('Writing…')
          : waitingText(name, seconds, remaining, trans)}
      {phase !== 'running' && (
        <span className="jp-AIServer-Ask-seconds">
          {hasTime ? durationText(seconds * 1000, trans) : ''}
        </span>
      )}
    </span>
  );
}

function waitingText(
  name: string,
  seconds: number,
  remaining: number,
  trans: TranslationBundle
): string {
  if (remaining > 0) {
    const wait = durationText(remaining * 1000, trans);
    return removeChineseSpaces(
      trans.__('%1 can’t answer now. Retrying in %2…', name, wait)
    );
  }
  return removeChineseSpaces(
    seconds >= 20
      ? trans.__(
          'Still waiting for %1. The first answer can take half a minute…',
          name
        )
      : trans.__('Waiting for %1…', name)
  );
}

/** If models can be chosen, a button that opens their menu. */
export function ModelChoice(props: { row: IRow }): React.JSX.Element | null {
  const { model, services, trans, focus } = props.row;
  const { models } = services;
  const { cellModel, isChecking, model: info, phase } = model.state;
  if (!info) {
    return null;
  }
  const title = info.onThisMachine
    ? trans.__(
        'Your request and the code sent with it stay on the Jupyter server’s machine.'
      )
    : trans.__(
        'Your request is sent to this provider, with the code, and the names and types of your data. Outputs and values only if you select them.'
      );
  const className =
    'jp-AIServer-Ask-model' + (info.onThisMachine ? '' : ' jp-mod-remote');
  const text = [
    labelText(info.label, trans),
    info.onThisMachine ? trans.__('on this computer') : trans.__('remote'),
    ...(cellModel === null ? [] : [trans.__('this cell only')])
  ].join(' · ');
  if (!models) {
    return (
      <span className={className} title={title}>
        {text}
      </span>
    );
  }
  const askAnother = (id: string) => {
    void model.decision.askAnother(id);
    focus();
  };
  return (
    <button
      type="button"
      className={`${className} jp-AIServer-Ask-button jp-mod-quiet`}
      title={title}
      aria-label={trans.__('Model: %1', text)}
      aria-haspopup="menu"
      onClick={event => {
        const { left: x, bottom: y } =
          event.currentTarget.getBoundingClientRect();
        const isOffered = phase === 'suggested' && !isChecking;
        focus(); // The field gets the focus back when the menu closes.
        models.pick({
          x,
          y,
          cellModel,
          chooseForCell: id => model.setCellModel(id),
          askAnother: isOffered ? askAnother : undefined
        });
      }}
    >
      <span>{text}</span>
      <caretDownEmptyIcon.react tag="span" width="14px" />
    </button>
  );
}

export function MoreButton(props: { row: IRow }): React.JSX.Element {
  const { services, trans, focus } = props.row;
  const label = trans.__('More');
  return (
    <button
      type="button"
      className="jp-AIServer-Ask-button jp-mod-quiet"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      onClick={event => {
        const { left, bottom } = event.currentTarget.getBoundingClientRect();
        focus(); // The field gets the focus back when the menu closes.
        services.openMenu(left, bottom);
      }}
    >
      ⋯
    </button>
  );
}
