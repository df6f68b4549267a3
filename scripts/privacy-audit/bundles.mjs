// Part "bundles": what the built command line, the shim inside it, and nothing else, really contain and import.
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
 * @typedef {{ inputs: Record<string, unknown>, imports: { path: string, kind: string, external?: boolean }[], entryPoint?: string }} Output
 * @typedef {{ inputs: Record<string, unknown>, outputs: Record<string, Output> }} Meta
 */

const PART = 'bundles';
const FOLDER = 'packages/cli/dist/bundle';
const DOOR = 'packages/ipc/dist/connect.js';
const SHIM_ENTRY = /^packages\/cli\/dist\/.*shim[^/]*\.js$/;

/** What `sub shim` must not load: one shim runs for every server of every agent. */
const NOT_IN_SHIM = ['node_modules/smol-toml/', 'node_modules/yaml/', 'packages/ledger/', 'packages/policy/'];

/**
 * @param {string} root
 * @param {Reviewed} reviewed
 * @returns {Check[]}
 */
export function auditBundles(root, reviewed) {
  const file = join(root, FOLDER, 'meta.json');
  if (!existsSync(file)) {
    return [skipped(PART, 'cli', 'not built: run `npm run build`')];
  }
  /** @type {Meta} */
  const meta = JSON.parse(readFileSync(file, 'utf8'));
  const scripts = Object.keys(meta.outputs).filter((path) => path.endsWith('.js'));
  const findings = scripts.flatMap((path) => auditOutput(root, meta, path, reviewed));
  const checks = [
    check(PART, 'cli', `${scripts.length} files, ${Object.keys(meta.inputs).length} modules`, [
      ...findings,
      ...foreignInputs(meta),
      ...doors(meta),
    ]),
  ];
  const entry = scripts.find((path) => SHIM_ENTRY.test(meta.outputs[path]?.entryPoint ?? ''));
  if (entry === undefined) {
    checks.push(
      check(PART, 'shim', 'no entry', [
        { where: FOLDER, what: 'the shim is not a part of its own: import it dynamically' },
      ]),
    );
  } else {
    checks.push(auditShim(meta, [`${FOLDER}/main.js`, entry]));
  }
  return checks;
}

/** @param {Meta} meta @returns {Finding[]} */
function foreignInputs(meta) {
  return Object.keys(meta.inputs)
    .filter((input) => /^packages\/gateway\/|node_modules\/(?:undici|pino)\//.test(input))
    .map((input) => ({
      where: input,
      what: 'belongs to the gateway and is in the bundle of the command line',
    }));
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

/** @param {string} root @param {Meta} meta @param {string} path @param {Reviewed} reviewed @returns {Finding[]} */
function auditOutput(root, meta, path, reviewed) {
  const scan = scanFile(join(root, path));
  const allowed = allowedBuiltins(root, meta);
  return [
    ...scan.facts.flatMap((fact) => {
      const what = forbidden(fact, path, allowed);
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
  const sources = Object.keys(meta.inputs)
    .filter((input) => input.startsWith('packages/'))
    .map((input) => input.replace('/dist/', '/src/').replace(/\.js$/, '.ts'));
  return new Set(sources.flatMap((source) => [...(governing(table, source)?.node ?? [])]));
}

/** @param {Fact} fact @param {string} file @param {Set<string>} allowed @returns {string | null} */
function forbidden(fact, file, allowed) {
  if (fact.kind === 'start') return null;
  if (fact.kind !== 'import' || fact.specifier === null) return outward(fact, file, new Set());
  const to = destination(fact.specifier, file);
  if (to.to === 'node')
    return isOutward(to.name) && !allowed.has(to.name) ? `${fact.how} of ${to.name}` : null;
  if (to.to === 'file')
    return to.path.startsWith(`${FOLDER}/`) ? null : `${fact.how} of a file outside the bundle`;
  return to.to === 'npm' && to.name === 'better-sqlite3' ? null : `${fact.how} of ${fact.specifier}`;
}

/**
 * The npm module that a piece of the bundle came from: esbuild writes each input's path in a comment before it.
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

/**
 * What is loaded when `sub shim` starts: the program's entry, the verb, and what these import statically.
 * @param {Meta} meta @param {string[]} entries @returns {Check}
 */
function auditShim(meta, entries) {
  /** @type {Set<string>} */
  const reached = new Set(entries);
  for (const path of reached) {
    for (const found of meta.outputs[path]?.imports ?? []) {
      if (found.external !== true && found.kind === 'import-statement') reached.add(found.path);
    }
  }
  const inputs = [...reached].flatMap((path) => Object.keys(meta.outputs[path]?.inputs ?? {}));
  const externals = [...reached].flatMap((path) =>
    (meta.outputs[path]?.imports ?? []).filter(({ external }) => external === true),
  );
  return check(PART, 'shim', `${reached.size} files, ${inputs.length} modules`, [
    ...inputs
      .filter((input) => NOT_IN_SHIM.some((folder) => input.startsWith(folder)))
      .map((input) => ({ where: input, what: 'is loaded with the shim' })),
    ...externals
      .filter(({ path }) => path === 'better-sqlite3')
      .map(() => ({ where: 'better-sqlite3', what: 'is loaded with the shim' })),
  ]);
}
