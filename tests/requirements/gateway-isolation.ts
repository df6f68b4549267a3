import { inFile, section, type Requirements } from './requirement.js';

const EXIT = 'gateway isolation spec, exit criteria';
const VECTORS = 'tests/contracts/vectors.test.ts';
const REQUESTS = 'tests/gateway/requests.test.ts';
const SERVICE = 'tests/gateway/service-actions.test.ts';
const ORDER = 'tests/requirements/pipeline-order.test.ts';
const SIGN = 'packages/core-types/src/sign/sign.test.ts';
const APPEND_ONLY = 'packages/ledger/src/schema/append-only.test.ts';
const TAMPER = 'packages/ledger/src/verify/tamper.test.ts';
const LIMITER = 'packages/gateway/src/pace/rate-limiter.test.ts';
const ANOMALY = 'packages/anomaly/src/detector.test.ts';
const FRAMES = 'packages/core-types/src/frame/frame.test.ts';
const QUERIES = 'tests/requirements/ledger-queries.test.ts';
const AT_STAGE = 'a request that fails at the stage %s and at every later one';

const { shown, shownByTexts } = section(EXIT);

/** The exit criteria 1 to 13 of the gateway isolation spec. */
export const GATEWAY_ISOLATION_EXIT: Requirements = {
  'isolation-exit-01-schemas': shown(
    'every type of the IPC protocol has a schema that takes what is valid and refuses what is not',
    inFile(
      VECTORS,
      'the %s vectors > $kind is accepted: $name',
      'the %s vectors > $kind is refused: $name',
      'the %s vectors > cover every kind, valid and invalid',
    ),
    inFile(
      'tests/contracts/live-forms.test.ts',
      'what the gateway sends has the form of the contract > in answer to %s with %j',
    ),
    inFile(
      'packages/core-types/src/schema/request.test.ts',
      'the table of actions > has the nine service actions',
    ),
  ),
  'isolation-exit-02-signing': shown(
    'a signed request verifies, and a changed one does not',
    inFile(
      SIGN,
      'signRequest and verifyRequest > accept what was signed, whatever the order of keys',
      'signRequest and verifyRequest > reject another %s',
    ),
    inFile(
      REQUESTS,
      'the schema of a request > passes a valid request',
      'the signature of a request > does not verify when %s was changed, and the connection ends',
    ),
  ),
  'isolation-exit-03-append-only': shown(
    'entries can be inserted and queried, not updated and not deleted',
    inFile(APPEND_ONLY, 'over any connection > %s is refused'),
    inFile(
      'tests/requirements/audit-trail.test.ts',
      'the audit trail of a gateway > takes no statement that changes or removes: %s',
      'the audit trail of a gateway > answers by request, by time, by action, and with the newest',
    ),
    inFile(
      QUERIES,
      'the audit trail offers queries and the check, and no way to write, change or remove',
      'more than ten thousand entries by four writers at once > are each held once, in one chain, uncorrupted',
    ),
  ),
  'isolation-exit-04-chain': shown(
    'the check of the chain finds an entry that was tampered with',
    inFile(TAMPER, 'what an attacker does to entries is found > %s'),
    inFile(
      'tests/cli/audit.test.ts',
      'sub audit verify > exits 4 for one changed byte, and names the entry and its class',
    ),
  ),
  'isolation-exit-05-allowlist': shown(
    'requests to domains that nobody allowed are rejected',
    inFile(
      SERVICE,
      'the pipeline > refuses a destination that is not on the allowlist: nothing is resolved, nothing is sent',
    ),
  ),
  'isolation-exit-06-rate-limits': shown(
    'the limit of an action and the limit of all actions together are enforced',
    inFile(
      LIMITER,
      'the rate limiter > Request exceeding per-action limit is rate-limited',
      'the rate limiter > Request exceeding global limit is rate-limited',
    ),
    inFile(SERVICE, 'the pipeline > answers rate_limited with the time to wait, and executes nothing more'),
    inFile(
      'tests/requirements/action-limits.test.ts',
      'actions of all kinds together are so many an hour and no more',
    ),
  ),
  'isolation-exit-07-anomalies': shown(
    'bursts of requests and large payloads are flagged',
    inFile(
      ANOMALY,
      'the anomaly detector > Burst of >10 requests in 5 seconds triggers anomaly',
      'the anomaly detector > Large payload is flagged',
    ),
    inFile(
      SERVICE,
      'approvals > are asked for by a burst of more than ten requests, which is recorded as an anomaly',
    ),
  ),
  'isolation-exit-08-order': shown(
    'the stages run in their order, and the first that fails ends the request',
    inFile(
      ORDER,
      `${AT_STAGE} > is answered by that stage`,
      `${AT_STAGE} > is not executed, and nothing is resolved for it`,
      `${AT_STAGE} > leaves no trace of a later stage`,
    ),
  ),
  'isolation-exit-09-rejections': shown(
    'every rejection is in the audit trail with its reason',
    inFile(ORDER, `${AT_STAGE} > is recorded once, as refused, with stage and reason`),
  ),
  'isolation-exit-10-transport': shown(
    'the transport accepts connections and carries length-prefixed JSON messages',
    inFile(
      FRAMES,
      'frames > decodes $name, whole and byte by byte',
      'frames > refuses $name, whole and byte by byte',
    ),
    inFile(REQUESTS, 'the schema of a request > passes a valid request'),
    inFile(
      'tests/ipc/client.test.ts',
      'an authenticated connection > carries a request and its verified answer',
    ),
  ),
  'isolation-exit-11-suites': shownByTexts(
    'all suites pass: schema, signing, allowlist, rate limiter, anomaly, audit trail, pipeline',
    { steps: ['tests'] },
  ),
  'isolation-exit-12-privacy-audit': shownByTexts('the privacy audit exits 0', {
    tests: inFile(
      'tests/boundary/audit-sources.test.ts',
      'the audit of the sources > passes this repository',
    ),
    steps: ['privacy audit'],
  }),
  'isolation-exit-13-types': shownByTexts('every package compiles without an error', { steps: ['types'] }),
};
