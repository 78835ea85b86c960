/**
 * A request to show a step, pending until its cell is loaded.
 *
 * Invariants: activating another cell cancels the request.
 */
import { ICellKey, isSameCell } from '../../../tokens';
import { IShownStep, findPosition } from '../../../records/fold';

/** A reference to a step: by its index among the server's steps, or by the `seq` of its record. */
export interface IStepRef {
  readonly step?: number | null;
  readonly seq?: number | null;
}

export class RequestedStep {
  request(key: ICellKey, ref: IStepRef): void {
    this._request = { ...key, ...ref };
  }

  /** Cancel the request if it is for another cell than the active one. */
  onActiveCell(cellId: string | undefined): void {
    if (cellId !== this._request?.cellId) {
      this._request = null;
    }
  }

  /**
   * The position of the requested step; null if none of this cell is requested, or it doesn't
   * exist. A request that is answered, or can't be any more, is dropped.
   *
   * @param isComplete Whether `steps` are all steps of the cell.
   */
  resolve(
    shown: ICellKey | null,
    steps: readonly IShownStep[],
    isComplete: boolean
  ): number | null {
    const { _request: request } = this;
    if (!request || !isSameCell(request, shown)) {
      return null;
    }
    const position = resolveRef(steps, request);
    const exists = position >= 0;
    if (exists || isComplete) {
      this._request = null;
    }
    return exists ? position : null;
  }

  private _request: (ICellKey & IStepRef) | null = null;
}

/** The position of a step: by its index if that exists, else by the `seq` of its record. */
function resolveRef(
  steps: readonly IShownStep[],
  { step, seq }: IStepRef
): number {
  const position = findPosition(steps, (_, index) => index === step);
  return position < 0 && typeof seq === 'number'
    ? findPosition(steps, candidate => candidate.seq === seq)
    : position;
}
