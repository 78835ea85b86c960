/**
 * Watches one open notebook, and says what happened to its cells, in order.
 *
 * What must hold:
 * - What was written is noted when it matters: before a run, before a request, when the notebook
 *   is saved, when cells are split, moved or deleted, when another writer changes it, and when
 *   the page is left. Never for a key. Each edit has one contributor (P40).
 * - What is noted is the source to the letter. A source that the record holds last is not noted
 *   again, whoever noted it (Accept and Restore note themselves).
 * - Only what was done in this page is noted, and what no page records (an agent's edits in a
 *   shared notebook), by one of the pages.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';

import type { PlacedCell, SessionSummary } from '../../../api/types';
import type { INotebookChange, IRecording } from '../../../tokens';
import { IExplanations, Writers } from '../contributors/writers';
import { ReplacedCell } from '../contributors/replacedCell';
import { Happening, ICellState, IOrigin, happenings } from '../lineage';
import { toCellType } from '../../../cells/context';
import { UnclaimedDeletions } from './unclaimedDeletions';
import { Origins, ISource } from './origins';
import { IStep, Mirror, above } from './mirror';
import { WatchChanges } from './changes';
import { Scope, WatchRecord } from './record';
import { IRun, Runs } from '../runs/runs';
import { GoneCells } from './deletedCells';
import { CHANGED_OUTSIDE, FOUND, Written, editsOf, stepEditsOf } from './edits';
import { Trigger, event, writtenBy } from './events';

export interface IWatchOptions {
  panel: NotebookPanel;
  notebookId: string;
  scope: Scope;
  /** What is kept of the notebook's cells already. */
  summaries: readonly SessionSummary[];
  origins: Origins;
  /** Explanations of changes in the page. */
  explanations: IExplanations;
  /** Takes changes, in order. What can't be told at once comes as a promise. */
  push: (change: INotebookChange | Promise<INotebookChange>) => void;
  /** Whether the record says that a cell is gone. */
  isGone: (cellId: string) => Promise<boolean>;
  /** What of a run's outputs is kept; resolves to null for nothing. */
  preview: (run: IRun) => Promise<object | null>;
}

export class NotebookWatch implements ISource, IDisposable {
  constructor(private readonly _options: IWatchOptions) {
    const { panel, summaries } = _options;
    this.notebookId = _options.notebookId;
    this.notebook = panel.content;
    this._record = new WatchRecord(_options.scope, summaries);
    const shared = panel.context.model.sharedModel as YNotebook;
    const writers = (this._writers = new Writers(
      shared,
      _options.explanations
    ));
    this._mirror = new Mirror(shared, {
      isTyping: transaction => writers.isTyping(transaction),
      writerOf: (transaction, isWhole) => writers.of(transaction, isWhole),
      beforeProgram: () => _options.origins.look(),
      onStep: step => this._onStep(step),
      onOthers: step => {
        this._changes.skipOrder();
        this._unclaimed.add(step);
      },
      onRemote: id => this._onRemote(id),
      onReplaced: (id, source, writer) =>
        this._note([[id, source, writer]], 'leave')
    });
    this._changes = new WatchChanges(_options.push, () => this._order());
    this._unclaimed = new UnclaimedDeletions({
      has: id => this._mirror.has(id),
      isRecorded: _options.isGone,
      record: (deleted, step) => {
        this._changes.skipOrder(step.before.map(placeOf));
        this._tell(deleted, step, 'leave');
      }
    });
    this._runs = new Runs({
      panel,
      onAsked: id => {
        this.capture('run');
        this._atRun.set(id, this._record.last(id));
      },
      onEnded: run => this._onRun(run)
    });
    panel.context.saveState.connect(this._onSave, this);
    panel.content.activeCellChanged.connect(this._onElsewhere, this);
    this._begin(summaries);
  }

