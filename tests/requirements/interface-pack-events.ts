import { inFile, section, type CitedTests, type Requirements } from './requirement.js';

const VECTORS = 'tests/contracts/vectors.test.ts';
const LIVE = 'tests/requirements/live-run.test.ts';
const LARGE = 'tests/requirements/large-payload.test.ts';
const SHIM_LARGE = 'tests/shim/large.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const RULES = 'a run under one rule of each kind >';
const IDENTITY = 'tests/requirements/identity.test.ts';
const GOVERNANCE = 'tests/cli/governance.test.ts';
const POLICY_FILE = 'tests/gateway/policy.test.ts';
const POLICY = 'packages/policy/src/vectors.test.ts';
const DECIDE = 'packages/policy/src/decide/decide.test.ts';
const HASH = 'packages/core-types/src/hash/hash.test.ts';
const IDS = 'packages/core-types/src/ids/ids.test.ts';
const REDACT = 'packages/core-types/src/redact/redact.test.ts';

const ACCEPTED = 'the %s vectors > $kind is accepted: $name';
const REFUSED = 'the %s vectors > $kind is refused: $name';
const NEEDED = 'the %s vectors > $kind is refused without $path';
const UNKNOWN = 'the %s vectors > $kind: unknown fields are $unknown_fields';
const EVENTS = 'the events of a run >';
const OVER = 'a payload over MAX_INSPECT_BYTES >';

const of = (number: string, behaviour: string, ...tests: [CitedTests, ...CitedTests[]]) =>
  section(`Interface Pack §${number}`).shown(behaviour, ...tests);

