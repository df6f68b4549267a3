import { inFile, section, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const BUDGETS = 'tests/requirements/budgets.test.ts';
const LARGE = 'tests/requirements/large-payload.test.ts';
const STEPS = 'tests/requirements/first-steps.test.ts';
const SIGNALS = 'tests/requirements/signals.test.ts';
const SECRETS = 'tests/requirements/secrets.test.ts';
const CHARGING = 'tests/gateway/policy-charging.test.ts';
const EXPLAIN = 'tests/cli/explain.test.ts';
const RECORD = 'tests/cli/record.test.ts';
const LEAKS = 'tests/secrets/leaks.test.ts';
const AGENTS = 'tests/agents/agents.test.ts';
const CI_RUN = 'tests/ci/events.test.ts';
const RULES = 'a run under one rule of each kind >';
const OVER = 'a payload over MAX_INSPECT_BYTES >';
const LOOP = 'an agent that makes the same call a thousand times >';

const B = section('engineering spec §16, track B');
const E = section('engineering spec §16, track E');
const F = section('engineering spec §16, track F');
const G = section('engineering spec §16, track G');
const I = section('engineering spec §16, track I');
const milestones = section('engineering spec §17');
const naming = section('engineering spec §18');

/** The acceptance tests of the tracks B, E, F, G and I, the milestones and the naming (§16 to §18). */
export const ENGINEERING_SPEC_TRACKS: Requirements = {
  'track-b-bucket': B.shown(
    'a token bucket works',
    inFile(GUARDED, `${RULES} tells how long to wait where it throttles`),
    inFile(
      CHARGING,
      'a call is charged when it is decided > and one that throttles says how long to wait, exactly',
    ),
  ),
  'track-b-budgets': B.shown(
    'budgets count down, of a run and of a tool',
    inFile(
      BUDGETS,
      'a budget of %s lets a run have so much and no more',
      'a budget of each tool leaves the others theirs',
    ),
    inFile(
      CHARGING,
      'a call is charged when it is decided > so that of 64 that race for the last ten, over four connections, ten get it',
    ),
  ),
  'track-b-breakers': B.shown(
    'breakers trip by repeated calls and by windows of errors',
    inFile(GUARDED, `${RULES} emits a breaker_trip for each breaker that trips`),
    inFile(
      AGENTS,
      `${LOOP} is stopped by a breaker as soon as it repeats itself, and stays stopped while it does`,
      `${LOOP} and whose tool fails is stopped by a breaker of errors`,
    ),
  ),
  'track-b-dedupe': B.shown(
    'a dedupe window refuses a repeated write',
    inFile(
      CHARGING,
      'a call is charged when it is decided > and one that was sent twice is refused the second time',
    ),
    inFile(
      AGENTS,
      'an agent that writes again what was refused, in other words > is refused for every spelling of the same arguments, under one hash',
    ),
  ),
  'track-b-trace': B.shown(
    'a decision can be explained rule by rule',
    inFile(
      EXPLAIN,
      'the explanation of a recorded call > goes through every rule, with what a limit had counted by then',
      'the explanation of a recorded call > marks the rule that decided, and says which field did not match',
    ),
    inFile(
      'tests/cli/decided-again.test.ts',
      'what a gateway decided > is explained as it was decided, call by call, from the ledger alone',
    ),
  ),

  'track-e-run': E.shown(
    '`sub run` stamps the run and its identity',
    inFile(
      LIVE,
      'a command below `sub run` finds the identity of its run in its environment',
      'the events of a run > carry the identity of the run, whatever the shim is told',
    ),
  ),
  'track-e-tail': E.shown(
    '`sub tail` streams live events',
    inFile(
      RECORD,
      'sub tail > has told of each call in one line as it came',
      'sub tail > with --json gives events of Contract A',
    ),
  ),
  'track-e-query': E.shown(
    '`sub query` filters by decision, status, tool and server',
    inFile(RECORD, 'sub query > %j finds the newest first', 'sub query > goes on where a page ended'),
  ),

  'track-f-injected': F.shown(
    'injected variables are with the server and not with the agent',
    inFile(
      'tests/secrets/release.test.ts',
      'a server gets the secret that it is bound to > of the variables of its client, under another name',
    ),
    inFile(
      'tests/secrets/environment.test.ts',
      'a server behind `sub shim` has, of the variables of its client, > or all, but never the key of a run',
    ),
    inFile(LEAKS, 'the secret %s > stands in no output and no command line'),
  ),
  'track-f-previews': F.shown(
    'secrets are in no preview of the ledger',
    inFile(
      LEAKS,
      'the secret %s > stands in no file that the product wrote, in no form',
      'the searched record holds all of that, with names in place of values',
    ),
  ),
  'track-f-placeholders': F.shown(
    'tools that need headers get them by placeholders',
    inFile(
      'tests/inject/attacks.test.ts',
      'a secret that is put in on the way out > reaches the server, as a bearer and in a login, and its client gets the placeholder back',
    ),
  ),

  'track-g-many': G.notYet(
    'a page shows ten thousand events smoothly',
    'there is no page; `sub tail` prints each as one line',
  ),
  'track-g-previews': G.notYet(
    'a page shows truncated previews as such',
    'there is no page; the events say `preview.truncated`',
  ),
  'track-g-decisions': G.notYet(
    'a page shows decision, rule and hint',
    'there is no page; `sub show` and `sub hints` tell them',
    inFile(
      'tests/cli/decided-again.test.ts',
      'what a gateway decided > is shown with the rule, the hint and what to do',
    ),
  ),

  'track-i-large': I.shown(
    'large payloads stream through',
    inFile(
      LARGE,
      `${OVER} is forwarded to the server without a changed byte`,
      `${OVER} is forwarded to the client without a changed byte`,
    ),
    inFile(
      'tests/shim/large.test.ts',
      'a message of 64 MiB > comes back from the server unchanged, and the shim never holds it',
    ),
  ),
  'track-i-signals': I.shown(
    'signals reach everything',
    inFile(SIGNALS, 'nothing is left behind within the grace window > by %s'),
  ),
  'track-i-crash': I.shown(
    'a crash loses nothing',
    inFile(
      'tests/kills/kills.test.ts',
      'whoever is killed, at whatever point: nothing acknowledged is lost, nothing runs twice, nothing runs unrecorded, nobody is left over',
    ),
    inFile(
      'tests/gateway/crash.test.ts',
      'a gateway that is killed > between pending and result closes the action as interrupted at its next start and never repeats it',
    ),
  ),
  'track-i-loops': I.shown(
    'a loop is found and ended',
    inFile(AGENTS, `${LOOP} loses its run where the policy says so, and every call after that`),
    inFile(
      GUARDED,
      `${RULES} is ended by the breaker that says so, with its code, and counts what became of its calls`,
    ),
  ),
  'track-i-leaks': I.shown(
    'no secret leaks into a log',
    inFile(
      SECRETS,
      'a secret of the kind %s > stands in no file of the home, nor in the memory outside of it',
    ),
    inFile(
      'tests/secrets/planted.test.ts',
      'no secret of any kind stands in a file or an output after it was in a message that was %s',
      'no token stands in a file or an output that was %s',
    ),
  ),

  'milestone-0-contracts': milestones.argued(
    'the contracts are final and published',
    'they are the schemas and vectors of this repository, which what the product sends is held against; their document is not part of it',
    inFile(
      'tests/contracts/live-forms.test.ts',
      'what the gateway sends has the form of the contract > in the decision on a call, refused or not',
    ),
    inFile(
      'tests/contracts/vectors.test.ts',
      'every file of contract vectors has its schemas, and the other way round',
    ),
  ),
  'milestone-1-exit': milestones.shown(
    'from an install to the first call in minutes, no process left, no memory exhausted, names kept, no secret leaked',
    inFile(
      STEPS,
      'the servers of %s > are routed by import, which keeps a copy and their names, and says how to take it back',
    ),
    inFile(SIGNALS, 'nothing is left behind within the grace window > by %s'),
    inFile(LARGE, `${OVER} is not held in the memory of the shim, nor in any line of the record`),
    inFile(SECRETS, 'a secret of the kind %s > stands in no event and no preview'),
    inFile(
      'tests/real/first-call.test.ts',
      'come from `npm install`, without a network, to the first line of `sub tail` in five commands',
    ),
  ),
  'milestone-1.5-exit': milestones.shown(
    'fifty jobs at once are stable, violations fail jobs, and there are artifacts',
    inFile(
      'tests/ci/headless.test.ts',
      'many jobs at once share one gateway: none crashes, no event is lost, all do the same, and the chain is whole',
    ),
    inFile(
      CI_RUN,
      'sub run --strict > fails the job with 3 and says why, also when the agent ignores refusals and exits 0',
    ),
    inFile(
      'tests/cli/bundle.test.ts',
      'sub export run > writes a bundle that another machine verifies by the pin alone',
    ),
  ),
  'milestone-2-guardrails': milestones.shown(
    'limits of all kinds, diff, explain, and secrets of a store',
    inFile(
      GUARDED,
      `${RULES} has the decision of the first rule that decides, or of the limit that is reached`,
    ),
    inFile(
      'tests/cli/governance.test.ts',
      'sub policy diff > tells each change with how much it matters, why and whom it concerns',
    ),
    inFile('tests/secrets/verbs.test.ts', 'sub secrets > has a server started with what it was bound to'),
  ),
  'milestone-3-control': milestones.shown(
    'refusals with hints, a ledger of hints, and hints that become rules',
    inFile(GUARDED, `${RULES} emits a hint_issued event with the call and the hint that the agent got`),
    inFile(
      'tests/cli/hints.test.ts',
      'hints that were given > are listed newest first, of one run where it is named',
      'a hint that becomes a rule of the policy file > lets through such calls, and no others',
    ),
  ),
  'milestone-3-hint-page': milestones.notYet(
    'hints have a page',
    'there is no page; `sub hints` lists and promotes them',
  ),
  'milestone-4-sidecar': milestones.notYet(
    'a sidecar, kept snapshots and a remote collector',
    'the document leaves it to the future, and nothing of it is built',
  ),

  'engineering-18-names': naming.shown(
    'all verbs are `sub …`, and none is named after the gateway',
    inFile(STEPS, 'the verbs are those of `sub`, and none says gateway'),
  ),
};
