/** An older turn from which the next request continues. Normally it continues from the last turn. */
export interface IBranch {
  readonly turnId: number;
  /** The turn's title. */
  readonly title: string;
}