  readonly notebookId: string;
  readonly notebook: NotebookPanel['content'];

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      clearTimeout(this._remoteTimer);
      this._unclaimed.dispose();
      this._mirror.dispose();
      this._writers.dispose();
      this._runs.dispose();
      Signal.clearData(this);
    }
  }

  /** Note what was written and is not noted yet. */
  capture(trigger: Trigger): void {
    const edited = this._mirror.takeEdited();
    this._note(
      edited.map(([id, by]) => [id, this._mirror.read(id)?.source ?? null, by]),
      trigger
    );
  }

  /** Note what a client wrote that records nothing, before a page notes it as its own. */
  private _onRemote(id: string): void {
    this._remote.add(id);
    clearTimeout(this._remoteTimer);
    this._remoteTimer = window.setTimeout(() => {
      this._remote.forEach(cellId => this._noteCell(cellId));
      this._remote.clear();
    }, REMOTE_MS);
  }

  /** Note what was written in a cell and is not noted yet. */
  private _noteCell(cellId: string): void {
    const writer = this._mirror.takeWriter(cellId);
    const now = writer && this._mirror.read(cellId);
    if (now) {
      this._note([[cellId, now.source, writer]], 'leave');
    }
  }

  /** Others noted something of a cell: Accept, Restore. */
  recorded({ key, events }: IRecording): void {
    if (key.notebookId !== this.notebookId) {
      return;
    }
    if (!events.some(({ type }) => WRITING.has(type))) {
      // What was typed before a rejection is an edit of its own.
      this._noteCell(key.cellId);
    }
    this._record.take(key.cellId, events);
    this._changes.mention(key.cellId);
    // Behind those events: another page that saves now must hear of them.
    void Promise.resolve().then(() => {
      if (!this._isDisposed) {
        this._changes.pushMentioned();
      }
    });
  }

  /** A model was asked in a cell: from now on it is watched, whatever the scope. */
  asked(cellId: string): void {
    if (this._record.isAsked(cellId)) {
      return;
    }
    this._record.ask(cellId);
    this._record.keep(cellId);
    const now = this._mirror.read(cellId);
    if (now && this._record.last(cellId) === undefined) {
      this._record.note(cellId, now.source); // The turn says what the cell held.
    }
  }

  /** Whether it would matter to know that a model was asked in this cell. */
  needsTurn(cellId: string): boolean {
    return !this._record.isAsked(cellId) && !this._record.watches(cellId);
  }

  /** A cell that is there, or was. */
  find(id: string): ICellState | null {
    return this._mirror.read(id) ?? this._gone.get(id);
  }

  /** What each cell held when it was first seen, where the record doesn't say so. */
  private _begin(summaries: readonly SessionSummary[]): void {
    const kept = new Set(summaries.map(row => row.cellId));
    const first = this._mirror.cells.map(({ id, source }): Written => {
      // Of a cell with a record, where it says something else: changed where nobody recorded it.
      return [id, source, kept.has(id) ? CHANGED_OUTSIDE : FOUND];
    });
    const { cells } = editsOf(this._record, first, 'first');
    this._changes.pushInitial(cells);
  }

  private _note(sources: readonly Written[], trigger: Trigger): void {
    const { cells, settled } = editsOf(this._record, sources, trigger);
    if (cells.length) {
      this._changes.push({ cells }, settled);
    }
  }

  private _onStep(step: IStep): void {
    const before = new Map(step.before.map(cell => [cell.id, cell]));
    const found = happenings(step.before, step.after, {
      remade: step.remade,
      wasThere: id => this._gone.has(id) || this._record.isKept(id),
      originOf: (cell, index) => this._originOf(cell, index, step)
    });
    const kinds = new Set(found.map(({ kind }) => kind));
    const trigger = kinds.has('split')
      ? 'split'
      : kinds.has('copy')
        ? 'paste'
        : 'leave';
    this._note(
      step.edited.map(([id, by]) => [id, before.get(id)?.source ?? null, by]),
      trigger
    );
    this._replaced.after(found, step.writer);
    step.after.forEach(cell => this._gone.delete(cell.id));
    for (const cell of step.before) {
      if (!this._mirror.has(cell.id)) {
        this._gone.add(cell);
      }
    }
    this._tell(found, step, trigger);
  }

  private _originOf(
    cell: ICellState,
    index: number,
    step: IStep
  ): IOrigin | null {
    const { notebookId, _gone: gone, _replaced: replaced } = this;
    const known = this._options.origins.of(cell, this, above(step, index));
    const find = (id: string) => gone.get(id);
    const cellId = known ? null : replaced.of(cell, index, step.writer, find);
    return cellId ? { notebookId, cellId } : known;
  }

  private _tell(
    found: readonly Happening[],
    step: IStep,
    trigger: Trigger
  ): void {
    const { notebookId, _record: record } = this;
    const { cells, settled } = stepEditsOf(record, found, step, {
      notebookId,
      trigger
    });
    this._changes.pushStep(cells, settled);
  }

  private _onRun(run: IRun): void {
    const { cellId, source } = run;
    if (!this._record.watches(cellId)) {
      return;
    }
    this._record.keep(cellId);
    // Where something newer was noted while it ran, the cell holds that.
    const isOfRecord = this._atRun.get(cellId) === this._record.last(cellId);
    const told = event('run', isOfRecord ? source : undefined, { ...run.data });
    if (isOfRecord) {
      this._record.note(cellId, source);
    }
    const change = { cells: [{ cellId, events: [told] }] };
    if (!run.model) {
      this._changes.push(change);
      return;
    }
    this._changes.pushDeferred(
      this._options.preview(run).then(outputs => {
        if (outputs) {
          told.data = { ...told.data, outputs };
        }
        return change;
      })
    );
  }

  private _onSave(_: unknown, state: string): void {
    if (state === 'started') {
      this.capture('save');
      const sources = this._mirror.cells.map(
        ({ id, source }) => [id, source] as const
      );
      this._changes.beginSave(writtenBy(new Map(sources), this._order()));
    } else if (state === 'completed') {
      this._changes.endSave(!!this._options.panel.context.model?.collaborative);
    }
  }

  /** Where people work together the server saves, and tells nobody. */
  private _onElsewhere(): void {
    if (this._options.panel.context.model?.collaborative) {
      this.capture('leave');
    }
  }

  private _order(): PlacedCell[] {
    return this._mirror.placed.map(placeOf);
  }

  private readonly _writers: Writers;
  private readonly _mirror: Mirror;
  private readonly _changes: WatchChanges;
  private readonly _unclaimed: UnclaimedDeletions;
  private readonly _runs: Runs;
  private readonly _record: WatchRecord;
  private readonly _gone = new GoneCells();
  private readonly _replaced = new ReplacedCell();
  /** The cells that clients changed which record nothing. */
  private readonly _remote = new Set<string>();
  private _remoteTimer = 0;
  /** What was noted last of a cell when it was run. */
  private readonly _atRun = new Map<string, string | undefined>();
  private _isDisposed = false;
}

function placeOf({ id, type }: { id: string; type: string }): PlacedCell {
  return { id, type: toCellType(type) };
}

/** An agent that writes word by word is noted when it pauses for so long, in milliseconds. */
const REMOTE_MS = 300;

/**
 * Events that are recorded after AI Server wrote into the cell: an `edit` is that of an answer
 * whose turn could not be saved.
 */
const WRITING: ReadonlySet<string> = new Set(['accept', 'edit', 'restore']);
