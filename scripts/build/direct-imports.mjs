// Packages are imported through their index, which names everything they offer. To a bundler that splits by entry, each
// file behind an index belongs to whoever imports the index, so that `sub shim` would load the schema library for one
// error class. Here such imports go to the files themselves; an index that has more than plain re-exports is an error.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OURS = /(?:^|\/)packages\/[^/]+\/dist\/.*\.js$/;
const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*['"]@subluminal\/([a-z-]+)['"];?$/gm;
const RE_EXPORT = /^export\s*\{([^}]*)\}\s*from\s*['"](\.[^'"]+)['"];?$/gm;

/** @param {string} root @returns {import('esbuild').Plugin} */
export function directImports(root) {
  /** @type {Map<string, Map<string, { file: string, name: string }>>} */
  const indexes = new Map();
  /** @param {string} name */
  const indexOf = (name) => {
    const known = indexes.get(name) ?? readIndex(join(root, 'packages', name, 'dist', 'index.js'));
    indexes.set(name, known);
    return known;
  };
  return {
    name: 'direct-imports',
    setup(build) {
      build.onLoad({ filter: OURS }, (args) => {
        const contents = readFileSync(args.path, 'utf8').replace(IMPORT, (_whole, names, name) =>
          split(names)
            .map(({ from, to }) => {
              const found = indexOf(name).get(from);
              if (found === undefined) throw new Error(`@subluminal/${name} does not export \`${from}\``);
              return `import { ${found.name} as ${to} } from ${JSON.stringify(found.file)};`;
            })
            .join(' '),
        );
        return { contents, resolveDir: dirname(args.path) };
      });
    },
  };
}

/** What an index exports, and where from. @param {string} file */
function readIndex(file) {
  const text = readFileSync(file, 'utf8');
  /** @type {Map<string, { file: string, name: string }>} */
  const exports = new Map();
  for (const [, names = '', path = ''] of text.matchAll(RE_EXPORT)) {
    for (const { from, to } of split(names)) exports.set(to, { file: join(dirname(file), path), name: from });
  }
  const rest = text.replace(RE_EXPORT, '').replace(/\/\*[\s\S]*?\*\/|^\/\/.*$|^export \{\};?$/gm, '');
  if (rest.trim() !== '') throw new Error(`\`${file}\` holds more than re-exports`);
  return exports;
}

/** `a, b as c` as pairs. @param {string} names */
function split(names) {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => {
      const [from = '', to = from] = name.split(/\s+as\s+/);
      return { from, to };
    });
}
