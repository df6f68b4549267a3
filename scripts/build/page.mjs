// The page of `sub ui`: one script, one worker, one style sheet, under names that stay. It is written beside
// the module that reads it, in the tree and in the gateway's bundle.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { minify } from 'terser';
import { run } from './command.mjs';

const SOURCE = 'packages/ui/page';
const FOLDERS = ['packages/ui/dist/files/page', 'packages/daemon/dist/bundle/page'];
const INDEX = 'index.html';
const SCRIPTS = ['app.js', 'verify.js'];
/** esbuild's account of what is in it, which the door does not serve: licences are told by it. */
const META = 'meta.json';

/**
 * Compiles the page for types alone, and bundles it. Returns the written files as paths from the root, or
 * null where the compiler found errors, which it has told.
 * @param {string} root
 * @param {{ unchecked: boolean }} options
 * @returns {Promise<string[] | null>}
 */
export async function writePage(root, { unchecked }) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  if (!unchecked && (await run(process.execPath, [compiler, '-p', SOURCE], { cwd: root })) !== 0) return null;
  const [folder = '', ...others] = FOLDERS;
  for (const one of FOLDERS) {
    rmSync(join(root, one), { recursive: true, force: true });
    mkdirSync(join(root, one), { recursive: true });
  }
  const result = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: `${SOURCE}/main.tsx`, out: 'app' },
      { in: `${SOURCE}/app.css`, out: 'app' },
      { in: `${SOURCE}/verify/worker.ts`, out: 'verify' },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    platform: 'browser',
    // The oldest browsers whose WebCrypto has Ed25519, and whose CSS has `light-dark()`.
    target: ['chrome137', 'firefox130', 'safari17.5'],
    format: 'esm',
    inject: [`${SOURCE}/jsx.ts`],
    // Its own settings of JSX would win: calls of the automatic runtime are longer.
    tsconfigRaw: {
      compilerOptions: { jsx: 'react', jsxFactory: 'elementOf', jsxFragmentFactory: 'fragmentOf' },
    },
    charset: 'ascii',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  for (const name of SCRIPTS) {
    const script = join(root, folder, name);
    writeFileSync(script, await smaller(readFileSync(script, 'utf8')));
  }
  const styles = join(root, folder, 'app.css');
  writeFileSync(styles, joinedLayers(readFileSync(styles, 'utf8')));
  copyFileSync(join(root, SOURCE, INDEX), join(root, folder, INDEX));
  writeFileSync(join(root, folder, META), JSON.stringify(result.metafile));
  const names = [...Object.keys(result.metafile.outputs).map((path) => basename(path)), INDEX, META];
  for (const other of others)
    for (const name of names) copyFileSync(join(root, folder, name), join(root, other, name));
  return FOLDERS.flatMap((one) => names.map((name) => `${one}/${name}`));
}

/**
 * The same program in fewer bytes: esbuild looks at each statement alone, terser at the whole.
 * @param {string} script
 * @returns {Promise<string>}
 */
async function smaller(script) {
  const options = { module: true, compress: { passes: 2 }, format: { ascii_only: true, comments: false } };
  const { code } = await minify(script, options);
  if (code === undefined) throw new Error('terser gave no script');
  return code;
}

/**
 * Makes one block of those of the same layer that follow each other: esbuild gives each file one of its own.
 * @param {string} css as esbuild minifies it
 * @returns {string}
 */
function joinedLayers(css) {
  let before = '';
  return css.split(/(?=@layer [a-z]+\{)/).reduce((whole, block) => {
    const [opening = ''] = /^@layer [a-z]+\{/.exec(block) ?? [];
    const isSame = opening !== '' && opening === before && whole.endsWith('}');
    before = opening;
    return isSame ? whole.slice(0, -1) + block.slice(opening.length) : whole + block;
  }, '');
}
