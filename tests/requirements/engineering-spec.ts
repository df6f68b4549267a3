import { inFile, section, type CitedTests, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const LARGE = 'tests/requirements/large-payload.test.ts';
const ADAPTER = 'tests/requirements/adapter-contract.test.ts';
const SIGNALS = 'tests/requirements/signals.test.ts';
const QUERIES = 'tests/requirements/ledger-queries.test.ts';
const SHIM_ENDS = 'tests/shim/ends.test.ts';
const SESSION = 'tests/shim/session.test.ts';
const JUDGE = 'packages/mcp/src/message/judge.test.ts';
const WRITER = 'packages/ledger/src/writer/ledger.test.ts';
const PROPERTIES = 'packages/policy/src/decide/properties.test.ts';
const HEADLESS = 'tests/ci/headless.test.ts';
const CI_RUN = 'tests/ci/events.test.ts';
const BUNDLE = 'tests/cli/bundle.test.ts';
const EVENTS = 'the events of a run >';
const OVER = 'a payload over MAX_INSPECT_BYTES >';
const TRANSPORT = 'an adapter whose transport is %s >';
const TEN_THOUSAND = 'more than ten thousand entries by four writers at once >';

const of = (track: string, behaviour: string, ...tests: [CitedTests, ...CitedTests[]]) =>
  section(`engineering spec §16, track ${track}`).shown(behaviour, ...tests);

/** The acceptance tests of the tracks A1, A2, C and H. */
export const ENGINEERING_SPEC: Requirements = {
  'track-a1-parse': of(
    'A1',
    'parses JSON-RPC over stdio, and refuses what is none',
    inFile(
      JUDGE,
      'a message that means the same to every reader > passes: %s',
      'what cannot be judged is refused > %s',
    ),
    inFile(SESSION, 'what cannot be judged does not reach the server > %s, and its sender is told'),
  ),
  'track-a1-extract': of(
    'A1',
    'extracts server, tool and arguments from tools/call',
    inFile(LIVE, `${EVENTS} name server, tool, transport and size of each call`),
    inFile(LIVE, `${EVENTS} have one args_hash for two spellings of the same arguments`),
    inFile(
      'packages/mcp/src/json-scan/envelope-reader.test.ts',
      'a message of any size > gives the envelope of a tool call and the keys of its arguments',
    ),
  ),
  'track-a1-errors': of(
    'A1',
    'formats JSON-RPC errors for blocked calls',
    inFile(LIVE, 'a refused call > is answered with the reserved code and the data of Contract C'),
    inFile(LIVE, 'a refused call > never reaches the server, while everything else does, byte for byte'),
  ),
  'track-a1-supervision': of(
    'A1',
    'supervises its process: SIGINT, SIGTERM and end of input',
    inFile(SHIM_ENDS, 'with %s > the end of input ends everything'),
    inFile(SHIM_ENDS, 'with %s > SIGTERM ends everything', 'with %s > SIGINT ends everything'),
  ),
  'track-a1-no-zombies': of(
    'A1',
    'forwards signals to the server and leaves no process behind',
    inFile(SIGNALS, 'nothing is left behind within the grace window > by %s'),
    inFile(SHIM_ENDS, 'what a server started, in a session of its own and deaf to signals, ends with it'),
  ),

  'track-a2-decides': of(
    'A2',
    'takes an abstract call, applies the policy and returns a decision',
    inFile(ADAPTER, `${TRANSPORT} gets a decision on each abstract call, from the policy alone`),
    inFile('packages/policy/src/vectors.test.ts', 'decisions > %s'),
  ),
  'track-a2-agnostic': of(
    'A2',
    'knows no protocol: an adapter that speaks none gets the same service',
    inFile(ADAPTER, `${TRANSPORT} gets a decision on each abstract call, from the policy alone`),
    inFile(ADAPTER, `${TRANSPORT} has the same events as any other, but for the transport`),
  ),
  'track-a2-events': of(
    'A2',
    'emits the right events whatever the transport',
    inFile(ADAPTER, `${TRANSPORT} has events that fit the contract and name its transport`),
    inFile(ADAPTER, `${TRANSPORT} has the same events as any other, but for the transport`),
  ),
  'track-a2-bounded': of(
    'A2',
    'inspects within bounds: a large payload exhausts no memory and has a truncated preview',
    inFile(LARGE, `${OVER} is not held in the memory of the shim, nor in any line of the record`),
    inFile(LARGE, `${OVER} has events that say truncated and show nothing of it, but its size and hashes`),
  ),
  'track-a2-deterministic': of(
    'A2',
    'enforces allow and deny deterministically',
    inFile(
      PROPERTIES,
      'every decision > is the same for the same policy, call and time, and from a policy compiled anew',
    ),
    inFile(ADAPTER, `${TRANSPORT} gets a decision on each abstract call, from the policy alone`),
  ),

  'track-c-ingest': of(
    'C',
    'ingests ten thousand events without corruption',
    inFile(QUERIES, `${TEN_THOUSAND} are each held once, in one chain, uncorrupted`),
    inFile(
      WRITER,
      'a ledger whose store runs in %s thread > ingests 10,000 entries from many runs and verifies',
    ),
    inFile('tests/cli/ingest.test.ts', 'sub ingest > takes ten thousand events in'),
  ),
  'track-c-query': of(
    'C',
    'is queried by run id, tool and decision',
    inFile(QUERIES, `${TEN_THOUSAND} are queried by run id: %s`, `${TEN_THOUSAND} are queried by tool: %s`),
    inFile(QUERIES, `${TEN_THOUSAND} are queried by decision: %s`),
    inFile(
      'tests/cli/record.test.ts',
      'sub query > %j finds the newest first',
      'sub query > finds by run and by request',
    ),
  ),
  'track-c-concurrent': of(
    'C',
    'stands in write-ahead mode and is safe under concurrent ingestion',
    inFile(QUERIES, `${TEN_THOUSAND} stand in a database in write-ahead mode`),
    inFile(QUERIES, `${TEN_THOUSAND} could be read while they were written`),
    inFile(
      'tests/storm/storm.test.ts',
      'eight shims and four command line clients at once give one unforked chain without a hole',
    ),
  ),
  'track-c-backpressure': of(
    'C',
    'never blocks a shim: previews are dropped before decisions, and what does not fit is refused',
    inFile(
      WRITER,
      'a ledger whose store runs in %s thread > refuses more than its queue holds and drops previews before',
    ),
    inFile(
      'tests/requirements/burst.test.ts',
      'in a burst the gateway records and answers a call, and gives up its preview first',
    ),
  ),
  'track-h-concurrent': of(
    'H',
    'runs more than fifty runs at once with guardrails (a hundred in the long form)',
    inFile(
      HEADLESS,
      'many jobs at once share one gateway: none crashes, no event is lost, all do the same, and the chain is whole',
      'many jobs at once have each a gateway of their own, which the first that needs it starts',
    ),
  ),
  'track-h-bundles': of(
    'H',
    'outputs trace bundles as artifacts of a CI job',
    inFile(BUNDLE, 'sub export run > writes a bundle that another machine verifies by the pin alone'),
    inFile(
      CI_RUN,
      'sub run --events > writes every event of the run on stdout, and what the command says there on stderr',
    ),
  ),
  'track-h-strict': of(
    'H',
    'strict mode fails the job on violations',
    inFile(
      CI_RUN,
      'sub run --strict > fails the job with 3 and says why, also when the agent ignores refusals and exits 0',
      'sub run --strict > fails the job with 5 when the gateway dies meanwhile: what was asked in between is not recorded',
    ),
  ),
};
