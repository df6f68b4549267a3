import { inFile, section, type Requirements } from './requirement.js';

const TESTS = 'gateway isolation spec §11';
const VECTORS = 'tests/contracts/vectors.test.ts';
const REQUESTS = 'tests/gateway/requests.test.ts';
const SERVICE = 'tests/gateway/service-actions.test.ts';
const ORDER = 'tests/requirements/pipeline-order.test.ts';
const SIGN = 'packages/core-types/src/sign/sign.test.ts';
const APPEND_ONLY = 'packages/ledger/src/schema/append-only.test.ts';
const PROPERTY = 'packages/ledger/src/verify/property.test.ts';
const TAMPER = 'packages/ledger/src/verify/tamper.test.ts';
const READER = 'packages/ledger/src/read/reader.test.ts';
const ALLOWLIST = 'packages/net/src/allowlist/allowlist.test.ts';
const LIMITER = 'packages/gateway/src/pace/rate-limiter.test.ts';
const ANOMALY = 'packages/anomaly/src/detector.test.ts';
const LIMITS = 'tests/requirements/action-limits.test.ts';
const TRAIL = 'tests/requirements/audit-trail.test.ts';
const WITHIN =
  'actions pass within the limit of their kind, one more does not, and they pass again when the hour is over';
const AUDIT = 'tests/boundary/audit-sources.test.ts';
const TABLE = 'tests/boundary/table.test.ts';
const AT_STAGE = 'a request that fails at the stage %s and at every later one';
const CHANGED = 'the signature of a request > does not verify when %s was changed, and the connection ends';
const SCHEMA = 'the schema of a request >';
const PIPELINE = 'the pipeline >';
const RESULT = `${PIPELINE} passes a fully valid request through all stages, pending before the effect and result after it`;

const SHORT_CIRCUIT = inFile(
  ORDER,
  `${AT_STAGE} > is answered by that stage`,
  `${AT_STAGE} > is not executed, and nothing is resolved for it`,
  `${AT_STAGE} > leaves no trace of a later stage`,
);

const { shown, shownByTexts } = section(TESTS);

