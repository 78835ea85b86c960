/** An older turn from which the next request continues, instead of the last one. */
export interface IBranch {
  readonly turnId: number;
  readonly title: string;
}
