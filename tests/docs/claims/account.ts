import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

/** "Your own account", "Testimony", "Tools and names" and "Loopback" of SECURITY.md. */
export const ACCOUNT: Claims = {
  'All of this holds where': { limit: 'it says where the section applies, and claims nothing' },
  'Any process of your user': all(
    inFile(
      'tests/gateway/policy.test.ts',
      'the policy file > is loaded when it appears, and again when it changes, each time with an entry',
    ),
    inFile(
      'tests/ci/events.test.ts',
      'sub run --strict > fails the job with 5 where no server of the run was behind the gateway',
    ),
  ),
  'Verbs that widen': all(
    inFile('tests/attack/inside-run.test.ts', 'inside a run > `sub %s %s` is refused with exit code 3'),
    inFile(
      'tests/attack/left-run.test.ts',
      'a process that left its parents is still inside the run > whichever way it left, and what it tried is recorded with the run',
      'a process that left its parents is still inside the run > also where the run is over when it asks',
      'the operator is outside of a run that lives > in a window of tmux',
    ),
    inFile('tests/attack/namespaces.test.ts', 'an agent is not taken for the operator in > %s'),
    inFile(
      'packages/ipc/src/credential/session-run.test.ts',
      'nothing is proved by > a session that was there before the run: a shell, its jobs, and what they left behind',
      'nothing is proved by > a program that the init of a container with one control group starts',
      'nothing is proved by > a run whose process is gone',
      'nothing is proved by > a system that tells of no sessions',
    ),
    inFile(
      'tests/attack/other-home.test.ts',
      '`sub %s` is refused inside a run that lives in another home than the named one',
    ),
  ),
  'The tools that are built': all(
    inFile(
      'tests/hooks/verbs.test.ts',
      'settings that keep the client from asking, and hooks of the repository, are told',
    ),
    inFile('packages/hooks/src/session/hook-session.test.ts', 'without a gateway a call goes as `%s` says'),
    inFile(
      'tests/real/hooks-claude.test.ts',
      'does not call the tools that the operator named, and goes on with the others',
      'that is killed in the middle is away from then on',
    ),
    inFile('tests/real/hooks-broken.test.ts', '%s calls the tool, or not, as is known of it'),
  ),
  "A hook's event is": inFile(
    'tests/hooks/door.test.ts',
    'a program that is no client > that a client started does not speak for it, and is counted',
    'a program that is no client > shows the token of its run, which every program of the run has',
  ),
  'The text of a question': all(
    inFile(
      'tests/gateway/questions.test.ts',
      'a question about a call > a yes lifts nothing but the rule that asked',
      'a question about a call > no key of a run answers',
      'a question shows of a call %s',
    ),
    inFile(
      'tests/gateway/questions.property.test.ts',
      'whatever happens, a yes passes its own call and no other, and one entry answers each question',
    ),
    inFile(
      'packages/notify/src/desktop.test.ts',
      'a desktop > on Linux reads words as words, without a shell, markup, escapes and credentials',
    ),
    inFile('tests/gateway/notify.test.ts', 'a question about a call > is not shown %s'),
    inFile(
      'tests/real/hooks-window.test.ts',
      'makes it in the mode `%s` without a key where the agent has written a hook into the project',
    ),
  ),
  '`policy.accept = "signed"` lets': inFile(
    'tests/gateway/policy-accept.test.ts',
    'a gateway that takes signed policies only > keeps the last good one where a file is not signed, says why, and records it once',
    'a gateway that takes signed policies only > takes no older signed policy in place of a newer one, also after a restart',
    'a gateway that takes signed policies only > remembers the serial while other policies are accepted without a signature',
  ),
  'A `.subluminal.yaml` can only narrow': all(
    inFile(
      'tests/gateway/projects.test.ts',
      'the policy of a project > has no effect before it is trusted, and narrows the runs of its folder afterwards',
      'the policy of a project > that was changed, removed or made unreadable stays as it was trusted, and says so',
      'the policy of a project > binds a run that moves into its folder, and goes on to bind it elsewhere and after a restart',
    ),
    inFile(
      'packages/policy/src/narrowing/narrowed.test.ts',
      'policies that narrow that of the home > decide as each would alone, and the strictest answer holds: none loosens another, whatever happened before',
    ),
  ),
  '`run/gateway.json` is not signed': all(
    inFile(
      'tests/gateway/versions.test.ts',
      'the command line > explains a handshake of another version by what the gateway has written down',
      'the command line > stops a gateway that it cannot talk to: what `sub down && sub up` needs',
    ),
    inFile(
      'packages/ipc/src/home/gateway-file.test.ts',
      'the file of a gateway names a process of ours that began when the file says, or none',
    ),
  ),
  'An MCP server that daemonises': inFile(
    'packages/ipc/src/process/identity.test.ts',
    'a family is found by its group and by its token',
  ),
  'The kind of a run': all(
    inFile(
      'tests/requirements/identity.test.ts',
      'a shim without a run > stamps its events with the identity of its environment',
    ),
    inFile(
      'tests/agents/agents.test.ts',
      'what an agent says of itself > frees it from nothing: without its run, as another, in another environment, with a policy of its own',
    ),
  ),

  'That a tool call was executed': inFile(
    'tests/away/ingest.test.ts',
    'a spool > is recorded as testimony, charged, and verified with the ledger',
  ),
  'With `fail_open_read_tools`': all(
    inFile(
      'tests/away/away.test.ts',
      'while no gateway answers > reads go on as far as their limits reach, nothing else does, and all of it is in the ledger afterwards',
      'while no gateway answers > two shims of one run make no more reads together than were left',
    ),
    inFile(
      'packages/shim/src/away/engine.test.ts',
      'from a snapshot > that says it holds for an hour, it is used for five minutes',
    ),
  ),
  'A process of your user that reads the run': all(
    inFile(
      'tests/attack/away.test.ts',
      'the beginning of a spool that somebody with the key of its run has copied > and brought first leaves the rest to its shim (at once: %s)',
    ),
    inFile(
      'tests/away/ingest.test.ts',
      'a spool that is not believed > keeps neither the true one of its shim out, nor does a request that bears its name',
      'a spool in the home > that was broken behind its first line is charged to its run, and one that never was its own is not',
    ),
    inFile(
      'tests/away/away.test.ts',
      'while no gateway answers > a spool that was %s on the disk is handed over whole by a shim that lives',
    ),
  ),
  'A policy that was tightened': inFile(
    'tests/away/ingest.test.ts',
    'a snapshot > is taken back when the policy does not want it any more, and given when it does',
    'a policy that changes while nobody is there > is the one that what was done is charged by',
  ),

  'The first list of a server': inFile(
    'tests/tools/pins.test.ts',
    'a server whose tools are as they were > is pinned once, by its first complete list',
    'a server whose tools are as they were > raises nothing by what is not covered',
  ),
  "A holder of a run's key can show": all(
    inFile(
      'tests/tools/pins.test.ts',
      'a client that can do something else > gets no second first list, and none that changes what is pinned',
      'approving > is not for runs',
    ),
    inFile(
      'packages/tools/src/book/book.test.ts',
      'what is remembered > is what the database has, after every change',
    ),
  ),
  "A server's name is": all(
    inFile(
      'tests/http/attacks.test.ts',
      'where it may lead > is no open proxy: other servers, schemes and addresses, and URLs with passwords',
    ),
    inFile(
      'tests/http/claims.test.ts',
      'a remote server that has its address in config.toml > has the address that the file says now, and none while the file has a mistake',
    ),
  ),
  'A client says which name': inFile(
    'tests/http/claims.test.ts',
    'a remote server that has its address in config.toml > is reached there under its own name alone, however the address is spelled, and nowhere else',
    'a remote server that has its address in config.toml > is reached under either of two names that have it, and under no third',
  ),
  'A remote server is known': all(
    inFile(
      'packages/egress/src/dial.test.ts',
      'a secure connection > names the host in the handshake and is verified against it',
    ),
    inFile(
      'tests/tools/modern.test.ts',
      'a client of revision 2026-07-28 that follows announced changes never sees the changed tool until it is approved',
    ),
  ),
  'Policies compare names': inFile(
    'tests/shim/session.test.ts',
    'what cannot be judged does not reach the server > an argument that some servers read as another: %s',
  ),

  'Loopback is this machine': {
    limit: 'the system gives an address of loopback to each of its users',
  },
  'Other users of it': all(
    inFile(
      'tests/http/attacks.test.ts',
      'who may come in > answers nobody who came by another name, from a page of another origin, or without the token',
    ),
    inFile(
      'packages/gateway/src/base/open-files.test.ts',
      'with %d open files all connections together leave room for the gateway',
    ),
    inFile(
      'tests/gateway/open-files.test.ts',
      'with %d open files connections without a token keep neither the operator nor a run out',
    ),
    inFile(
      'tests/proxy/attacks.test.ts',
      'what does not belong where it was let to > costs nothing durable where no token was shown',
    ),
  ),
  'The enrol token': all(
    inFile(
      'tests/http/enrol.test.ts',
      'a client that shows the enrol token > is refused where the operator wants tickets, and where its process cannot be told',
    ),
    inFile(
      'packages/remote/src/client/peer-process.test.ts',
      'the process at the other end > is not told by %s',
    ),
  ),
  'The [page]': inFile(
    'tests/ui/door.test.ts',
    'who asks > a program of a run is refused with a stolen token, with a stolen code, and at the socket',
    'who asks > another user is refused',
    'who asks > one that cannot be told reads, and changes nothing',
    'a page of another origin > changes nothing and reads nothing, the dev server of an agent on another port among them',
    'a page of another origin > is answered without a word that another origin could read: no CORS, no frame, no script of others',
  ),
  'What allows more needs': inFile(
    'tests/ui/acts.test.ts',
    'the digits > are good for two minutes, and what they unlock for fifteen',
    'a question about a call > that is not what was shown any more is refused: it was answered, or another hash was shown',
  ),
  "A run's token (": all(
    inFile(
      'tests/http/attacks.test.ts',
      'who may come in > answers no token of a run that has ended, and cuts off what it has open',
    ),
    inFile('tests/gateway/handshake.test.ts', 'keys > that are made of the tokens for HTTP open nothing'),
  ),
  'What passes on loopback': {
    limit: 'the system lets root, and those who may trace a process of yours, read what passes there',
  },
};
