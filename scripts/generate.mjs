/**
 * Generate the files that are built from other sources and not committed:
 *
 *     src/kernel/*Code.ts                                  from aiserver/kernel
 *     aiserver/rest-api.yml, src/api/schema.ts             by scripts/rest_api.py, from the server
 *     aiserver/locale/<locale>/LC_MESSAGES/aiserver.json   from translations/<locale>.po
 *
 * `--check` writes nothing, and fails if a file is missing or stale.
 *
 * Invariants:
 *
 * - It needs Node, npm packages and any Python 3. Without the server's Python packages, as in an
 *   isolated build of the wheel, it warns and leaves out the description of the HTTP API.
 * - A file whose content is up to date keeps its time of modification.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { compilePo } from './compile_po.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const files = { ...kernelCode(), ...(await httpApi()), ...translations() };
const stale = Object.keys(files).filter(name => read(name) !== files[name]);
if (process.argv.includes('--check')) {
  for (const name of stale) {
    console.error(`${name} is stale: jlpm generate`);
  }
  process.exitCode = stale.length ? 1 : 0;
} else {
  for (const name of stale) {
    mkdirSync(path.dirname(path.join(ROOT, name)), { recursive: true });
    writeFileSync(path.join(ROOT, name), files[name]);
  }
}

/** Return the content of a file, or null if there is none. */
function read(name) {
  try {
    return readFileSync(path.join(ROOT, name), 'utf8');
  } catch {
    return null;
  }
}

/** Return a module for each text that runs in a kernel. */
function kernelCode() {
  const texts = JSON.parse(runPython('kernel_code.py'));
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      `src/kernel/${name}Code.ts`,
      '/** Written by scripts/generate.mjs from aiserver/kernel. */\n' +
        `export const ${name.toUpperCase()} = ${JSON.stringify(text)};\n`
    ])
  );
}

/** Run a script with the first Python that can: some machines have only `python3` or `py`. */
function runPython(script) {
  const failures = [];
  for (const python of ['python', 'python3', 'py']) {
    const run = spawnSync(python, [path.join(ROOT, 'scripts', script)], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26
    });
    if (run.status === 0) {
      return run.stdout;
    }
    failures.push(`${python}: ${run.error?.message ?? run.stderr}`);
  }
  throw new Error(`Python can't run ${script}.\n${failures.join('\n')}`);
}

/**
 * Return the description of the HTTP API, and its types unless their generator isn't installed. The
 * page is built without types, and `make lab` installs only what builds the page.
 */
async function httpApi() {
  let description;
  try {
    description = runPython('rest_api.py');
  } catch (error) {
    const missing = error.message.match(/ModuleNotFoundError: (.*)/);
    if (!missing) {
      throw error;
    }
    console.warn(`The HTTP API is not described: ${missing[1]}`);
    return {};
  }
  const file = { 'aiserver/rest-api.yml': description };
  const generator = await import('openapi-typescript').catch(() => null);
  if (!generator) {
    return file;
  }
  const { default: openapiTS, astToString, COMMENT_HEADER } = generator;
  const types = await openapiTS(description, {
    defaultNonNullable: false, // a field with a default value need not be sent
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    rootTypesKeepCasing: true
  });
  return { ...file, 'src/api/schema.ts': COMMENT_HEADER + astToString(types) };
}

/** Return the translations of each language, for JupyterLab. */
function translations() {
  const folder = path.join(ROOT, 'translations');
  const names = readdirSync(folder).filter(name => name.endsWith('.po'));
  return Object.fromEntries(
    names.map(name => [
      `aiserver/locale/${name.slice(0, -3)}/LC_MESSAGES/aiserver.json`,
      compilePo(readFileSync(path.join(folder, name)))
    ])
  );
}
