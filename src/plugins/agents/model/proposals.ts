/**
 * Shows the proposals of agents in the rows of their cells.
 *
 * Invariant: a proposal that arrives never disturbs the person. Its row opens once its notebook is
 * visible and the person isn't typing in the cell.
 */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { RunSummary } from '../../../api/types';
import type { IPromptRows } from '../../../tokens';

export class Proposals {
  constructor(
    private readonly _rows: Pick<IPromptRows, 'showProposal' | 'acceptAnswer'>,
    tracker: Pick<INotebookTracker, 'currentChanged'>
  ) {
    tracker.currentChanged.connect(
      (_, panel) => panel && this._showArrived(panel),
      this
    );
  }

  /** Show a proposal that has arrived, now or later. */
  add(panel: NotebookPanel, cellId: string): void {
    let arrived = this._arrived.get(panel);
    if (!arrived) {
      arrived = new Set();
      this._arrived.set(panel, arrived);
      const { content } = panel;
      content.activeCellChanged.connect(() => this._showArrived(panel), this);
      content.stateChanged.connect(() => this._showArrived(panel), this);
    }
    arrived.add(cellId);
    this._showArrived(panel);
  }

  /**
   * Select the next cell below the active one, or else from the top, in which a proposal of these
   * runs waits, and focus its row. Resolves to false if there is none.
   */
  async showNext(
    panel: NotebookPanel,
    runs: readonly RunSummary[]
  ): Promise<boolean> {
    const { content } = panel;
    const ids = waitingCells(panel, runs);
    const all = idsOf(panel);
    const active = content.activeCellIndex;
    const isBelow = (id: string) => all.indexOf(id) > active;
    const sorted = [...ids.filter(isBelow), ...ids.filter(id => !isBelow(id))];
    for (const id of sorted) {
      if (await this._rows.showProposal(panel, id, true)) {
        const index = idsOf(panel).indexOf(id);
        content.activeCellIndex = index;
        content.deselectAll();
        await content.scrollToItem(index, 'smart').catch(() => undefined);
        return true;
      }
    }
    return false;
  }

  /**
   * Accept the waiting proposals of a run. Those stay open that would overwrite lines which the
   * person has changed since, and those in whose row the person is writing.
   */
  async acceptAll(
    panel: NotebookPanel,
    run: RunSummary
  ): Promise<{ accepted: number; left: number }> {
    let accepted = 0;
    for (const id of waitingCells(panel, [run])) {
      const proposal = await this._rows.showProposal(panel, id);
      if (proposal?.run === run.run && !proposal.isCellEdited) {
        const { turnId } = proposal;
        const isDone = await this._rows.acceptAnswer(panel, id, turnId);
        accepted += isDone ? 1 : 0;
      }
    }
    return { accepted, left: Math.max(0, run.proposals.open - accepted) };
  }

  dispose(): void {
    Signal.clearData(this);
  }

  private _showArrived(panel: NotebookPanel): void {
    const arrived = this._arrived.get(panel);
    if (!arrived || !panel.isVisible) {
      return;
    }
    const { activeCell, mode } = panel.content;
    const typedIn = mode === 'edit' ? activeCell?.model?.id : undefined;
    for (const id of arrived) {
      if (id !== typedIn) {
        arrived.delete(id);
        void this._rows.showProposal(panel, id).catch(() => undefined);
      }
    }
  }

  /** The cells with proposals that have arrived and aren't shown yet. */
  private readonly _arrived = new WeakMap<NotebookPanel, Set<string>>();
}

function idsOf(panel: NotebookPanel): string[] {
  return panel.content.widgets.map(({ model }) => model.id);
}

/** Return the ids of the cells of these runs, in the order of the notebook. */
function waitingCells(
  panel: NotebookPanel,
  runs: readonly RunSummary[]
): string[] {
  const ids = new Set(runs.flatMap(({ cells }) => cells));
  return idsOf(panel).filter(id => ids.has(id));
}
