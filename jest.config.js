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

module.exports = {
  ...jestJupyterLab(__dirname),
  automock: false,
  collectCoverage: false,
  reporters: ['default'],
  modulePathIgnorePatterns: [
    '<rootDir>/lib/',
    '<rootDir>/.make/',
    '<rootDir>/aiserver/',
    '<rootDir>/.venv/',
    '<rootDir>/ui-tests/'
  ],
  testRegex: 'src/.*\\.spec\\.tsx?$',
  transformIgnorePatterns: [`/node_modules/(?!${esModules}).+`]
};
