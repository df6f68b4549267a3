import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutantsOf } from './enumerate.mjs';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const LEDGER = join(ROOT, 'packages/ledger');

/** Every folder whose code says whether a ledger, a proof or a note is to be believed. */
const FOLDERS = ['verify', 'head', 'merkle', 'seal', 'note', 'proof', 'segments'];

/** What stands in those folders and only writes, or shares out work that one thread does again where it finds something. */
const WRITERS =
  /(?:^|\/)(?:sealer|key-file|growth|prover|tree|report|threads|helpers|verify-worker-main)\.ts$/;

/** Every mutant of every file, numbered in the order of the files. */
export function allMutants() {
  const files = FOLDERS.flatMap((folder) => {
    const path = join(LEDGER, 'src', folder);
    return entriesOf(path)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !WRITERS.test(name))
      .map((name) => join(path, name));
  });
  const mutants = [];
  for (const file of files.toSorted()) {
    for (const mutant of mutantsOf(file, readFileSync(file, 'utf8'))) {
      mutants.push({ id: mutants.length + 1, file: relative(ROOT, file), ...mutant });
    }
  }
  return mutants;
}

function entriesOf(path) {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
