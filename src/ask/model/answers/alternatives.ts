/** Asks another model, too, and shows one of the answers to the open request. */
import type { IRequest } from '../requestBody';
import type { RequestSender } from '../requestSender';
import { suggestionFields } from '../state';
import type { GenerationStore } from '../store';
import { changeRequest } from './changeRequest';

export class Alternatives {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _sender: RequestSender
  ) {}

  /** Ask a model for an answer to the open request, too. `model` is its id. */
  async ask(model: string): Promise<void> {
    const store = this._store;
    const { request } = store;
    if (request && store.suggestion && !store.isBusy) {
      await this._sender.retry({ ...request, model });
    }
  }

  /** Show the answer of a turn, which can then be accepted. */
  show(turnId: number): void {
    const store = this._store;
    const answer = store.answers.find(
      ({ suggestion }) => suggestion.turnId === turnId
    );
    const isShown = turnId === store.suggestion?.turnId;
    if (store.state.phase !== 'suggested' || !answer || isShown) {
      return;
    }
    store.keepShown();
    const { suggestion, request, shown } = answer;
    store.suggestion = suggestion;
    store.request = store.answeredRequest = request;
    store.wordsTurnId = null;
    store.setState({
      ...suggestionFields(suggestion, shown?.code ?? suggestion.source),
      ...shown,
      problems: [],
      warnings: [],
      overwrittenCount: 0,
      notice: null,
      isCellEdited: store.isCellEdited
    });
    void store.check();
  }

  /**
   * Ask the model of the shown answer to correct the answer's problems. `text` describes them. The
   * corrected answer is shown beside the answer.
   */
  async repair(text: string): Promise<void> {
    const store = this._store;
    const { request } = store;
    if (request && store.state.phase === 'suggested') {
      await this._sender.send({
        ...store.buildRequest(text, request.typed ?? ''),
        model: request.model,
        isRepair: true,
        isChange: true
      });
      this._keepRequest(request);
    }
  }

  /**
   * Ask for another answer that changes only the lines of one of the suggestion's changes. “Try
   * again” still repeats the whole request.
   */
  async regenerateChange(index: number): Promise<void> {
    const store = this._store;
    const part = changeRequest(store, index);
    const { request } = store;
    if (!part) {
      return;
    }
    const { selection } = store.state;
    // Corrections of the answer are limited to the same lines.
    store.setState({ selection: part.lines });
    await this._sender.send(part.request);
    if (store.state.selection === part.lines) {
      store.setState({ selection });
    }
    this._keepRequest(request);
  }

  /**
   * After a change of the suggestion was stopped, “Regenerate” repeats the person's request again.
   * If it failed, “Try again” repeats the change.
   */
  private _keepRequest(request: IRequest | null): void {
    const store = this._store;
    if (store.request?.isChange && !store.state.failure) {
      store.request = request;
    }
  }
}
