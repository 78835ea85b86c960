/**
 * Asks the server for an answer that the person has accepted in another notebook.
 *
 * Invariant: nothing depends on the server. A failure is like no answer. After the server has
 * said that the person may not use memories, it isn't asked again.
 */
import type { MemoryClient } from '../../../api/memoryClient';
import type { ApiError } from '../../../api/request';
import type { PastAnswer, PastAnswerBody } from '../../../api/types';

export class PastAnswerSource {
  /**
   * @param _isWanted - Return whether the person wants such offers.
   */
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
