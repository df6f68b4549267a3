import { inFile, type Requirements, section } from './requirement.js';

const R = section('hook control plane, requirements');
const L = section('hook control plane, locked decisions');

const FOLLOW = 'tests/plane/follow.test.ts';
const STEER = 'tests/plane/steer.test.ts';
const GATE = 'tests/plane/gate.test.ts';
const RUNS = 'tests/plane/runs.test.ts';
const TOLD = 'tests/plane/told.test.ts';
const REAL_GATE = 'tests/real/plane-gate.test.ts';
const FORM = 'tests/plane/form.test.ts';
const ROLES = 'tests/plane/roles.test.ts';
const VERBS = 'tests/plane/verbs.test.ts';
const FOLD = 'packages/plane/src/fold.test.ts';
const SESSIONS = 'packages/plane/src/sessions.test.ts';
const BASELINE = 'packages/plane/src/baseline/baseline.test.ts';
const EVIDENCE = 'packages/plane/src/checkpoint/mechanisms.test.ts';
const FOLLOWER = 'packages/plane-wing/src/follow/follower.test.ts';

const RECORDS =
  'the plane > records where the work of a session changed, in the chain of its run, and the record verifies';
const STANDS =
  'a steer > stands in the answer to the end of the call that draws the boundary, and in no other';
const ASKED =
  'a protected call > of a window without evidence is asked about, and is made once the window has some';
const STOPS = 'the plane > that %s stops nothing';

