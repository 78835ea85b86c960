/**
 * Offers an answer that the person has accepted in another notebook for a similar request. On
 * demand, it becomes an example for the next request, or its code is inserted.
 *
 * Invariants:
 * - The server is asked after a pause in typing, never twice in a row about the same text. A late
 *   answer to an older text is dropped.
 * - Nothing is offered while an answer arrives or a suggestion is open.
 * - Without a choice of the person, nothing is sent to a model or written into the cell.
 * - A failure is like no answer.
 */
import type { MemoryClient } from '../../api/memoryClient';
import type { ApiError } from '../../api/request';
import type { EventBody, PastAnswer, PastAnswerBody } from '../../api/types';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import { toFailure } from '../../state/failure';
import { UNKNOWN_NOTEBOOK, notebookName } from './context/mentions';
import { rememberedText } from './remember/rememberedText';
import { ensureNotebookId, notebookIdOf } from './request';
import type { GenerationStore } from './store';

export const PAUSE = 700;

const CJK = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]/;
const SLASH_WORD = /^\/\S*\s*/;
/** A character of Chinese, Japanese or Korean counts twice. */
const MIN_LENGTH = 8;

/** After the server has said that the person may not use memories, it isn't asked again. */
export class PastAnswerSource {
  constructor(
    private readonly _api: Pick<MemoryClient, 'pastAnswer'>,
    private readonly _isWanted: () => boolean
  ) {}

  get isOn(): boolean {
    return this._isWanted() && !this._isRefused;
  }

  async find(body: PastAnswerBody): Promise<PastAnswer | null> {
    try {
      return await this._api.pastAnswer(body);
    } catch (reason) {
      const code = (reason as Partial<ApiError>).code ?? '';
      this._isRefused ||= ['not_owner', 'feature_forbidden'].includes(code);
      return null;
    }
  }

  private _isRefused = false;
}

export class PastAnswerOffer {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _source: PastAnswerSource,
    /** Whether the row can remember texts, which are then no requests. */
    private readonly _remembers: boolean
  ) {
    _store.changed.connect(this._onChanged, this);
  }

  answer: PastAnswer | null = null;

  onText(text: string): void {
    const isRequest = !this._remembers || rememberedText(text) === null;
    const request = isRequest ? offeredRequest(text) : '';
    if (request !== this._text) {
      this._text = request;
      this._wait();
      if (!request) {
        this._show(null);
      }
    }
  }

  dismiss(): void {
    if (this.answer) {
      this._dismissed.add(keyOf(this.answer));
      this._show(null);
    }
  }

  useAsExample(): void {
    this._store.example = this.answer;
    this._show(null);
  }

  removeExample(): void {
    this._store.example = null;
    this._store.setState({});
  }

  /** Write the code below the cell's own, and record its origin. */
  async insert(): Promise<void> {
    const { answer, _store: store } = this;
    try {
      // Unrecorded edits must come before the insertion.
      await ensureNotebookId(store.target);
    } catch (reason) {
      store.setState({ failure: toFailure(reason) });
      return;
    }
    if (!answer || answer !== this.answer) {
      return; // The row was closed, or a request was sent.
    }
    const code = appendCode(store.target.source() ?? '', answer.code);
    if (!store.target.apply(code)) {
      store.setState({ notice: 'not_written' });
      return;
    }
    this._dismissed.add(keyOf(answer));
    store.discardRequest('idle', store.inputText);
    await store.record(insertEvent(answer, code));
  }

  private _onChanged(): void {
    const { isBusy, state, suggestion } = this._store;
    const hasEnded = this._wasBusy && !isBusy;
    this._wasBusy = isBusy;
    const isClosed = state.phase === 'idle';
    // A request that failed or was stopped can be repeated, with the example.
    const isAnswered = hasEnded && !state.failure && state.notice !== 'stopped';
    if (isClosed || isAnswered) {
      this._store.example = null;
    }
    if (isClosed || isBusy || suggestion) {
      clearTimeout(this._timer);
      this.answer = null;
      this._text = this._asked = '';
    }
  }

  private _wait(): void {
    clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._ask(), PAUSE);
  }

  private async _ask(): Promise<void> {
    const { _text: text, _store: store } = this;
    const { isBusy, state, suggestion } = store;
    const isRowFree = !isBusy && !suggestion && state.phase !== 'idle';
    const isNew = text && text !== this._asked && !this._isPending;
    if (!isRowFree || !isNew || store.example || !this._source.isOn) {
      return;
    }
    this._asked = text;
    this._isPending = true;
    const { language, cellType } = store.target.surroundings();
    const notebookId = notebookIdOf(store.target);
    const body = { intent: text, notebookId, language, cellType };
    const answer = await this._source.find(body);
    this._isPending = false;
    if (text === this._text) {
      this._show(answer && this._dismissed.has(keyOf(answer)) ? null : answer);
    } else {
      this._wait();
    }
  }

  private _show(answer: PastAnswer | null): void {
    if (answer !== this.answer || this._store.example) {
      this.answer = answer;
      this._store.setState({}); // To render the row again.
    }
  }

  private _text = '';
  private _asked = '';
  private _isPending = false;
  private _wasBusy = false;
  private _timer: number | undefined;
  private readonly _dismissed = new Set<string>();
}

/** Return the text without its slash word; empty if the rest is too short. */
export function offeredRequest(text: string): string {
  const request = text.trim().replace(SLASH_WORD, '').trim();
  const characters = [...request];
  const wide = characters.filter(character => CJK.test(character));
  return characters.length + wide.length >= MIN_LENGTH ? request : '';
}

function keyOf({ notebook_id, cell_id, turn_id }: PastAnswer): string {
  return `${notebook_id}/${cell_id}/${turn_id}`;
}

function appendCode(source: string, code: string): string {
  const gap = source.endsWith('\n') ? '\n' : '\n\n';
  return (source.trim() && source + gap) + normalizeLineBreaks(code);
}

function insertEvent(answer: PastAnswer, source: string): EventBody {
  const { notebook_id, cell_id, turn_id, model: name } = answer;
  const notebook = notebookName(answer) ?? UNKNOWN_NOTEBOOK;
  return {
    type: 'edit',
    source,
    contributor: { kind: 'model', ...(name && { name }) },
    data: { past_answer: { notebook_id, cell_id, turn_id, notebook } }
  };
}
