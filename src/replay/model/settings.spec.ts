import { Signal } from '@lumino/signaling';

import type { ReplayModel } from './replay';
import { syncSettings } from './settings';

/** The sidebar's model and the settings. `save` ends the save that is running. */
function setup() {
  const stored: Record<string, unknown> = {
    speed: 1,
    diff: 'inline',
    briefingAfterDays: 7
  };
  const saves: [string, unknown][] = [];
  let end: ((fetched: Record<string, unknown> | Error) => void) | undefined;
  const settings = {
    changed: new Signal<unknown, void>({}),
    composite: stored,
    set: (name: string, value: unknown) => {
      saves.push([name, value]);
      return new Promise<void>((resolve, reject) => {
        end = fetched => {
          if (fetched instanceof Error) {
            return reject(fetched);
          }
          Object.assign(stored, fetched);
          settings.changed.emit(undefined);
          resolve();
        };
      });
    }
  };
  const stateChanged = new Signal<unknown, void>({});
  const model = {
    player: { speed: 2 },
    diffMode: 'split',
    briefing: { afterDays: 3 },
    stateChanged
  };
  syncSettings(settings as never, model as unknown as ReplayModel);
  const choose = async (change: Partial<typeof model>) => {
    Object.assign(model, change);
    stateChanged.emit();
    await jest.advanceTimersByTimeAsync(1000);
  };
  const save = async (fetched: Record<string, unknown> | Error) => {
    end?.(fetched);
    await jest.advanceTimersByTimeAsync(1000);
  };
  return { choose, model, save, saves, settings, stored };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('syncSettings', () => {
  it('takes over the settings, and saves what the person chooses', async () => {
    const t = setup();
    expect(t.model).toMatchObject({ player: { speed: 1 }, diffMode: 'inline' });
    await t.choose({ player: { speed: 4 } });
    expect(t.saves).toEqual([['speed', 4]]);
    await t.save({ speed: 4 });
    Object.assign(t.stored, { diff: 'split' });
    t.settings.changed.emit(undefined);
    expect(t.model).toMatchObject({ player: { speed: 4 }, diffMode: 'split' });
    expect(t.saves).toHaveLength(1);
  });

  it('takes over when the briefing is shown by itself', () => {
    const t = setup();
    expect(t.model.briefing.afterDays).toBe(7);
    Object.assign(t.stored, { briefingAfterDays: 0 });
    t.settings.changed.emit(undefined);
    expect(t.model.briefing.afterDays).toBe(0);
    expect(t.saves).toEqual([]);
  });

  it('saves the last of several choices, and shows it all the time', async () => {
    const t = setup();
    await t.choose({ diffMode: 'split' });
    await t.choose({ diffMode: 'inline' });
    // The result of the first save is older than the second choice.
    await t.save({ diff: 'split' });
    expect(t.model.diffMode).toBe('inline');
    expect(t.saves).toEqual([
      ['diff', 'split'],
      ['diff', 'inline']
    ]);
    // JupyterLab may return an outdated result; the choice is saved once more.
    await t.save({ diff: 'split' });
    await t.save({ diff: 'inline' });
    expect(t.model.diffMode).toBe('inline');
    expect(t.saves).toHaveLength(3);
  });

  it('keeps the choice if it can’t be saved, and tries again at the next one', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {});
    const t = setup();
    await t.choose({ diffMode: 'split' });
    await t.save(new Error('no disk'));
    expect(t.model.diffMode).toBe('split');
    expect(t.saves).toHaveLength(1);
    await t.choose({ player: { speed: 2 } });
    expect(t.saves).toHaveLength(2);
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });
});
