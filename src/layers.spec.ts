/**
 * A file imports only from lower layers, and features share code only through `tokens.ts` and the
 * shared folders.
 */
import * as fs from 'fs';
import * as path from 'path';

/** The shared layers, lowest first. A file may import from lower layers and from its own part. */
const SHARED = [
  ['api/schema', 'commandIds'],
  ['api/types'],
  ['api'],
  ['tokens'],
  ['state', 'records', 'diff', 'kernel'],
  ['cells', 'ui'],
  ['labels'],
  ['prompt']
];
const FEATURES = [
  'ask',
  'history',
  'identity',
  'lineBreaks',
  'placeholder',
  'providers',
  'replay',
  'tracking',
  'plugins/agents',
  'plugins/blame',
  'plugins/completion',
  'plugins/data',
  'plugins/export',
  'plugins/exportedPage',
  'plugins/firstSteps',
  'plugins/gitAdvice',
  'plugins/losses',
  'plugins/magic',
  'plugins/memory'
];
/** The parts of a feature, lowest first. */
const INNER = ['model', 'view', 'plugin'];
const TOP = 'index';
const MAX_LINES = 600;

const ROOT = __dirname;

function sources(folder = ROOT): string[] {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      return sources(file);
    }
    const isSource = /\.tsx?$/.test(file) && !/\.(spec|fakes)\./.test(file);
    return isSource ? [file] : [];
  });
}

const nameOf = (file: string) =>
  path.relative(ROOT, file).replace(/(\.d)?\.tsx?$/, '');

const IMPORTS = new Map(
  sources().map(file => {
    const text = fs.readFileSync(file, 'utf-8');
    const matches = [...text.matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)];
    const targets = matches.map(match =>
      path.relative(ROOT, path.resolve(path.dirname(file), match[1]))
    );
    return [nameOf(file), targets.filter(target => !target.startsWith('..'))];
  })
);
const NAMES = [...IMPORTS.keys()];
const EDGES = [...IMPORTS].flatMap(([name, targets]) =>
  targets.map(target => [name, target] as const)
);

/** The feature of a file, and the path below its folder. */
const splitFeature = (name: string): [string, string] => {
  const feature = FEATURES.find(folder => name.startsWith(`${folder}/`)) ?? '';
  return [feature, name.slice(feature.length + 1)];
};

const isIn = (name: string, part: string) =>
  name === part || name.startsWith(`${part}/`);

/** The shared part that contains a file, and its layer, or null. */
function sharedPart(name: string): [number, string] | null {
  const matches = SHARED.flatMap((parts, level) =>
    parts
      .filter(part => isIn(name, part))
      .map((part): [number, string] => [level, part])
  );
  matches.sort((a, b) => b[1].length - a[1].length);
  return matches[0] ?? null;
}

function level(name: string): number {
  if (name === TOP) {
    return SHARED.length + 1;
  }
  const shared = sharedPart(name);
  if (shared) {
    return shared[0];
  }
  if (splitFeature(name)[0]) {
    return SHARED.length;
  }
  throw new Error(`${name} is in no layer`);
}

const wrong = (isWrong: (name: string, target: string) => boolean) =>
  EDGES.filter(edge => isWrong(...edge)).map(edge => edge.join(' imports '));

describe('layers', () => {
  it('has a layer for each file, and no layer without files', () => {
    NAMES.forEach(level);
    const parts = [...SHARED.flat(), ...FEATURES, TOP];
    const empty = parts.filter(part => !NAMES.some(name => isIn(name, part)));
    expect(empty).toEqual([]);
  });

  it('lets imports go down only', () => {
    const isUp = (name: string, target: string) => {
      const [from, to] = [level(name), level(target)];
      const isSibling =
        from === to &&
        from < SHARED.length &&
        sharedPart(name)?.[1] !== sharedPart(target)?.[1];
      return to > from || isSibling;
    };
    expect(wrong(isUp)).toEqual([]);
  });

  it('lets no feature import another one', () => {
    const isOther = (name: string, target: string) =>
      level(name) === SHARED.length &&
      level(target) === SHARED.length &&
      splitFeature(name)[0] !== splitFeature(target)[0];
    expect(wrong(isOther)).toEqual([]);
  });

  it('lets imports within a feature go from plugin to view to model', () => {
    const inner = (name: string) => {
      const at = INNER.indexOf(splitFeature(name)[1].split('/')[0]);
      return at < 0 ? (name.endsWith('examples') ? 0 : NaN) : at;
    };
    const features = NAMES.filter(name => level(name) === SHARED.length);
    expect(features.filter(name => isNaN(inner(name)))).toEqual([]);
    const isUp = (name: string, target: string) =>
      level(name) === SHARED.length &&
      level(target) === SHARED.length &&
      inner(target) > inner(name);
    expect(wrong(isUp)).toEqual([]);
  });

  it('keeps views away from the API', () => {
    const isCall = (name: string, target: string) =>
      (name.includes('/view/') || isIn(name, 'ui')) &&
      isIn(target, 'api') &&
      target !== 'api/types';
    expect(wrong(isCall)).toEqual([]);
  });

  it('reads sources of cells with `sourceOf`', () => {
    // The other files need the offsets of the cell's own text.
    const allowed = [
      'ask/view/notebookAskManager',
      'cells/applySource',
      'cells/operations',
      'cells/source',
      'plugins/completion/model/provider'
    ];
    const readers = sources().filter(file =>
      fs.readFileSync(file, 'utf-8').includes('.getSource()')
    );
    expect(readers.map(nameOf).sort()).toEqual(allowed);
  });

  it('has no cycle', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (name: string, trail: string[]) => {
      const start = trail.indexOf(name);
      if (start >= 0) {
        cycles.push([...trail.slice(start), name].join(' > '));
      } else if (!done.has(name)) {
        (IMPORTS.get(name) ?? []).forEach(next =>
          visit(next, [...trail, name])
        );
        done.add(name);
      }
    };
    NAMES.forEach(name => visit(name, []));
    expect(cycles).toEqual([]);
  });

  it('keeps files small', () => {
    const long = sources().filter(
      file =>
        !file.endsWith('schema.ts') &&
        fs.readFileSync(file, 'utf-8').split('\n').length > MAX_LINES
    );
    expect(long.map(nameOf)).toEqual([]);
  });

  it('names files in camelCase', () => {
    const base = (name: string) => path.basename(name);
    const odd = NAMES.filter(name => !/^[a-z][A-Za-z0-9]*$/.test(base(name)));
    expect(odd).toEqual([]);
  });
});
