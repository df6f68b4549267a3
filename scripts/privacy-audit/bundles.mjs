// Part "bundles": what the built command line and the built shim really contain and import.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { destination } from '../boundary/specifier.mjs';
import { governing, loadTable } from '../boundary/table.mjs';
import { isOutward, outward } from './dependencies.mjs';
import { otherUsesOfNet } from './door.mjs';
import { check, skipped } from './report.mjs';
import { scanFile } from './scan.mjs';

/** @import { Fact } from '../boundary/facts.mjs' */
/** @import { Check, Finding } from './report.mjs' */
/** @import { Reviewed } from './reviewed.mjs' */
/** @import { Scan } from './scan.mjs' */
/**
 * @typedef {{ inputs: Record<string, { bytesInOutput: number }>, imports: { path: string, kind: string,
 *   external?: boolean }[] }} Output
 * @typedef {{ inputs: Record<string, unknown>, outputs: Record<string, Output> }} Meta
 */

const PART = 'bundles';
/** The one package that stays outside of a bundle, which the part "dependencies" reads, by its two names. */
const SQLITE = new Set(['better-sqlite3', 'better-sqlite3-12']);
const DOOR = 'packages/ipc/dist/connect.js';
const OF_THE_GATEWAY = [
  'packages/gateway/',
  'packages/anomaly/',
  'packages/approvals/',
  'packages/net/',
  'packages/projects/',
  'packages/anchors/',
  'packages/notify/',
  'packages/tools/',
  'packages/away/',
  'packages/egress/',
  'packages/services/',
  'packages/proxy/',
  'packages/remote/',
  'packages/hooks-door/',
  'packages/plane-wing/',
  'packages/ui/',
  'node_modules/ws/',
  'packages/worlds-net/',
  'packages/witness/',
  'packages/daemon/',
  'node_modules/undici/',
  'node_modules/pino/',
];

/**
 * The bundles that may not use the network, and the folders of modules that each must not hold. One shim runs
 * for every server of every agent: what it does not need costs memory there, and is one more thing to trust.
 */
const BUNDLES = [
  { name: 'cli', folder: 'packages/cli/dist/bundle', without: OF_THE_GATEWAY },
  {
    name: 'shim',
    folder: 'packages/cli/dist/shim-bundle',
    without: [
      ...OF_THE_GATEWAY,
      'packages/ledger/',
      'packages/records/',
      'packages/policy/',
      'node_modules/better-sqlite3/',
      'node_modules/better-sqlite3-12/',
      'node_modules/yaml/',
      'node_modules/zod/',
    ],
  },
  {
    name: 'shim alone',
    folder: 'packages/cli/dist/shim-bundle/away',
    without: [
      ...OF_THE_GATEWAY,
      'packages/ledger/',
      'packages/records/',
      'node_modules/better-sqlite3/',
      'node_modules/better-sqlite3-12/',
      'node_modules/yaml/',
    ],
  },
];

/** @typedef {typeof BUNDLES[number]} Bundle */

/**
 * One check a bundle.
 * @param {string} root
 * @param {Reviewed} reviewed
 * @returns {Check[]}
 */
export function auditBundles(root, reviewed) {
  return BUNDLES.map((bundle) => {
    const file = join(root, bundle.folder, 'meta.json');
    if (!existsSync(file)) return skipped(PART, bundle.name, 'not built: run `npm run build`');
    /** @type {Meta} */
    const meta = JSON.parse(readFileSync(file, 'utf8'));
    const scripts = Object.keys(meta.outputs).filter((path) => path.endsWith('.js'));
    return check(PART, bundle.name, `${scripts.length} files, ${contained(meta).size} modules`, [
      ...scripts.flatMap((path) => auditOutput(root, bundle, meta, path, reviewed)),
      ...foreignInputs(bundle, meta),
      ...doors(meta),
    ]);
  });
}

