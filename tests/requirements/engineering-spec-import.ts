import { inFile, type Requirements } from './requirement.js';

const CORPUS = 'packages/cli/src/clients/corpus.test.ts';
const CHANGE = 'packages/cli/src/clients/change.test.ts';
const ROUTE = 'packages/cli/src/clients/route.test.ts';
const IMPORT = 'tests/import/import.test.ts';

const of = (behaviour: string, ...tests: ReturnType<typeof inFile>[]) => ({
  source: 'engineering spec §16, track D',
  behaviour,
  tests: tests.flat(),
});

/** The acceptance tests of track D: import and restore of the configurations of clients. */
export const ENGINEERING_SPEC_IMPORT: Requirements = {
  'track-d-import': of(
    'rewrites the configurations of clients, and keeps the names of servers',
    inFile(
      CORPUS,
      'a configuration of the corpus > %s is routed where it can be, and comes back byte for byte',
    ),
    inFile(
      ROUTE,
      'in %s > a file with routed entries means the same but for these, which start the same server',
    ),
    inFile(IMPORT, 'sub import claude > routes what can be, names the rest, and says how to take it back'),
  ),
  'track-d-restore': of(
    'makes a copy first, and a restore gives the exact state before',
    inFile(CHANGE, 'a crash > the copy and the record are on the disk before the file is another'),
    inFile(CHANGE, 'a crash > at any step of an import of %s leaves what a restore needs'),
    inFile(ROUTE, 'in %s > any entries that are routed come back byte for byte, in any order'),
  ),
  'track-d-first-call': of(
    'leads to a first call that is recorded',
    inFile(
      IMPORT,
      'sub import claude > makes entries that start their servers behind the gateway, of both kinds, in one run',
    ),
  ),
};
