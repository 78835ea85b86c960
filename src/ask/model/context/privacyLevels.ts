/**
 * The privacy level of each DataFrame in the next request: columns, also statistics, or also first
 * rows.
 *
 * Invariants (P15):
 * - Without a choice, the level is `schema`.
 * - A level chosen for a model on this machine gives nothing to a model elsewhere.
 * - A choice holds for the request and further ones about its suggestion.
 * - Values are read again after the kernel has run code. If that fails, they aren't sent.
 */
import type { DataFrameProfile, PrivacyLevel } from '../../../api/types';
import type { IDataValues } from '../../../kernel/dataValues';

export interface IChosenLevel {
  readonly level: Exclude<PrivacyLevel, 'schema'>;
  readonly remoteLevel: PrivacyLevel;
  readonly values: IDataValues;
}

export type ChosenLevels = ReadonlyMap<string, IChosenLevel>;

export interface ILevelStatus {
  readonly name: string;
  readonly isReading: boolean;
}

export function levelFor(
  levels: ChosenLevels,
  name: string,
  isOnThisMachine: boolean
): PrivacyLevel {
  const chosen = levels.get(name);
  return (isOnThisMachine ? chosen?.level : chosen?.remoteLevel) ?? 'schema';
}

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
