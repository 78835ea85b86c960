/** The notebook tab, with the timeline and the notebook after the current moment. */
import React from 'react';

import type { Moment } from '../../../api/types';
import { roughDuration } from '../../../labels/formats';
import { cellName } from '../../../labels/cellNames';
import { Chip, LinkButton, PlayButtons, TextButton, When } from '../buttons';
import { useReplay } from '../context';
import { EmptyView, NoNotebook } from '../empty';
import { stepOutcome } from '../../../labels/stepLabels';
import { MomentCells } from './momentCells';
import { momentDot, momentTitle } from '../../../labels/momentLabels';
import { NoteView } from './noteView';
import { Overview } from './overview';
import { Authorship } from './authorship';
import { Briefing } from './briefing';
import { RestoreButton } from './restoreDialog';
import { UsageSummary } from '../receipt/receipt';
import { Scrubber } from './scrubber';
import { dotClass } from '../slider';
import { showTime } from '../../../labels/time';

const MINUTE_MS = 60_000;

export function NotebookView(): React.JSX.Element {
  const { model, agents, now, locale, trans } = useReplay();
  const { timeline, overview, subject } = model;
  const { rows, isLoading, error } = overview;
  if (!rows.length && !timeline.moments.length) {
    return <NoNotebook />;
  }
  const { moments, report } = timeline;
  const hasNoHistory =
    !isLoading &&
    error === null &&
    !moments.length &&
    rows.every(row => !row.summary);
  return (
    <div
      className="jp-AIServer-Replay-notebook"
      aria-busy={timeline.isLoading || undefined}
    >
      <Briefing />
      {hasNoHistory && (
        <EmptyView
          title={trans.__('No history yet')}
          text={trans.__(
            'After your first request, every change to the notebook is saved, and you can go back to any point here.'
          )}
          showsAskButton
          showsFirstStepsButton
        />
      )}
      {agents &&
        subject.notebookId &&
        agents.renderRuns({
          ...{ notebookId: subject.notebookId, now, locale },
          numberOf: cellId => subject.numberOf(cellId),
          goTo: cellId => void subject.goTo(cellId),
          find: query => {
            model.search.query = query;
            model.selectedTab = 'search';
          }
        })}
      <NoteView />
      {report && <Authorship report={report} />}
      <UsageSummary />
      {moments.length > 0 && <TimelineControls />}
      <Cells />
    </div>
  );
}

/** The notebook at the current moment; at "now", the overview. */
function Cells(): React.JSX.Element | null {
  const { model } = useReplay();
  const { timeline, overview, subject } = model;
  const { rows } = overview;
  const { isNow, moment, snapshot } = timeline;
  const { canUndelete } = subject;
  const currentCellIds = React.useMemo(
    () => new Set(rows.filter(row => row.cell).map(row => row.cellId)),
    [rows]
  );
  if (isNow) {
    const { acceptedRequests: requests } = timeline;
    return (
      <Overview rows={rows} requests={requests} canUndelete={canUndelete} />
    );
  }
  return moment && snapshot ? (
    <MomentCells
      snapshot={snapshot}
      tone={momentDot(moment)}
      codeMimeType={subject.codeMimeType}
      currentCellIds={currentCellIds}
      canUndelete={canUndelete}
    />
  ) : null;
}

function TimelineControls(): React.JSX.Element {
  const { model, trans, now, locale } = useReplay();
  const { timeline } = model;
  const { player, moments, position, moment, isNow } = timeline;
  const count = moments.length;
  const positionText = trans.__('Change %1 of %2', position + 1, count);
  const time = moment ? showTime(moment.timestamp, now, locale).short : '';
  const valueText = moment
    ? trans.__(
        '%1: %2, %3',
        positionText,
        momentTitle(moment, trans, now, locale),
        time
      )
    : trans.__('Now');
  return (
    <section
      className="jp-AIServer-Replay-time"
      aria-label={trans.__('Notebook timeline')}
    >
      <Scrubber valueText={valueText} />
      <div className="jp-AIServer-Replay-controls">
        <PlayButtons
          player={player}
          previousLabel={trans.__('Previous change')}
          nextLabel={trans.__('Next change')}
        />
        <span className="jp-AIServer-Replay-count">
          {isNow ? '' : trans.__('%1 of %2', position + 1, count)}
        </span>
        <RestoreButton />
        <TextButton aria-pressed={isNow} onClick={() => player.goTo(count)}>
          {trans.__('Now')}
        </TextButton>
      </div>
      {moment ? <MomentHead moment={moment} /> : <NowHead />}
    </section>
  );
}

/** The description of "now". It is as high as `MomentHead`, so that the list below doesn't move. */
function NowHead(): React.JSX.Element {
  const { model, trans, now } = useReplay();
  const { moments } = model.timeline;
  const durationMs = now.getTime() - Date.parse(moments[0].timestamp);
  return (
    <div className="jp-AIServer-Replay-moment">
      <i className="jp-AIServer-Replay-dot jp-mod-now" />
      <span className="jp-AIServer-Replay-title">
        {trans.__('Current notebook')}
      </span>
      <span className="jp-AIServer-Replay-by">
        {durationMs >= MINUTE_MS
          ? trans._n(
              '%1 change in the last %2',
              '%1 changes in the last %2',
              moments.length,
              roughDuration(durationMs, trans)
            )
          : trans._n('%1 change', '%1 changes', moments.length)}
      </span>
    </div>
  );
}

function MomentHead(props: { moment: Moment }): React.JSX.Element {
  const { moment } = props;
  const { model, trans, now, locale } = useReplay();
  const { snapshot } = model.timeline;
  const chip = stepOutcome(moment, trans);
  const title = momentTitle(moment, trans, now, locale);
  // The position is that in the moment's snapshot, once it is loaded.
  const isSnapshotLoaded = snapshot?.index === moment.index;
  const cellIndex = isSnapshotLoaded
    ? snapshot.cells.findIndex(cell => cell.cellId === moment.cellId)
    : -1;
  const { cellId } = moment;
  return (
    <div className="jp-AIServer-Replay-moment">
      <i className={dotClass(momentDot(moment))} />
      <span className="jp-AIServer-Replay-title" title={title}>
        {title}
      </span>
      <span className="jp-AIServer-Replay-by">
        {chip && <Chip tone={chip.tone}>{chip.text}</Chip>}
        {cellId !== null && (
          <LinkButton
            title={trans.__('Show this cell’s history up to this point')}
            onClick={() => void model.showStep(cellId, { step: moment.step })}
          >
            {isSnapshotLoaded
              ? cellName(cellIndex + 1 || null, trans)
              : trans.__('Cell')}
          </LinkButton>
        )}
        <When time={moment.timestamp} />
        {moment.saved && <span>{trans.__('saved')}</span>}
      </span>
    </div>
  );
}
