/**
 * The section of the cell tab in which requests are asked again: the form, the progress, the table.
 */
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { failureText } from '../../../labels/failureText';
import { labelText } from '../../../labels/serverText';
import { IconButton } from '../../../ui/iconButton';
import type { IAgainForm } from '../../model/again/askAgain';
import type { AgainRun } from '../../model/again/run';
import { LinkButton, TextButton } from '../buttons';
import { useReplay } from '../context';
import { AgainTable } from './table';

export function AskAgainSection(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  const { again } = model;
  const { form, run, table } = again;
  const section = React.useRef<HTMLElement>(null);
  const isOpen = !!(form || table);
  React.useLayoutEffect(() => {
    if (isOpen && again.isFocusRequested) {
      again.isFocusRequested = false;
      section.current?.querySelector<HTMLElement>('[data-focus]')?.focus();
    }
  });
  if (!isOpen) {
    return null;
  }
  const close = () => {
    // Move the focus to the menu that opens the form, because this section disappears.
    const stage = section.current?.parentElement;
    stage?.querySelector<HTMLElement>('.jp-AIServer-Replay-more')?.focus();
    again.close();
  };
  return (
    <section
      ref={section}
      className="jp-AIServer-Replay-again"
      aria-labelledby="jp-AIServer-Replay-againTitle"
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          if (run?.phase === 'running') {
            again.stop();
          } else {
            close();
          }
        }
      }}
    >
      <header>
        <h3 id="jp-AIServer-Replay-againTitle">
          {trans.__('Ask the history again')}
        </h3>
        <IconButton
          icon={closeIcon}
          label={trans.__('Close')}
          disabled={run?.phase === 'running'}
          onClick={close}
        />
      </header>
      {form && <Form form={form} close={close} />}
      {run && <Progress run={run} close={close} />}
      {table && (
        <AgainTable
          rows={table.rows}
          findings={table.findings}
          askedRow={
            run?.phase === 'running'
              ? table.rows.findIndex(({ turnId }) => turnId === null)
              : -1
          }
          modelName={run ? labelText(run.options.model.label, trans) : ''}
        />
      )}
    </section>
  );
}

function Form(props: {
  form: IAgainForm;
  close: () => void;
}): React.JSX.Element {
  const { form, close } = props;
  const { model, trans } = useReplay();
  const { again } = model;
  const count = again.requests.length;
  return (
    <>
      <p>
        {count
          ? trans._n(
              '%1 request led to this version. Its new answer becomes a branch of the history; the cell stays as it is.',
              '%1 requests led to this version. They are asked one after the other. The new answers become a branch of the history; the cell stays as it is.',
              count
            )
          : trans.__(
              'No request led to this version. Choose the step of a request or a later one.'
            )}
      </p>
      <div className="jp-AIServer-Replay-againChoice">
        <TextButton
          data-focus
          aria-haspopup="menu"
          onClick={event => {
            const { left, bottom } =
              event.currentTarget.getBoundingClientRect();
            again.pickModel(left, bottom);
          }}
        >
          {form.model
            ? trans.__('Model: %1', labelText(form.model.label, trans))
            : trans.__('Choose a model…')}
        </TextButton>
        {again.canRun && (
          <label>
            <input
              type="checkbox"
              checked={form.runsCode}
              onChange={event => again.setRunsCode(event.target.checked)}
            />
            {trans.__('Run each answer')}
          </label>
        )}
      </div>
      {form.runsCode && again.canRun && (
        <p>
          {trans.__(
            'The code cells above run again in a fresh kernel, and so does each answer; they may write files.'
          )}
        </p>
      )}
      {again.isRunning && (
        <p role="status">
          {trans.__('The requests of another cell are being asked again.')}{' '}
          <LinkButton onClick={() => again.stop()}>
            {trans.__('Stop')}
          </LinkButton>
        </p>
      )}
      <div className="jp-AIServer-Replay-againButtons">
        <TextButton
          className="jp-mod-primary"
          aria-disabled={!again.canStart || undefined}
          title={
            count && !form.model ? trans.__('Choose a model first.') : undefined
          }
          onClick={() => {
            if (again.canStart) {
              again.requestFocus();
              void again.start();
            }
          }}
        >
          {trans._n('Ask %1 request', 'Ask %1 requests', count)}
        </TextButton>
        <TextButton onClick={close}>{trans.__('Cancel')}</TextButton>
      </div>
    </>
  );
}

function Progress(props: {
  run: AgainRun;
  close: () => void;
}): React.JSX.Element {
  const { run, close } = props;
  const { model, trans } = useReplay();
  const { again } = model;
  const { phase, failure, notice, rows } = run;
  const count = rows.filter(({ turnId }) => turnId !== null).length;
  const total = rows.length;
  const name = labelText(run.options.model.label, trans);
  const notices = {
    busy: trans.__(
      'The cell is waiting for an answer or running. Continue when it has finished.'
    ),
    no_kernel: trans.__(
      'No fresh kernel could be started, so the answers aren’t run.'
    ),
    cells_failed: trans.__(
      'A cell above failed in the fresh kernel, so the answers may fail, too.'
    ),
    too_slow: trans.__(
      'The fresh kernel ended because a cell took longer than a minute, so no further answers are run.'
    )
  };
  // The button is always the same element, so that it keeps the focus.
  const proceed = () => void again.proceed();
  const [label, onClick] = {
    running: [trans.__('Stop'), () => again.stop()] as const,
    failed: [trans.__('Continue'), proceed] as const,
    stopped: [trans.__('Continue'), proceed] as const,
    done: [trans.__('Close'), close] as const
  }[phase];
  return (
    <>
      <p role="status">
        {
          {
            running: trans.__('%1: request %2 of %3…', name, count + 1, total),
            done: trans.__('%1 has answered all requests.', name),
            failed: trans.__('%1 of %2 answered', count, total),
            stopped: trans.__('%1 of %2 answered', count, total)
          }[phase]
        }
      </p>
      {failure && (
        <p className="jp-AIServer-Replay-problem" role="alert">
          {failureText(failure, trans)}
        </p>
      )}
      {notice && <p role="alert">{notices[notice]}</p>}
      <div className="jp-AIServer-Replay-againButtons">
        <TextButton data-focus onClick={onClick}>
          {label}
        </TextButton>
      </div>
    </>
  );
}