/** The requirements and the locked decisions of the control plane. */
export const CONTROL_PLANE: Requirements = {
  'plane-r1': R.shown(
    'a reassessment is recognised by one of several mechanisms, and which are configured changes no boundary',
    inFile(GATE, ASKED),
    inFile(FOLD, 'a boundary > is the same whatever mechanisms of checkpoints are configured'),
    inFile(
      EVIDENCE,
      'evidence > of thinking is a call of a tool that only thinks',
      'evidence > of a context that is read again is a text of that name, read to its end',
      'evidence > of a look at the drift is what git says of changes',
      'evidence > of a critique is a reviewer that was asked',
      'evidence > of tests is that they ran, and says how they ended',
      'evidence > of a form is a call of its tool with each field filled, and a misfit says which were not',
    ),
    inFile(
      FORM,
      'a call of the configured form > opens a gate, and one that lacks a field does not',
      'a call of the configured form > is no evidence for another run, though that names the same session',
    ),
  ),
  'plane-r2': R.shown(
    'a checkpoint is an entry that names the call that shows it',
    inFile(VERBS, '`sub plane stats` > counts what was decided, and what was not done with the reason'),
    inFile(FOLD, 'a window > with evidence has it once, with the call that shows it'),
  ),
  'plane-r3': R.shown(
    'a checkpoint looks ahead, or back at what was done',
    inFile(FOLLOW, RECORDS),
    inFile(FOLD, 'a window > with evidence has it once, with the call that shows it'),
  ),
  'plane-r4': R.shown(
    'the plane acts at boundaries of the work, not at its ends alone and not before each action',
    inFile(STEER, STANDS),
    inFile(FOLD, 'a steer > comes at a boundary or where a window runs out, and nowhere between'),
    inFile(
      SESSIONS,
      'the sessions > have their boundaries found, on the half that was set aside, with precision and recall of 0.8',
    ),
  ),
  'plane-r5': R.shown(
    'a boundary is computed from what is observed: kind of work, protection, failures, scope, life, budgets',
    inFile(FOLLOW, RECORDS),
    inFile(
      FOLD,
      'the fold > gives equal bytes for equal events, whatever they are',
      'a boundary > follows no word of the agent: todo lists and plans draw none',
    ),
    inFile(
      'packages/plane/src/connections.test.ts',
      'the first connection to a host that a window has not seen > finds no boundary more as a sign of weight 1/%i, and draws wrong ones',
    ),
  ),
  'plane-r5a': R.shown(
    'a shift has to last, and two boundaries keep a distance in actions and in time',
    inFile(STEER, STANDS),
    inFile(
      FOLD,
      'a boundary > keeps the floor: never two of one tier within three actions, nor within ten seconds',
      'a boundary > is no toll: work of any small pattern has one in eight actions at most, over 1,000 actions',
    ),
  ),
  'plane-r6': R.shown(
    'windows open and close by themselves, at a boundary or a backstop, and nobody asks for one',
    inFile(FOLLOW, RECORDS, 'the plane > goes on after a restart in the window that it was in'),
    inFile(FOLD, 'the fold > has windows that follow each other without a gap, each with one end'),
  ),
  'plane-r7': R.shown(
    'what risks more is reassessed sooner, up to what waits for a checkpoint or a yes',
    inFile(GATE, ASKED),
    inFile(
      FOLD,
      'a window > that only looks is longer than one that changes, and one with a protected action is the shortest',
    ),
  ),
  'plane-r8': R.shown(
    'windows have a static length until enough was learnt, from sessions that nothing steers',
    inFile(
      VERBS,
      '`sub plane stats` > tells what was learnt of sessions that nothing steers, and takes it back when asked to',
    ),
    inFile(
      BASELINE,
      'a baseline > is static until twenty windows were left to run',
      'a baseline > does not drift when steering shortens the windows that are steered, as one that took them would',
    ),
    inFile(
      'packages/plane-wing/src/contamination.test.ts',
      'baselines of the live plane > are with steering what they are without it, and would be half as long if steered windows counted',
    ),
    inFile(
      'packages/plane/src/key.test.ts',
      'the salt of the hold-out > decides which names are in it: one that is held out in a record is in another as any name is',
    ),
  ),
  'plane-r9': R.shown(
    'nobody has to work in another way: no command, no file and no plan is asked for',
    inFile(
      FOLLOW,
      RECORDS,
      'the plane > follows a run without hooks by its messages, and says which signal does not look',
    ),
    inFile(
      'tests/real/plane.test.ts',
      'has the steer in the request of its model that follows, and in none before',
    ),
  ),
  'plane-r10': R.shown(
    'an ordinary boundary steers and stops nothing; only what a policy protects waits',
    inFile(STEER, STANDS),
    inFile(
      GATE,
      ASKED,
      'a protected call > waits for a yes where no evidence comes',
      'a protected call > waits for nothing without a gate: %j',
    ),
    inFile(
      REAL_GATE,
      'makes a protected call once its work has a checkpoint, and not before',
      'makes a protected call once a person has said yes, and not before',
    ),
    inFile(
      TOLD,
      'a gate that withholds nothing > %s is told by `sub plane status`, by `sub doctor` and when it is loaded',
      'a gate that withholds nothing > is told once the rule is gone, and once the gate is set, while the gateway runs',
    ),
  ),
  'plane-r11': R.argued(
    'each boundary, window, checkpoint, expiry, skip, steer and grant is an entry',
    'boundaries, windows (with their expiry), checkpoints, skips, steers and switched-off signals are entries of their own; a grant is the decision on the protected call, with the classes that it had, or `approval_granted`',
    inFile(FOLLOW, RECORDS),
    inFile(GATE, ASKED),
    inFile(
      RUNS,
      'a text that waits > is recorded when it is given, once, and not before',
      'a text that waits > is skipped as late where nobody takes it for ten minutes, or until the gateway stops',
    ),
  ),
  'plane-r12': R.shown(
    'whatever becomes of the plane, calls go on; a signal without its telemetry is off, and the others look',
    inFile(
      FOLLOW,
      STOPS,
      'the plane > whose place in the home is gone stops nothing',
      'the plane > follows a run without hooks by its messages, and says which signal does not look',
    ),
    inFile(
      GATE,
      'a protected call > waits where the plane has failed, since nobody knows of a checkpoint, and no other call does',
    ),
    inFile(FOLD, 'without telemetry > a signal that throws is switched off and looks no more'),
    inFile(REAL_GATE, 'works on where the plane %s'),
  ),
  'plane-r13': R.shown(
    'one contract serves Claude Code and Codex, and says what is not seen of each',
    inFile(
      STEER,
      STANDS,
      'a steer > goes to Codex by the run of its control server, at the end of a call without a status',
    ),
    inFile(
      VERBS,
      '`sub plane status` > tells the modes, the agents with their windows, and how far each client is seen',
    ),
    inFile('tests/hooks/verbs.test.ts', 'a file that was made for the hooks goes with them'),
  ),

  'plane-l1': L.shown(
    'a checkpoint is of any mechanism of six, one of them a form that the operator sets',
    inFile(GATE, ASKED),
    inFile(FOLD, 'a boundary > is the same whatever mechanisms of checkpoints are configured'),
    inFile(FORM, 'a call of the configured form > opens a gate, and one that lacks a field does not'),
    inFile(
      EVIDENCE,
      'evidence > of a form is a call of its tool with each field filled, and a misfit says which were not',
    ),
  ),
  'plane-l2': L.argued(
    'no artefact that an agent writes is trusted as control',
    'the plane reads no file; agents and their hooks tell events, which move boundaries as any work does, and allow nothing',
    inFile(FOLD, 'a boundary > follows no word of the agent: todo lists and plans draw none'),
  ),
  'plane-l3': L.argued(
    'the plane relies on nothing that an agent may do or leave',
    'signals look at calls and at what the client tells of itself; who never reassesses is steered and recorded',
    inFile(FOLD, 'a window > without evidence of a checkpoint says so when it ends'),
  ),
  'plane-l4': L.shown(
    'no model decides when a boundary is',
    inFile(FOLLOW, RECORDS),
    inFile(FOLD, 'the fold > gives equal bytes for equal events, whatever they are'),
  ),
  'plane-l5': L.shown(
    'a steer is made of templates and numbers',
    inFile(STEER, STANDS),
    inFile(FOLD, 'a steer > is short, seldom, and has no word that an agent wrote'),
  ),
  'plane-l6': L.shown(
    'a window licenses nothing; only the protected tier withholds',
    inFile(GATE, 'a protected call > waits for nothing without a gate: %j', ASKED),
  ),
  'plane-l7': L.shown(
    'what an agent does may change, what its user does may not',
    inFile(STEER, STANDS, 'a steer > begins and ends with the setting, while the gateway runs'),
  ),
  'plane-l8': L.shown(
    'a person’s yes to a protected call is the one act that is asked for',
    inFile(GATE, 'a protected call > waits for a yes where no evidence comes'),
    inFile(REAL_GATE, 'makes a protected call once a person has said yes, and not before'),
  ),
  'plane-l9': L.shown(
    'the record that has a form is the system’s own',
    inFile(FOLLOW, RECORDS),
    inFile(FOLD, 'the fold > reads no state from anything else'),
  ),
  'plane-l10': L.shown(
    'phases are found while the work goes on, and nobody declares them',
    inFile(FOLLOW, RECORDS),
    inFile(
      SESSIONS,
      'the sessions > have their boundaries found, on the half that was set aside, with precision and recall of 0.8',
    ),
  ),
  'plane-l11': L.shown(
    'a state is typed, stored and gone on with, and stands in no call’s way',
    inFile(FOLLOW, 'the plane > goes on after a restart in the window that it was in', STOPS),
    inFile(
      RUNS,
      'after a restart > a message of a run with %i sessions is of %s, as before',
      'after a restart > the last work of a run that is over is folded where its first was',
      'a session that two runs name > has a checkpoint for the run that shows it, and the other one takes none and voids none',
      'a session that two runs name > has no checkpoint for the next run, whatever its first event is',
    ),
    inFile(
      TOLD,
      'the plane that ends > says so in `sub plane status` and in `sub doctor`, with what a gate does then',
      'the plane that ends > whose entries cannot be kept says so, and calls go on',
    ),
  ),
  'plane-l12': L.argued(
    'the state stands on `hooks.db`, and no framework’s store is imported',
    'there is no `hooks.db` here: a row of `gateway.db` holds a state, and the record can make it again',
    inFile(FOLLOW, 'the plane > goes on after a restart in the window that it was in'),
  ),
  'plane-l13': L.shown(
    'the plane decides by what its boundary exposes: tool, one target, status, time, session',
    inFile(
      FOLLOW,
      'the plane > counts a call once that a message and a hook tell of',
      'the plane > keeps two sessions of one process, and a subagent, apart',
    ),
    inFile(FOLLOWER, 'a call > is one event, at its end, with the object of its arguments'),
  ),
  'plane-l14': L.shown(
    'structure is inferred, and its errors are bounded',
    inFile(STEER, STANDS),
    inFile(SESSIONS, 'the sessions > get at most two false steers an hour of work, and some steers'),
  ),
  'plane-l15': L.shown(
    'a director is steered and never gated, workers are held back where they skip a step',
    inFile(
      ROLES,
      'a worker > is held back by rules on its method until it has planned, used the right tool and verified',
      'a worker > is a subagent %s',
      'a worker > is an agent that names itself as a director, in a run that no operator opened',
      'a worker > is an agent of another name, and one whose call no hook tells of',
      'a worker > is an agent whose name the operator did not give, though it is that of a director',
      'a director > waits for none of that, in the run that the operator opened under its name',
      'a director > is a subagent of a director whose type is named, too',
      'a director > is steered, and bound by every rule that asks for no class of the plane',
      'a director > waits for nothing where the plane has failed, either',
      'a director > is told of by `sub plane status`, and is nobody by default',
    ),
    inFile(REAL_GATE, 'waits for nothing as a director, in the run that the operator opened under that name'),
    inFile(
      'tests/cli/run.test.ts',
      'sub run > says that its agent is named where a flag names it, and not where the environment does',
    ),
    inFile(GATE, 'a protected call > is blocked while changes are not tested, where a rule says so'),
    inFile(
      FOLD,
      'a protected call > of a director waits for nothing, nor does one of anybody while the plane steers or observes',
    ),
  ),
};
