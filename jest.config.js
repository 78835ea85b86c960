const jestJupyterLab = require('@jupyterlab/testutils/lib/jest-config');

const esModules = [
  '@codemirror',
  '@jupyter/',
  '@jupyterlab/',
  '@lezer',
  '@lumino',
  '@marijn',
  '@microsoft',
  '@rjsf',
  'crelt',
  'exenv-es6',
  'internmap',
  'lib0',
  'marked',
  'nanoid',
  'style-mod',
  'vscode-ws-jsonrpc',
  'w3c-keyname',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

const base = jestJupyterLab(__dirname);

module.exports = {
  ...base,
  automock: false,
  collectCoverage: false,
  maxWorkers: '100%',
  reporters: ['default'],
  modulePathIgnorePatterns: [
    '<rootDir>/lib/',
    '<rootDir>/.make/',
    '<rootDir>/aiserver/',
    '<rootDir>/.venv/',
    '<rootDir>/ui-tests/'
  ],
  setupFilesAfterEnv: ['<rootDir>/jest.setup.js'],
  testRegex: 'src/.*\\.spec\\.tsx?$',
  transform: {
    '\\.svg$': base.transform['\\.svg$'],
    // `jlpm lint:types` checks the types.
    '\\.tsx?$': ['ts-jest/legacy', { tsconfig: './tsconfig.json' }],
    '\\.m?jsx?$': '<rootDir>/scripts/jest-transform.js'
  },
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
