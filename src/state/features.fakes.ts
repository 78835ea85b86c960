import { PageConfig } from '@jupyterlab/coreutils';

import type { Feature, FeatureSetting } from './features';

/** The other features are allowed. */
export function setFeatures(
  settings: Partial<Record<Feature, FeatureSetting>> = {}
): void {
  PageConfig.setOption('aiserverFeatures', JSON.stringify(settings));
}
