/**
 * Keeps the player's speed and the layout of diffs in sync with the settings, in both directions.
 * When the briefing is shown by itself is only set in the settings.
 *
 * Invariants:
 * - The person's last choice in the sidebar is saved, however quickly the person changes it.
 * - While a choice isn't saved yet, the settings don't overwrite it: they still have older values.
 */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';

import { Throttle } from '../../state/throttle';
import type { DiffMode, ReplayModel } from './replay';

type Settings = Pick<
  ISettingRegistry.ISettings,
  'changed' | 'composite' | 'set'
>;

export function syncSettings(settings: Settings, model: ReplayModel): void {
  let isSaved = true;
  /** Return the names and values of the settings that differ from the model. */
  const differences = () => {
    const { speed, diff } = settings.composite;
    return [
      ...(model.player.speed === speed ? [] : [['speed', model.player.speed]]),
      ...(model.diffMode === diff ? [] : [['diff', model.diffMode]])
    ] as [string, string | number][];
  };
  const updateModel = () => {
    model.briefing.afterDays = settings.composite.briefingAfterDays as number;
    if (isSaved) {
      model.player.speed = settings.composite.speed as number;
      model.diffMode = settings.composite.diff as DiffMode;
    }
  };
  // After a choice was saved, JupyterLab fetches the settings. If two fetches follow each other
  // within half a second, the second one returns the result of the first. Hence the pause.
  const saving = new Throttle(async () => {
    try {
      for (const [name, value] of differences()) {
        await settings.set(name, value);
      }
      isSaved = !differences().length;
    } catch (reason) {
      isSaved = true; // try again only when the person makes another choice
      console.warn('AI Server could not save a setting.', reason);
      return;
    }
    if (!isSaved) {
      saving.trigger();
    }
  });
  updateModel();
  settings.changed.connect(updateModel);
  model.stateChanged.connect(() => {
    if (isSaved && differences().length) {
      isSaved = false;
      saving.trigger();
    }
  });
}
