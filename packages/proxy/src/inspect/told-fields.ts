/**
 * Fields that say something of a request and let nobody in: servers keep them, in logs, beside what they
 * store, and show them again.
 */
const TOLD: ReadonlySet<string> = new Set([
  'baggage',
  'date',
  'destination',
  'forwarded',
  'from',
  'idempotency-key',
  'link',
  'origin',
  'prefer',
  'referer',
  'slug',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
  'x-correlation-id',
  'x-original-url',
  'x-real-ip',
  'x-request-id',
  'x-rewrite-url',
]);
const PREFIXES: readonly string[] = [
  'accept',
  'content-',
  'if-',
  'x-amz-meta-',
  'x-container-meta-',
  'x-forwarded-',
  'x-goog-meta-',
  'x-ms-meta-',
  'x-object-meta-',
];

/** Tells whether a field carries no login of any kind, so that a secret in it could only be kept or told. */
export function isTold(name: string): boolean {
  const lower = name.toLowerCase();
  return TOLD.has(lower) || PREFIXES.some((prefix) => lower.startsWith(prefix));
}
