/**
 * Real JupyterLab in a real Chromium. Each worker starts its own Jupyter server
 * (fixtures/lab.ts), so there is no `webServer` here.
 */
import { defineConfig } from '@playwright/test';

/** The tests that start something else than JupyterLab in the environment of the tests. */
const PLACES =
  /[\\/](base-url|hub|hub-database|lost|notebook7|rtc|wheel)\.spec\.ts$/;

// eslint-disable-next-line @typescript-eslint/no-require-imports
const base = require('@jupyterlab/galata/lib/playwright-config');

export default defineConfig({
  ...base,
  testDir: './tests',
  outputDir: './test-results',
  workers: 2,
  // A flaky test is a defect: it isn't tried again.
  retries: 0,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['./fixtures/failures.ts']],
  projects: [
    { name: 'lab', testIgnore: PLACES },
    // No tests: figures print how quick it is, pictures make the animation of the README.
    { name: 'figures', testDir: './figures', workers: 1 },
    { name: 'pictures', testDir: './pictures', workers: 1 },
    {
      name: 'places',
      testMatch: PLACES,
      workers: 1,
      // Each starts servers of its own, whose first answer loads everything from the disk.
      timeout: 120_000,
      expect: { timeout: 30_000 }
    }
  ],
  use: {
    ...base.use,
    viewport: { width: 1360, height: 800 },
    video: 'off',
    // Recording a trace of each test takes two thirds of its time again.
    trace: process.env.AISERVER_TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: process.env.AISERVER_BROWSER || undefined,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync'
      ]
    }
  }
});
