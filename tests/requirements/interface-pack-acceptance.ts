import { inFile, section, type CitedTests, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const LARGE = 'tests/requirements/large-payload.test.ts';
const SECRETS = 'tests/requirements/secrets.test.ts';
const SIGNALS = 'tests/requirements/signals.test.ts';
const SHIM_ENDS = 'tests/shim/ends.test.ts';
const SHIM_LARGE = 'tests/shim/large.test.ts';
const HASH = 'packages/core-types/src/hash/hash.test.ts';
const REDACT = 'packages/core-types/src/redact/redact.test.ts';

const EVENTS = 'the events of a run >';
const OVER = 'a payload over MAX_INSPECT_BYTES >';

const of = (number: string, behaviour: string, ...tests: [CitedTests, ...CitedTests[]]) =>
  section(`Interface Pack §${number}`).shown(behaviour, ...tests);

/** The acceptance vectors of the Interface Pack (§6). */
export const INTERFACE_PACK_ACCEPTANCE: Requirements = {
  'pack-6.1-canonicalization': of(
    '6.1',
    'two argument objects with different key order have the same args_hash',
    inFile(HASH, 'argsHash > is the same for every spelling: $name'),
    inFile(
      'packages/core-types/src/json/canonicalize.test.ts',
      'canonicalize > does not depend on the order of keys',
    ),
    inFile(LIVE, `${EVENTS} have one args_hash for two spellings of the same arguments`),
  ),
  'pack-6.2-forwarded': of(
    '6.2',
    'a payload over MAX_INSPECT_BYTES is forwarded without corruption',
    inFile(LARGE, `${OVER} is forwarded to the server without a changed byte`),
    inFile(LARGE, `${OVER} is forwarded to the client without a changed byte`),
  ),
  'pack-6.2-truncated': of(
    '6.2',
    'its events say preview.truncated',
    inFile(LARGE, `${OVER} has events that say truncated and show nothing of it, but its size and hashes`),
  ),
  'pack-6.2-memory': of(
    '6.2',
    'it does not exhaust the memory',
    inFile(LARGE, `${OVER} is not held in the memory of the shim, nor in any line of the record`),
    inFile(SHIM_LARGE, 'a message of 64 MiB > reaches the server unchanged, and the shim never holds it'),
  ),
  'pack-6.3-signals': of(
    '6.3',
    'killing the client ends shim and server within the grace window',
    inFile(SIGNALS, 'nothing is left behind within the grace window > by %s'),
    inFile(
      SHIM_ENDS,
      'a client that is killed takes shim and server with it, also when others hold its pipes',
    ),
  ),
  'pack-6.4-previews': of(
    '6.4',
    'secrets do not appear in the previews of events',
    inFile(SECRETS, 'a secret of the kind %s > stands in no event and no preview'),
    inFile(REDACT, 'previewOf > shows no part of a secret, wherever the border falls'),
  ),
  'pack-6.4-errors': of(
    '6.4',
    'secrets do not appear in error messages',
    inFile(SECRETS, 'a secret of the kind %s > stands in no error that the gateway makes'),
  ),
  'pack-6.4-ledger': of(
    '6.4',
    'secrets do not appear in stored fields of the ledger',
    inFile(
      SECRETS,
      'a secret of the kind %s > stands in no file of the home, nor in the memory outside of it',
    ),
  ),
};
