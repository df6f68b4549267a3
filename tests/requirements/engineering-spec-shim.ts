import { inFile, section, type Requirements } from './requirement.js';

const LIVE = 'tests/requirements/live-run.test.ts';
const LARGE = 'tests/requirements/large-payload.test.ts';
const SIGNALS = 'tests/requirements/signals.test.ts';
const SECRETS = 'tests/requirements/secrets.test.ts';
const ADAPTER = 'tests/requirements/adapter-contract.test.ts';
const GUARDED = 'tests/requirements/guarded-run.test.ts';
const SESSION = 'tests/shim/session.test.ts';
const SHIM_ENDS = 'tests/shim/ends.test.ts';
const SHIM_LARGE = 'tests/shim/large.test.ts';
const RELEASE = 'tests/secrets/release.test.ts';
const LEAKS = 'tests/secrets/leaks.test.ts';
const INJECT = 'tests/inject/attacks.test.ts';
const STREAMS = 'tests/http/streams.test.ts';
const OVER = 'a payload over MAX_INSPECT_BYTES >';
const DECIDED =
  'a run under one rule of each kind > has the decision of the first rule that decides, or of the limit that is reached';
const TRANSPORT = 'an adapter whose transport is %s >';

const duties = section('engineering spec §7.1');
const semantics = section('engineering spec §7.2');
const state = section('engineering spec §7.3');
const secrets = section('engineering spec §7.4');
const processes = section('engineering spec §7.5');
const bounds = section('engineering spec §7.6');
const adapters = section('engineering spec §7.7');

