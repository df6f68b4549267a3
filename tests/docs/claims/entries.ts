import { inFile } from '../../requirements/requirement.js';
import { all, type Claims } from './claim.js';

const TOLD = inFile(
  'packages/core-types/src/schema/testimony.test.ts',
  'SECURITY.md > says of each action that is open to others than the operator whose word its entries are, and who may ask for it',
);
const OWN = inFile(
  'packages/core-types/src/schema/testimony.test.ts',
  'SECURITY.md > opens what is the gateway’s own account to no key',
);
const runs = (name: string, ...names: string[]) => inFile('tests/gateway/runs.test.ts', name, ...names);

/** "Whose word an entry is" of SECURITY.md. */
export const ENTRIES: Claims = {
  'A shim has the key': all(
    TOLD,
    inFile(
      'tests/gateway/handshake.test.ts',
      'keys > of a run that calls itself operator open nothing',
      'keys > of a run may ask for no action of the operator, and each attempt is recorded',
    ),
  ),
  '`email.fetch`': all(
    TOLD,
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > passes a fully valid request through all stages, pending before the effect and result after it',
    ),
  ),
  '`http.reach`': all(
    OWN,
    inFile(
      'tests/http/reached.test.ts',
      'where the gateway goes for a remote server is recorded before it dials, with its addresses, and not for every request',
    ),
  ),
  '`net.connect`': all(
    OWN,
    inFile(
      'tests/net/connect.test.ts',
      'the key of a run > asks for no connection and ends none: what the gateway carries is its own account, and is counted',
    ),
  ),
  '`run.begin`': all(
    TOLD,
    runs('a run > records the id that its environment claimed, and gets its own'),
    inFile('tests/gateway/handshake.test.ts', 'keys > of enrolment may open a run and nothing else'),
    inFile('tests/real/claude.test.ts', 'below `sub run` is one attested run, with all servers in it'),
  ),
  '`run.end`': all(
    TOLD,
    runs('a run > ends with its counters, closes its open calls, tells its connections, and nothing follows'),
  ),
  '`run.read`': all(TOLD, runs('a run > is read, and asked which servers are routed, without an entry')),
  '`verb.refused`': all(
    TOLD,
    inFile(
      'tests/attack/linked-home.test.ts',
      'what an agent tried without the ticket of its run is recorded with that run, and fails a strict one',
    ),
  ),
  '`tool.call.begin`': all(
    TOLD,
    inFile(
      'tests/gateway/tool-calls.test.ts',
      'records start, decision and end of an allowed call, each before it is answered',
    ),
  ),
  '`tool.call.end`': all(
    TOLD,
    runs('a tool call > ends once, and only if it was allowed in this run'),
    inFile(
      'tests/http/parity.test.ts',
      'a script over HTTP leaves the record that it leaves over stdio, field by field, and gets the same answers',
    ),
  ),
  '`upstream.begin`': all(
    TOLD,
    runs(
      'what a killed shim leaves > is left alone once the shim has said that it is gone, and calls without an end are closed',
    ),
  ),
  '`world.open`': all(
    TOLD,
    inFile(
      'tests/worlds/servers.test.ts',
      'a world${absent} > of a server that is started by %s > is gone with everything of it when its client is',
    ),
  ),
  '`tools.listed`': all(
    TOLD,
    inFile(
      'tests/tools/pins.test.ts',
      'a tool that is not what was approved > is recorded once, however often it is listed',
    ),
  ),
  '`secrets.release`': all(
    TOLD,
    inFile(
      'tests/gateway/secrets.test.ts',
      'a secret leaves > once for a server that was announced with its command line, after that is recorded',
    ),
  ),
  '`secrets.injected`': all(
    TOLD,
    inFile(
      'tests/gateway/secrets.test.ts',
      'what a run says that its servers have > is what was released to them, and what was told once of the variables of their client, also after a restart',
    ),
  ),
  '`spool.ingest`': all(
    TOLD,
    inFile(
      'tests/away/ingest.test.ts',
      'a spool > is recorded as testimony, charged, and verified with the ledger',
    ),
  ),
  '`hook.event`': all(
    TOLD,
    inFile(
      'tests/hooks/door.test.ts',
      'a program that is no client > that says a server is routed hides one call of it, and no other',
    ),
    inFile(
      'tests/hooks/door.test.ts',
      'a program that is no client > leaves a server to its messages, also where one of them was refused',
    ),
  ),
  '`hook.context`': all(
    TOLD,
    runs('a run > is read, and asked which servers are routed, without an entry'),
    inFile(
      'tests/plane/runs.test.ts',
      'a text that waits > is recorded when it is given, once, and not before',
    ),
  ),
  '`hook.routes`': all(TOLD, runs('a run > is read, and asked which servers are routed, without an entry')),
  '`message.dropped`': all(
    TOLD,
    inFile('tests/shim/decisions.test.ts', 'what is not forwarded is reported with its reason'),
  ),
  '`gateway.status`, `approvals.list`': all(
    TOLD,
    inFile('tests/ui/reads.test.ts', 'a page that only looks leaves nothing in the record but its session'),
  ),
  '`approvals.approve`, `approvals.deny`': all(
    TOLD,
    inFile(
      'tests/ui/acts.test.ts',
      'a question about a call > is answered with yes by an unlocked page alone, as the session and not as the operator',
      'nothing else of the gateway can be asked for by a page',
    ),
  ),
  '`ui.session`': all(
    TOLD,
    inFile(
      'tests/ui/session.test.ts',
      'a code opens one session; shown again it ends that session, and the record says so',
    ),
  ),
  '`ui.layer`': all(
    TOLD,
    inFile(
      'tests/ui/worlds.test.ts',
      'layers on the page${absent} > of %s > are taken over by an unlocked page alone, as its session, and what is asked about stays without a yes to it',
      'layers on the page${absent} > of %s > are not decided on by the word of `sub` that a page had asked',
    ),
  ),
  '`ui.rule`': all(
    TOLD,
    inFile(
      'tests/ui/rules.test.ts',
      'a rule for a refused call > is written by an unlocked page alone, as it was shown, and recorded before; its hash is that of what is loaded',
    ),
  ),
  'every other': all(
    TOLD,
    inFile(
      'tests/gateway/handshake.test.ts',
      'keys > of a run may ask for no action of the operator, and each attempt is recorded',
    ),
  ),
};
