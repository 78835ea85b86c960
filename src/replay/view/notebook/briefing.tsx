/**
 * The card “Last time”, at the top of the notebook tab. No model words it: it shows the requests in
 * the person's own words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { closeIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { cellName } from '../../../labels/cellNames';
import { requestTitle } from '../../../labels/requestTitle';
import { stepOutcome } from '../../../labels/stepLabels';
import { showDay } from '../../../labels/time';
import { IconButton } from '../../../ui/iconButton';
import type { IBriefing, IBriefingItem } from '../../model/notebook/briefing';
import { Chip } from '../buttons';
import { useReplay } from '../context';

/** The maximum number of lines, and how many of them are for what is unfinished. */
const MAX_LINES = 5;
const MAX_UNFINISHED_LINES = 3;

export function Briefing(): React.JSX.Element | null {
  const { model, trans, now, locale } = useReplay();
  const heading = React.useRef<HTMLHeadingElement>(null);
  const card = model.briefing;
  React.useEffect(() => {
    if (heading.current && card.isFocusRequested) {
      card.isFocusRequested = false;
      heading.current.focus();
    }
  });
  if (!card.isShown(now)) {
    return null;
  }
  const briefing = card.find(now);
  const close = () => {
    card.close(now);
    // The button with the focus disappears, so focus the selected tab.
    document.getElementById('jp-AIServer-Replay-notebook')?.focus();
  };
  return (
    <section
      className="jp-AIServer-Replay-briefing"
      aria-labelledby="jp-AIServer-Replay-briefing"
    >
      <div>
        <h3 id="jp-AIServer-Replay-briefing" ref={heading} tabIndex={-1}>
          {briefing
            ? trans.__('Last time: %1', showDay(briefing.end, now, locale))
            : trans.__('Last time')}
        </h3>
        <IconButton
          icon={closeIcon}
          label={trans.__('Close')}
          className="jp-AIServer-Replay-toggle"
          onClick={close}
        />
      </div>
      {briefing ? (
        <Content briefing={briefing} />
      ) : (
        <p>
          {card.hasHistory
            ? trans.__(
                'You started working here today. Come back another day to see here what you did.'
              )
            : trans.__(
                'This notebook has no history yet. Once you have asked for code, you can see here what you did.'
              )}
        </p>
      )}
    </section>
  );
}

function Content({ briefing }: { briefing: IBriefing }): React.JSX.Element {
  const { trans } = useReplay();
  const { unfinished, unfinishedCount, finished, finishedCount } = briefing;
  const unfinishedLines = unfinished.slice(0, MAX_UNFINISHED_LINES);
  const finishedLines = finished.slice(0, MAX_LINES - unfinishedLines.length);
  return (
    <>
      {unfinishedCount > 0 && (
        <Lines
          items={unfinishedLines}
          label={trans.__('Not finished')}
          moreCount={unfinishedCount - unfinishedLines.length}
        />
      )}
      {finishedCount > 0 && (
        <Lines
          items={finishedLines}
          label={trans.__('Requests')}
          moreCount={finishedCount - finishedLines.length}
        />
      )}
      <p>{changesText(briefing, trans)}</p>
    </>
  );
}

function Lines(props: {
  items: readonly IBriefingItem[];
  label: string;
  moreCount: number;
}): React.JSX.Element {
  const { items, label, moreCount } = props;
  const { model, trans } = useReplay();
  return (
    <>
      <h4>{label}</h4>
      <ul aria-label={label}>
        {items.map(({ title, moment }) => {
          const { cellId, step } = moment;
          const chip = stepOutcome(moment, trans);
          const name = cellName(model.subject.numberOf(cellId), trans);
          const text =
            moment.kind === 'run'
              ? trans.__('The last run')
              : requestTitle(title, trans);
          return (
            <li key={moment.index}>
              <button
                type="button"
                title={text}
                onClick={() => void model.showStep(cellId, { step })}
              >
                <span>{text}</span> <span>{name}</span>{' '}
                {chip && <Chip tone={chip.tone}>{chip.text}</Chip>}
              </button>
            </li>
          );
        })}
      </ul>
      {moreCount > 0 && (
        <p>{trans._n('and %1 more', 'and %1 more', moreCount)}</p>
      )}
    </>
  );
}

/** Return how many cells were changed: “2 cells edited by hand · 1 added”; '' if there are none. */
function changesText(briefing: IBriefing, trans: TranslationBundle): string {
  const { editedCount, addedCount, deletedCount, runCount } = briefing;
  return [
    editedCount &&
      trans._n(
        '%1 cell edited by hand',
        '%1 cells edited by hand',
        editedCount
      ),
    addedCount && trans._n('%1 cell added', '%1 cells added', addedCount),
    deletedCount &&
      trans._n('%1 cell deleted', '%1 cells deleted', deletedCount),
    runCount && trans._n('%1 cell run', '%1 cells run', runCount)
  ]
    .filter(Boolean)
    .join(' · ');
}
