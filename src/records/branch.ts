/** An older turn from which the next request continues, instead of the last turn. */
export interface IBranch {
  readonly turnId: number;
  /** The turn's title. */
  readonly title: string;
}
