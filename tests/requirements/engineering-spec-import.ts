import { inFile, section, type Requirements } from './requirement.js';

const CORPUS = 'packages/cli/src/clients/corpus.test.ts';
const CHANGE = 'packages/cli/src/clients/file/change.test.ts';
const ROUTE = 'packages/cli/src/clients/route.test.ts';
const IMPORT = 'tests/import/import.test.ts';

const { shown } = section('engineering spec §16, track D');

/** The acceptance tests of track D: import and restore of the configurations of clients. */
export const ENGINEERING_SPEC_IMPORT: Requirements = {
  'track-d-import': shown(
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
  'track-d-restore': shown(
    'makes a copy first, and a restore gives the exact state before',
    inFile(CHANGE, 'a crash > the copy and the record are on the disk before the file is another'),
    inFile(CHANGE, 'a crash > at any step of an import of %s leaves what a restore needs'),
    inFile(ROUTE, 'in %s > any entries that are routed come back byte for byte, in any order'),
    inFile(
      IMPORT,
      'sub restore and sub uninstall > leave nothing behind but the record, which is still proven',
    ),
    inFile('tests/real/claude.test.ts', 'gets its file back byte for byte where it has not written it since'),
    inFile(
      'tests/real/codex-import.test.ts',
      'is given back what it was, byte for byte',
      'has its servers back, in their own spelling, also where it wrote all of them anew',
    ),
  ),
  'track-d-first-call': shown(
    'leads to a first call that is recorded',
    inFile(
      IMPORT,
      'sub import claude > makes entries that start their servers behind the gateway, of both kinds, in one run',
    ),
  ),
};
