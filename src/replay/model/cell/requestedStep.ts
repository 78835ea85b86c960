/**
 * The step that somebody wants to see, until its cell is on show.
 *
 * What must hold: who goes elsewhere meanwhile is not brought back.
 */
import type { ICellKey } from '../../../tokens';
import { IShownStep, positionOf } from './fold';

/** A step of a cell, by its place or by the `seq` of its record. */
export interface IStepPlace {
  readonly step?: number | null;
  readonly seq?: number | null;
}

export class WantedStep {
  want(key: ICellKey, place: IStepPlace): void {
    this._wanted = { ...key, ...place };
  }

  /** The person is at this cell now: what is wanted of another one is wanted no more. */
  at(cellId: string | undefined): void {
    if (cellId !== this._wanted?.cellId) {
      this._wanted = null;
    }
  }

  /**
   * The position of the wanted step among those of the cell on show; null if none is wanted of
   * this cell, or it is not there.
   *
   * @param isWhole Whether these are all the steps that the cell has.
   */
  reach(
    shown: ICellKey | null,
    steps: readonly IShownStep[],
    isWhole: boolean
  ): number | null {
    const { _wanted: wanted } = this;
    if (
      !wanted ||
      wanted.cellId !== shown?.cellId ||
      wanted.notebookId !== shown.notebookId
    ) {
      return null;
    }
    const position = placeOf(steps, wanted);
    const isThere = position >= 0;
    if (isThere || isWhole) {
      this._wanted = null;
    }
    return isThere ? position : null;
  }

  private _wanted: (ICellKey & IStepPlace) | null = null;
}

/** The position of a step: by its place if there is one, else by the seq of its record. */
function placeOf(
  steps: readonly IShownStep[],
  { step, seq }: IStepPlace
): number {
  const at = positionOf(steps, (_, place) => place === step);
  return at < 0 && typeof seq === 'number'
    ? positionOf(steps, found => found.seq === seq)
    : at;
}
