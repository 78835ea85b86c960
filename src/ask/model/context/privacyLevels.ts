/**
 * The privacy level of each DataFrame in the next request: columns, also statistics, or also first
 * rows.
 *
 * Invariants (P15):
 * - Without a choice, the level is `schema`.
 * - A level chosen for a model on this machine gives nothing to a model elsewhere.
 * - A choice holds for the request and for further requests about its suggestion.
 * - Values are read again after the kernel has run code. If that fails, they aren't sent.
 */
import type {
  DataFrameProfile,
  ModelInfo,
  PrivacyLevel
} from '../../../api/types';
import type { ITarget } from '../../../cells/notebookCell';
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

interface ILevels {
  readonly levels: ChosenLevels;
  readonly levelStatus: ILevelStatus | null;
}

interface ILevelStore {
  readonly target: Pick<ITarget, 'dataValues'>;
  readonly state: ILevels & { readonly model: ModelInfo | null };
  setState(change: Partial<ILevels>): void;
}

export class LevelChoice {
  constructor(private readonly _store: ILevelStore) {}

  async choose(name: string, level: PrivacyLevel): Promise<void> {
    const store = this._store;
    const { model, levelStatus: former } = store.state;
    if (level === 'schema') {
      const levelStatus = former?.name === name ? null : former;
      store.setState({ levels: this._without(name), levelStatus });
      return;
    }
    // The former choice ends now: its values must not be sent while others are read.
    const levelStatus = { name, isReading: true };
    store.setState({ levels: this._without(name), levelStatus });
    const values = await store.target.dataValues(name, level);
    const { levels, levelStatus: current } = store.state;
    if (current !== levelStatus) {
      return; // Another level was chosen, or the request was closed.
    }
    if (!values) {
      store.setState({ levelStatus: { name, isReading: false } });
      return;
    }
    const remoteLevel = model?.onThisMachine ? 'schema' : level;
    store.setState({
      levels: new Map(levels).set(name, { level, remoteLevel, values }),
      levelStatus: null
    });
  }

  /** Read the values again, because the kernel has run code. */
  async refresh(): Promise<void> {
    const store = this._store;
    for (const [name, chosen] of store.state.levels) {
      const values = await store.target.dataValues(name, chosen.level);
      const { levels } = store.state;
      if (levels.get(name) !== chosen) {
        continue;
      }
      store.setState(
        values
          ? { levels: new Map(levels).set(name, { ...chosen, values }) }
          : {
              levels: this._without(name),
              levelStatus: { name, isReading: false }
            }
      );
    }
  }

  private _without(name: string): ChosenLevels {
    const levels = new Map(this._store.state.levels);
    levels.delete(name);
    return levels;
  }
}
