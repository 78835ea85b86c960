/**
 * Asks a model to correct the problems of its own suggestion, before the person decides on it.
 *
 * Invariants:
 * - At most `MAX_REPAIRS` such requests follow a request of the person or of `RunAndRepair`. Each
 *   is recorded as a turn.
 * - If a corrected suggestion has no fewer problems than the suggestion before it, the earlier
 *   suggestion is offered again, and no further request is sent.
 * - If the person stops a repair or it fails, the last complete suggestion is offered.
 */
import type { IProblem } from '../../kernel/check';
import type { Problems, RequestSender } from './requestSender';
import { IRepairOptions, RepairSetting, suggestionFields } from './state';
import type { GenerationStore } from './store';

const MAX_REPAIRS = 2;

export class AutomaticRepair {
  constructor(
    private readonly _store: GenerationStore,
    private readonly _sender: RequestSender,
    private readonly _options?: IRepairOptions
  ) {}

  /** Send a request, then let the model correct the problems of the new suggestion, if any. */
  async runAfter(send: () => Promise<Problems>): Promise<void> {
    const before = this._store.suggestion;
    const problems = await send();
    if (problems && this._store.suggestion !== before) {
      await this._run(problems);
    }
  }

  private async _run(problems: Problems): Promise<void> {
    const store = this._store;
    const { intent } = store.state;
    let correctedCount = 0;
    for (let count = 0; problems && count < MAX_REPAIRS; count++) {
      const { suggestion } = store;
      if (
        !this._options ||
        !suggestion ||
        !this._isAllowed(this._options.setting()) ||
        !problems.some(isForModel)
      ) {
        return;
      }
      const remaining: Problems = await this._sender.send({
        ...this._sender.buildRequest(this._options.requestText(problems)),
        isRepair: true
      });
      const attempt = store.suggestion;
      if (!attempt || store.state.phase !== 'suggested') {
        return; // The suggestion was closed meanwhile.
      }
      if (
        attempt === suggestion ||
        !remaining ||
        remaining.length >= problems.length
      ) {
        store.suggestion = suggestion;
        const restored = suggestionFields(suggestion, suggestion.source);
        store.setState({ ...restored, intent, problems, correctedCount });
        return;
      }
      correctedCount += problems.length - remaining.length;
      store.suggestion = { ...attempt, intent };
      store.setState({ intent, correctedCount });
      problems = remaining;
    }
  }

  private _isAllowed(setting: RepairSetting): boolean {
    const { model } = this._store.state;
    return setting === 'all' || (setting === 'local' && !!model?.onThisMachine);
  }
}

/** Whether a model can correct the problem. Installing a package is the person's choice. */
function isForModel({ kind }: IProblem): boolean {
  return kind !== 'missing_module';
}
