import { inFile, section, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const IMPORT = 'tests/import/import.test.ts';
const AWAY = 'tests/away/away.test.ts';
const POLICY_FILE = 'tests/gateway/policy.test.ts';
const ACCEPT = 'tests/gateway/policy-accept.test.ts';
const RECORD = 'tests/cli/record.test.ts';
const CI_RUN = 'tests/ci/events.test.ts';
const HEADLESS = 'tests/ci/headless.test.ts';
const BUNDLE = 'tests/cli/bundle.test.ts';
const FIRST_CALL =
  'sub import claude > makes entries that start their servers behind the gateway, of both kinds, in one run';

const goals = section('engineering spec §1');
const philosophy = section('engineering spec §2');
const architecture = section('engineering spec §3');
const profiles = section('engineering spec §4');

/** Success criteria, philosophy, architecture and deployment profiles (§1 to §4). */
export const ENGINEERING_SPEC_GOALS: Requirements = {
  'engineering-1-first-log': goals.shown(
    'after an import a developer works as before and sees each call',
    inFile(IMPORT, FIRST_CALL),
    inFile(
      'tests/real/first-call.test.ts',
      'come from `npm install`, without a network, to the first line of `sub tail` in five commands',
    ),
  ),
  'engineering-1-no-renaming': goals.shown(
    'servers and tools keep their names, and clients and servers say the same to each other as without us',
    inFile(LIVE, 'the events of a run > name server, tool, transport and size of each call'),
    inFile(
      'tests/transparency/transparency.test.ts',
      'a server behind the shim behaves as without it > everything, with the 1.x client',
      'a server behind the shim behaves as without it > filesystem, with the 1.x client',
    ),
  ),
  'engineering-1-no-orphans': goals.shown(
    'no process is left behind',
    inFile('tests/requirements/signals.test.ts', 'nothing is left behind within the grace window > by %s'),
  ),
  'engineering-1-fleet': goals.shown(
    'fifty to a hundred headless jobs run at once under guardrails, with whole ledgers and the same logs',
    inFile(
      HEADLESS,
      'many jobs at once share one gateway: none crashes, no event is lost, all do the same, and the chain is whole',
    ),
    inFile(
      'tests/agents/agents.test.ts',
      'an agent that makes the same call a thousand times > is stopped by a breaker as soon as it repeats itself, and stays stopped while it does',
    ),
  ),

  'engineering-2-blocks': philosophy.argued(
    'the shim, the viewer or the whole can be installed alone',
    'there is one package, of which a verb loads only what it needs: `sub tail` and `sub audit` read a file without any gateway, and the shim loads no ledger',
    inFile(
      'tests/build/bundles.test.ts',
      'what is loaded > a verb loads what it needs, and nothing that only others need',
    ),
    inFile('tests/cli/audit.test.ts', 'sub audit verify > exits 6 for a bare copy, and says why'),
  ),
  'engineering-2-interfaces': philosophy.shown(
    'what others build on is the stream of events and the policy bundle',
    inFile(
      CI_RUN,
      'sub run --events > writes every event of the run on stdout, and what the command says there on stderr',
    ),
    inFile(
      'tests/cli/governance.test.ts',
      'sub policy schema > prints the schema that editors check policies by',
    ),
  ),

  'engineering-3-local-decision': architecture.argued(
    'the data plane decides locally and needs no control plane in the hot path',
    'the gateway on the same machine is the data plane: one round trip over a unix socket decides, with no remote call, since only one process can hold a budget over many shims',
    inFile(
      'tests/agents/agents.test.ts',
      'an agent that makes the same call a thousand times > gets what its budget holds, also with eight at once, and not one more',
    ),
  ),
  'engineering-3-shim-per-server': architecture.shown(
    'each server has a shim of its own, which keeps its name',
    inFile(
      'tests/shim/gateway.test.ts',
      'when no gateway runs > ten shims at once start one gateway and share one run',
    ),
    inFile(IMPORT, FIRST_CALL),
  ),
  'engineering-3-ledger': architecture.shown(
    'the local daemon keeps a SQLite ledger in write-ahead mode',
    inFile(
      'tests/requirements/guarded-run.test.ts',
      'the tables of the ledger after that run > stand in a database in write-ahead mode',
    ),
  ),
  'engineering-3-query-api': architecture.argued(
    'the daemon answers queries',
    'programs ask `sub query --json`, which opens the ledger for reading: the answer needs no daemon, and is the same of a copy',
    inFile(
      RECORD,
      'sub query > gives each call as one record under stable names',
      'sub query > %j finds the newest first',
      'sub query > goes on where a page ended',
    ),
  ),
  'engineering-3-stream': architecture.notYet(
    'the daemon streams events over a WebSocket',
    'what would read it is the page, which is not built; `sub tail --json` follows the ledger',
    inFile(RECORD, 'sub tail > with --json gives events of Contract A'),
  ),
  'engineering-3-ui-server': architecture.notYet(
    'the daemon may serve the page',
    'there is no page yet; the verbs of the command line show the same',
  ),

  'engineering-4-desktop-ledger': profiles.shown(
    'on a desktop shims and a local ledger are enough',
    inFile(
      LIVE,
      'the events of a run > are JSON lines of the five required types, from run_start to run_end',
    ),
  ),
  'engineering-4-repository-policy': profiles.notYet(
    'a policy in the repository is found and narrows what the operator allows',
    'no file of a repository is looked for; `sub run --policy` narrows a run by a file that is named',
    inFile(
      CI_RUN,
      'sub run --policy > narrows what the policy of the home leaves, and the record tells which of them refused',
    ),
  ),
  'engineering-4-hot-reload': profiles.shown(
    'a changed policy is loaded while agents work',
    inFile(
      POLICY_FILE,
      'the policy file > is loaded when it appears, and again when it changes, each time with an entry',
    ),
  ),
  'engineering-4-trace-viewing': profiles.shown(
    'a past run can be looked at call by call',
    inFile(
      RECORD,
      'sub show > finds a call by its id, its number and its audit reference',
      'sub query > finds by run and by request',
    ),
  ),
  'engineering-4-policy-replay': profiles.shown(
    'a policy is compared with what past runs did: what it would have blocked',
    inFile(
      'tests/cli/explain.test.ts',
      'a replay > tells what is newly blocked and newly allowed, by rule and tool',
    ),
    inFile(
      'tests/cli/decided-again.test.ts',
      'what a gateway decided > is the same when its policy is replayed, but for calls whose arguments were not kept',
    ),
  ),
  'engineering-4-re-execution': profiles.notYet(
    'a run is executed again with the recorded answers of its tools',
    'the document leaves it to later versions; the ledger keeps redacted previews and no whole answers',
  ),
  'engineering-4-ci-output': profiles.shown(
    'in CI shims run without a display, events go to stdout, and bundles are artifacts',
    inFile(
      CI_RUN,
      'sub run --events > writes every event of the run on stdout, and what the command says there on stderr',
    ),
    inFile(BUNDLE, 'sub export run > writes a bundle that another machine verifies by the pin alone'),
  ),
  'engineering-4-ci-strict': profiles.shown(
    'in CI a violation fails the job',
    inFile(
      CI_RUN,
      'sub run --strict > fails the job with 3 and says why, also when the agent ignores refusals and exits 0',
    ),
  ),
  'engineering-4-sidecar': profiles.notYet(
    'the data plane is packaged as a sidecar of Kubernetes',
    'there is an image and a compose file for one container, and no manifest or chart; one gateway serves one container',
  ),
  'engineering-4-collector': profiles.notYet(
    'a central collector receives the events of a fleet',
    'nothing is sent anywhere; `sub ingest` takes files and bundles by hand',
    inFile(
      'tests/cli/ingest.test.ts',
      'sub ingest > takes a bundle in, once, and better verified than before',
    ),
  ),
  'engineering-4-signed-snapshots': profiles.notYet(
    'policies come as signed snapshots that are kept locally',
    'signed policies are taken, and the last good one is kept; nothing distributes them',
    inFile(
      ACCEPT,
      'a gateway that takes signed policies only > loads one that a listed signer has signed, and records who and with which serial',
      'a gateway that takes signed policies only > takes no older signed policy in place of a newer one, also after a restart',
    ),
  ),
  'engineering-4-fail-open': profiles.argued(
    'what happens while nobody decides depends on the risk class of the tool',
    'there are two classes: what only reads may go on where the policy says so, within its limits, and everything else stops',
    inFile(
      AWAY,
      'while no gateway answers > reads go on as far as their limits reach, nothing else does, and all of it is in the ledger afterwards',
      'while no gateway answers > a run without such a policy makes no call, and loads nothing for one',
    ),
  ),
  'engineering-4-kill-switch': profiles.shown(
    'everything can be stopped at once',
    inFile('tests/cli/panic.test.ts', 'sub panic > refuses every run until sub resume'),
    inFile(
      'tests/gateway/panic.test.ts',
      'panic > ends every live run with its reason, and the record says who and why',
    ),
  ),
  'engineering-4-saas': profiles.argued(
    'a hosted control plane may be attached',
    'the document calls it optional, and a gateway that sends its record elsewhere would break what it promises; nothing of it is built',
  ),
};
