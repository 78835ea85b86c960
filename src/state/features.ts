/**
 * The administrator's settings of features, which the server writes into the configuration of
 * JupyterLab's page.
 *
 * Invariant: the page hides and explains what is forbidden, but the server enforces it. Only
 * `running` is enforced in the page, which asks the kernel to run a cell.
 */
import { PageConfig } from '@jupyterlab/coreutils';

/** As in `aiserver/features.py`. */
export type Feature =
  | 'remote_models'
  | 'running'
  | 'completion'
  | 'receipts'
  | 'files'
  | 'outputs'
  | 'data_values'
  | 'memory'
  | 'agents';

/**
 * With `allowed`, the person decides; `always` can't be turned off. `agents` can also be the highest
 * level that an agent may have (`AgentLevel`).
 */
export type FeatureSetting =
  'allowed' | 'forbidden' | 'always' | 'read' | 'propose' | 'edit';

export function featureSetting(feature: Feature): FeatureSetting {
  const option = PageConfig.getOption('aiserverFeatures') || '{}';
  const settings = JSON.parse(option) as Partial<
    Record<Feature, FeatureSetting>
  >;
  return settings[feature] ?? 'allowed';
}

export function isForbidden(feature: Feature): boolean {
  return featureSetting(feature) === 'forbidden';
}
