/**
 * Asks the server for an answer that the person has accepted in another notebook.
 *
 * Invariant: nothing depends on the server. A failure is like no answer, and a person who may not
 * use the memories is asked for no further ones.
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
      this._isRefused ||= (reason as Partial<ApiError>).status === 403;
      return null;
    }
  }

  private _isRefused = false;
}
