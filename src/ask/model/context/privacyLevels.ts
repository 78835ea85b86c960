/**
 * The privacy level of each DataFrame in the next request: only its columns, also their statistics,
 * or also its first rows.
 *
 * Invariants (P15):
 * - Without a choice of the person, the level is `schema`.
 * - A level that was chosen for a model on this machine gives nothing to a model elsewhere.
 */
import type { DataFrameProfile, PrivacyLevel } from '../../../api/types';
import type { IDataValues } from '../../../kernel/dataValues';

/** The level that a person has chosen for a DataFrame, and the values that it includes. */
export interface IChosenLevel {
  readonly level: Exclude<PrivacyLevel, 'schema'>;
  /** The level for models on other machines. */
  readonly remoteLevel: PrivacyLevel;
  readonly values: IDataValues;
}

/** The chosen levels by the names of the DataFrames. */
export type ChosenLevels = ReadonlyMap<string, IChosenLevel>;

/** The DataFrame whose values are being read, or could not be read. */
export interface ILevelStatus {
  readonly name: string;
  readonly isReading: boolean;
}

/** Return the level at which a model gets a DataFrame. */
export function levelFor(
  levels: ChosenLevels,
  name: string,
  isOnThisMachine: boolean
): PrivacyLevel {
  const chosen = levels.get(name);
  return (isOnThisMachine ? chosen?.level : chosen?.remoteLevel) ?? 'schema';
}

/**
 * Return DataFrames with the levels that are chosen now and their values, and with no other values.
 * Values of columns that the DataFrame no longer has are left out.
 */
export function withLevels(
  frames: readonly DataFrameProfile[],
  levels: ChosenLevels
): DataFrameProfile[] {
  return frames.map(frame => {
    const chosen = levels.get(frame.name);
    const plain = withoutValues(frame);
    return chosen ? withValues(plain, chosen) : plain;
  });
}

/** Return a DataFrame without the values of an earlier choice. */
function withoutValues(frame: DataFrameProfile): DataFrameProfile {
  const { level, sample, columns, ...rest } = frame;
  const hasStatistics = columns?.some(({ statistics }) => statistics);
  if (!level && !sample && !hasStatistics) {
    return frame;
  }
  return {
    ...rest,
    columns: columns?.map(({ statistics: _, ...column }) => column)
  };
}

function withValues(
  frame: DataFrameProfile,
  { remoteLevel, values }: IChosenLevel
): DataFrameProfile {
  const { columns = [] } = frame;
  const described = new Map(values.columns.map(item => [item.index, item]));
  const { sample } = values;
  const hasRows =
    !!sample?.rows.length &&
    sample.columns.length === columns.length &&
    columns.every(({ name }, index) => name === sample.columns[index]);
  return {
    ...frame,
    columns: columns.map((column, index) => {
      const item = described.get(index);
      return item?.name === column.name
        ? { ...column, statistics: item.statistics }
        : column;
    }),
    ...(remoteLevel !== 'schema' && { level: remoteLevel }),
    ...(hasRows && { sample: { rows: sample.rows } })
  };
}
