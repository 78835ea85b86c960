/**
 * Chooses the privacy levels of DataFrames, and reads the values that they include.
 *
 * Invariants (P15):
 * - A choice holds for the request and for further requests about its suggestion. It is for the
 *   model that is shown when the person chooses.
 * - Values are read from the kernel when the level is chosen, and again after the kernel has run
 *   code. If they can't be read, they aren't sent, and the row says so.
 */
import type { PrivacyLevel } from '../../../api/types';
import type { IGenerationState, ITarget } from '../state';
import type { ChosenLevels } from './privacyLevels';

interface ILevelStore {
  readonly target: Pick<ITarget, 'dataValues'>;
  readonly state: IGenerationState;
  setState(change: Partial<IGenerationState>): void;
}

export class LevelChoice {
  constructor(private readonly _store: ILevelStore) {}

  /** Choose the level of a DataFrame, and read the values that it includes. */
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
