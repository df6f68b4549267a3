import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** How a file under `tests/` comes to a gateway, a command line or a shim as they are shipped. */
const STARTS = [
  /import \{[^}]*\bstartGateway\b[^}]*\} from '@subluminal\/(?:daemon|shim)'/u,
  /packages\/(?:cli\/bin\/sub\.mjs|daemon\/dist\/bundle\/gateway\.js)/u,
];
const IMPORT = /(?:^import|^export|^\} )[^;]*?from '(\.{1,2}\/[^']+)'/gmu;

/**
 * Tells whether a test file, or a file of the tests that it imports, starts the product. Tests of one module
 * and tests of vectors do not: they look at things that were made by hand.
 */
export function runsProduct(root: string, file: string): boolean {
  return (
    file.startsWith('tests/') && closure(root, file).some((text) => STARTS.some((start) => start.test(text)))
  );
}

/** The texts of a file and of all that it imports by a relative path. */
function closure(root: string, file: string): string[] {
  const texts = new Map<string, string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (texts.has(next) || !existsSync(join(root, next))) continue;
    const text = readFileSync(join(root, next), 'utf8');
    texts.set(next, text);
    for (const [, path = ''] of text.matchAll(IMPORT))
      open.push(normalize(join(dirname(next), path.replace(/\.js$/u, '.ts'))));
  }
  return [...texts.values()];
}
