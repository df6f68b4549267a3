import { inFile, section, type Requirements } from './requirement.js';

const SERVICE = 'tests/gateway/service-actions.test.ts';
const OPERATOR = 'tests/cli/operator.test.ts';
const ORDER = 'tests/requirements/pipeline-order.test.ts';
const LIMITS = 'tests/requirements/action-limits.test.ts';
const TRAIL = 'tests/requirements/audit-trail.test.ts';
const START = 'tests/gateway/start.test.ts';
const PEERS = 'tests/gateway/peers.test.ts';
const ALLOWLIST = 'packages/net/src/allowlist/allowlist.test.ts';
const AT_STAGE = 'a request that fails at the stage %s and at every later one >';
const WITHIN =
  'actions pass within the limit of their kind, one more does not, and they pass again when the hour is over';
const RESULT =
  'the pipeline > passes a fully valid request through all stages, pending before the effect and result after it';
const NO_ADAPTER = 'the pipeline > records an action without an adapter as such, and pretends nothing';

const allowlist = section('gateway isolation spec §4');
const limits = section('gateway isolation spec §5');
const anomalies = section('gateway isolation spec §6');
const pipeline = section('gateway isolation spec §7');
const transport = section('gateway isolation spec §8');
const entry = section('gateway isolation spec §9');
const adapters = section('gateway isolation spec §10');

