/**
 * Chooses the DataFrames of an earlier request again, as they are in the kernel now.
 *
 * Invariants (P15):
 * - Only their names come from the earlier request. Their columns are read from the kernel, and
 *   their privacy levels are the default ones.
 * - The row says which of them could not be chosen, and why.
 */
import type { DataFrameProfile } from '../../../api/types';

/** DataFrames of an earlier request that couldn't be chosen. */
export interface IMissingFrames {
  readonly names: readonly string[];
  /** Why the kernel's DataFrames couldn't be listed, as a sentence; empty if they were listed. */
  readonly reason: string;
}

/** The fields of the state that list DataFrames; `IGenerationState` describes them. */
interface IFrames {
  readonly dataframes: readonly DataFrameProfile[];
  readonly missingFrames: IMissingFrames | null;
}

/** The maximum number of DataFrames that the HTTP API accepts in one request. */
export const MAX_CHOSEN = 20;

/** The maximum number of DataFrames that the kernel lists, as in `aiserver/kernel/variables.py`. */
const MAX_LISTED = 50;

/**
 * Return the state change when the kernel's DataFrames were listed: the chosen ones are those of
 * the kernel, and the missing ones are chosen if the kernel has them now. Chosen ones that the
 * kernel no longer has are missing.
 */
export function withCurrentFrames(
  { dataframes, missingFrames }: IFrames,
  frames: readonly DataFrameProfile[]
): IFrames {
  const current = new Map(frames.map(frame => [frame.name, frame]));
  const isRemoved = ({ name }: DataFrameProfile) =>
    frames.length < MAX_LISTED && !current.has(name);
  const chosen = dataframes
    .filter(frame => !isRemoved(frame))
    .map(frame => current.get(frame.name) ?? frame);
  const removed = dataframes.filter(isRemoved).map(({ name }) => name);
  const names = [...new Set([...(missingFrames?.names ?? []), ...removed])];
  const missing = names.filter(name => !current.has(name));
  const isChosen = (name: string) => chosen.some(frame => frame.name === name);
  const added = names.filter(name => current.has(name) && !isChosen(name));
  return {
    dataframes: [...chosen, ...added.map(name => current.get(name)!)].slice(
      -MAX_CHOSEN
    ),
    missingFrames: missing.length ? { names: missing, reason: '' } : null
  };
}

interface IFrameStore {
  readonly state: IFrames & {
    readonly phase: string;
    readonly requestTime: number;
  };
  setState(change: Partial<IFrames>): void;
}

/** Choose the DataFrames with these names. `list` lists the kernel's DataFrames. */
export async function chooseCurrentFrames(
  store: IFrameStore,
  names: readonly string[],
  list: () => Promise<DataFrameProfile[]>
): Promise<void> {
  const { requestTime } = store.state;
  let frames: DataFrameProfile[] = [];
  let reason = '';
  try {
    frames = await list();
  } catch (failure) {
    reason = failure instanceof Error ? failure.message : '';
  }
  const { state } = store;
  if (state.phase === 'idle' || state.requestTime !== requestTime) {
    return; // The row was closed, or the request was sent.
  }
  store.setState(
    reason
      ? { missingFrames: { names, reason } }
      : withCurrentFrames(
          { ...state, missingFrames: { names, reason } },
          frames
        )
  );
}