/** The data plane: the shim and what stands behind it (§7). */
export const ENGINEERING_SPEC_SHIM: Requirements = {
  'engineering-7.1-proxy': duties.shown(
    'a shim speaks MCP with its client and passes on what its server says',
    inFile(
      SESSION,
      'a call > that is allowed reaches the server byte for byte',
      'both directions > a request of the server reaches the client, and its answer comes back',
    ),
    inFile(LIVE, 'answers of the server pass byte for byte, an error of its own included'),
  ),
  'engineering-7.1-policy': duties.shown(
    'a shim finds tool calls and has the policy applied to them',
    inFile(SESSION, 'a call > that is denied does not reach the server, and says why'),
    inFile(LIVE, 'a refused call > never reaches the server, while everything else does, byte for byte'),
  ),
  'engineering-7.1-secrets': duties.shown(
    'a shim puts secrets into the environment of its server when it starts it',
    inFile(
      RELEASE,
      'a server gets the secret that it is bound to > of the variables of its client, under another name',
    ),
  ),
  'engineering-7.1-events': duties.shown(
    'the ends of calls are recorded without holding up the shim',
    inFile(
      'tests/shim/decisions.test.ts',
      'an end travels with the next call, and again by itself where that call got no decision',
      'several calls are decided at once, and reach the server in their order',
    ),
    inFile(
      'tests/requirements/burst.test.ts',
      'in a burst the gateway records and answers a call, and gives up its preview first',
    ),
  ),
  'engineering-7.1-shutdown': duties.shown(
    'a shim ends cleanly and takes its server with it',
    inFile(
      SHIM_ENDS,
      'with %s > the end of input ends everything',
      'a server that ends > by itself ends the session with its code, after its last words',
    ),
  ),
  'engineering-7.1-bounded': duties.shown(
    'no payload is buffered without a bound',
    inFile(
      SHIM_LARGE,
      'a message of 64 MiB > reaches the server unchanged, and the shim never holds it',
      'a message over the limit of the spool is refused and the session goes on',
      'a client that asks for answers and does not read them is not read any more',
    ),
  ),

  'engineering-7.2-tool-names': semantics.shown(
    'tools have the names that their server gives them',
    inFile(
      'tests/tools/sessions.test.ts',
      'what passes > a list of which nothing is held passes byte for byte, one of which something is does not',
      'what passes > the reference server raises nothing over sessions, restarts and clients that can do more',
    ),
    inFile(LIVE, 'the events of a run > name server, tool, transport and size of each call'),
  ),
  'engineering-7.2-server-identity': semantics.shown(
    'each shim is set up for one server and keeps its identity',
    inFile(
      'tests/requirements/first-steps.test.ts',
      'the servers of %s > are routed by import, which keeps a copy and their names, and says how to take it back',
    ),
  ),

  'engineering-7.3-kinds': state.shown(
    'a run has bounded state: buckets, counters, windows of errors, repeats and duplicates',
    inFile(GUARDED, DECIDED),
    inFile(
      'tests/gateway/policy-restart.test.ts',
      'a run that goes on in the next gateway > finds its limits as they were: $way, $where',
    ),
  ),
  'engineering-7.3-bounded': state.shown(
    'that state has little room, and what finds none is never allowed for it',
    inFile(
      'tests/agents/agents.test.ts',
      'an agent that makes the same call a thousand times > gets what its budget holds, also with eight at once, and not one more',
    ),
    inFile(
      'tests/gateway/policy-limits.test.ts',
      'limits under 32 calls at once, with a gateway that is killed and stopped again and again > are never exceeded, and take no more than what was used',
    ),
    inFile(
      'packages/policy/src/meter/oracle.test.ts',
      'a state with little room > never allows what one with room for everything refuses',
    ),
  ),
  'engineering-7.3-no-lookups': state.argued(
    'a decision needs no database and no remote call',
    'state is in the memory of the gateway on the same machine, and the one round trip to it goes over a unix socket; the entry of an allowed call is on the disk before the call is made, which is what makes the record true',
    inFile(
      'tests/gateway/service-actions.test.ts',
      'the pipeline > executes nothing when the ledger takes no entry',
    ),
    inFile(
      'tests/gateway/tool-calls.test.ts',
      'records start, decision and end of an allowed call, each before it is answered',
    ),
  ),

  'engineering-7.4-injection': secrets.shown(
    'the server has the secret in its environment, and the agent never sees it',
    inFile(
      RELEASE,
      'a server gets the secret that it is bound to > of the store, whatever variable of that name its client has or passes, and it is recorded by name',
    ),
    inFile(LEAKS, 'the secret %s > stands in no output and no command line'),
  ),
  'engineering-7.4-placeholders': secrets.shown(
    'what the agent side holds is a placeholder, which is replaced on the way out',
    inFile(
      INJECT,
      'a secret that is put in on the way out > reaches the server, as a bearer and in a login, and its client gets the placeholder back',
      'a placeholder elsewhere > stays what it is at a host that it is not bound to, whose TLS nobody ends',
    ),
  ),
  'engineering-7.4-sources': secrets.shown(
    'a binding names a variable and where its secret is: environment, file, store or keychain',
    inFile(
      RELEASE,
      'a server gets the secret that it is bound to > of a file, of which a line feed at its end is no part',
      'a server gets the secret that it is bound to > of the variables of its client, under another name',
      'a server gets the secret that it is bound to > of the store, whatever variable of that name its client has or passes, and it is recorded by name',
    ),
    inFile(
      'tests/secrets/keychain.test.ts',
      'the keychain of a desktop > keeps a secret, which a bound server gets, and of which the record has the name',
    ),
  ),
  'engineering-7.4-keychains': secrets.notYet(
    'secrets come from the keychain of any desktop',
    'the keychain of Linux desktops is used; those of macOS and Windows answer `not_available`',
    inFile('tests/secrets/keychain.test.ts', 'a system without a keychain > says so, and what to use'),
  ),
  'engineering-7.4-remote-servers': secrets.shown(
    'servers over HTTP get secrets too',
    inFile(
      'tests/http/secrets.test.ts',
      'a secret that is bound to a remote server > stands in the header of requests to its URL, in place of the client’s own, and is recorded once',
      'a secret that is bound to a remote server > stands in no request under its name to another URL, which is refused, nor to its URL under another name',
      'a secret that is bound to a remote server > is taken out of what the server repeats: results, errors, events, statuses and headers',
      'a secret that is bound to a remote server > stands in nothing that the gateway wrote, also where the client may see it and says it back',
    ),
  ),
  'engineering-7.4-no-values': secrets.shown(
    'no value is logged, and what looks like a credential is redacted in previews',
    inFile(LEAKS, 'the secret %s > stands in no file that the product wrote, in no form'),
    inFile(SECRETS, 'a secret of the kind %s > stands in no event and no preview'),
  ),

  'engineering-7.5-signals': processes.shown(
    'SIGINT and SIGTERM reach the process group of the server',
    inFile(SHIM_ENDS, 'with %s > SIGTERM ends everything', 'with %s > SIGINT ends everything'),
    inFile(SIGNALS, 'nothing is left behind within the grace window > by %s'),
  ),
  'engineering-7.5-end-of-input': processes.shown(
    'when input ends the server is ended and the shim exits',
    inFile(
      SHIM_ENDS,
      'with %s > the end of input ends everything',
      'what was asked before the end of input is still decided and answered',
    ),
  ),
  'engineering-7.5-parent-death': processes.shown(
    'a shim whose client is gone exits',
    inFile(
      SHIM_ENDS,
      'a client that is killed takes shim and server with it, also when others hold its pipes',
    ),
  ),
  'engineering-7.5-no-orphans': processes.shown(
    'a shim that dies leaves no server behind',
    inFile(
      SHIM_ENDS,
      'with %s > SIGKILL of the shim ends everything, by the gateway',
      'what a server started, in a session of its own and deaf to signals, ends with it',
    ),
    inFile(
      'tests/gateway/runs.test.ts',
      'what a killed shim leaves > is ended: whatever carries its token, also what ignores SIGTERM',
      'what a killed shim leaves > is ended by the next gateway when the gateway died too',
    ),
  ),

  'engineering-7.6-defaults': bounds.shown(
    'inspection ends at 1 MiB of a message and a preview at 16 KiB',
    inFile(SHIM_LARGE, 'a message at the limit of inspection is inspected, one byte more is not'),
    inFile(LARGE, 'a preview ends at MAX_PREVIEW_BYTES, between two characters, and says so'),
  ),
  'engineering-7.6-configurable': bounds.shown(
    'both limits can be set',
    inFile(
      'tests/shim/timeout.test.ts',
      '`[inspect] max_inspect_bytes` > says how much of a message over stdio is inspected, of a call as of its answer',
    ),
    inFile('tests/attack/away.test.ts', 'a spool > leaves no preview in a ledger that keeps none'),
  ),
  'engineering-7.6-oversize': bounds.shown(
    'what is too large is forwarded as it is, and recorded by size and hash',
    inFile(LARGE, `${OVER} is forwarded to the server without a changed byte`),
    inFile(LARGE, `${OVER} has events that say truncated and show nothing of it, but its size and hashes`),
    inFile(LARGE, `${OVER} has events with the hash of the raw bytes of the message`),
  ),
  'engineering-7.6-streams': bounds.shown(
    'streams over HTTP are never held in whole',
    inFile(
      STREAMS,
      'what a hostile server sends > of many MiB passes in bounded memory, to a client that reads slowly, in a stream and as one body',
      'a stream of events > passes with its ids, its pauses and every byte of its messages, and comments without what they say',
    ),
  ),

  'engineering-7.7-layers': adapters.shown(
    'the core knows no protocol: whatever adapter asks gets the same decision and the same events',
    inFile(ADAPTER, `${TRANSPORT} gets a decision on each abstract call, from the policy alone`),
    inFile(ADAPTER, `${TRANSPORT} has the same events as any other, but for the transport`),
  ),
  'engineering-7.7-stdio': adapters.shown(
    'MCP over stdio has an adapter',
    inFile(
      SESSION,
      'a call > that is allowed reaches the server byte for byte',
      'what cannot be judged does not reach the server > %s, and its sender is told',
    ),
  ),
  'engineering-7.7-http': adapters.shown(
    'MCP over HTTP has an adapter',
    inFile(
      'tests/http/parity.test.ts',
      'a script over HTTP leaves the record that it leaves over stdio, field by field, and gets the same answers',
    ),
    inFile(
      'tests/http/sdk-v2.test.ts',
      'the 2.x client and a server of revision 2026-07-28 say the same to each other through the gateway as without it',
    ),
  ),
  'engineering-7.7-messages': adapters.notYet(
    'the Messages API has an adapter',
    'the document only plans it; no adapter speaks it, and the contract knows no transport of that name',
  ),
  'engineering-7.7-proxy': adapters.argued(
    'calls over plain HTTP have an adapter',
    'the proxy decides and records connections as actions of a run (`net.connect`), not as tool calls, since it sees where they go and not what they call',
    inFile(
      'tests/proxy/run-tokens.test.ts',
      'a connection > is in the record as pending, under an id of its own and no key, before the server hears of it',
    ),
  ),
};
