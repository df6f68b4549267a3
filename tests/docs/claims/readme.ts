import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

export const README: Claims = {
  'Subluminal (`sub`) is a local gateway': all(
    inFile(
      'tests/requirements/live-run.test.ts',
      'the events of a run > say what was decided, by which rule of which policy, and why',
    ),
    inFile('tests/cli/panic.test.ts', 'sub panic > refuses every run until sub resume'),
    inFile(
      'tests/cli/audit.test.ts',
      'sub audit verify > exits 4 for one changed byte, and names the entry and its class',
    ),
  ),
  'In a clone `npm run quickstart`': inFile(
    'tests/cli/quickstart.test.ts',
    'the quickstart shows an allowed and a refused call, a proof, and a tampered copy, and leaves nothing behind',
  ),
  'The package needs Node 22': all(
    inFile(
      'tests/build/pack.test.ts',
      'the package > brings its one dependency along, and neither has a script that an install runs',
      'the package > has the add-on of every system that has one',
    ),
    inFile(
      'tests/build/build.test.ts',
      'sub under a Node that is too old > loads nothing, and says which one it needs',
    ),
  ),
  'In a clone `npm run pack': inFile(
    'tests/real/first-call.test.ts',
    'come from `npm install`, without a network, to the first line of `sub tail` in five commands',
  ),
  'Put the MCP servers': inFile(
    'tests/requirements/first-steps.test.ts',
    'the servers of %s > are routed by import, which keeps a copy and their names, and says how to take it back',
  ),
  '`sub panic` ends every run': all(
    inFile(
      'tests/gateway/panic.test.ts',
      'panic > ends every live run with its reason, and the record says who and why',
      'panic > refuses runs of both kinds and actions, in words that name no way out, and serves the operator',
    ),
    inFile('tests/cli/operator.test.ts', 'sub doctor > says what decides where there is no policy file'),
    inFile('tests/cli/governance.test.ts', 'sub policy init > lists the starter policies'),
    inFile('packages/policy/src/cases/cases.test.ts', 'a starter policy > is one of four'),
  ),
  '`~/.subluminal/policy.yaml` takes effect': all(
    inFile(
      'tests/cli/project-policy.test.ts',
      'takes effect with a yes, and a change of the file shows itself against the text that is trusted',
    ),
    inFile(
      'tests/gateway/policy.test.ts',
      'the policy file > is loaded when it appears, and again when it changes, each time with an entry',
      'the policy file > with a mistake keeps the last good policy, says why, and does so after a restart too',
    ),
    inFile(
      'tests/cli/governance.test.ts',
      'sub policy lint > shows the line of each mistake with a caret under it, and what is allowed there',
    ),
    inFile(
      'tests/docs/claims.test.ts',
      'the rule of README asks about every form of a command that its remark names, and about nothing else',
    ),
  ),
  'A refused call tells its agent why': all(
    inFile('tests/shim/session.test.ts', 'a call > that is denied does not reach the server, and says why'),
    inFile(
      'tests/cli/questions.test.ts',
      'a question is listed with what, why and whose run, and shown with every way to answer it',
    ),
  ),
  'Programs below `sub run`': all(
    inFile(
      'packages/ipc/src/proxy/variables.test.ts',
      'the variables of the proxy > name it with the label and the token in every spelling, and this machine stays without it',
    ),
    inFile(
      'tests/proxy/tunnels.test.ts',
      'a tunnel > carries TLS of HTTP/1.1 and HTTP/2, and what it carried is in the record',
    ),
    inFile(
      'tests/net/modes.test.ts',
      'what a mode lets through: `enforce` what is listed, `observe` all but metadata, no hosts and the gateway’s own doors',
    ),
    inFile(
      'tests/cli/settings.test.ts',
      'sub allow preset > lists presets, adds the hosts of one once, and takes one back by its name',
    ),
    inFile(
      'tests/proxy/seen.test.ts',
      '`sub allow seen` names what no entry lets through as it was asked for, and the entry that would',
    ),
  ),
  '`sub init --yes': all(
    inFile(
      'tests/init/steps.test.ts',
      'sub init that cannot go on > begins with the starter policy for CI, where that is asked for',
    ),
    inFile(
      'tests/ci/events.test.ts',
      'sub run --strict > fails the job with 3 and says why, also when the agent ignores refusals and exits 0',
      'sub run --strict > fails the job with 5 where no server of the run was behind the gateway',
    ),
  ),
  '**Tools that are built into a client**': all(
    inFile(
      'tests/hooks/door.test.ts',
      'a hook of Claude Code > is answered with what the policy says, and the call stands in the record as any other',
    ),
    inFile(
      'tests/real/hooks-claude.test.ts',
      'has its own tools decided and recorded, and a refused command does not run',
    ),
    inFile(
      'tests/real/hooks-codex.test.ts',
      'has its own tools decided and recorded, and what is refused does not happen',
    ),
    inFile(
      'tests/hooks/verbs.test.ts',
      'a tool that cannot be named is refused, and a client that is not known',
    ),
  ),
  '**Programs that heed no proxy variable**': all(
    inFile(
      'tests/worlds/clients.test.ts',
      'a world${absent} > that is started by %s > %s reaches a server by its name',
      'a world${absent} > that is started by %s > the record has each connection with its name, and that it came out of a world',
    ),
    inFile(
      'packages/cli/src/run/confined.test.ts',
      'Node %s goes around the proxy with %s',
      'the line about what is not confined > says wherever the allowlist is enforced that other programs are not confined, and nothing elsewhere',
    ),
    inFile(
      'tests/proxy/clients.test.ts',
      'programs that heed the variables of a proxy > curl gets what is allowed, and reads why something is not',
      'programs that heed the variables of a proxy > Python gets what is allowed, and reads why something is not',
      'programs that heed the variables of a proxy > git clones what is allowed, and reads why something is not',
      'programs that heed the variables of a proxy > npm installs from what is allowed, and says that something is not',
    ),
    inFile(
      'tests/egress/strace.test.ts',
      "a session of every adapter, a run and a remote server under strace${missing === undefined ? '' : ` (not here: ${missing})`} > makes sockets of the internet in the gateway alone, dials nothing without an entry, and finds a program that goes around",
    ),
  ),
  '**A program under your account': all(
    inFile('tests/attack/inside-run.test.ts', 'inside a run > `sub %s %s` is refused with exit code 3'),
    inFile(
      'tests/attack/left-run.test.ts',
      'a process that left its parents is still inside the run > whichever way it left, and what it tried is recorded with the run',
    ),
    inFile(
      'tests/attack/other-home.test.ts',
      '`sub %s` is refused inside a run that lives in another home than the named one',
    ),
    inFile('tests/attack/namespaces.test.ts', 'an agent is not taken for the operator in > %s'),
    inFile(
      'packages/cli/src/gateway/inside-run.test.ts',
      'README, ARCHITECTURE and SECURITY say in the same words which process of a run is taken for the operator',
    ),
  ),
  'Each decision is on disk': all(
    inFile(
      'tests/faults/power-loss.test.ts',
      'a power cut${absent} > takes nothing back that was acknowledged or executed, whatever of the unsynced is lost',
    ),
    inFile(
      'tests/gateway/tool-calls.test.ts',
      'records start, decision and end of an allowed call, each before it is answered',
    ),
    inFile(
      'packages/ledger/src/seal/record.test.ts',
      'a seal > of a written ledger verifies with another implementation of Ed25519, from public data alone',
    ),
    inFile(
      'tests/cli/anchors.test.ts',
      'an anchor that contradicts the ledger > a ledger that was put back, heads.log included: the place is remembered beside it',
    ),
  ),
};
