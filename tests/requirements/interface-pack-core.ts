import { inFile, section, type CitedTests, type Requirements } from './requirement.js';

const VECTORS = 'tests/contracts/vectors.test.ts';
const LIVE = 'tests/requirements/live-run.test.ts';
const ADAPTER = 'tests/requirements/adapter-contract.test.ts';
const IDENTITY = 'tests/requirements/identity.test.ts';
const SECRETS = 'tests/requirements/secrets.test.ts';
const RELEASE = 'tests/secrets/release.test.ts';
const LEAKS = 'tests/secrets/leaks.test.ts';
const SHIM_ENDS = 'tests/shim/ends.test.ts';
const SHIM_DECISIONS = 'tests/shim/decisions.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const RULES = 'a run under one rule of each kind >';
const GOVERNANCE = 'tests/cli/governance.test.ts';
const OPERATOR = 'tests/cli/operator.test.ts';
const POLICY = 'packages/policy/src/vectors.test.ts';
const DECIDE = 'packages/policy/src/decide/decide.test.ts';
const COMPILE = 'packages/policy/src/compile.test.ts';
const POLICY_FILE = 'tests/gateway/policy.test.ts';

const ACCEPTED = 'the %s vectors > $kind is accepted: $name';
const REFUSED = 'the %s vectors > $kind is refused: $name';
const NEEDED = 'the %s vectors > $kind is refused without $path';
const EVENTS = 'the events of a run >';
const TRANSPORT = 'an adapter whose transport is %s >';

const of = (number: string, behaviour: string, ...tests: [CitedTests, ...CitedTests[]]) =>
  section(`Interface Pack §${number}`).shown(behaviour, ...tests);

/**
 * What the Interface Pack demands of policies, decisions and errors (§2, §3), secrets, identity and adapters
 * (§4, §5, §7).
 */
