import { inFile, section, type Requirements } from './requirement.js';

const ATTACKS = 'tests/worlds/attacks.test.ts';
const CLIENTS = 'tests/worlds/clients.test.ts';
const ENDS = 'tests/worlds/ends.test.ts';
const RESOLVER = 'packages/worlds-net/src/dns/resolver.test.ts';
const FILTER = 'packages/worlds/src/seccomp/filter.test.ts';
const NAMED = 'tests/worlds/named.test.ts';
const BACKEND = 'packages/worlds/src/backend/backend.test.ts';
const LIMA = 'packages/worlds/src/backend/lima/lima.test.ts';
const LAYOUT = 'packages/worlds/src/layout/layout.test.ts';
const POLICY = 'tests/worlds/policy.test.ts';
const BY_POLICY = 'a policy${absent} > for worlds that are started by %s >';
const BY = 'a world${absent} > that is started by %s >';
const HELD = inFile(ATTACKS, `${BY} holds against %s`, `${BY} leaves nothing of the machine changed`);
const NO_MAC = 'there was no Mac: machines of Lima are driven against a stand-in that checks its words';

const session = section('substrate spec, acceptance: Session World');
const api = section('substrate spec, acceptance: World API');
const isolation = section('substrate spec, acceptance: Security & Isolation');
const parity = section('substrate spec, acceptance: Platform Parity');
const lima = section('substrate spec, acceptance: macOS Lima Backend');