/** Every bullet of the list of tests in the gateway isolation spec §11. */
export const GATEWAY_ISOLATION_TESTS: Requirements = {
  'isolation-schema-valid': shown(
    'a valid ActionRequest passes validation',
    inFile(REQUESTS, `${SCHEMA} passes a valid request`),
    inFile(VECTORS, 'the %s vectors > $kind is accepted: $name'),
  ),
  'isolation-schema-missing': shown(
    'missing fields are rejected',
    inFile(REQUESTS, `${SCHEMA} rejects a request without %s`),
    inFile(VECTORS, 'the %s vectors > $kind is refused without $path'),
  ),
  'isolation-schema-action': shown(
    'an invalid action type is rejected',
    inFile(REQUESTS, `${SCHEMA} rejects %s`),
    inFile('packages/core-types/src/schema/request.test.ts', 'the table of actions > does not know %j'),
  ),
  'isolation-schema-payload': shown(
    'a malformed payload of each action type is rejected',
    inFile(REQUESTS, `${SCHEMA} rejects a malformed payload of %s`),
    inFile(
      VECTORS,
      'the %s vectors > $kind is refused: $name',
      'the %s vectors > cover every kind, valid and invalid',
    ),
  ),
  'isolation-schema-timestamp': shown(
    'an invalid timestamp format is rejected',
    inFile(REQUESTS, `${SCHEMA} rejects %s`),
    inFile(
      'packages/core-types/src/schema/request.test.ts',
      'ActionRequest > is rejected with the timestamp %j',
    ),
  ),
  'isolation-schema-signature': shown(
    'an empty signature is rejected',
    inFile(REQUESTS, `${SCHEMA} rejects an empty signature`),
  ),

  'isolation-signature-valid': shown(
    'a valid signature passes verification',
    inFile(SIGN, 'a request of the vectors > verifies unchanged'),
    inFile(REQUESTS, `${SCHEMA} passes a valid request`),
  ),
  'isolation-signature-payload': shown('a tampered payload fails verification', inFile(REQUESTS, CHANGED)),
  'isolation-signature-timestamp': shown(
    'a tampered timestamp fails verification',
    inFile(REQUESTS, CHANGED),
  ),
  'isolation-signature-action': shown('a tampered action type fails verification', inFile(REQUESTS, CHANGED)),
  'isolation-signature-key': shown(
    'a wrong key fails verification',
    inFile(REQUESTS, 'the signature of a request > does not verify under another key'),
    inFile(SIGN, 'signRequest and verifyRequest > reject another key and another place'),
  ),

  'isolation-allowlist-allowed': shown(
    'a request to an allowed domain passes',
    inFile(ALLOWLIST, 'the allowlist > Request to allowlisted domain passes'),
    inFile(SERVICE, RESULT),
  ),
  'isolation-allowlist-refused': shown(
    'a request to another domain is rejected',
    inFile(ALLOWLIST, 'the allowlist > Request to non-allowlisted domain is rejected'),
    inFile(
      SERVICE,
      `${PIPELINE} refuses a destination that is not on the allowlist: nothing is resolved, nothing is sent`,
    ),
  ),
  'isolation-allowlist-wildcard': shown(
    'wildcard domains are not accepted',
    inFile(ALLOWLIST, 'the allowlist > Wildcard domains are not accepted: %s'),
    inFile(
      SERVICE,
      `${PIPELINE} refuses a wildcard as an allowlist entry, and records the attempt with its error`,
    ),
  ),
  'isolation-allowlist-deactivated': shown(
    'a deactivated service is not allowed',
    inFile(ALLOWLIST, 'the allowlist > Deactivated service is treated as not-allowed'),
    inFile(SERVICE, `${PIPELINE} does not use an entry that was deactivated or removed`),
  ),

  'isolation-rate-within': shown(
    'requests within the limit pass',
    inFile(LIMITER, 'the rate limiter > Requests within limit pass'),
    inFile(LIMITS, WITHIN),
  ),
  'isolation-rate-action': shown(
    'a request beyond the limit of its action is rate-limited',
    inFile(LIMITER, 'the rate limiter > Request exceeding per-action limit is rate-limited'),
    inFile(SERVICE, `${PIPELINE} answers rate_limited with the time to wait, and executes nothing more`),
  ),
  'isolation-rate-global': shown(
    'a request beyond the global limit is rate-limited',
    inFile(LIMITER, 'the rate limiter > Request exceeding global limit is rate-limited'),
    inFile(LIMITS, 'actions of all kinds together are so many an hour and no more'),
  ),
  'isolation-rate-reset': shown(
    'limits open again when the window has passed',
    inFile(LIMITER, 'the rate limiter > Limits reset after window expires'),
    inFile(LIMITS, WITHIN),
  ),

  'isolation-anomaly-burst': shown(
    'a burst of more than ten requests in five seconds is an anomaly',
    inFile(ANOMALY, 'the anomaly detector > Burst of >10 requests in 5 seconds triggers anomaly'),
    inFile(
      SERVICE,
      'approvals > are asked for by a burst of more than ten requests, which is recorded as an anomaly',
    ),
  ),
  'isolation-anomaly-domain': shown(
    'the first request to a new domain is flagged',
    inFile(ANOMALY, 'the anomaly detector > First request to new domain is flagged'),
    inFile(LIMITS, 'the first request to a place that was just allowed is recorded as unusual, and goes on'),
  ),
  'isolation-anomaly-payload': shown(
    'a large payload is flagged',
    inFile(ANOMALY, 'the anomaly detector > Large payload is flagged'),
    inFile(ORDER, `${AT_STAGE} > is answered by that stage`),
  ),
  'isolation-anomaly-normal': shown(
    'normal patterns pass',
    inFile(ANOMALY, 'the anomaly detector > Normal request patterns pass cleanly'),
    inFile(SERVICE, 'approvals > are not asked for where nothing is unusual'),
  ),

  'isolation-audit-before': shown(
    'the entry is written before the action is executed',
    inFile(SERVICE, RESULT),
  ),
  'isolation-audit-unmodified': shown(
    'an entry cannot be modified',
    inFile(APPEND_ONLY, 'over any connection > %s is refused'),
    inFile(TRAIL, 'the audit trail of a gateway > takes no statement that changes or removes: %s'),
  ),
  'isolation-audit-undeleted': shown(
    'an entry cannot be deleted',
    inFile(APPEND_ONLY, 'over any connection > %s is refused'),
    inFile(TRAIL, 'the audit trail of a gateway > takes no statement that changes or removes: %s'),
  ),
  'isolation-audit-chain': shown(
    'the chain can be verified across many entries',
    inFile(
      PROPERTY,
      'any sequence of groups > gives a ledger that verifies, and goes on verifying after it was opened again',
    ),
    inFile(
      TRAIL,
      'the audit trail of a gateway > answers by request, by time, by action, and with the newest',
    ),
  ),
  'isolation-audit-tampering': shown(
    'tampering with any entry breaks the verification',
    inFile(PROPERTY, 'any single change of a stored value > is found, wherever it is made'),
    inFile(TAMPER, 'what an attacker does to entries is found > %s'),
    inFile(
      TRAIL,
      'the audit trail of a gateway > is found to be changed in whichever entry it was, also behind the triggers',
    ),
  ),
  'isolation-audit-queries': shown(
    'the query methods return correct results',
    inFile(READER, 'a reader > answers the queries of the audit trail'),
    inFile(READER, 'the views > answer the queries of the audit trail'),
    inFile(
      TRAIL,
      'the audit trail of a gateway > answers by request, by time, by action, and with the newest',
      'the audit trail of a gateway > has a request and its outcome for what was done, and one row with its reason for what was refused',
    ),
  ),

  'isolation-pipeline-success': shown(
    'a fully valid request passes every stage and succeeds',
    inFile(SERVICE, RESULT),
  ),
  'isolation-pipeline-schema': shown(
    'a failure of the schema ends the request before the allowlist',
    SHORT_CIRCUIT,
  ),
  'isolation-pipeline-signature': shown('a failure of the signature ends the request', SHORT_CIRCUIT),
  'isolation-pipeline-allowlist': shown('a failure of the allowlist ends the request', SHORT_CIRCUIT),
  'isolation-pipeline-rate': shown('a failure of the rate limit ends the request', SHORT_CIRCUIT),
  'isolation-pipeline-rejections': shown(
    'every rejection is in the audit trail with the right reason',
    inFile(ORDER, `${AT_STAGE} > is recorded once, as refused, with stage and reason`),
  ),
  'isolation-pipeline-entries': shown(
    'the audit trail shows the request as pending and then its outcome',
    inFile(SERVICE, RESULT, `${PIPELINE} records an action without an adapter as such, and pretends nothing`),
  ),

  'isolation-privacy-exit': shownByTexts('the privacy audit still exits 0', {
    tests: inFile(AUDIT, 'the audit of the sources > passes this repository'),
    steps: ['privacy audit'],
  }),
  'isolation-privacy-gateway': shownByTexts(
    'the gateway is where the network may be used, and nowhere else',
    {
      tests: [
        ...inFile(
          TABLE,
          'row %s > names a network built-in only where the design lets it',
          'row %s > lets no file name a network global or compute an import',
        ),
        ...inFile(AUDIT, 'the audit of the sources > finds $what'),
      ],
    },
  ),
  'isolation-privacy-types': shownByTexts('the shared types import no network', {
    tests: [
      ...inFile(TABLE, 'row %s > names exactly what the sources import'),
      ...inFile(AUDIT, 'the audit of the sources > passes this repository'),
    ],
  }),
};
