/** An older turn from which the next request continues, instead of the last turn. */
export interface IBranch {
  readonly turnId: number;
  readonly title: string;
}
