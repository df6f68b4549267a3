import { describe, expect, it } from 'vitest';
import { ACTIONS, SERVICE_ACTIONS, isActionName } from './actions.js';
import { ActionRequest, ActionResponse } from './request.js';

const valid = {
  id: 'req-00000001',
  timestamp: '2026-01-02T03:04:05.678Z',
  action: 'service.api_call',
  payload: {},
  source: 'operator',
  signature: 'c2lnbmF0dXJl',
};

describe('ActionRequest', () => {
  it('accepts a valid request', () => {
    expect(ActionRequest.parse(valid)).toEqual(valid);
  });

  it.each(Object.keys(valid))('is rejected without its field %s', (field) => {
    const { [field as keyof typeof valid]: _, ...rest } = valid;
    expect(ActionRequest.safeParse(rest).success).toBe(false);
  });

  it('is rejected with an unknown field', () => {
    expect(ActionRequest.safeParse({ ...valid, extra: 1 }).success).toBe(false);
  });

  it.each(['2026-01-02', 'yesterday', '2026-01-02T03:04:05+02:00', '2026-13-02T03:04:05Z', ''])(
    'is rejected with the timestamp %j',
    (timestamp) => {
      expect(ActionRequest.safeParse({ ...valid, timestamp }).success).toBe(false);
    },
  );

  it('is rejected with an empty signature', () => {
    expect(ActionRequest.safeParse({ ...valid, signature: '' }).success).toBe(false);
  });

  it.each(['short', 'has space in it', 'a'.repeat(65), 'ümlaut-id-0001', '../../etc/passwd'])(
    'is rejected with the id %j',
    (id) => {
      expect(ActionRequest.safeParse({ ...valid, id }).success).toBe(false);
    },
  );

  it.each([null, [], 'text', 7])('is rejected with the payload %j', (payload) => {
    expect(ActionRequest.safeParse({ ...valid, payload }).success).toBe(false);
  });

  it('keeps a payload with a __proto__ key as it is', () => {
    const payload = JSON.parse('{"__proto__":{"polluted":true}}');
    const parsed = ActionRequest.parse({ ...valid, payload });
    expect(parsed.payload).toBe(payload);
    expect(Object.keys(parsed.payload)).toEqual(['__proto__']);
  });
});

describe('ActionResponse', () => {
  it('knows exactly four outcomes', () => {
    const base = {
      requestId: 'req-00000001',
      timestamp: '2026-01-02T03:04:05Z',
      auditRef: '',
      signature: 's',
    };
    for (const status of ['success', 'error', 'requires_approval', 'rate_limited'])
      expect(ActionResponse.safeParse({ ...base, status }).success).toBe(true);
    for (const status of ['ok', 'allow', '', undefined, 0])
      expect(ActionResponse.safeParse({ ...base, status }).success).toBe(false);
  });
});

/** The changes that a session of the page may ask for; `panic.begin` is of another family. */
const BY_A_PAGE: ReadonlySet<string> = new Set([
  'ui.session',
  'ui.layer',
  'ui.rule',
  'policy.reload',
  'panic.end',
  'approvals.approve',
  'approvals.deny',
  'hints.promote',
  'tools.approve',
]);

describe('the table of actions', () => {
  it('has the nine service actions', () => {
    expect([...SERVICE_ACTIONS].toSorted()).toEqual([
      'calendar.create',
      'calendar.fetch',
      'calendar.update',
      'email.draft',
      'email.fetch',
      'email.send',
      'finance.fetch_transactions',
      'health.fetch',
      'service.api_call',
    ]);
  });

  it.each(['toString', '__proto__', 'constructor', 'email.delete', ''])('does not know %j', (name) => {
    expect(isActionName(name)).toBe(false);
  });

  it('opens no operator action to a run or to enrolment', () => {
    for (const [name, definition] of Object.entries(ACTIONS)) {
      if (definition.family !== 'operate') continue;
      const byOthers = definition.permitted.filter((kind) => kind !== 'operator');
      expect([name, byOthers]).toEqual([name, BY_A_PAGE.has(name) ? ['ui'] : []]);
    }
  });

  it('opens to a session of the page what it lists here, and nothing else', () => {
    const open = Object.entries(ACTIONS).filter(([, { permitted }]) =>
      (permitted as readonly string[]).includes('ui'),
    );
    const reads = open.filter(([, { family }]) => family === 'read').map(([name]) => name);
    expect(reads).toEqual([
      'gateway.status',
      'approvals.list',
      'policy.show',
      'tools.list',
      'tools.diff',
      'audit.checkpoint',
    ]);
    const changes = open.filter(([, { family }]) => family !== 'read').map(([name]) => name);
    expect(changes.toSorted()).toEqual(['panic.begin', ...BY_A_PAGE].toSorted());
  });

  it('opens enrolment to one action only', () => {
    const open = Object.entries(ACTIONS).filter(([, definition]) =>
      (definition.permitted as readonly string[]).includes('enrol'),
    );
    expect(open.map(([name]) => name)).toEqual(['run.begin']);
  });
});

describe('payload schemas', () => {
  const malformed: Record<string, unknown> = {
    'email.fetch': { limit: -1 },
    'email.send': { to: ['not an address'], subject: 's', body: 'b' },
    'email.draft': { subject: 's', body: 'b' },
    'calendar.fetch': { startDate: 'soon', endDate: '2026-01-01T00:00:00Z' },
    'calendar.create': { title: 't' },
    'calendar.update': { title: 't', startTime: 1, endTime: 2 },
    'finance.fetch_transactions': { limit: '5' },
    'health.fetch': {},
    'service.api_call': { service: 'x', endpoint: 'https://example.com', method: 'TRACE' },
  };

  it.each(SERVICE_ACTIONS)('of %s rejects a malformed payload', (action) => {
    expect(ACTIONS[action].payload.safeParse(malformed[action]).success).toBe(false);
  });

  it('fills in the documented defaults', () => {
    expect(ACTIONS['email.fetch'].payload.parse({})).toEqual({ folder: 'INBOX', limit: 50 });
    expect(
      ACTIONS['calendar.fetch'].payload.parse({
        startDate: '2026-01-01T00:00:00Z',
        endDate: '2026-01-02T00:00:00Z',
      }),
    ).toMatchObject({ calendarId: 'primary' });
  });

  it('of tool.call.begin wants either inspected or uninspected arguments, not both and not none', () => {
    const call = {
      call_id: 'call-0001',
      shim_id: 'shim-1',
      server_name: 'files',
      tool_name: 'read',
      transport: 'mcp_stdio',
      bytes_in: 10,
    };
    const uninspected = { stream_hash: 'a'.repeat(64), bytes: 10 };
    const schema = ACTIONS['tool.call.begin'].payload;
    expect(schema.safeParse(call).success).toBe(false);
    expect(schema.safeParse({ ...call, args: {} }).success).toBe(true);
    expect(schema.safeParse({ ...call, uninspected }).success).toBe(true);
    expect(schema.safeParse({ ...call, args: {}, uninspected }).success).toBe(false);
  });
});
