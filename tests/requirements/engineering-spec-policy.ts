import { inFile, section, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const IDENTITY = 'tests/requirements/identity.test.ts';
const WORKLOAD = 'tests/requirements/workload.test.ts';
const CI_JOB = 'a run of `sub run` in a CI job is headless, in CI, and names job, repository and branch';
const IN_CI =
  'a shim without a run > names the CI job that it works in, whose environment is CI, and the pod';
const RUN = 'tests/cli/run.test.ts';
const CHARGING = 'tests/gateway/policy-charging.test.ts';
const GOVERNANCE = 'tests/cli/governance.test.ts';
const HINTS = 'tests/cli/hints.test.ts';
const POLICY_HINTS = 'tests/gateway/policy-hints.test.ts';
const RULES = 'a run under one rule of each kind >';
const DECIDED = `${RULES} has the decision of the first rule that decides, or of the limit that is reached`;

const identity = section('engineering spec §8');
const engine = section('engineering spec §9');
const hints = section('engineering spec §10');

/** Identity and targeting, the policy engine, and hints (§8 to §10). */
export const ENGINEERING_SPEC_POLICY: Requirements = {
  'engineering-8.1-envelope': identity.shown(
    'every run and call carries agent, run, principal and environment',
    inFile(LIVE, 'the events of a run > carry the identity of the run, whatever the shim is told'),
    inFile(IDENTITY, 'a shim without a run > stamps its events with the identity of its environment'),
  ),
  'engineering-8.1-desktop': identity.shown(
    'on a desktop the workload is the user and the path of the repository',
    inFile(LIVE, 'the events of a run > name the user and the folder that it works in'),
  ),
  'engineering-8.1-ci': identity.shown(
    'in CI the workload is the job, the repository and the branch',
    inFile(WORKLOAD, CI_JOB),
    inFile(IDENTITY, IN_CI),
  ),
  'engineering-8.1-kubernetes': identity.shown(
    'in Kubernetes the workload is the namespace, the service account and the labels of the pod',
    inFile(WORKLOAD, 'a run of `sub run` in a pod names namespace, service account and pod'),
    inFile(IDENTITY, IN_CI),
    inFile(
      'packages/ipc/src/workload/pod.test.ts',
      'a pod is known > by the variables that a manifest fills from its fields, and its labels',
    ),
  ),
  'engineering-8.2-run': identity.shown(
    'on a desktop `sub run` sets the run and its identity',
    inFile(LIVE, 'a command below `sub run` finds the identity of its run in its environment'),
    inFile(RUN, 'sub run > gives the command the variables of the contract'),
  ),
  'engineering-8.2-ci': identity.shown(
    'in CI the run and its environment are set by themselves',
    inFile(WORKLOAD, CI_JOB),
    inFile(IDENTITY, IN_CI),
  ),
  'engineering-8.2-kubernetes': identity.notYet(
    'in Kubernetes a sidecar derives the identity',
    'there is no sidecar; `sub run` in a pod knows the pod and names the user of the process as its principal',
  ),
  'engineering-8.3-selectors': identity.shown(
    'a policy is meant for environments, agents, clients and workloads, and its rules for servers, tools and risk classes',
    inFile(GUARDED, DECIDED),
    inFile(
      'tests/gateway/policy.test.ts',
      'a refused call > of an identity that no policy is meant for is blocked',
    ),
    inFile(
      'packages/policy/src/decide/decide.test.ts',
      'selectors > are and between fields, or within a list: %s',
    ),
  ),
  'engineering-8.3-emergency': identity.shown(
    'a tool can be taken out for everybody at once',
    inFile(
      'tests/gateway/policy.test.ts',
      'the policy file > is loaded when it appears, and again when it changes, each time with an entry',
    ),
    inFile(
      'tests/second-effect/stalled-disk.test.ts',
      'while the disk stalls on a sync > a policy that blocks the call is loaded: from its acknowledgement on nobody is told yes',
    ),
  ),

  'engineering-9.1-observe': engine.shown(
    'in observe mode everything passes and is recorded',
    inFile('tests/agents/agents.test.ts', 'observe mode > lets through what it would refuse, byte for byte'),
    inFile(
      CHARGING,
      'a call is charged when it is decided > in observe mode too, where it says what would have been and forwards',
    ),
  ),
  'engineering-9.1-guardrails': engine.shown(
    'in guardrails mode rules are enforced, and nobody is asked',
    inFile(LIVE, 'a refused call > is answered with the reserved code and the data of Contract C'),
    inFile(CHARGING, 'a hint > is not given, and not recorded, in guardrails'),
  ),
  'engineering-9.1-control': engine.shown(
    'in control mode a refusal may carry a hint, which can become a rule',
    inFile(GUARDED, `${RULES} emits a hint_issued event with the call and the hint that the agent got`),
    inFile(HINTS, 'a hint that becomes a rule of the policy file > lets through such calls, and no others'),
  ),
  'engineering-9.2-access': engine.shown(
    'calls are allowed and denied by server, tool and simple predicates on arguments',
    inFile(GUARDED, DECIDED),
  ),
  'engineering-9.2-budgets': engine.shown(
    'a run has so many calls, cost units and write actions',
    inFile(GUARDED, DECIDED),
    inFile('tests/requirements/budgets.test.ts', 'a budget of %s lets a run have so much and no more'),
  ),
  'engineering-9.2-buckets': engine.shown(
    'token buckets bound the pace',
    inFile(GUARDED, `${RULES} tells how long to wait where it throttles`),
    inFile(
      CHARGING,
      'a call is charged when it is decided > and one that throttles says how long to wait, exactly',
    ),
  ),
  'engineering-9.2-breakers': engine.shown(
    'breakers trip by errors, by repeats and by slow calls',
    inFile(GUARDED, `${RULES} emits a breaker_trip for each breaker that trips`),
    inFile(
      CHARGING,
      'a breaker > counts errors that are reported, also with the next call, and that call is refused',
      'a breaker > takes a call that was slow for an error',
    ),
    inFile(
      'tests/agents/agents.test.ts',
      'an agent that makes the same call a thousand times > is stopped by a breaker as soon as it repeats itself, and stays stopped while it does',
    ),
  ),
  'engineering-9.2-dedupe': engine.shown(
    'a repeated write is refused within a window, unless a rule says otherwise',
    inFile(
      CHARGING,
      'a call is charged when it is decided > and one that was sent twice is refused the second time',
    ),
    inFile('tests/requirements/budgets.test.ts', 'a repetition passes where an allow overrides the dedupe'),
    inFile(GUARDED, DECIDED),
  ),
  'engineering-9.3-decisions': engine.shown(
    'there are five decisions, each with what it needs',
    inFile(GUARDED, `${RULES} gives each decision what its action needs, and no other`),
  ),
  'engineering-9.4-diff': engine.shown(
    '`sub policy diff` tells what changed and how much it matters, for people and programs',
    inFile(
      GOVERNANCE,
      'sub policy diff > tells each change with how much it matters, why and whom it concerns',
      'sub policy diff > with --fail-on %s exits for CI as documented',
    ),
  ),

  'engineering-10.2-fields': hints.shown(
    'a hint has its text, the arguments that it suggests and advice on trying again',
    inFile(GUARDED, `${RULES} emits a hint_issued event with the call and the hint that the agent got`),
    inFile('tests/shim/decisions.test.ts', 'REJECT_WITH_HINT carries the hint with its numbers as they are'),
  ),
  'engineering-10.2-recovery': hints.shown(
    'an agent that follows the hint succeeds',
    inFile(
      'tests/agents/agents.test.ts',
      'an agent that follows a hint > makes the call that was suggested, and succeeds',
    ),
  ),
  'engineering-10.2-immediate': hints.shown(
    'nothing hangs: the refusal is the answer',
    inFile(GUARDED, `${RULES} answers each refusal with the code of its action and the whole of Contract C`),
  ),
  'engineering-10.3-session': hints.shown(
    'the operator can turn a hint into an allowance for the run',
    inFile(
      POLICY_HINTS,
      'a hint that the operator promotes > waives its rule for these arguments of this tool in this run, and nothing else',
      'promoting > is for the operator: a run cannot, for itself or another, and each attempt is recorded',
    ),
  ),
  'engineering-10.3-persistent': hints.shown(
    'or into a change of the policy, shown as a difference first',
    inFile(
      HINTS,
      'a hint that becomes a rule of the policy file > is shown as a difference, asked about, and written into the file as it was',
    ),
  ),
};
