/**
 * Runs before each spec: provides a clipboard, which jsdom lacks, and fails the test during which an
 * error or a warning is printed. A spec that expects one replaces the method with `jest.spyOn`.
 */
const { format } = require('node:util');

let clipboard = '';
Object.defineProperty(navigator, 'clipboard', {
  configurable: true,
  value: {
    readText: async () => clipboard,
    writeText: async text => {
      clipboard = text;
    }
  }
});

/**
 * Without style sheets: CodeMirror asks for the style of each element above an editor at each measuring,
 * for which jsdom matches all rules of all sheets. Specs see no layout in either case.
 */
window.getComputedStyle = element => element.style;

/**
 * Between calls of `act`, components are updated as in the browser, and specs wait for a state: React
 * has nothing to warn of.
 */
Object.defineProperty(globalThis, 'IS_REACT_ACT_ENVIRONMENT', {
  get: () =>
    require('react').__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED
      .ReactCurrentActQueue.current !== null
});

/** Warnings about what JupyterLab does in its own models. */
const IGNORED = [
  /Add Yjs type to a document before reading data/,
  /Not same Y\.Doc/,
  /^Different hash found for /
];

let printed = [];
for (const level of ['error', 'warn']) {
  console[level] = (...args) => {
    const text = format(...args);
    if (!IGNORED.some(pattern => pattern.test(text))) {
      const error = new Error(`console.${level}: ${text}`);
      Error.captureStackTrace(error, console[level]);
      printed.push(error);
    }
  };
}
// JupyterLab tells here how it scrolls.
console.debug = () => {};

function check() {
  const [first] = printed;
  printed = [];
  if (first) {
    throw first;
  }
}
afterEach(check);
afterAll(check); // What was printed while the spec was loaded or after its last test.