export const INTERFACE_PACK_CORE: Requirements = {
  'pack-2.1-bundle': of(
    '2.1',
    'a bundle without a required field does not load',
    inFile(VECTORS, NEEDED),
    inFile(
      'tests/contracts/policy-compiler.test.ts',
      'a bundle of the contract > of the kind $kind does not load: $name',
    ),
    inFile(POLICY, 'invalid bundles > %s names every mistake in its place'),
    inFile(
      OPERATOR,
      'the policy > `sub policy lint` passes a good file, and names each mistake of a bad one with its place',
      'the policy > `sub policy reload` loads a good file, and keeps it when a bad one follows',
    ),
  ),
  'pack-2.2-selectors': of(
    '2.2',
    'selectors are and between fields, or within one, and an omitted one matches all',
    inFile(
      DECIDE,
      'selectors > are and between fields, or within a list: %s',
      'selectors > that are omitted match everyone',
    ),
    inFile(
      GUARDED,
      `${RULES} has the decision of the first rule that decides, or of the limit that is reached`,
    ),
    inFile(POLICY_FILE, 'a refused call > of an identity that no policy is meant for is blocked'),
  ),
  'pack-2.3-order': of(
    '2.3',
    'rules are evaluated from the top and the first that decides wins',
    inFile(POLICY, 'decisions > %s'),
    inFile(
      'packages/policy/src/decide/properties.test.ts',
      'every decision > does not turn from a block into an allow when a deny is put on top',
    ),
    inFile(
      GUARDED,
      `${RULES} has the decision of the first rule that decides, or of the limit that is reached`,
    ),
  ),
  'pack-2.3-kinds': of(
    '2.3',
    'every kind of rule has its schema, and one that is not enforced yet does not load',
    inFile(VECTORS, ACCEPTED, NEEDED),
    inFile(
      'tests/contracts/policy-compiler.test.ts',
      'a bundle of the contract > of the kind $kind loads, or says what is not available: $name',
    ),
    inFile(
      POLICY_FILE,
      'the policy file > that asks for a kind of rule which is not enforced yet is not loaded',
    ),
  ),
  'pack-2.4-match': of(
    '2.4',
    'matchers are and between fields, and cheap whatever the pattern',
    inFile(POLICY, 'decisions > %s'),
    inFile(
      'packages/policy/src/pattern/regex.test.ts',
      'a regex > that is hostile to backtracking finishes on a long name: %s',
    ),
    inFile('packages/policy/src/pattern/glob.test.ts', 'a glob > that is hostile finishes on a long name'),
    inFile(
      GUARDED,
      `${RULES} has the decision of the first rule that decides, or of the limit that is reached`,
    ),
  ),
  'pack-2.6-snapshot': of(
    '2.6',
    'the compiled snapshot has id, version and a hash of its canonical bytes',
    inFile(POLICY, 'valid bundles > %s loads with its hash and its warnings'),
    inFile(COMPILE, 'the hash of a policy > is not changed by %s', 'the hash of a policy > is changed by %s'),
    inFile(
      GOVERNANCE,
      'sub policy compile > writes the normal form, with every default and globs as they are read; its SHA-256 is the policy_hash',
    ),
  ),
  'pack-2.6-reload': of(
    '2.6',
    'a snapshot is replaced without a restart',
    inFile(
      POLICY_FILE,
      'the policy file > is loaded when it appears, and again when it changes, each time with an entry',
    ),
  ),
  'pack-3.1-decision': of(
    '3.1',
    'a decision has action, rule, severity, reason and summary, and what its action needs',
    inFile(VECTORS, NEEDED, REFUSED),
    inFile('packages/core-types/src/schema/decision.test.ts', 'Decision > knows exactly five actions'),
    inFile(GUARDED, `${RULES} gives each decision what its action needs, and no other`),
  ),
  'pack-3.2.1-codes': of(
    '3.2.1',
    'a refused call is answered with a JSON-RPC error under the reserved code of its action',
    inFile(
      'packages/core-types/src/schema/decision.test.ts',
      'the reserved error codes > are the four numbers of the contract',
    ),
    inFile(GUARDED, `${RULES} answers each refusal with the code of its action and the whole of Contract C`),
    inFile(SHIM_DECISIONS, 'TERMINATE_RUN is answered, and then the session ends'),
  ),
  'pack-3.2.2-data': of(
    '3.2.2',
    'error.data.subluminal has every required field',
    inFile(VECTORS, NEEDED),
    inFile(GUARDED, `${RULES} answers each refusal with the code of its action and the whole of Contract C`),
  ),
  'pack-3.2.3-throttle': of(
    '3.2.3',
    'a throttled call is told how long to wait',
    inFile(VECTORS, NEEDED),
    inFile(GUARDED, `${RULES} tells how long to wait where it throttles`),
  ),
  'pack-3.2.4-hint': of(
    '3.2.4',
    'a rejected call gets its hint, with suggested arguments that are an object or null',
    inFile(VECTORS, NEEDED, REFUSED),
    inFile(SHIM_DECISIONS, 'REJECT_WITH_HINT carries the hint with its numbers as they are'),
  ),
  'pack-3.3-hint-event': of(
    '3.3',
    'a hint_issued event has the call and the hint',
    inFile(VECTORS, NEEDED),
    inFile(GUARDED, `${RULES} emits a hint_issued event with the call and the hint that the agent got`),
  ),
  'pack-4.1-bindings': of(
    '4.1',
    'a shim starts a server with the secrets that are bound to it',
    inFile(
      RELEASE,
      'a server gets the secret that it is bound to > of the store, whatever variable of that name its client has or passes, and it is recorded by name',
      'a server gets the secret that it is bound to > of a file, of which a line feed at its end is no part',
      'a server gets the secret that it is bound to > of the variables of its client, under another name',
    ),
    inFile(VECTORS, ACCEPTED, REFUSED),
  ),
  'pack-4.1-no-values': of(
    '4.1',
    'no secret value is logged or shown in a preview',
    inFile(
      LEAKS,
      'the secret %s > stands in no file that the product wrote, in no form',
      'the secret %s > stands in no output and no command line',
    ),
    inFile(SECRETS, 'a secret of the kind %s > stands in no event and no preview'),
    inFile(
      SECRETS,
      'a secret of the kind %s > stands in no file of the home, nor in the memory outside of it',
    ),
  ),
  'pack-4.1-metadata': of(
    '4.1',
    'a secret_injection event carries names and success only',
    inFile(
      'tests/gateway/secrets.test.ts',
      'a secret leaves > once for a server that was announced with its command line, after that is recorded',
    ),
    inFile(VECTORS, ACCEPTED, NEEDED),
  ),
  'pack-5-set': of(
    '5',
    '`sub run` sets the five variables of the identity',
    inFile(LIVE, 'a command below `sub run` finds the identity of its run in its environment'),
    inFile('packages/cli/src/run/identity.test.ts', 'the variables of a run are those of the contract'),
  ),
  'pack-5-read': of(
    '5',
    'a shim reads the variables and stamps its events with them',
    inFile(IDENTITY, 'a shim without a run > stamps its events with the identity of its environment'),
    inFile(LIVE, `${EVENTS} carry the identity of the run, whatever the shim is told`),
  ),
  'pack-7.1-input': of(
    '7.1',
    'an adapter hands over server, tool, arguments, size and transport, and may add context',
    inFile(VECTORS, NEEDED, ACCEPTED),
    inFile(ADAPTER, `${TRANSPORT} has events that fit the contract and name its transport`),
  ),
  'pack-7.1-output': of(
    '7.1',
    'the core hands back one of five decisions with what its error needs',
    inFile(ADAPTER, `${TRANSPORT} gets a decision on each abstract call, from the policy alone`),
    inFile(ADAPTER, `${TRANSPORT} gets all that an error of Contract C needs`),
  ),
  'pack-7.4-identical-events': of(
    '7.4',
    'identical calls give identical events whatever the transport',
    inFile(ADAPTER, `${TRANSPORT} has the same events as any other, but for the transport`),
  ),
  'pack-7.4-hash': of(
    '7.4',
    'args_hash comes from the shared canonicalization, in the core',
    inFile(
      'tests/gateway/requests.test.ts',
      'the hash of the arguments > is that of the arguments which were judged, in canonical form',
    ),
    inFile(LIVE, `${EVENTS} have one args_hash for two spellings of the same arguments`),
  ),
  'pack-7.4-no-decisions': of(
    '7.4',
    'an adapter takes no decision of its own and bypasses none',
    inFile('tests/boundary/table.test.ts', 'row %s > names exactly what the sources import'),
    inFile(
      'tests/requirements/gateway-away.test.ts',
      'a call after the gateway ended by %s is answered with an error and does not reach the server',
    ),
    inFile(SHIM_DECISIONS, '%s is no permission'),
  ),
  'pack-7.4-lifecycle': of(
    '7.4',
    'an adapter handles signals, end of input and lost connections of its transport',
    inFile(SHIM_ENDS, 'with %s > the end of input ends everything', 'with %s > SIGTERM ends everything'),
    inFile(SHIM_ENDS, 'a server that ends > by itself ends the session with its code, after its last words'),
  ),
  'pack-7.4-schema': of(
    '7.4',
    'an adapter can neither change the form of an event nor invent a decision',
    inFile(VECTORS, REFUSED),
    inFile(ADAPTER, `${TRANSPORT} has events that fit the contract and name its transport`),
    inFile(SHIM_DECISIONS, '%s is no permission'),
  ),
};
