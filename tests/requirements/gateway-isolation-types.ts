import { inFile, section, type Requirements } from './requirement.js';

const REQUESTS = 'tests/gateway/requests.test.ts';
const SERVICE = 'tests/gateway/service-actions.test.ts';
const LIVE_FORMS = 'tests/contracts/live-forms.test.ts';
const TRAIL = 'tests/requirements/audit-trail.test.ts';
const REQUEST = 'packages/core-types/src/schema/request.test.ts';
const VALID = 'the schema of a request > passes a valid request';
const MALFORMED = 'the schema of a request > rejects a malformed payload of %s';
const CHANGED = 'the signature of a request > does not verify when %s was changed, and the connection ends';
const OF_TRAIL = 'the audit trail of a gateway >';

const types = section('gateway isolation spec §1');
const signing = section('gateway isolation spec §2');
const trail = section('gateway isolation spec §3');

/** The shared types, the signatures and the audit trail (§1 to §3). */
export const GATEWAY_ISOLATION_TYPES: Requirements = {
  'isolation-1-actions': types.shown(
    'there are nine actions, and no other is taken',
    inFile(REQUESTS, MALFORMED, 'the schema of a request > rejects %s'),
    inFile(
      REQUEST,
      'the table of actions > has the nine service actions',
      'the table of actions > does not know %j',
    ),
  ),
  'isolation-1-request': types.shown(
    'a request has id, timestamp, action, payload, source and signature',
    inFile(REQUESTS, VALID, 'the schema of a request > rejects a request without %s'),
  ),
  'isolation-1-source': types.argued(
    'the source of a request is always `core`',
    'it is who asks: the operator, an enrolment or a run, which the key of the connection has to bear out',
    inFile(
      REQUESTS,
      'the signature of a request > does not cover another source than the one that shook hands',
    ),
  ),
  'isolation-1-response': types.shown(
    'an answer has the id of its request, one of four outcomes, data or an error, and a reference into the audit trail',
    inFile(LIVE_FORMS, 'what the gateway sends has the form of the contract > in answer to %s with %j'),
    inFile(
      'tests/requirements/pipeline-order.test.ts',
      'a request that fails at the stage %s and at every later one > is recorded once, as refused, with stage and reason',
    ),
  ),
  'isolation-1-email': types.shown(
    'sending and drafting mail have one payload, fetching has its defaults',
    inFile(
      'tests/mail/send.test.ts',
      'email.send > sends once what was asked for, and records it without what is secret',
    ),
    inFile(REQUEST, 'the table of actions > has the nine service actions'),
    inFile(REQUESTS, MALFORMED),
  ),
  'isolation-1-calendar': types.argued(
    'creating and changing an event have the same payload',
    'a change names the event that it changes: `eventId` is required besides',
    inFile(REQUESTS, MALFORMED),
    inFile(
      'tests/records/calendar.test.ts',
      'a calendar of Radicale > is read, written and changed by its actions, and loses nothing that they do not know',
    ),
  ),
  'isolation-1-records': types.shown(
    'transactions and health records have payloads',
    inFile(
      'tests/records/finance-health.test.ts',
      'finance.fetch_transactions > gives what a SimpleFIN server has, amounts as they are written, the newest first',
      'health.fetch > gives the observations of a FHIR server as flat objects, over its pages',
    ),
    inFile(REQUESTS, MALFORMED),
  ),
  'isolation-1-api-call': types.shown(
    'a call of a service has endpoint, method, headers and body',
    inFile(
      SERVICE,
      'the pipeline > passes a fully valid request through all stages, pending before the effect and result after it',
    ),
    inFile(REQUESTS, MALFORMED),
  ),
  'isolation-1-service-name': types.argued(
    'the service of such a call must be one that is allowed',
    'the name is a label of the caller; what has to be allowed is the origin that is dialled',
    inFile(
      SERVICE,
      'the pipeline > refuses a destination that is not on the allowlist: nothing is resolved, nothing is sent',
    ),
  ),
  'isolation-1-audit-entry': types.shown(
    'an entry of the audit trail has a type, which every row fits',
    inFile(
      TRAIL,
      `${OF_TRAIL} tells of the start and the stop, of tool calls and of what was unusual, each with every column`,
    ),
  ),
  'isolation-1-no-network': types.shownByTexts('the types import no network', {
    tests: inFile(
      'tests/boundary/table.test.ts',
      'row %s > names exactly what the sources import',
      'row %s > stays below it in dependency order',
    ),
    steps: ['privacy audit'],
  }),

  'isolation-2-key': signing.argued(
    'one random key of 32 bytes is kept in the database and in no file',
    'the master key is; what clients hold is derived from it, one key each, in files that only their user reads',
    inFile(
      'tests/gateway/handshake.test.ts',
      'keys > of a run that calls itself operator open nothing',
      'keys > of an earlier epoch, or for another id of the same kind, open nothing',
    ),
    inFile('tests/gateway/start.test.ts', 'a stop > leaves no key and no token in the log'),
  ),
  'isolation-2-signing': signing.shown(
    'a signature covers id, time, action and payload, and its place in the stream as well',
    inFile(REQUESTS, CHANGED, 'the signature of a request > does not verify at another place of the stream'),
  ),
  'isolation-2-verification': signing.shown(
    'what does not verify is rejected and recorded',
    inFile(REQUESTS, CHANGED, 'the signature of a request > does not verify under another key'),
    inFile(
      'tests/requirements/pipeline-order.test.ts',
      'a request that fails at the stage %s and at every later one > is recorded once, as refused, with stage and reason',
    ),
  ),
  'isolation-2-place': signing.shownByTexts('clients sign without importing anything of the gateway', {
    tests: inFile('tests/boundary/table.test.ts', 'row %s > names exactly what the sources import'),
  }),

  'isolation-3-storage': trail.shown(
    'the trail is a database in write-ahead mode, to which rows are only added',
    inFile(TRAIL, `${OF_TRAIL} takes no statement that changes or removes: %s`),
    inFile(
      'tests/requirements/guarded-run.test.ts',
      'the tables of the ledger after that run > stand in a database in write-ahead mode',
    ),
  ),
  'isolation-3-columns': trail.shown(
    '`audit_log` has the ten columns',
    inFile(
      TRAIL,
      `${OF_TRAIL} has a request and its outcome for what was done, and one row with its reason for what was refused`,
    ),
  ),
  'isolation-3-payload-hash': trail.argued(
    '`payload_hash` is the hash of the payload',
    'of an action it is; of a tool call it is `args_hash`, the hash of what was judged, since its payload holds what no record should',
    inFile(
      TRAIL,
      `${OF_TRAIL} has a request and its outcome for what was done, and one row with its reason for what was refused`,
    ),
    inFile(
      REQUESTS,
      'the hash of the arguments > is that of the arguments which were judged, in canonical form',
    ),
  ),
  'isolation-3-everything': trail.shown(
    'the trail has actions, tool calls, what was unusual, starts and stops',
    inFile(
      TRAIL,
      `${OF_TRAIL} tells of the start and the stop, of tool calls and of what was unusual, each with every column`,
    ),
  ),
  'isolation-3-statuses': trail.shown(
    'a row is pending, success, error, rejected or rate_limited',
    inFile(
      TRAIL,
      `${OF_TRAIL} has a request and its outcome for what was done, and one row with its reason for what was refused`,
    ),
  ),
  'isolation-3-indexes': trail.notYet(
    'requests, times and actions are found by an index',
    'the queries of the reader use indexes; the view `audit_log` scans its file',
    inFile(TRAIL, `${OF_TRAIL} answers by request, by time, by action, and with the newest`),
  ),
  'isolation-3-chain': trail.shown(
    'each entry commits to the one before, from a known beginning',
    inFile(TRAIL, `${OF_TRAIL} is found to be changed in whichever entry it was, also behind the triggers`),
    inFile(
      'tests/cli/audit.test.ts',
      'sub audit verify > exits 0 for the home’s own ledger, and says what it checked',
    ),
  ),
  'isolation-3-queries': trail.shown(
    'it answers by request, by time, by action, with the newest, and about its own chain',
    inFile(TRAIL, `${OF_TRAIL} answers by request, by time, by action, and with the newest`),
  ),
};
