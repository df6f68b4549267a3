import { inFile, section, type Requirements } from './requirement.js';

const GUARDED = 'tests/requirements/guarded-run.test.ts';
const STEPS = 'tests/requirements/first-steps.test.ts';
const TRAIL = 'tests/requirements/audit-trail.test.ts';
const RECORD = 'tests/cli/record.test.ts';
const INGEST = 'tests/cli/ingest.test.ts';
const CI_RUN = 'tests/ci/events.test.ts';
const CONTAINER = 'tests/ci/container.test.ts';
const TABLES = 'the tables of the ledger after that run >';
const IMPORTED =
  'the servers of %s > are routed by import, which keeps a copy and their names, and says how to take it back';
const NO_PAGE = 'there is no page; the command line shows it';

const ledger = section('engineering spec §11');
const page = section('engineering spec §12');
const importer = section('engineering spec §13');
const boundary = section('engineering spec §14');
const choices = section('engineering spec §15');

/** Ledger, page, importer, the known boundary, and technical choices (§11 to §15). */
export const ENGINEERING_SPEC_LEDGER: Requirements = {
  'engineering-11.1-single-writer': ledger.shown(
    'one writer appends, and nothing is changed or removed',
    inFile(TRAIL, 'the audit trail of a gateway > takes no statement that changes or removes: %s'),
    inFile(
      'tests/storm/storm.test.ts',
      'eight shims and four command line clients at once give one unforked chain without a hole',
    ),
  ),
  'engineering-11.1-durable': ledger.shown(
    'what was acknowledged is still there after a crash, and can be queried',
    inFile(
      'tests/kills/kills.test.ts',
      'whoever is killed, at whatever point: nothing acknowledged is lost, nothing runs twice, nothing runs unrecorded, nobody is left over',
    ),
    inFile(RECORD, 'sub query > gives each call as one record under stable names'),
  ),
  'engineering-11.2-path': ledger.shown(
    'the ledger is a SQLite database in write-ahead mode in the home, which is `~/.subluminal` unless told otherwise',
    inFile(GUARDED, `${TABLES} stand in a database in write-ahead mode`),
    inFile(
      'tests/attack/environment.test.ts',
      'a shim takes its home from its arguments, never from the environment',
    ),
    inFile(
      'tests/cli/operator.test.ts',
      'the gateway > reads SUB_HOME where no --home is given, and creates nothing for a verb that only asks',
    ),
  ),
  'engineering-11.3-runs': ledger.shown('a table tells of runs', inFile(GUARDED, `${TABLES} hold the run`)),
  'engineering-11.3-tool-calls': ledger.shown(
    'a table tells of tool calls',
    inFile(GUARDED, `${TABLES} hold each call with its decision and its end`),
  ),
  'engineering-11.3-previews-hints': ledger.shown(
    'tables tell of previews and hints',
    inFile(GUARDED, `${TABLES} hold previews, and the hints with what they suggest`),
  ),
  'engineering-11.3-policy-versions': ledger.shown(
    'a table tells of policy versions with their rules',
    inFile(GUARDED, `${TABLES} hold the version of the policy that decided, with its rules`),
  ),
  'engineering-11.3-indexes': ledger.notYet(
    'runs, tools, decisions and hashes of arguments are found by an index',
    'runs, tools and decisions are asked for by indexes over interned names; the tables are views that scan, and so does `sub query --args-hash`',
    inFile(RECORD, 'sub query > %j finds the newest first'),
  ),
  'engineering-11.3-files': ledger.notYet(
    'the tables tell of everything that was recorded',
    'the views are of the file that is written to; closed files are read by the command line',
    inFile('tests/cli/files.test.ts', 'query, show and tail read all files of a ledger as one'),
  ),
  'engineering-11.4-desktop': ledger.shown(
    'on a desktop events come over a unix socket',
    inFile(
      'tests/ipc/client.test.ts',
      'an authenticated connection > carries a request and its verified answer',
    ),
    inFile(
      'tests/gateway/tool-calls.test.ts',
      'records start, decision and end of an allowed call, each before it is answered',
    ),
  ),
  'engineering-11.4-ci': ledger.shown(
    'in CI events go to stdout, and `sub ingest` takes them in later',
    inFile(
      CI_RUN,
      'sub run --events > writes every event of the run on stdout, and what the command says there on stderr',
    ),
    inFile(INGEST, 'sub ingest > takes events in from a pipe, and goes on where they end'),
    inFile(GUARDED, 'its events are taken in by another home, also with fields that nobody knows'),
  ),
  'engineering-11.4-ci-secrets': ledger.notYet(
    '`sub ingest` takes the events of every run of ours',
    'those of a run that used a secret are refused',
  ),
  'engineering-11.4-collector': ledger.notYet(
    'in Kubernetes a collector takes events over HTTP or gRPC',
    'the document leaves it to later versions, and nothing of it is built',
  ),
  'engineering-11.4-bursts': ledger.shown(
    'in a burst previews are dropped first, and decisions never',
    inFile(
      'tests/requirements/burst.test.ts',
      'in a burst the gateway records and answers a call, and gives up its preview first',
    ),
  ),

  'engineering-12-live': page.notYet(
    'a page shows calls as they come',
    NO_PAGE,
    inFile(RECORD, 'sub tail > has told of each call in one line as it came'),
  ),
  'engineering-12-runs': page.notYet('a page lists runs', `${NO_PAGE} with \`sub runs\``),
  'engineering-12-timeline': page.notYet(
    'a page shows the timeline of a run',
    NO_PAGE,
    inFile(RECORD, 'sub query > finds by run and by request'),
  ),
  'engineering-12-call': page.notYet(
    'a page shows a call',
    NO_PAGE,
    inFile(RECORD, 'sub show > finds a call by its id, its number and its audit reference'),
  ),
  'engineering-12-filters': page.notYet(
    'a page filters by status, decision, tool and server',
    NO_PAGE,
    inFile(RECORD, 'sub query > %j finds the newest first'),
  ),
  'engineering-12-policy-hints': page.notYet(
    'a page shows policies and hints',
    NO_PAGE,
    inFile(
      'tests/cli/hints.test.ts',
      'hints that were given > are listed newest first, of one run where it is named',
    ),
  ),
  'engineering-12-command-line': page.shown(
    'without a page the command line is enough',
    inFile(
      RECORD,
      'sub tail > has told of each call in one line as it came',
      'sub query > gives each call as one record under stable names',
    ),
  ),

  'engineering-13-detect': importer.shown(
    'import finds the servers that a client has',
    inFile(STEPS, IMPORTED),
    inFile(
      'tests/import/import.test.ts',
      'sub import claude > shows with --dry-run what would change, without secrets, and changes nothing',
    ),
    inFile(
      'packages/cli/src/clients/corpus.test.ts',
      'a configuration of the corpus > %s is routed where it can be, and comes back byte for byte',
    ),
  ),
  'engineering-13-backup': importer.shown(
    'it keeps a copy first',
    inFile(STEPS, IMPORTED),
    inFile(
      'packages/cli/src/clients/file/change.test.ts',
      'a crash > the copy and the record are on the disk before the file is another',
    ),
  ),
  'engineering-13-rewrite': importer.shown(
    'entries lead through shims and keep their names',
    inFile(
      'tests/import/import.test.ts',
      'sub import claude > makes entries that start their servers behind the gateway, of both kinds, in one run',
      'sub import claude > changes nothing the second time',
    ),
  ),
  'engineering-13-instructions': importer.shown(
    'it says how to take the import back, and restore does',
    inFile(STEPS, IMPORTED, 'the servers of %s > are given back byte for byte by restore'),
  ),

  'engineering-14-statement': boundary.shown(
    'what does not pass the gateway is not guarded, and a strict run says so',
    inFile(
      CI_RUN,
      'sub run --strict > fails the job with 5 where no server of the run was behind the gateway',
    ),
  ),
  'engineering-14-containers': boundary.shownByTexts(
    'for what needs more there is a container without rights and with no way out of its own',
    {
      tests: inFile(
        CONTAINER,
        'the image > runs as a user without rights, whose folders it may write and nothing else',
        'the compose file > gives %s a read-only root and no right that it does not need',
      ),
    },
  ),
  'engineering-14-roadmap': boundary.notYet(
    'hooks of runtimes, telemetry of system calls and adapters of interpreters close the hole',
    'the document calls them optional modules of later versions; nothing of them is built',
  ),

  'engineering-15-language': choices.argued(
    'the product is written in Go',
    'a recommendation; the product is TypeScript in one process for each role, and its figures are in bench/RESULTS.md',
  ),
  'engineering-15-storage': choices.shown(
    'SQLite holds what is recorded',
    inFile(GUARDED, `${TABLES} stand in a database in write-ahead mode`),
  ),
  'engineering-15-fleet-storage': choices.argued(
    'a fleet is analysed in ClickHouse or Postgres, with Protobuf and BLAKE3 where that is faster',
    'the document names them for later versions; each ledger stays one file that anyone can verify',
  ),
  'engineering-15-events': choices.shown(
    'events are JSON lines',
    inFile(
      'tests/requirements/live-run.test.ts',
      'the events of a run > are JSON lines of the five required types, from run_start to run_end',
    ),
  ),
  'engineering-15-config': choices.shown(
    'policies are YAML and settings are TOML, and a mistake in either stops the start',
    inFile(
      'tests/gateway/start.test.ts',
      'config.toml > with %s stops the start',
      'config.toml > that is missing or empty means the defaults',
    ),
    inFile(
      'tests/gateway/policy.test.ts',
      'the policy file > that %s and is the first of its home stops the start: nothing is allowed for want of it',
    ),
  ),
  'engineering-15-sockets': choices.shown(
    'processes speak over unix sockets',
    inFile(
      'tests/gateway/start.test.ts',
      'a start > makes what is missing, all of it private, and writes both keys before it listens',
      'a start > takes over the socket that a dead gateway left',
    ),
  ),
  'engineering-15-windows': choices.notYet(
    'on Windows they speak otherwise',
    'a named pipe is coded and was never run',
  ),
  'engineering-15-args-hash': choices.shown(
    'arguments are hashed with SHA-256',
    inFile(
      'tests/requirements/live-run.test.ts',
      'the events of a run > have one args_hash for two spellings of the same arguments',
    ),
  ),
  'engineering-15-binary': choices.argued(
    'it is distributed as a single binary',
    'it is one package with one command, which needs Node; nothing is fetched when it is installed',
    inFile(
      'tests/cli/launcher.test.ts',
      'the installed command > runs through a link, from a folder with a space, and does what node does with the file',
    ),
    inFile(
      'tests/real/first-call.test.ts',
      'come from `npm install`, without a network, to the first line of `sub tail` in five commands',
    ),
  ),
  'engineering-15-image': choices.shownByTexts('there is an image for headless runs and CI', {
    tests: inFile(
      CONTAINER,
      'the image > is built from images of a named version, in two stages',
      'the image > knows every package, so that the lock file installs',
    ),
  }),
  'engineering-15-sidecar-image': choices.notYet(
    'the image works as a sidecar',
    'one gateway serves one container: socket, process ids and tickets are not shared',
  ),
  'engineering-15-installers': choices.argued(
    'Homebrew and Scoop install it',
    'the document leaves it to the future, and the package is published nowhere yet',
  ),
};
