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
import { type IDataValues, withValues } from '../../../kernel/dataValues';

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
    if (!chosen) {
      return plain;
    }
    const { remoteLevel: level, values } = chosen;
    const frameWithValues = withValues(plain, values);
    return level === 'schema' ? frameWithValues : { ...frameWithValues, level };
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