/** The modules of which something is left in the output. @param {Meta} meta @returns {Set<string>} */
function contained(meta) {
  const parts = Object.values(meta.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return new Set(parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([input]) => input));
}

/** @param {Bundle} bundle @param {Meta} meta @returns {Finding[]} */
function foreignInputs(bundle, meta) {
  const externals = Object.values(meta.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => `node_modules/${path}/`),
  );
  return [...contained(meta), ...externals]
    .filter((input) => bundle.without.some((folder) => input.startsWith(folder)))
    .map((input) => ({ where: input, what: `must not be in the bundle of the ${bundle.name}` }));
}

/** @param {Meta} meta @returns {Finding[]} */
function doors(meta) {
  const importers = Object.entries(meta.outputs).filter(([, output]) =>
    output.imports.some(({ path }) => path === 'node:net' || path === 'net'),
  );
  return importers
    .filter(([, output]) => output.inputs[DOOR] === undefined)
    .map(([where]) => ({ where, what: `imports node:net and does not hold ${DOOR}` }));
}

/**
 * @param {string} root
 * @param {Bundle} bundle
 * @param {Meta} meta
 * @param {string} path
 * @param {Reviewed} reviewed
 * @returns {Finding[]}
 */
function auditOutput(root, bundle, meta, path, reviewed) {
  const scan = scanFile(join(root, path));
  const allowed = allowedBuiltins(root, meta);
  return [
    ...scan.facts.flatMap((fact) => {
      const what = forbidden(bundle, fact, path, allowed);
      if (what === null) return [];
      const origin = originOf(scan, fact);
      if (origin !== null && reviewed.coversUse(origin.package, origin.file, what)) return [];
      return [
        {
          where: `${path}:${scan.lineOf(fact.node.start)}${origin === null ? '' : ` (${origin.package}/${origin.file})`}`,
          what,
        },
      ];
    }),
    ...otherUsesOfNet(scan.program).map((node) => ({
      where: `${path}:${scan.lineOf(node.start)}`,
      what: 'uses node:net for something else than connect({ path })',
    })),
  ];
}

/**
 * The outward built-ins that some row among the bundled packages allows; the rest are refused.
 * @param {string} root @param {Meta} meta @returns {Set<string>}
 */
function allowedBuiltins(root, meta) {
  const table = loadTable(root);
  const sources = [...contained(meta)]
    .filter((input) => input.startsWith('packages/'))
    .map((input) => input.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  return new Set(sources.flatMap((source) => [...(governing(table, source)?.node ?? [])]));
}

/**
 * @param {Bundle} bundle
 * @param {Fact} fact
 * @param {string} file
 * @param {Set<string>} allowed
 * @returns {string | null}
 */
function forbidden(bundle, fact, file, allowed) {
  if (fact.kind === 'start') return null;
  if (fact.kind !== 'import' || fact.specifier === null) return outward(fact, file, new Set());
  const to = destination(fact.specifier, file);
  if (to.to === 'node')
    return isOutward(to.name) && !allowed.has(to.name) ? `${fact.how} of ${to.name}` : null;
  if (to.to === 'file')
    return to.path.startsWith(`${bundle.folder}/`) ? null : `${fact.how} of a file outside the bundle`;
  return to.to === 'npm' && SQLITE.has(to.name) ? null : `${fact.how} of ${fact.specifier}`;
}

/**
 * The npm module that a piece of the bundle came from: esbuild writes each input's path in a comment before
 * it.
 * @param {Scan} scan @param {Fact} fact @returns {{ package: string, file: string } | null}
 */
function originOf(scan, fact) {
  const before = scan.comments.filter(
    ({ start, value }) => start < fact.node.start && /^ (?:\.\.\/|node_modules\/|packages\/)\S+$/.test(value),
  );
  const path = before.at(-1)?.value.trim() ?? '';
  const match = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(path);
  return match === null ? null : { package: match[1] ?? '', file: match[2] ?? '' };
}
