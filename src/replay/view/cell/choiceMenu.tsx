import React from 'react';

import type { Step } from '../../../api/types';
import type { IShownStep } from '../../../records/fold';
import { runOutcome, stepAuthor } from '../../../labels/stepLabels';
import { showTime } from '../../../labels/time';
import { useReplay } from '../context';

/** A menu of options with an id and texts; null if there are fewer than two. */
function ChoiceMenu(props: {
  label: string;
  options: readonly (readonly [id: number, ...texts: string[]])[];
  chosen: number | undefined;
  choose: (id: number) => void;
}): React.JSX.Element | null {
  const { label, options, chosen, choose } = props;
  const { trans } = useReplay();
  return options.length < 2 ? null : (
    <select
      className="jp-AIServer-Replay-choices"
      aria-label={label}
      title={label}
      value={chosen}
      onChange={event => choose(Number(event.target.value))}
    >
      {options.map(([id, ...texts], index) => (
        <option key={id} value={id}>
          {[trans.__('%1 of %2', index + 1, options.length), ...texts].join(
            ' · '
          )}
        </option>
      ))}
    </select>
  );
}

export function RunMenu(props: {
  runs: readonly Step[];
  run: Step;
  chooseRun: (seq: number) => void;
}): React.JSX.Element {
  const { locale, now, trans } = useReplay();
  const timeText = ({ timestamp }: Step) => {
    const { short, clock } = showTime(timestamp, now, locale);
    return short === clock ? clock : `${short} ${clock}`.trim();
  };
  return (
    <ChoiceMenu
      label={trans.__('Runs of this version')}
      options={props.runs.map(
        run => [run.seq, timeText(run), runOutcome(run, trans).text] as const
      )}
      chosen={props.run.seq}
      choose={props.chooseRun}
    />
  );
}

export function AttemptMenu(props: { step: IShownStep }): React.JSX.Element {
  const { step } = props;
  const { model: replay, trans } = useReplay();
  const outcomes: Record<string, string> = {
    error: trans.__('failed'),
    cancelled: trans.__('stopped')
  };
  return (
    <ChoiceMenu
      label={trans.__('Answers to this request')}
      options={(step.attempts ?? []).map(({ turnId = 0, model, outcome }) => {
        const info = replay.modelInfo(model);
        const { name } = stepAuthor({ ...step, model }, info, trans);
        const text = outcomes[outcome];
        return [turnId, name, ...(text ? [text] : [])] as const;
      })}
      chosen={step.turnId}
      choose={turnId => replay.steps.showAttempt(step, turnId)}
    />
  );
}
