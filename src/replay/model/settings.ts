/**
 * Keeps the player's speed and the layout of diffs in sync with the settings. Invariants: the last
 * choice is saved, however quickly it changes. Until then, the settings don't overwrite it.
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
  // JupyterLab answers two fetches within half a second alike. Hence the pause after a choice was
  // saved.
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
