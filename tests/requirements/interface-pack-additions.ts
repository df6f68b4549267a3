import { inFile, section, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const BUDGETS = 'tests/requirements/budgets.test.ts';
const IDENTITY = 'tests/requirements/identity.test.ts';
const WORKLOAD = 'tests/requirements/workload.test.ts';
const ADAPTER = 'tests/requirements/adapter-contract.test.ts';
const CHARGING = 'tests/gateway/policy-charging.test.ts';
const POLICY_FILE = 'tests/gateway/policy.test.ts';
const TIMEOUT = 'tests/shim/timeout.test.ts';
const RULES = 'a run under one rule of each kind >';
const DECIDED = `${RULES} has the decision of the first rule that decides, or of the limit that is reached`;
const ABOUT = `${RULES} says what it is about, how long a call may take, and what may be made again`;

const compatibility = section('Interface Pack §0');
const events = section('Interface Pack §1.2');
const envelope = section('Interface Pack §1.3');
const calls = section('Interface Pack §1.4–§1.10');
const bundles = section('Interface Pack §2.1');
const rules = section('Interface Pack §2.3');
const matches = section('Interface Pack §2.4');
const effects = section('Interface Pack §2.5');
const errors = section('Interface Pack §3');
const runners = section('Interface Pack §5');
const adapters = section('Interface Pack §7');

/** The additions that the Interface Pack recommends, allows or plans beside its demands on every producer. */
export const INTERFACE_PACK_ADDITIONS: Requirements = {
  'pack-0.2-unknown-events': compatibility.shown(
    'a consumer goes on where a later version adds an event',
    inFile(
      'tests/cli/ingest.test.ts',
      'a file of a later version > keeps events of types that a later version adds, and goes on',
    ),
  ),
  'pack-1.2-hint-issued': events.shown(
    'a hint that is given is an event',
    inFile(GUARDED, `${RULES} emits a hint_issued event with the call and the hint that the agent got`),
  ),
  'pack-1.2-breaker-trip': events.shown(
    'a breaker that trips is an event',
    inFile(GUARDED, `${RULES} emits a breaker_trip for each breaker that trips`),
  ),
  'pack-1.2-policy-loaded': events.shown(
    'a policy that is loaded is an event of each run that it decides',
    inFile(
      POLICY_FILE,
      'the policy file > is told once to each live run, also where it was another one before a restart',
    ),
  ),
  'pack-1.2-secret-injection': events.shown(
    'a secret that is put in is an event, by name',
    inFile(
      'tests/secrets/release.test.ts',
      'a server gets the secret that it is bound to > of the store, whatever variable of that name its client has or passes, and it is recorded by name',
      'no server is started > where its secret is not in the store, in no file, or not in the environment; that is recorded',
    ),
  ),
  'pack-1.2-shim-health': events.argued(
    'a shim says from time to time that it lives',
    'the event is optional, and consumers take it; the gateway sees connections and processes end, which no heartbeat tells sooner',
    inFile('tests/gateway/runs.test.ts', 'a run > ends when the process that holds it is gone'),
    inFile('tests/cli/ingest.test.ts', 'sub ingest > takes ten thousand events in'),
  ),
  'pack-1.3-source': envelope.shown(
    'the source names the machine, the process and the shim',
    inFile(GUARDED, `${RULES} names the machine, the process and the shim of each event`),
    inFile(
      'tests/gateway/runs.test.ts',
      'a run > names its machine by an id of the gateway, the same after a restart, and not by what a client says',
    ),
  ),
  'pack-1.3.1-principal': envelope.shown(
    'events name who began the run, the user and the folder',
    inFile(LIVE, 'the events of a run > name the user and the folder that it works in'),
  ),
  'pack-1.3.1-ci': envelope.shown(
    'events of CI name provider, job, repository and branch',
    inFile(
      WORKLOAD,
      'a run of `sub run` in a CI job is headless, in CI, and names job, repository and branch',
    ),
    inFile(
      IDENTITY,
      'a shim without a run > names the CI job that it works in, whose environment is CI, and the pod',
    ),
  ),
  'pack-1.3.1-kubernetes': envelope.shown(
    'events of Kubernetes name namespace, service account, pod and labels',
    inFile(WORKLOAD, 'a run of `sub run` in a pod names namespace, service account and pod'),
    inFile(
      IDENTITY,
      'a shim without a run > names the CI job that it works in, whose environment is CI, and the pod',
    ),
    inFile(
      'packages/ipc/src/workload/pod.test.ts',
      'a pod is known > by the variables that a manifest fills from its fields, and its labels',
    ),
  ),
  'pack-1.4-meta': calls.shown('run_start may say what the run is about', inFile(GUARDED, ABOUT)),
  'pack-1.5-tags': calls.shown(
    'tool_call_start names the risk classes of the call',
    inFile(GUARDED, `${RULES} names the risk classes that its tags give a call`),
  ),
  'pack-1.5-timeout': calls.shown(
    'tool_call_start says how long the call may take, where that is known',
    inFile(GUARDED, ABOUT),
  ),
  'pack-1.7-statuses': calls.shown(
    'a call ends OK, ERROR, TIMEOUT or CANCELLED',
    inFile(LIVE, 'the events of a run > say how each call ended'),
    inFile(
      TIMEOUT,
      'a call that takes longer than it may > is given up: the client gets an error, the server is told, the record says TIMEOUT',
    ),
    inFile(
      'tests/http/sdk-v2.test.ts',
      'closing the stream of a request cancels it at a server of revision 2026-07-28, and the record says so',
    ),
  ),
  'pack-1.7-retryable': calls.shown(
    'the error of a call says whether it may be made again, where that is known',
    inFile(GUARDED, ABOUT),
    inFile(
      TIMEOUT,
      'a call that takes longer than it may > is given up: the client gets an error, the server is told, the record says TIMEOUT',
    ),
  ),
  'pack-1.10-configurable': calls.shown(
    'the limits of inspection and previews can be set',
    inFile(
      TIMEOUT,
      '`[inspect] max_inspect_bytes` > says how much of a message over stdio is inspected, of a call as of its answer',
    ),
    inFile('tests/attack/away.test.ts', 'a spool > leaves no preview in a ledger that keeps none'),
  ),

  'pack-2.1-people': bundles.shown(
    'a bundle may say what it is for, whose it is and when it was made',
    inFile(
      GUARDED,
      'the tables of the ledger after that run > hold the version of the policy that decided, with its rules',
    ),
    inFile('packages/policy/src/compile.test.ts', 'the hash of a policy > is not changed by %s'),
  ),
  'pack-2.1-fail-open': bundles.shown(
    '`fail_open_read_tools` is off unless it is set',
    inFile(
      'tests/away/away.test.ts',
      'while no gateway answers > a run without such a policy makes no call, and loads nothing for one',
    ),
  ),
  'pack-2.3-disabled': rules.shown('a rule that is not enabled decides nothing', inFile(GUARDED, DECIDED)),
  'pack-2.3-accumulators': rules.shown(
    'limits count whatever becomes of the call',
    inFile(
      CHARGING,
      'a call is charged when it is decided > also where its entry cannot be written, and is refused then',
      'a breaker > is not closed by errors, nor is anything given back for them',
    ),
  ),
  'pack-2.4-names': matches.shown('servers and tools match by globs and regexes', inFile(GUARDED, DECIDED)),
  'pack-2.4-risk': matches.shown('calls match by the classes that tags gave them', inFile(GUARDED, DECIDED)),
  'pack-2.4-arguments': matches.shown(
    'arguments match by presence, by value and by range',
    inFile(GUARDED, DECIDED),
  ),
  'pack-2.4-time': matches.shown('rules match by the hour', inFile(GUARDED, DECIDED)),
  'pack-2.5-access': effects.shown('allow and deny carry reason and message', inFile(GUARDED, DECIDED)),
  'pack-2.5-budget': effects.shown(
    'budgets have scope, limits, a cost for each call and what happens when they are used up',
    inFile(
      BUDGETS,
      'a budget of %s lets a run have so much and no more',
      'a budget of each tool leaves the others theirs',
    ),
    inFile(GUARDED, DECIDED),
  ),
  'pack-2.5-rate-limit': effects.shown(
    'buckets have a size, a refill, and a time to wait',
    inFile(GUARDED, `${RULES} tells how long to wait where it throttles`),
  ),
  'pack-2.5-breaker': effects.shown(
    'breakers have thresholds and windows for errors and repeats, and may end the run with a code',
    inFile(
      GUARDED,
      `${RULES} is ended by the breaker that says so, with its code, and counts what became of its calls`,
    ),
  ),
  'pack-2.5-dedupe': effects.shown('a dedupe has a window and a key', inFile(GUARDED, DECIDED)),
  'pack-2.5-dedupe-custom': effects.argued(
    'a dedupe may have a key of its own',
    'the pack itself takes `args_hash` alone in 0.1; a bundle that asks for `custom` does not load, so that nobody counts on it',
    inFile(
      POLICY_FILE,
      'the policy file > that asks for a kind of rule which is not enforced yet is not loaded',
    ),
  ),
  'pack-2.5-tag': effects.shown(
    'tags add risk classes',
    inFile(GUARDED, `${RULES} names the risk classes that its tags give a call`),
  ),

  'pack-3.2.1-terminated': errors.shown(
    'each call of a run that a rule has ended is answered so',
    inFile('tests/shim/decisions.test.ts', 'TERMINATE_RUN is answered, and then the session ends'),
    inFile(
      CHARGING,
      'a rule that ends the run > ends it for every connection, and no call is decided after it',
    ),
    inFile(
      'packages/agent/src/client/ended-run.test.ts',
      'a run that a rule has ended is told so to every later call, with its decision where that is known',
    ),
  ),
  'pack-3.2.2-policy': errors.shown(
    'a refusal that no gateway decided names the policy that was last known',
    inFile(
      'tests/shim/gateway.test.ts',
      'when the gateway goes away > calls are refused and the session lives on',
    ),
  ),

  'pack-5-runners': runners.shown(
    'a headless runner sets the identity, and `sub run` and shims take it',
    inFile(WORKLOAD, '`sub run` hears what a headless runner has set of the identity'),
    inFile(IDENTITY, 'a shim without a run > stamps its events with the identity of its environment'),
  ),

  'pack-7.2-matrix': adapters.shown(
    'the adapter parses, forwards and answers; the core decides, counts and records',
    inFile(
      ADAPTER,
      'an adapter whose transport is %s > gets a decision on each abstract call, from the policy alone',
    ),
    inFile('tests/boundary/table.test.ts', 'row %s > names exactly what the sources import'),
  ),
  'pack-7.3-stdio': adapters.shown(
    'MCP over stdio is an adapter',
    inFile(LIVE, 'the events of a run > name server, tool, transport and size of each call'),
  ),
  'pack-7.3-http': adapters.shown(
    'MCP over HTTP is an adapter, and leaves the same record',
    inFile(
      'tests/http/parity.test.ts',
      'a script over HTTP leaves the record that it leaves over stdio, field by field, and gets the same answers',
    ),
  ),
  'pack-7.3-messages': adapters.notYet(
    'the Messages API is an adapter',
    'the pack only plans it; no adapter speaks it, and the transports of the contract do not name it',
  ),
  'pack-7.3-generic': adapters.notYet(
    'generic HTTP tool calls are an adapter',
    'the pack leaves it to the future; the proxy records connections, and no tool call has the transport `http`',
  ),
};
