/** An older request from which the next one continues. */
export interface IBranch {
  readonly turnId: number;
  readonly title: string;
}
