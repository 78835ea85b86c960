/**
 * Compile the ECMAScript modules of packages for jest, much quicker than Babel does.
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { transformSync, version } = require('esbuild');

const THIS = readFileSync(__filename, 'utf-8');

module.exports = {
  process(source, path) {
    const { code } = transformSync(source, {
      format: 'cjs',
      loader: 'js',
      platform: 'node',
      sourcefile: path,
      supported: { 'dynamic-import': false },
      target: `node${process.versions.node}`
    });
    return { code };
  },
  getCacheKey(source, path) {
    return createHash('sha256')
      .update([THIS, version, process.versions.node, path, source].join('\0'))
      .digest('hex');
  }
};