/** The acceptance lists of the substrate spec that are about worlds. */
export const SUBSTRATE_WORLDS: Requirements = {
  'substrate-session-mounts': session.shown(
    'no mount of a world is seen on the machine',
    inFile(ENDS, `${BY} has mounts that the machine does not see`),
  ),
  'substrate-session-writes': session.shown(
    'a program cannot write outside of its project',
    inFile(LAYOUT, 'the files that a world sees > may be written in the project alone, unless more is named'),
    HELD,
  ),
  'substrate-session-network': session.shown(
    'a name that is not listed is blocked, and a listed one is reached',
    inFile(
      RESOLVER,
      'the names of a world > are unknown where they may not, and whenever that is not decided',
    ),
    inFile(CLIENTS, `${BY} %s reaches a server by its name`),
    inFile(ATTACKS, `${BY} records %s with its destination`),
    inFile(
      POLICY,
      `${BY_POLICY} narrows the allowlist for the worlds of a profile, and says which one`,
      `${BY_POLICY} gives all connections of a world one budget of bytes`,
    ),
  ),
  'substrate-session-processes': session.shown(
    'the processes of the machine cannot be seen',
    inFile(FILTER, 'the filter of a world > refuses %s'),
    HELD,
  ),
  'substrate-session-cgroups': session.shown(
    'a machine without cgroups v2 degrades gracefully',
    inFile(
      'packages/worlds/src/cgroup/group.test.ts',
      'the control group of a world, of version 2 > is not made where there is no controller that it needs',
    ),
    inFile(
      'tests/worlds/limits.test.ts',
      'a world with limits, started by %s${absent} > holds its limits as `sub world doctor` says',
    ),
  ),
  'substrate-session-fallback': session.shown(
    'without user namespaces another way is taken, if the operator lets it',
    inFile(
      NAMED,
      'a world without namespaces${absent} > that is started by %s > holds against %s',
      'a world without namespaces${absent} > that is started by %s > lets %s reach a server by its name',
    ),
    inFile(
      'tests/worlds/ladder.test.ts',
      'the ladder of worlds${absent} > of %s > takes nothing weaker unless the operator says so, and says what is denied',
      'the ladder of worlds${absent} > of %s > goes down where the program is started, if namespaces are denied there alone',
    ),
  ),

  'substrate-api-backends': api.shown(
    'one interface has a backend for Linux and one for Lima',
    inFile(
      LIMA,
      'worlds of Lima > start a machine that is not there from a template of its own, and run the command in it',
    ),
    inFile(
      'tests/worlds/sessions.test.ts',
      'the world of a folder${absent} > of %s > is the same for one command after the other, which leave their processes there',
      'the world of a folder${absent} > of %s > is new after a restart',
    ),
  ),
  'substrate-api-independent': api.argued(
    'nothing else depends on the backend that is chosen',
    'the gateway knows networks and no backends, and the table of imports lets it load none of them',
    inFile(BACKEND, 'the backend of worlds > of %s makes nothing, and says what is missing and what to do'),
  ),
  'substrate-api-selection': api.shown(
    'the backend is chosen by the platform',
    inFile(BACKEND, 'the backend of worlds > is chosen by the platform'),
    inFile(
      'tests/worlds/ladder.test.ts',
      'the ladder of worlds${absent} > of %s > is told by the doctor, by the status, and by what went wrong',
    ),
  ),

  'substrate-isolation-overlay': isolation.shown(
    'the layer of a world is on one file system, which is a disk',
    inFile(
      'tests/worlds/layers.test.ts',
      'the layer of a world${absent} > that is started by %s > holds what its programs write, and the project stays as it was',
      'the layer of a world${absent} > that is started by %s > is one for the commands of a folder, and survives their world',
    ),
    inFile(
      'tests/worlds/asked.test.ts',
      'the policy of a layer${absent} > in a world that is started by %s > gives a command that it isolates a layer of its own, beside that of the folder',
      'the policy of a layer${absent} > in a world that is started by %s > has no command that it isolates write the project',
    ),
  ),
  'substrate-isolation-names': isolation.shown(
    'names are asked of a resolver that is pinned, and of no other',
    inFile(
      RESOLVER,
      'the names of a world > are unknown where they may not, and whenever that is not decided',
    ),
    inFile(ATTACKS, `${BY} looks up no name that is not listed`),
  ),
  'substrate-isolation-preload': isolation.argued(
    'a library is preloaded inside of worlds alone',
    'none is preloaded anywhere, and the variables of a program reach nothing outside of its world',
    inFile(
      'tests/worlds/servers.test.ts',
      'a world${absent} > of a server that is started by %s > that was taken over finds no secret of whoever started it',
    ),
  ),
  'substrate-isolation-seccomp': isolation.shown(
    'dangerous system calls are refused, and rare ones are logged',
    inFile(
      FILTER,
      'the filter of a world > refuses %s',
      'the filter of a world > logs what is rarely honest',
    ),
    HELD,
  ),
  'substrate-isolation-refresh': isolation.argued(
    'the allowlist refreshes sets of addresses of nftables, at once',
    'there are no such sets: each connection is decided by its name, so a change holds for the next one',
    inFile(RESOLVER, 'the names of a world > are decided on again when the rules change'),
    inFile(
      POLICY,
      `${BY_POLICY} reaches the next connection at once, and cuts the open ones that it does not let any more`,
    ),
  ),

  'substrate-parity-checks': parity.notYet('Linux and macOS pass the same checks', NO_MAC),
  'substrate-parity-policy': parity.argued(
    'one format of policy serves both platforms',
    'policies and allowlists know no platform',
    inFile('packages/policy/src/cases/cases.test.ts', 'a starter policy > is one of four'),
  ),
  'substrate-parity-api': parity.notYet('the API behaves the same on both platforms', NO_MAC),

  'substrate-lima-start': lima.notYet(
    'the first run starts the virtual machine, and later ones wait for nothing',
    NO_MAC,
    inFile(
      LIMA,
      'worlds of Lima > start nothing while their machine is up',
      'worlds of Lima > start a machine that was stopped by its name, and keep its template',
    ),
  ),
  'substrate-lima-latency': lima.notYet('a command takes 50 ms more at most', NO_MAC),
  'substrate-lima-bounds': lima.notYet('pip keeps to its bounds', NO_MAC),
  'substrate-lima-writes': lima.notYet(
    'writes land on the host where nothing isolates them',
    NO_MAC,
    inFile(
      LIMA,
      'worlds of Lima > have another machine if they show something else, which the guest is told, too',
      'worlds of Lima > show a machine nothing of the home, forward no keys, and write a path as one text',
    ),
  ),
  'substrate-lima-isolated': lima.notYet('isolated writes stay in the diff', NO_MAC),
  'substrate-lima-names': lima.notYet('names are asked of the machine’s own resolver', NO_MAC),
  'substrate-lima-terminal': lima.notYet('programs of a terminal work', NO_MAC),
  'substrate-lima-replay': lima.notYet('a replay gives the same end and the same diff', NO_MAC),
};