/** Allowlist, limits, anomalies, pipeline, transport, entry point and adapters (§4 to §10). */
export const GATEWAY_ISOLATION_PARTS: Requirements = {
  'isolation-4-storage': allowlist.shown(
    'entries are kept with host, port, protocol, who added them, when, and whether they are active',
    inFile(
      OPERATOR,
      'the allowlist > lets an action through once its host is on it, and no longer when it is deactivated',
    ),
    inFile(SERVICE, 'the pipeline > shows in the ledger what the operator allowed'),
    inFile(ALLOWLIST, 'the allowlist > keeps its entries'),
  ),
  'isolation-4-added-by': allowlist.argued(
    'an entry is added by the user or by a setup wizard',
    'the column takes both words, and there is no wizard: every entry is the operator’s',
    inFile(ALLOWLIST, 'the allowlist > keeps its entries'),
  ),
  'isolation-4-management': allowlist.shown(
    'entries are checked, added, removed, listed and deactivated',
    inFile(SERVICE, 'the pipeline > does not use an entry that was deactivated or removed'),
    inFile(
      OPERATOR,
      'the allowlist > lets an action through once its host is on it, and no longer when it is deactivated',
    ),
  ),
  'isolation-4-empty': allowlist.shown(
    'nothing is allowed until somebody adds it',
    inFile(OPERATOR, 'the allowlist > is empty until someone adds a host'),
  ),
  'isolation-4-no-wildcards': allowlist.shown(
    'there are no wildcards',
    inFile(
      SERVICE,
      'the pipeline > refuses a wildcard as an allowlist entry, and records the attempt with its error',
    ),
    inFile(OPERATOR, 'the allowlist > refuses `%s` with exit code %d'),
  ),

  'isolation-5-per-action': limits.shown(
    'each action has a limit, with defaults',
    inFile(LIMITS, WITHIN),
    inFile(
      'tests/mail/send.test.ts',
      'email.send > sends nothing that is not a letter, and no more than its limit',
    ),
    inFile(
      'packages/cli/src/home/settings-doc.test.ts',
      'docs/settings.md names every key of config.toml with its default',
    ),
  ),
  'isolation-5-global': limits.shown(
    'all actions together have one',
    inFile(LIMITS, 'actions of all kinds together are so many an hour and no more'),
  ),
  'isolation-5-window': limits.argued(
    'counts stand in a map in memory and are reset with their window',
    'the window slides, and what was counted is counted after a restart too, or killing the gateway would refill it',
    inFile(LIMITS, WITHIN),
    inFile(
      'tests/gateway/exact-limits.test.ts',
      '32 callers in four processes get one window of an action, however often the gateway is killed',
    ),
  ),
  'isolation-5-answer': limits.shown(
    'who is limited is told when to come back',
    inFile(SERVICE, 'the pipeline > answers rate_limited with the time to wait, and executes nothing more'),
  ),

  'isolation-6-burst': anomalies.shown(
    'more than ten requests in five seconds need an approval',
    inFile(
      SERVICE,
      'approvals > are asked for by a burst of more than ten requests, which is recorded as an anomaly',
    ),
  ),
  'isolation-6-new-domain': anomalies.shown(
    'the first request to a new domain is recorded, and goes on',
    inFile(LIMITS, 'the first request to a place that was just allowed is recorded as unusual, and goes on'),
  ),
  'isolation-6-large-payload': anomalies.shown(
    'a payload over 1 MB needs an approval',
    inFile(ORDER, `${AT_STAGE} is answered by that stage`),
  ),
  'isolation-6-recorded': anomalies.shown(
    'what is unusual is in the audit trail',
    inFile(
      TRAIL,
      'the audit trail of a gateway > tells of the start and the stop, of tool calls and of what was unusual, each with every column',
    ),
  ),
  'isolation-6-approval': anomalies.shown(
    'what waits is answered by a person, and then passes once',
    inFile(
      SERVICE,
      'approvals > are asked for at once, and let exactly that payload pass exactly once',
      'approvals > that were denied stay denied',
    ),
    inFile(OPERATOR, 'approvals > an answer of the operator lets the same payload through, once'),
  ),

  'isolation-7-order': pipeline.shown(
    'the stages run in their order, and the first that fails ends the request',
    inFile(ORDER, `${AT_STAGE} is answered by that stage`, `${AT_STAGE} leaves no trace of a later stage`),
  ),
  'isolation-7-pending': pipeline.shown(
    'the entry is on the disk before anything is done, and the outcome follows it',
    inFile(SERVICE, RESULT, 'the pipeline > executes nothing when the ledger takes no entry'),
    inFile(
      'tests/gateway/crash.test.ts',
      'a gateway that is killed > between pending and result closes the action as interrupted at its next start and never repeats it',
    ),
  ),
  'isolation-7-rejections': pipeline.shown(
    'a rejection is recorded with its reason and executes nothing',
    inFile(
      ORDER,
      `${AT_STAGE} is recorded once, as refused, with stage and reason`,
      `${AT_STAGE} is not executed, and nothing is resolved for it`,
    ),
  ),
  'isolation-7-outcomes': pipeline.shown(
    'it answers error, rate_limited or requires_approval, as the stage says',
    inFile(ORDER, `${AT_STAGE} is answered by that stage`),
  ),

  'isolation-8-socket': transport.shown(
    'the gateway listens on a unix socket in its home',
    inFile(
      START,
      'a start > makes what is missing, all of it private, and writes both keys before it listens',
      'a start > refuses a socket path that the system would cut',
    ),
  ),
  'isolation-8-windows': transport.notYet(
    'on Windows it listens on a named pipe',
    'the pipe is coded, and was never run on Windows',
  ),
  'isolation-8-framing': transport.shown(
    'a message is a length of four bytes and UTF-8 JSON',
    inFile(
      PEERS,
      'peers that have shown a key > get an error for a frame over the limit, and lose their connection',
    ),
    inFile(
      'tests/gateway/hostile-frames.test.ts',
      'answers any frame of an authenticated peer with an error that is signed, and goes on serving others',
    ),
    inFile('packages/core-types/src/frame/frame.test.ts', 'frames > decodes $name, whole and byte by byte'),
  ),
  'isolation-8-one-connection': transport.argued(
    'there is one connection, and others are rejected',
    'many shims, runs and operators connect at once, each with a key and so many places',
    inFile(
      'tests/gateway/shares.test.ts',
      'connections of one run, and those with the enrol key, are so many and no more',
    ),
    inFile(
      'tests/gateway/many-clients.test.ts',
      'keeps one unforked chain with start, decision and end of every call of eight runs at once',
    ),
  ),
  'isolation-8-shutdown': transport.shown(
    'a stop removes the socket and closes everything',
    inFile(
      START,
      'a stop > that the operator asks for is answered, then everything is closed and the last entry says so',
      'a start > takes over the socket that a dead gateway left',
    ),
  ),

  'isolation-9-wiring': entry.shown(
    'a start opens the databases, makes or loads the key, listens, and records that it began',
    inFile(
      START,
      'a start > makes what is missing, all of it private, and writes both keys before it listens',
      'the ledger of a home > is begun once: when it is gone the gateway does not start',
    ),
    inFile(
      TRAIL,
      'the audit trail of a gateway > tells of the start and the stop, of tool calls and of what was unusual, each with every column',
    ),
  ),
  'isolation-9-interface': entry.argued(
    'a gateway gives out its audit trail, its allowlist and its rate limiter',
    'a gateway is started and stopped, and asked over its socket; nobody in its process holds a part of it. `AuditTrail` reads the file',
    inFile(START, 'the status > tells pid, version, home, socket, runs, policy and the head of the ledger'),
    inFile(
      TRAIL,
      'the audit trail of a gateway > answers by request, by time, by action, and with the newest',
    ),
  ),

  'isolation-10-registry': adapters.shown(
    'each action is carried out by an adapter of a registry',
    inFile(SERVICE, RESULT, NO_ADAPTER),
    inFile('packages/services/src/action/unavailable.test.ts', 'an action keeps the adapter that it has'),
  ),
  'isolation-10-stubs': adapters.argued(
    'an adapter that is not there yet says success',
    'what was not done is not called done: an action without an adapter is an error, and recorded as such',
    inFile(SERVICE, NO_ADAPTER),
  ),
  'isolation-10-mail': adapters.shown(
    'mail is sent, fetched and drafted',
    inFile(
      'tests/mail/send.test.ts',
      'email.send > sends once what was asked for, and records it without what is secret',
    ),
    inFile(
      'tests/mail/dovecot.test.ts',
      "mail at a real Dovecot${missing === undefined ? '' : ` (${missing})`} > is read newest first, over TLS and over STARTTLS, and nothing of it is changed",
      "mail at a real Dovecot${missing === undefined ? '' : ` (${missing})`} > keeps a draft where the server keeps drafts, and refuses a wrong password",
    ),
  ),
  'isolation-10-calendar': adapters.shown(
    'calendars are read and changed',
    inFile(
      'tests/records/invitations.test.ts',
      'no invitation hides the others, and none keeps the gateway busy',
    ),
    inFile(
      'tests/records/calendar.test.ts',
      'a calendar of Radicale > is read, written and changed by its actions, and loses nothing that they do not know',
    ),
  ),
  'isolation-10-records': adapters.shown(
    'transactions and health records are fetched',
    inFile(
      'tests/records/finance-health.test.ts',
      'finance.fetch_transactions > gives what a SimpleFIN server has, amounts as they are written, the newest first',
      'health.fetch > gives the observations of a FHIR server as flat objects, over its pages',
    ),
  ),
  'isolation-10-api-call': adapters.shown(
    'services are called over HTTP',
    inFile(
      SERVICE,
      RESULT,
      'the pipeline > decides a redirect anew: to an allowed place it goes on, to another one it does not',
    ),
  ),
  'isolation-10-oauth': adapters.notYet(
    'accounts that take nothing but OAuth are reached',
    'the document does not ask for it in words; an account has a password or a token',
  ),
};
