// Every package shows one `index.js`, and esbuild splits by file: through it, whatever any verb takes from a
// package would be loaded by all of them. Here an import of such an index becomes imports of the files that
// it names.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /^import \{([^}]*)\} from '(@subluminal\/[a-z-]+)';$/gm;
const NAMED = /^export \{([^}]*)\} from '(\.\/[^']+)';$/;

/**
 * Leads what the packages import of each other past their indexes.
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
export function pastIndex(root) {
  /** @type {Map<string, Map<string, string>>} */
  const indexes = new Map();
  /** @param {string} name @returns {Map<string, string>} */
  const indexOf = (name) => {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const read = filesOf(join(root, 'packages', name.slice('@subluminal/'.length), 'dist/index.js'));
    indexes.set(name, read);
    return read;
  };
  return {
    name: 'past-index',
    setup(build) {
      build.onLoad({ filter: /\/packages\/[a-z-]+\/dist\/.*\.js$/ }, ({ path }) => ({
        loader: 'js',
        resolveDir: dirname(path),
        contents: readFileSync(path, 'utf8').replaceAll(
          IMPORT,
          (_line, /** @type {string} */ names, /** @type {string} */ name) =>
            wordsOf(names)
              .map((word) => {
                const file = indexOf(name).get(word.split(' as ')[0] ?? '');
                if (file === undefined) throw new Error(`${name} does not export ${word} (${path})`);
                return `import { ${word} } from ${JSON.stringify(file)};`;
              })
              .join(' '),
        ),
      }));
    },
  };
}

/** Where an index takes each of its names from. @param {string} index @returns {Map<string, string>} */
function filesOf(index) {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const line of readFileSync(index, 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('//') || line.startsWith('/**')) continue;
    const [, names, from] = NAMED.exec(line) ?? [];
    if (names === undefined || from === undefined)
      throw new Error(`${index}: \`${line}\` is not an export by name`);
    for (const word of wordsOf(names)) files.set(word, join(dirname(index), from));
  }
  return files;
}

/** @param {string} names @returns {string[]} */
function wordsOf(names) {
  return names
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
