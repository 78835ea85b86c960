/**
 * Offers an answer that the person has accepted in another notebook, while they write a similar
 * request in the row of one cell. On demand, it becomes an example for the next request, or its code
 * is inserted into the cell.
 *
 * Invariants:
 * - The server is asked after a pause in typing, about one text at a time, and never twice in a row
 *   about the same text. A late answer to an older text is dropped.
 * - Nothing is offered while an answer arrives or a suggestion is open.
 * - Without a choice of the person, nothing is sent to a model or written into the cell.
 */
import type { ISignal } from '@lumino/signaling';

import type { EventBody, PastAnswer } from '../../../api/types';
import { toFailure } from '../../../state/failure';
import { ensureNotebookId } from '../requestBody';
import type { IGenerationState, ITarget } from '../state';
import { offeredRequest } from './offeredRequest';
import { appendCode, insertEvent } from './insertion';
import type { PastAnswerSource } from './pastAnswerSource';

/** The pause in milliseconds after which the server is asked. */
export const PAUSE = 700;

/** The part of a `GenerationStore` that is used here. */
export interface IOfferingRow {
  readonly changed: ISignal<unknown, IGenerationState>;
  readonly state: IGenerationState;
  readonly isBusy: boolean;
  readonly suggestion: unknown;
  readonly target: Pick<
    ITarget,
    'key' | 'source' | 'surroundings' | 'ensure' | 'apply'
  >;
  readonly memory: { isFor(request: string): boolean } | null;
  readonly inputText: string;
  setState(change: Partial<IGenerationState>): void;
  discardRequest(phase: 'idle', draft: string): void;
  record(event: EventBody): Promise<boolean>;
}

export class PastAnswerOffer {
  constructor(
    private readonly _row: IOfferingRow,
    private readonly _source: PastAnswerSource
  ) {
    _row.changed.connect(this._onChanged, this);
  }

  /** The offered answer; null if nothing is offered. */
  get answer(): PastAnswer | null {
    return this._answer;
  }

  /** The answer that the person has chosen as an example for the next request; null if none is. */
  get example(): PastAnswer | null {
    return this._example;
  }

  /** The text in the input field has changed. */
  onText(text: string): void {
    const isRequest = !this._row.memory?.isFor(text);
    const request = isRequest ? offeredRequest(text) : '';
    if (request !== this._text) {
      this._text = request;
      this._wait();
      if (!request) {
        this._show(null);
      }
    }
  }

  /** Don't offer the answer in this cell again. */
  dismiss(): void {
    if (this._answer) {
      this._dismissed.add(keyOf(this._answer));
      this._show(null);
    }
  }

  /** Send the offered answer with the next request, and with no further one. */
  useAsExample(): void {
    this._example = this._answer;
    this._show(null);
  }

  removeExample(): void {
    this._example = null;
    this._row.setState({});
  }

  /**
   * Write the code into the cell, below the cell's own code, and record where it comes from. The
   * row closes; the typed text stays its draft.
   */
  async insert(): Promise<void> {
    const { _answer: answer, _row: row } = this;
    try {
      // Edits that aren't recorded yet must come before the insertion.
      await ensureNotebookId(row.target);
    } catch (reason) {
      row.setState({ failure: toFailure(reason) });
      return;
    }
    if (!answer || answer !== this._answer) {
      return; // The row was closed, or a request was sent.
    }
    const code = appendCode(row.target.source() ?? '', answer.code);
    if (!row.target.apply(code)) {
      row.setState({ notice: 'not_written' });
      return;
    }
    this._dismissed.add(keyOf(answer));
    row.discardRequest('idle', row.inputText);
    await row.record(insertEvent(answer, code));
  }

  private _onChanged(): void {
    const { isBusy, state, suggestion } = this._row;
    const hasEnded = this._wasBusy && !isBusy;
    this._wasBusy = isBusy;
    const isClosed = state.phase === 'idle';
    // A request that failed or was stopped has the example if it is sent again.
    const isAnswered = hasEnded && !state.failure && state.notice !== 'stopped';
    if (isClosed || isAnswered) {
      this._example = null;
    }
    if (isClosed || isBusy || suggestion) {
      clearTimeout(this._timer);
      this._answer = null;
      this._text = this._asked = '';
    }
  }

  /** Ask the server after a pause, unless the text changes again. */
  private _wait(): void {
    clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._ask(), PAUSE);
  }

  private async _ask(): Promise<void> {
    const { _text: text, _row: row } = this;
    if (!this._canAsk || text === this._asked) {
      return;
    }
    this._asked = text;
    this._isPending = true;
    const { language, cellType } = row.target.surroundings();
    const answer = await this._source.find({
      intent: text,
      // As in requests, a notebook without an id has an id that no notebook has.
      notebookId: row.target.key()?.notebookId ?? 'unsaved',
      language,
      cellType
    });
    this._isPending = false;
    if (text === this._text) {
      this._show(answer && this._dismissed.has(keyOf(answer)) ? null : answer);
    } else {
      this._wait();
    }
  }

  private get _canAsk(): boolean {
    const { isBusy, state, suggestion } = this._row;
    return (
      !!this._text &&
      this._source.isOn &&
      !this._isPending &&
      !this._example &&
      !isBusy &&
      !suggestion &&
      state.phase !== 'idle'
    );
  }

  private _show(answer: PastAnswer | null): void {
    if (answer !== this._answer || this._example) {
      this._answer = answer;
      this._row.setState({}); // The row is rendered again.
    }
  }

  private _answer: PastAnswer | null = null;
  private _example: PastAnswer | null = null;
  /** The request in the input field; empty if no answer is looked for. */
  private _text = '';
  /** The last request about which the server was asked. */
  private _asked = '';
  private _isPending = false;
  private _wasBusy = false;
  private _timer: number | undefined;
  private readonly _dismissed = new Set<string>();
}

function keyOf({ notebook_id, cell_id, turn_id }: PastAnswer): string {
  return `${notebook_id}/${cell_id}/${turn_id}`;
}
