import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutantsOf } from './checks.mjs';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const LEDGER = join(ROOT, 'packages/ledger');

/** The folders and files whose code says whether a ledger, a proof, a note or a backup is to be believed. */
const CHECKING = [
  '../../core-types/src/note',
  '../../core-types/src/proof',
  'backup/manifest.ts',
  'expiry/record.ts',
  'genesis/load.ts',
  'genesis/record.ts',
  'head',
  'merkle/frontier.ts',
  'note',
  'restore/declared.ts',
  'restore/record.ts',
  'schema/check.ts',
  'seal/record.ts',
  'seal/stored.ts',
  'segments/base.ts',
  'segments/closed.ts',
  'segments/predecessor.ts',
  'segments/succession.ts',
  'verify',
];

/** Files that check nothing of a ledger: the report's shape, private keys. */
const SILENT = /\/(?:verify\/report|note\/signer-key)\.ts$/;

/** What stands in the others and only writes, or words what was found: nothing in it is a check. */
const WRITING = new Set([
  'HeadsLogWriter',
  'writeAside',
  'textOf',
  'unwritable',
  'corrupt',
  'signCheckpoint',
  'hashFile',
  'writeBase',
  'cosignNote',
  'restoreNote',
]);

/** The tests that ask for verification. Those left out are about writing, or about time. */
const TESTS = [
  '../../core-types/src/note',
  '../../core-types/src/proof',
  'backup',
  'expiry',
  'genesis',
  'head',
  'merkle',
  'note',
  'proof',
  'restore',
  'schema',
  'seal',
  'segments',
  'store',
  'verify',
  'verify/attacks',
];
const LEFT_OUT = /(?:live|all-sixty|statements|second-writer)\.test\.ts$/;

/**
 * Every mutant of every file, numbered in the order of the files. Mutants of one place share their `site`.
 */
export function allMutants() {
  const mutants = [];
  for (const file of CHECKING.flatMap((name) => sourcesIn(name)).toSorted()) {
    const sites = new Map();
    for (const mutant of mutantsOf(file, readFileSync(file, 'utf8'), WRITING)) {
      const id = mutants.length + 1;
      const place = `${mutant.start} ${mutant.end}`;
      if (!sites.has(place)) sites.set(place, id);
      mutants.push({ id, site: sites.get(place), file: relative(ROOT, file), ...mutant });
    }
  }
  return mutants;
}

/** The test files, each with an absolute path. */
export function allTests() {
  return TESTS.flatMap((folder) => namesIn(join(LEDGER, 'src', folder)))
    .filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
    .toSorted();
}

/** @param {string} name @returns {string[]} */
function sourcesIn(name) {
  const path = join(LEDGER, 'src', name);
  if (name.endsWith('.ts')) return [path];
  return namesIn(path).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !SILENT.test(file),
  );
}

/** @param {string} folder @returns {string[]} */
function namesIn(folder) {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
