/**
 * The layers of the frontend, held by a test: imports go down only.
 */
import * as fs from 'fs';
import * as path from 'path';

// From the ground up; a file may import from layers below its own, and from its own.
const LAYERS = [
  ['tokens', 'api/types', 'api/schema'],
  ['api'],
  ['models', 'notebook'],
  ['widgets'],
  ['plugins'],
  ['index']
];

function level(file: string): number {
  const found = LAYERS.map(names =>
    Math.max(
      ...names.map(name =>
        file === name || file.startsWith(`${name}/`) ? name.length : -1
      )
    )
  );
  const best = Math.max(...found);
  if (best < 0) {
    throw new Error(`${file} is in no layer`);
  }
  return found.indexOf(best);
}

function* sources(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      yield* sources(file);
    } else if (/\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file)) {
      yield file;
    }
  }
}

const root = __dirname;

function imports(file: string): string[] {
  const text = fs.readFileSync(file, 'utf-8');
  const found = [...text.matchAll(/from\s+'(\.[^']*)'/g)].map(match =>
    path.relative(root, path.resolve(path.dirname(file), match[1]))
  );
  return found.filter(name => !name.endsWith('.svg') && !name.endsWith('.css'));
}

describe('layers', () => {
  it('has a layer for each file', () => {
    for (const file of sources(root)) {
      expect(
        level(path.relative(root, file).replace(/\.tsx?$/, ''))
      ).toBeGreaterThanOrEqual(0);
    }
  });

  it('lets imports go down only', () => {
    const wrong: string[] = [];
    for (const file of sources(root)) {
      const name = path.relative(root, file).replace(/\.tsx?$/, '');
      for (const target of imports(file)) {
        if (level(target) > level(name)) {
          wrong.push(`${name} imports ${target}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keeps the API away from widgets, and views away from models', () => {
    const wrong: string[] = [];
    for (const file of sources(root)) {
      const name = path.relative(root, file);
      for (const target of imports(file)) {
        if (name.startsWith('widgets/') && /^api\/(?!types)/.test(target)) {
          wrong.push(`${name} imports ${target}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('keeps files small', () => {
    const long = [...sources(root)].filter(
      file =>
        !file.endsWith('schema.ts') &&
        fs.readFileSync(file, 'utf-8').split('\n').length > 500
    );
    expect(long).toEqual([]);
  });
});
