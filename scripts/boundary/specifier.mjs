// Where an import specifier leads: a Node built-in, a package of this workspace, an npm package, a file, or
// nowhere.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';

const SCOPE = '@subluminal/';
/** The surfaces that packages have beside their index. */
const SURFACES = new Set(['core-types/portable', 'readings/facts', 'records/filter', 'ui/protocol']);
const BUILTINS = new Set(builtinModules.map((name) => name.split('/')[0] ?? name));

/**
 * @typedef {{ to: 'node', name: string, prefixed: boolean } | { to: 'package', name: string, deep: boolean }
 *   | { to: 'npm', name: string } | { to: 'file', path: string }
 *   | { to: 'elsewhere', why: string }} Destination
 */

/**
 * Built-ins are named by their root (`fs/promises` is `fs`), npm packages by their package
 * (`@noble/hashes/sha2.js` is `@noble/hashes`), files by their path from the root. URLs, absolute paths,
 * `#imports` and paths that leave the root lead `elsewhere`.
 * @param {string} specifier
 * @param {string} importer path of the importing file from the root
 * @returns {Destination}
 */
export function destination(specifier, importer) {
  if (specifier.startsWith('node:')) {
    return { to: 'node', name: root(specifier.slice('node:'.length)), prefixed: true };
  }
  if (specifier.startsWith('./') || specifier.startsWith('../') || specifier === '.' || specifier === '..') {
    const path = posix.normalize(posix.join(posix.dirname(importer), specifier));
    return path.startsWith('../')
      ? { to: 'elsewhere', why: 'it leaves the repository' }
      : { to: 'file', path };
  }
  if (specifier.startsWith('/')) return { to: 'elsewhere', why: 'it is an absolute path' };
  if (specifier.startsWith('#'))
    return { to: 'elsewhere', why: 'package-internal aliases are not used here' };
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) return { to: 'elsewhere', why: 'it is a URL' };
  if (BUILTINS.has(root(specifier))) return { to: 'node', name: root(specifier), prefixed: false };
  if (specifier.startsWith(SCOPE)) {
    const name = specifier.slice(SCOPE.length);
    return { to: 'package', name: root(name), deep: name.includes('/') && !SURFACES.has(name) };
  }
  const parts = specifier.split('/');
  return {
    to: 'npm',
    name: specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier),
  };
}

/** @param {string} path @returns {string} */
function root(path) {
  return path.split('/')[0] ?? path;
}
