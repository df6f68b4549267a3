import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

/** "Threats" of SECURITY.md. */
export const THREATS: Claims = {
  'Each subsystem adds its row': inFile(
    'tests/docs/claims.test.ts',
    'each row of the threats says what holds, where more is said of it, and names a folder of its tests',
    '$page ends with what its subsystem cannot see',
  ),
  'an agent in a run': all(
    inFile('tests/attack/inside-run.test.ts', 'inside a run > `sub %s %s` is refused with exit code 3'),
    inFile(
      'tests/agents/agents.test.ts',
      'what an agent says of itself > frees it from nothing: without its run, as another, in another environment, with a policy of its own',
    ),
  ),
  'an agent that insists': all(
    inFile(
      'tests/agents/agents.test.ts',
      'an agent that takes the policy away > and %s, and kills the gateway, finds every rule and nothing given back',
    ),
    inFile(
      'tests/gateway/policy-limits.test.ts',
      'an agent that wants more than it has > and %s has none of it back, and no rule less',
      'an agent that wants more than it has > and reports an error for every call has none of it back',
    ),
  ),
  'an MCP server': inFile(
    'tests/shim/session.test.ts',
    'what a server may not do > answer what nobody asked, or answer twice',
    'what a server may not do > ask for what the policy denies',
    'what a server may not do > ask for what the policy denies inside of a result',
  ),
  'a program in a world': all(
    inFile('packages/worlds/src/seccomp/filter.test.ts', 'the filter of a world > refuses %s'),
    inFile(
      'packages/worlds-net/src/dns/resolver.test.ts',
      'the names of a world > are unknown where they may not, and whenever that is not decided',
    ),
    inFile(
      'tests/worlds/attacks.test.ts',
      'a world${absent} > that is started by %s > holds against %s',
      'a world${absent} > that is started by %s > records %s with its destination',
      'a world${absent} > that is started by %s > looks up no name that is not listed',
    ),
    inFile(
      'tests/worlds/ends.test.ts',
      'a world${absent} > that is started by %s > leaves nothing when any process of it is killed, at whatever moment',
    ),
  ),
  'an agent in a world': all(
    inFile(
      'packages/gateway/src/pipeline/pipeline.test.ts',
      'the pipeline > takes nothing of the operator’s from inside of a world, whatever key was shown there',
    ),
    inFile(
      'tests/worlds/agents.test.ts',
      'an agent in a world${absent} > that is started by %s > and speaks to the gateway’s door by hand > is let in as its own run, and as nobody else',
      'an agent in a world${absent} > that is started by %s > and speaks to the gateway’s door by hand > may ask for what servers and hooks ask for, and for nothing of the operator’s',
      'an agent in a world${absent} > that is started by %s > and speaks to the gateway’s door by hand > gets no secret of a server, whatever it says it is',
      'an agent in a world${absent} > that is started by %s > and speaks to the gateway’s door by hand > is not let in by that door with any other key',
      'an agent in a world${absent} > that is started by %s > and speaks to the gateway’s door by hand > neither ends nor stalls the gateway by garbage, half-open connections and too many of them',
    ),
  ),
  'a remote server or host': all(
    inFile(
      'tests/http/attacks.test.ts',
      'where it may lead > dials no private address of a name that was allowed without one, whatever the name says later',
      'where it may lead > follows no redirect to another server, and one on the same server with the same body',
    ),
    inFile(
      'tests/http/streams.test.ts',
      'what a hostile server sends > is cut off where it has no end: lines, headers, and what is not HTTP',
    ),
  ),
  'a page in a browser': all(
    inFile(
      'tests/http/attacks.test.ts',
      'who may come in > answers nobody who came by another name, from a page of another origin, or without the token',
    ),
    inFile('tests/hooks/door.test.ts', 'a program that is no client > %s is turned away'),
    inFile(
      'tests/ui/door.test.ts',
      'the name of the page > a name that was bound anew gets nothing of %s, whatever token it shows',
    ),
  ),
  'another local user': all(
    inFile(
      'tests/gateway/start.test.ts',
      'a start > refuses a home that others can write, and files that others can read',
    ),
    inFile(
      'tests/gateway/open-files.test.ts',
      'with %d open files connections without a token keep neither the operator nor a run out',
    ),
  ),
  'a process of your user': inFile(
    'tests/cli/anchors.test.ts',
    'an anchor that contradicts the ledger > a ledger that was put back, heads.log included: the place is remembered beside it',
  ),
  "a repository's files": all(
    inFile(
      'tests/secrets/release.test.ts',
      'a server gets the secret that it is bound to > and nothing of its client that could send the secret elsewhere',
    ),
    inFile(
      'tests/attack/environment.test.ts',
      'a poisoned environment of the shim does not reach the gateway that it starts',
    ),
    inFile(
      'tests/hooks/verbs.test.ts',
      'settings that keep the client from asking, and hooks of the repository, are told',
    ),
  ),
  'a stolen home or backup': all(
    inFile(
      'tests/cli/witness.test.ts',
      'a home that was copied > gets no cosignature once the other copy went on: a split view exits 4',
    ),
    inFile(
      'packages/ledger/src/verify/seals.test.ts',
      'a head that the log key alone signed > is found: a stolen log key does not reach behind the newest seal',
    ),
  ),
  'a crash, a power cut': all(
    inFile(
      'tests/faults/power-loss.test.ts',
      'a power cut${absent} > takes nothing back that was acknowledged or executed, whatever of the unsynced is lost',
      'a power cut${absent} > leaves a ledger that verifies and is not behind heads.log with durability = "process" as well',
    ),
    inFile(
      'tests/kills/kills.test.ts',
      'whoever is killed, at whatever point: nothing acknowledged is lost, nothing runs twice, nothing runs unrecorded, nobody is left over',
    ),
  ),
  'a writer of the ledger': inFile(
    'packages/ledger/src/verify/tamper.test.ts',
    'what an attacker does to entries is found > %s',
    'what an attacker does beside the entries is found > %s',
  ),
  'a full or failing disk': all(
    inFile('tests/faults/recovery.test.ts', 'a gateway serves again by itself${absent} > after %s'),
    inFile(
      'tests/gateway/budget.test.ts',
      'a ledger with a budget > warns, gives up previews, refuses what begins, takes what ends, and recovers by itself',
    ),
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > executes nothing when the ledger takes no entry',
    ),
  ),
  'a clock that jumps': all(
    inFile(
      'tests/faults/recovery.test.ts',
      'a gateway serves again by itself${absent} > whatever its clock says, a year later or a year earlier',
    ),
    inFile(
      'packages/gateway/src/pace/rate-limiter.test.ts',
      'the rate limiter > does not open when the clock goes back',
    ),
    inFile(
      'packages/approvals/src/requests/approvals.test.ts',
      'a grant > does not live longer when the clock goes back',
    ),
    inFile(
      'packages/shim/src/away/engine.test.ts',
      'from a snapshot > nothing is decided %s otherwise than it should be',
    ),
  ),
  'a poisoned name': all(
    inFile(
      'tests/net/modes.test.ts',
      'what a mode lets through: `enforce` what is listed, `observe` all but metadata, no hosts and the gateway’s own doors',
      'what was judged is what is dialled: an unlisted name that moves inside takes its own addresses with it',
    ),
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > refuses an allowed name that resolves to a private address',
    ),
    inFile(
      'packages/egress/src/dial.test.ts',
      'a secure connection > names the host in the handshake and is verified against it',
    ),
  ),
  'a flood': inFile(
    'tests/attack/flood.test.ts',
    'sessions that ask and read nothing are dropped, and cost the others nothing but time',
    'connections that say nothing, or half of a handshake, keep nobody out',
    'garbage on as many connections as can be opened keeps nobody out',
  ),
  'hostile bytes': all(
    inFile('tests/fuzz/fuzz.test.ts', 'no input breaks what a target promises > %s'),
    inFile(
      'tests/mail/hostile.test.ts',
      'whatever a mail server answers ends in time and in bounds, with an error that says what is known',
    ),
    inFile(
      'tests/records/hostile.test.ts',
      'whatever a server answers ends as an error that says so, and nobody else is asked',
    ),
  ),
};
