import { inFile, section, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const STEPS = 'tests/requirements/first-steps.test.ts';
const RECORD = 'tests/cli/record.test.ts';
const RUN = 'tests/cli/run.test.ts';
const OPERATOR = 'tests/cli/operator.test.ts';
const GOVERNANCE = 'tests/cli/governance.test.ts';
const VERBS = 'tests/secrets/verbs.test.ts';
const EVENTS = 'the events of a run >';
const RULES = 'a run under one rule of each kind >';

const contracts = section('engineering spec §5');
const surface = section('engineering spec §6');

/** The stable contracts and the surface of the command line (§5, §6). */
export const ENGINEERING_SPEC_CONTRACTS: Requirements = {
  'engineering-5-event-fields': contracts.shown(
    'events have the stable fields of a call, its decision and its end',
    inFile(
      LIVE,
      `${EVENTS} carry the envelope, with one version, one run and the time in UTC`,
      `${EVENTS} name server, tool, transport and size of each call`,
      `${EVENTS} say how each call ended`,
    ),
    inFile(
      GUARDED,
      `${RULES} has the decision of the first rule that decides, or of the limit that is reached`,
    ),
  ),
  'engineering-5-clients': contracts.shown(
    'events name the client',
    inFile(
      'tests/requirements/identity.test.ts',
      'a shim without a run > stamps its events with the identity of its environment',
    ),
    inFile('tests/real/claude.test.ts', 'below `sub run` is one attested run, with all servers in it'),
  ),
  'engineering-5-previews': contracts.shown(
    'previews of arguments and results are redacted',
    inFile(
      'tests/requirements/secrets.test.ts',
      'a secret of the kind %s > stands in no event and no preview',
    ),
  ),
  'engineering-5-bundles': contracts.shown(
    'a policy is a versioned bundle that compiles to a snapshot',
    inFile(
      GOVERNANCE,
      'sub policy compile > writes the normal form, with every default and globs as they are read; its SHA-256 is the policy_hash',
    ),
    inFile(
      GUARDED,
      'the tables of the ledger after that run > hold the version of the policy that decided, with its rules',
    ),
  ),
  'engineering-5-no-pause': contracts.shown(
    'a refusal is an immediate JSON-RPC error with structured data; nothing waits for a person',
    inFile(GUARDED, `${RULES} answers each refusal with the code of its action and the whole of Contract C`),
    inFile(
      'tests/gateway/service-actions.test.ts',
      'approvals > are asked for at once, and let exactly that payload pass exactly once',
    ),
  ),

  'engineering-6-import': surface.shown(
    '`sub import claude` and `sub import codex` route the servers of a client',
    inFile(
      STEPS,
      'the servers of %s > are routed by import, which keeps a copy and their names, and says how to take it back',
    ),
    inFile(
      'tests/import/import.test.ts',
      'sub import claude > routes what can be, names the rest, and says how to take it back',
    ),
  ),
  'engineering-6-restore': surface.shown(
    '`sub restore` takes an import back',
    inFile(STEPS, 'the servers of %s > are given back byte for byte by restore'),
  ),
  'engineering-6-run': surface.shown(
    '`sub run -- COMMAND` opens a run and sets the identity in its environment',
    inFile(LIVE, 'a command below `sub run` finds the identity of its run in its environment'),
    inFile(
      RUN,
      'sub run > starts the gateway by itself, and passes exit code 0 and the output through',
      'sub run > gives the command the variables of the contract',
    ),
  ),
  'engineering-6-tail': surface.shown(
    '`sub tail` shows events as they come, of one run where it is named',
    inFile(
      RECORD,
      'sub tail > has told of each call in one line as it came',
      'sub tail > of one run that has ended ends by itself',
    ),
  ),
  'engineering-6-query': surface.shown(
    '`sub query` searches calls',
    inFile(RECORD, 'sub query > %j finds the newest first', 'sub query > finds by run and by request'),
  ),
  'engineering-6-daemon': surface.shown(
    '`sub ledgerd` and `sub up` start the local daemon',
    inFile(
      OPERATOR,
      'the gateway > `sub up` a second time is done already',
      'the gateway > `sub ledgerd` beside it is refused',
      'the gateway > `sub up` creates a home that is closed to others, `sub down` is done when none runs',
    ),
  ),
  'engineering-6-version-doctor': surface.shown(
    '`sub version` and `sub doctor` tell of what is installed and what is wrong',
    inFile(STEPS, 'the version is told, and a home that is in order passes `sub doctor`'),
    inFile(
      OPERATOR,
      'sub doctor > fails a home that others can read, and says what to do',
      'sub doctor > fails a config with a mistake',
    ),
  ),
  'engineering-6-policy': surface.shown(
    '`sub policy` lints, compiles, compares and explains',
    inFile(
      GOVERNANCE,
      'sub policy lint > shows the line of each mistake with a caret under it, and what is allowed there',
    ),
    inFile(
      GOVERNANCE,
      'sub policy compile > replaces no file unless it is told to, and writes none for a policy with a mistake',
    ),
    inFile(
      GOVERNANCE,
      'sub policy diff > tells each change with how much it matters, why and whom it concerns',
    ),
    inFile(
      'tests/cli/explain.test.ts',
      'the explanation of a recorded call > goes through every rule, with what a limit had counted by then',
    ),
  ),
  'engineering-6-secrets': surface.shown(
    '`sub secrets` adds, shows, lists and removes',
    inFile(
      VERBS,
      'sub secrets > takes a value from standard input, and a second one only where it is to be replaced',
      'sub secrets > reveals nothing to a program',
      'sub secrets > removes a secret, and says which servers now lack it',
    ),
  ),
  'engineering-6-export': surface.shown(
    '`sub export run` writes what is recorded of a run',
    inFile(
      'tests/cli/bundle.test.ts',
      'sub export run > writes a bundle that another machine verifies by the pin alone',
    ),
  ),
};
