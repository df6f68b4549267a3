// npm run pack [-- --compiled] [FOLDER]: the built programs as one npm package, which needs nothing of this
// clone. Everything is in the bundles but SQLite's add-on: npm installs that, with a compiler where its
// makers have no binary for the machine. With `--compiled` the package holds the one of this tree, for this
// system and this major version of Node. Prints the tarball's path.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTree } from './build.mjs';

/** The shipped files. The programs find each other by these places, relative to each other. */
const SHIPPED = [
  'packages/cli/bin',
  'packages/cli/dist/bundle',
  'packages/cli/dist/shim-bundle',
  'packages/cli/dist/policies',
  'packages/daemon/dist/bundle',
];
/**
 * The one dependency that is no part of a bundle, the package that names its version, and what runs of it.
 */
const ADD_ON = {
  name: 'better-sqlite3',
  from: 'packages/ledger/package.json',
  files: ['package.json', 'LICENSE', 'lib', 'build/Release/better_sqlite3.node'],
  needs: ['bindings', 'file-uri-to-path'],
};

/**
 * Packs the tree, which has to be built.
 * @param {string} root
 * @param {string} target where the tarball goes
 * @param {{ compiled: boolean }} options
 * @returns {string} the tarball
 */
export function packTree(root, target, { compiled }) {
  const scratch = mkdtempSync(join(tmpdir(), 'sub-pack-'));
  try {
    for (const folder of SHIPPED) {
      cpSync(join(root, folder), join(scratch, folder), { recursive: true, filter: isShipped });
    }
    for (const file of ['README.md', 'LICENSE']) cpSync(join(root, file), join(scratch, file));
    if (compiled) takeAddOn(root, scratch);
    const told = manifest(root, compiled);
    writeJson(join(scratch, 'package.json'), told);
    mkdirSync(target, { recursive: true });
    const flags = ['pack', '--ignore-scripts', '--pack-destination', scratch];
    const packed = spawnSync('npm', flags, { cwd: scratch, encoding: 'utf8' });
    if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
    const name = `${told.name.replace('@', '').replace('/', '-')}-${told.version}`;
    const suffix = compiled ? `-${process.platform}-${process.arch}-node${nodeMajor()}` : '';
    const tarball = join(resolve(target), `${name}${suffix}.tgz`);
    cpSync(join(scratch, `${name}.tgz`), tarball);
    return tarball;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Accounts of the bundler and maps to sources that are not shipped stay behind. @param {string} path */
function isShipped(path) {
  return !path.endsWith('.map') && !path.endsWith('/meta.json');
}

/**
 * The compiled add-on of the tree, with a manifest that has npm compile nothing.
 * @param {string} root @param {string} scratch
 */
function takeAddOn(root, scratch) {
  for (const file of ADD_ON.files) copyModule(root, scratch, join(ADD_ON.name, file));
  for (const name of ADD_ON.needs) copyModule(root, scratch, name);
  const path = join(scratch, 'node_modules', ADD_ON.name, 'package.json');
  const { name, version, main, license, dependencies } = JSON.parse(readFileSync(path, 'utf8'));
  const needed = { bindings: dependencies.bindings };
  writeJson(path, { name, version, main, license, dependencies: needed, gypfile: false });
}

/** @param {string} root @param {string} scratch @param {string} path below node_modules */
function copyModule(root, scratch, path) {
  cpSync(join(root, 'node_modules', path), join(scratch, 'node_modules', path), { recursive: true });
}

const nodeMajor = () => process.versions.node.split('.')[0];

/**
 * The manifest of the package: that of the command line, without what its bundles hold.
 * @param {string} root
 * @param {boolean} compiled
 */
function manifest(root, compiled) {
  /** @param {string} path */
  const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { name, version, description, license, engines, type } = read('packages/cli/package.json');
  const addOn = read(ADD_ON.from).dependencies[ADD_ON.name];
  const machine = {
    os: [process.platform],
    cpu: [process.arch],
    engines: { node: `${nodeMajor()}.x` },
    bundleDependencies: [ADD_ON.name],
  };
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    ...(compiled ? machine : {}),
    bin: { sub: 'packages/cli/bin/sub.mjs' },
    dependencies: { [ADD_ON.name]: addOn },
  };
}

/** @param {string} path @param {object} value */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const compiled = process.argv.includes('--compiled');
  const [target = root] = process.argv.slice(2).filter((arg) => arg !== '--compiled');
  if (await buildTree(root, { force: false })) {
    process.stdout.write(`${packTree(root, target, { compiled })}\n`);
  } else process.exitCode = 1;
}
