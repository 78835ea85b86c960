import { PageConfig } from '@jupyterlab/coreutils';

import { featureSetting, isForbidden } from './features';
import { setFeatures } from './features.fakes';

afterEach(() => setFeatures());

describe('the settings of features', () => {
  it('are allowed on a server without settings', () => {
    PageConfig.setOption('aiserverFeatures', '');
    expect(featureSetting('receipts')).toBe('allowed');
    expect(isForbidden('running')).toBe(false);
  });

  it('are those of the page’s configuration', () => {
    setFeatures({ running: 'forbidden', receipts: 'always' });
    expect(isForbidden('running')).toBe(true);
    expect(featureSetting('receipts')).toBe('always');
    expect(isForbidden('receipts')).toBe(false);
    expect(isForbidden('files')).toBe(false);
  });
});
