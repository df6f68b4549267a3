import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

const STRACE = inFile(
  'tests/egress/strace.test.ts',
  "a session of every adapter, a run and a remote server under strace${missing === undefined ? '' : ` (not here: ${missing})`} > makes sockets of the internet in the gateway alone, dials nothing without an entry, and finds a program that goes around",
);
const SURELY = inFile(
  'tests/shim/session.test.ts',
  'what cannot be judged does not reach the server > %s, and its sender is told',
);

/** "What Subluminal promises" of SECURITY.md. */
export const PROMISES: Claims = {
  '**One door.**': all(
    inFile(
      'tests/boundary/table.test.ts',
      'row %s > names a network built-in only where the design lets it',
      'the narrow columns > the socket module is imported by one file of ipc, by egress, and by the listeners of the gateway',
    ),
    inFile(
      'tests/boundary/audit-bundles.test.ts',
      'the audit of the bundles > finds the gateway inside the command line',
      'the audit of the bundles > finds the ledger inside the shim',
    ),
    inFile(
      'tests/http/door.test.ts',
      'the door for HTTP > is closed until the operator asks for it, and keeps its port and its token over a restart',
    ),
    inFile(
      'tests/gateway/settings-in-force.test.ts',
      'docs/settings.md > says of `egress.mode` that the proxy is opened and closed by a restart',
    ),
    inFile(
      'tests/cli/witness.test.ts',
      'sub witness > cosigns the head of a ledger, which then verifies offline with the witness named',
    ),
  ),
  '`npm run privacy-audit`': all(
    inFile(
      'tests/boundary/audit-sources.test.ts',
      'the audit of the sources > passes this repository',
      'the audit of the sources > finds $what',
    ),
    inFile('tests/boundary/audit-bundles.test.ts', 'the audit of the bundles > finds %s'),
    inFile('tests/boundary/audit-dependencies.test.ts', 'the audit of the dependencies > finds %s'),
    inFile(
      'tests/boundary/audit-session.test.ts',
      'the audit of a session > finds a command line and a shim that make a socket of the internet',
    ),
  ),
  '**No telemetry.**': all(
    inFile(
      'tests/egress/quiet.test.ts',
      "a session in which nobody asks for anything outside${missing === undefined ? '' : ` (not here: ${missing})`} > looks up no name and dials nothing: not at a start, idle, by a verb, by an anchor, or at a stop",
    ),
    inFile('tests/boundary/table.test.ts', 'row %s > names a network built-in only where the design lets it'),
    STRACE,
  ),
  '`tests/egress` watches': all(
    STRACE,
    inFile(
      'tests/egress/trace.test.ts',
      'the reader of a session > takes no entry for a dial before it or after its result',
    ),
  ),
  '**Default deny.**': inFile(
    'packages/gateway/src/pipeline/pipeline.test.ts',
    'the pipeline > runs nothing after the %s stage has refused, and records the reason',
    'the pipeline > refuses and records what breaks the %s stage, and runs nothing more',
  ),
  'an unknown action': inFile('tests/gateway/requests.test.ts', 'the schema of a request > rejects %s'),
  'a policy that cannot be read': inFile(
    'tests/gateway/policy.test.ts',
    'the policy file > that %s and is the first of its home stops the start: nothing is allowed for want of it',
    'the policy file > with a mistake keeps the last good policy, says why, and does so after a restart too',
  ),
  'an error inside a rule': inFile(
    'packages/policy/src/decide/decide.test.ts',
    'a rule that fails > blocks where the policy blocks on errors, and no later rule is asked',
    'a rule that fails > allows where the policy allows on errors',
  ),
  'a destination of the gateway': all(
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > refuses a destination that is not on the allowlist: nothing is resolved, nothing is sent',
    ),
    inFile(
      'tests/net/connect.test.ts',
      'a connection through the proxy > to a name that is not listed passes and is recorded as unlisted, or is refused, as the mode says',
    ),
  ),
  'an unsigned answer': all(
    inFile('tests/ipc/client.test.ts', 'what does not verify ends the connection and allows nothing > %s'),
    inFile(
      'tests/attack/squatter.test.ts',
      'a squatter that answers with %s gets no payload and allows nothing',
    ),
  ),
  'a ledger that cannot write': all(
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > executes nothing when the ledger takes no entry',
    ),
    inFile(
      'tests/faults/recovery.test.ts',
      'a gateway whose ledger somebody else touches > refuses while it is locked, and serves again when it is not',
    ),
  ),
  '**Recorded before it happens.**': all(
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > passes a fully valid request through all stages, pending before the effect and result after it',
    ),
    inFile(
      'tests/gateway/crash.test.ts',
      'a gateway that is killed > between pending and result closes the action as interrupted at its next start and never repeats it',
    ),
    inFile(
      'tests/kills/kills.test.ts',
      'whoever is killed, at whatever point: nothing acknowledged is lost, nothing runs twice, nothing runs unrecorded, nobody is left over',
    ),
    inFile(
      'tests/faults/power-loss.test.ts',
      'a power cut${absent} > takes nothing back that was acknowledged or executed, whatever of the unsynced is lost',
      'a power cut${absent} > leaves a ledger that verifies and is not behind heads.log with durability = "process" as well',
    ),
    inFile(
      'packages/shim/src/away/engine.test.ts',
      'what was done > stands in a private file before the call is made, and in memory in the same words',
    ),
  ),
  '**What was judged is what is sent.**': all(
    inFile('tests/shim/session.test.ts', 'a call > that is allowed reaches the server byte for byte'),
    inFile(
      'tests/attack/differential.test.ts',
      'a refused call runs in no server, however that reads, as > $name',
    ),
    inFile(
      'tests/http/attacks.test.ts',
      'what header and body say > is the same, or the request goes no further',
    ),
  ),
  'duplicate keys': all(
    SURELY,
    inFile('packages/mcp/src/message/judge.test.ts', 'what cannot be judged is refused > %s'),
  ),
  '`__proto__` in the envelope': inFile(
    'packages/mcp/src/message/judge.test.ts',
    'what cannot be judged is refused > %s',
  ),
  'batches, invalid UTF-8': all(
    SURELY,
    inFile(
      'tests/shim/session.test.ts',
      'what cannot be judged does not reach the server > a second request with an id in flight, while 1 and "1" are two ids',
    ),
    inFile(
      'packages/mcp/src/message/judge.test.ts',
      'what cannot be judged is refused > invalid utf-8, also where JSON.parse would repair it',
    ),
  ),
  'Names of methods and tools': all(
    inFile(
      'packages/mcp/src/message/names.test.ts',
      'a name that some servers read as another is told: %j',
      'a name that every server reads as itself is let be: %j',
    ),
    inFile(
      'tests/shim/session.test.ts',
      'what cannot be judged does not reach the server > an argument that some servers read as another: %s',
    ),
    inFile(
      'tests/http/attacks.test.ts',
      'arguments that some servers read as others > reach no server, also beside the name that a rule knows, and each is recorded',
    ),
    inFile(
      'packages/mcp/src/adapter/classify.test.ts',
      'the data of a call may have any names but at its top',
    ),
    inFile(
      'packages/core-types/src/json/number.test.ts',
      'canonicalNumber > gives one text for every spelling of a value, and different texts for different values',
    ),
  ),
  '**A tool is what was approved.**': all(
    inFile(
      'tests/tools/pins.test.ts',
      'a tool that is not what was approved > is held when %s changes, in the next run and after a restart',
      'a tool that is not what was approved > is held as new when the tool that it copies is still there',
      'a tool with the very name of another server’s > is held when it appears later',
    ),
    inFile(
      'packages/tools/src/list/judgement.test.ts',
      'a tool is seen and may be called exactly when it is what was approved, whatever the server lists',
    ),
  ),
  '**Tamper-evident.**': all(
    inFile('packages/ledger/src/verify/tamper.test.ts', 'what an attacker does to entries is found > %s'),
    inFile(
      'packages/ledger/src/verify/attacks/all-sixty.test.ts',
      'every attack is told apart, and expected at every one of its places, %s',
    ),
    inFile(
      'packages/ledger/src/verify/property.test.ts',
      'any single change of a stored value > is found, wherever it is made',
    ),
  ),
  '**Agents see no keys.**': inFile(
    'tests/secrets/release.test.ts',
    'no server is started > for %s than the secret is bound to; it is recorded',
    'no server is started > whose program is another one of the same name, in the PATH or folder of its client',
    'a server gets the secret that it is bound to > and nothing of its client that could send the secret elsewhere',
  ),
  'in no log or command line': inFile(
    'tests/secrets/leaks.test.ts',
    'the secret %s > stands in no file that the product wrote, in no form',
    'the secret %s > stands in no output and no command line',
  ),
  'in no preview, argument': inFile(
    'tests/gateway/secrets.test.ts',
    'what a run has recorded > holds no secret of its servers, from whichever side it comes, also after a restart',
  ),
  'in no name of a tool': inFile(
    'tests/gateway/secrets.test.ts',
    'what a run has recorded > holds no secret of its servers, from whichever side it comes, also after a restart',
  ),
  'in nothing that the server says': inFile(
    'tests/secrets/leaks.test.ts',
    'the secret %s > is told to the client where the binding says so, and by its name otherwise',
  ),
  'With `--host` not even': all(
    inFile(
      'tests/inject/attacks.test.ts',
      'a secret that is put in on the way out > reaches the server, as a bearer and in a login, and its client gets the placeholder back',
      'an answer > has it in none of the ways in which texts are written',
    ),
    inFile(
      'tests/inject/clients.test.ts',
      'the secret of a server > is in no environment, and in nothing that is written',
    ),
    inFile(
      'tests/secrets/environment.test.ts',
      'a server behind `sub shim` has, of the variables of its client, > those of a short list',
      'a server behind `sub shim` has, of the variables of its client, > and those that are passed by name',
    ),
  ),
  '**An import changes': all(
    inFile(
      'packages/cli/src/clients/corpus.test.ts',
      'a configuration of the corpus > %s is routed where it can be, and comes back byte for byte',
    ),
    inFile(
      'packages/cli/src/hooks/claude/claude.test.ts',
      'sixty files of settings get the hooks, and lose them again, with every other byte as it was',
    ),
    inFile(
      'packages/cli/src/clients/file/change.test.ts',
      'a crash > the copy and the record are on the disk before the file is another',
    ),
    inFile(
      'packages/cli/src/clients/claude/lists.test.ts',
      'what the settings of Claude Code deny > by an exact command is not routed, since behind another command it would run',
      'what the settings of Claude Code deny > is not known where settings cannot be read, so that nothing is routed',
    ),
  ),
  '**Nothing left behind.**': all(
    inFile(
      'tests/shim/ends.test.ts',
      'what a server started, in a session of its own and deaf to signals, ends with it',
      'with %s > SIGKILL of the shim ends everything, by the gateway',
    ),
    inFile(
      'tests/gateway/runs.test.ts',
      'what a killed shim leaves > is ended: whatever carries its token, also what ignores SIGTERM',
      'what a killed shim leaves > is ended by the next gateway when the gateway died too',
    ),
  ),
};
