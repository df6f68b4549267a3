// npm run pack [-- FOLDER]: the built programs as one npm package, which needs nothing of this clone, no
// network, no compiler and no script to be installed: everything is in the bundles, and SQLite's add-on lies
// beside them for every system that its makers compile it for. Prints the tarball's path; beside it lies the
// bill of materials.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTree } from './build.mjs';
import { billOfMaterials, contents, notices } from './pack/contents.mjs';

/** The shipped files. The programs find each other by these places, relative to each other. */
const SHIPPED = [
  'packages/cli/bin',
  'packages/cli/dist/bundle',
  'packages/cli/dist/shim-bundle',
  'packages/cli/dist/policies',
  'packages/daemon/dist/bundle',
  'docs',
  'verifier/verify.mjs',
];
/** Its pages, and those that they link to. */
const PAGES = [
  'README.md',
  'LICENSE',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'bench/RESULTS.md',
  'packages/README.md',
  'vectors/README.md',
];
/** The one dependency that is no part of a bundle, and what runs of it: nothing that is to be compiled. */
const ADD_ON = 'node_modules/better-sqlite3';
const ADD_ON_FILES = ['LICENSE', 'lib', 'prebuilds'];

/**
 * Packs the tree, which has to be built.
 * @param {string} root
 * @param {string} target where the tarball goes
 * @returns {string} the tarball
 */
export function packTree(root, target) {
  const scratch = mkdtempSync(join(tmpdir(), 'sub-pack-'));
  try {
    const told = layOut(root, scratch);
    const flags = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
    const packed = spawnSync('npm', flags, { cwd: scratch, encoding: 'utf8' });
    if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
    const name = `${told.name.replace('@', '').replace('/', '-')}-${told.version}`;
    mkdirSync(target, { recursive: true });
    cpSync(join(scratch, BILL), join(target, `${name}.cdx.json`));
    const tarball = join(resolve(target), `${name}.tgz`);
    cpSync(join(scratch, `${name}.tgz`), tarball);
    return tarball;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const BILL = 'sbom.cdx.json';

/**
 * Lays the package out in a folder, as `npm publish` takes it.
 * @param {string} root @param {string} folder
 */
export function layOut(root, folder) {
  for (const shipped of SHIPPED) {
    cpSync(join(root, shipped), join(folder, shipped), {
      recursive: true,
      filter: (path) => isShipped(relative(root, path).replaceAll(sep, '/')),
    });
  }
  for (const file of PAGES) cpSync(join(root, file), join(folder, file));
  for (const file of ADD_ON_FILES)
    cpSync(join(root, ADD_ON, file), join(folder, ADD_ON, file), { recursive: true });
  const addOn = readJson(join(root, ADD_ON, 'package.json'));
  writeJson(join(folder, ADD_ON, 'package.json'), runtimeManifest(addOn));
  const told = manifest(root, addOn);
  writeJson(join(folder, 'package.json'), told);
  const held = contents(root, ADD_ON);
  writeFileSync(join(folder, 'NOTICES.txt'), notices(root, held));
  writeJson(join(folder, BILL), billOfMaterials(told, held));
  return told;
}

/**
 * Accounts of the bundler and maps to sources that are not shipped stay behind, and so does what an editor or
 * somebody left beside the pages.
 * @param {string} path from the root
 */
export function isShipped(path) {
  const isPicture = /^docs\/img\/[a-z-]+\.jpg$/.test(path);
  const isLeft = !isPicture && /^docs\/(?:.*\/)?(?:\.|[^/]*\.(?!md$)[^./]+$)/.test(path);
  return !isLeft && !path.endsWith('.map') && !path.endsWith('/meta.json');
}

/** Its files for compiling stay behind, so that npm compiles nothing. @param {Manifest} whole */
function runtimeManifest({
  name,
  version,
  description,
  author,
  license,
  repository,
  main,
  exports,
  engines,
}) {
  return { name, version, description, author, license, repository, main, exports, engines, gypfile: false };
}

/**
 * The manifest of the package: that of the command line, without what its bundles hold, for the Nodes that
 * the add-on runs in.
 * @param {string} root
 * @param {Manifest} addOn
 */
function manifest(root, addOn) {
  const { name, version, description, license, type } = readJson(join(root, 'packages/cli/package.json'));
  return {
    name,
    version,
    description,
    license,
    type,
    engines: addOn.engines,
    bin: { sub: 'packages/cli/bin/sub.mjs' },
    publishConfig: { access: 'public' },
    dependencies: { [addOn.name]: addOn.version },
    bundleDependencies: [addOn.name],
  };
}

/** @typedef {Record<'name' | 'version' | 'description' | 'license' | 'type', string>} Told */
/** @typedef {Told & Record<string, unknown>} Manifest */

/** @param {string} path @returns {Manifest} */
function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** @param {string} path @param {object} value */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const [target = root] = process.argv.slice(2);
  if (target.startsWith('-')) {
    process.stderr.write(`there is no option \`${target}\`: name the folder for the package, or nothing\n`);
    process.exitCode = 2;
  } else if (await buildTree(root, { force: false })) process.stdout.write(`${packTree(root, target)}\n`);
  else process.exitCode = 1;
}