/** What the Interface Pack demands of the events (§0, §1). */
export const INTERFACE_PACK_EVENTS: Requirements = {
  'pack-0.2-unknown-fields': of(
    '0.2',
    'consumers of events ignore unknown fields',
    inFile(VECTORS, UNKNOWN),
    inFile(GUARDED, 'its events are taken in by another home, also with fields that nobody knows'),
  ),
  'pack-0.2-unknown-kinds': of(
    '0.2',
    'a bundle with a rule of an unknown kind does not load',
    inFile(POLICY, 'invalid bundles > %s names every mistake in its place'),
    inFile(VECTORS, REFUSED),
    inFile(
      POLICY_FILE,
      'the policy file > that asks for a kind of rule which is not enforced yet is not loaded',
    ),
  ),
  'pack-0.2-defaults': of(
    '0.2',
    'a missing optional field has a defined meaning',
    inFile(VECTORS, ACCEPTED),
    inFile(DECIDE, 'selectors > that are omitted match everyone'),
    inFile(
      GOVERNANCE,
      'sub policy compile > writes the normal form, with every default and globs as they are read; its SHA-256 is the policy_hash',
    ),
  ),
  'pack-0.3-run-id': of(
    '0.3',
    'a run id is unique and sorts by time',
    inFile(IDS, 'newRunId > is a ULID', 'newRunId > differs within one millisecond'),
    inFile(IDS, 'newRunId > sorts by time whatever the random part'),
    inFile(GUARDED, 'the run has an id that is a ULID of the time at which it began'),
  ),
  'pack-0.3-call-id': of(
    '0.3',
    'a call id is unique in its run',
    inFile(LIVE, `${EVENTS} have call ids that are unique, and the same in start, decision and end`),
    inFile('tests/gateway/runs.test.ts', 'a tool call > cannot take the id of one that is open'),
  ),
  'pack-1.1-jsonl': of(
    '1.1',
    'events are JSON lines in UTF-8',
    inFile(LIVE, `${EVENTS} are JSON lines of the five required types, from run_start to run_end`),
    inFile('tests/cli/record.test.ts', 'sub tail > with --json gives events of Contract A'),
  ),
  'pack-1.2-types': of(
    '1.2',
    'the five required types are emitted',
    inFile(LIVE, `${EVENTS} are JSON lines of the five required types, from run_start to run_end`),
  ),
  'pack-1.3-envelope': of(
    '1.3',
    'every event has every field of the envelope',
    inFile(LIVE, `${EVENTS} carry the envelope, with one version, one run and the time in UTC`),
    inFile(VECTORS, NEEDED),
    inFile(
      'packages/ledger/src/read/reader.test.ts',
      'events of Contract A > carry the envelope of their run and fit the schema of their type',
    ),
  ),
  'pack-1.3.1-workload': of(
    '1.3.1',
    'a missing workload is tolerated',
    inFile(VECTORS, ACCEPTED),
    inFile(
      IDENTITY,
      'a shim without a run > has a known place for every field, also where the environment says nothing',
    ),
  ),
  'pack-1.4-run-start': of(
    '1.4',
    'run_start tells when, in which mode and under which policy a run began',
    inFile(VECTORS, NEEDED, REFUSED),
    inFile(LIVE, `${EVENTS} say what was decided, by which rule of which policy, and why`),
  ),
  'pack-1.5-call-start': of(
    '1.5',
    'tool_call_start tells the call, its transport, size, hash and place in the run',
    inFile(VECTORS, NEEDED),
    inFile(
      LIVE,
      `${EVENTS} name server, tool, transport and size of each call`,
      `${EVENTS} count the calls of the run from 1`,
    ),
  ),
  'pack-1.6-decision': of(
    '1.6',
    'tool_call_decision tells action, rule, severity, reason and policy, and the field that its action needs',
    inFile(VECTORS, NEEDED, REFUSED),
    inFile(LIVE, `${EVENTS} say what was decided, by which rule of which policy, and why`),
    inFile(GUARDED, `${RULES} gives each decision what its action needs, and no other`),
  ),
  'pack-1.7-call-end': of(
    '1.7',
    'tool_call_end tells status, latency, size, preview and error of every call, a refused one too',
    inFile(VECTORS, NEEDED),
    inFile(LIVE, `${EVENTS} say how each call ended`),
  ),
  'pack-1.8-run-end': of(
    '1.8',
    'run_end tells how a run ended and counts its calls',
    inFile(VECTORS, NEEDED),
    inFile(LIVE, `${EVENTS} end with a summary that counts them`),
  ),
  'pack-1.9.1-args-hash': of(
    '1.9.1',
    'args_hash is the SHA-256 of the canonical arguments in lowercase hex',
    inFile(
      HASH,
      'argsHash > is the same for every spelling: $name',
      'argsHash > differs between the entries',
    ),
    inFile('packages/core-types/src/json/canonicalize.test.ts', 'canonicalize > orders like the UTF-8 bytes'),
    inFile('packages/core-types/src/json/number.test.ts', 'canonicalNumber > writes $literal as $canonical'),
    inFile(LIVE, `${EVENTS} have one args_hash for two spellings of the same arguments`),
  ),
  'pack-1.9.2-stream-hash': of(
    '1.9.2',
    'a payload that is not inspected is hashed as it streams by',
    inFile(HASH, 'StreamHash ($name) > does not depend on how the bytes are cut, and may be read on the way'),
    inFile(LARGE, `${OVER} has events with the hash of the raw bytes of the message`),
  ),
  'pack-1.10-limits': of(
    '1.10',
    'inspection ends at MAX_INSPECT_BYTES and a preview at MAX_PREVIEW_BYTES',
    inFile(SHIM_LARGE, 'a message at the limit of inspection is inspected, one byte more is not'),
    inFile(REDACT, 'previewOf > cuts between characters, in bytes'),
    inFile(LARGE, 'a preview ends at MAX_PREVIEW_BYTES, between two characters, and says so'),
    inFile(VECTORS, REFUSED),
  ),
  'pack-1.10-forwarding': of(
    '1.10',
    'traffic is forwarded in full even where it is not inspected',
    inFile(LARGE, `${OVER} is forwarded to the server without a changed byte`),
    inFile(LARGE, `${OVER} is forwarded to the client without a changed byte`),
  ),
  'pack-1.10-metadata': of(
    '1.10',
    'sizes and hashes of what was not inspected are emitted',
    inFile(LARGE, `${OVER} has events that say truncated and show nothing of it, but its size and hashes`),
  ),
};
