/** The administrator's settings in the configuration of the page, for the specs. */
import { PageConfig } from '@jupyterlab/coreutils';

import type { Feature, FeatureSetting } from './features';

/** Set the settings of features; the others are allowed. Without an argument, all are allowed. */
export function setFeatures(
  settings: Partial<Record<Feature, FeatureSetting>> = {}
): void {
  PageConfig.setOption('aiserverFeatures', JSON.stringify(settings));
}
