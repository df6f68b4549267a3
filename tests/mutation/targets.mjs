import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutantsOf } from './enumerate.mjs';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const LEDGER = join(ROOT, 'packages/ledger');

/** Every folder whose code says whether a ledger, a proof or a note is to be believed. */
const FOLDERS = ['verify', 'head', 'merkle', 'seal', 'note', 'proof', 'segments'];

/** What stands in those folders and only writes. */
const WRITERS = /(?:^|\/)(?:sealer|key-file|growth|prover|tree|report)\.ts$/;

/** What stands in the others and only writes: a class or function of that name is passed over. */
const WRITING = new Set(['HeadsLogWriter', 'unwritable', 'corrupt', 'growTiles', 'signCheckpoint']);

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
    for (const mutant of mutantsOf(file, readFileSync(file, 'utf8'), WRITING)) {
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
