import { readFileSync } from 'node:fs';
import { ActionResponse, Credential, Decision, RunOpened } from '@subluminal/core-types';
import { readCredential } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { runBegin, start, toolCall } from '../gateway/harness.js';
import { signedPeer } from '../gateway/raw-peer.js';

const POLICY = `
policy_id: team
version: 1.0.0
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-delete
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: ['delete_*'] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: deleting is not allowed }
`;

const api = { service: 'x', endpoint: 'https://example.com/', method: 'GET' };

/** Requests of the operator and what must come: status, and code where there is an error. */
const OF_OPERATOR = [
  ['gateway.status', {}, 'success', undefined],
  ['allow.list', {}, 'success', undefined],
  ['approvals.list', {}, 'success', undefined],
  ['policy.show', {}, 'success', undefined],
  ['runs.list', {}, 'success', undefined],
  ['run.begin', runBegin(), 'success', undefined],
  ['allow.add', { host: 'api.example.com' }, 'success', undefined],
  ['allow.add', { host: '*.example.com' }, 'error', 'invalid_domain'],
  ['allow.remove', { id: 'no-such-entry' }, 'error', 'not_found'],
  ['approvals.approve', { approval_id: 'no-such-request' }, 'error', 'approval_not_found'],
  ['service.api_call', api, 'error', 'not_allowed'],
  ['health.fetch', { dataType: 'steps' }, 'error', 'account_unknown'],
  ['tool.call.begin', toolCall(), 'error', 'not_permitted'],
  ['email.fetch', { limit: -1 }, 'error', 'invalid_request'],
] as const;

describe('what the gateway sends has the form of the contract', () => {
  it.each(OF_OPERATOR)('in answer to %s with %j', async (action, payload, status, code) => {
    const world = await start();
    const { ask } = await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
    const answer = await ask({ action, payload, id: 'request-0001' });
    expect(Object.keys(answer ?? {}).toSorted()).toEqual(
      [
        ...(status === 'success' ? ['data'] : ['error']),
        'auditRef',
        'requestId',
        'signature',
        'status',
        'timestamp',
      ].toSorted(),
    );
    const parsed = ActionResponse.parse(answer);
    expect(parsed).toMatchObject({ requestId: 'request-0001', status, ...(code && { error: { code } }) });
    expect(parsed.auditRef).toMatch(/^([1-9][0-9]*\.[0-9a-f]{64})?$/);
    expect(parsed.timestamp).toMatch(/Z$/);
  });

  it('in the decision on a call, refused or not', async () => {
    const world = await start({ policy: POLICY });
    const run = await world.run();
    const { ask } = await signedPeer(world.paths.socket, run.credential);
    const decisions: unknown[] = [];
    for (const tool_name of ['read_file', 'delete_file']) {
      const answer = ActionResponse.parse(
        await ask({ action: 'tool.call.begin', payload: toolCall({ tool_name }) }),
      );
      const { decision } = answer.data as { decision: unknown };
      decisions.push(decision);
      expect(Decision.parse(decision)).toEqual(decision);
      expect(answer.auditRef).toMatch(/^[1-9][0-9]*\.[0-9a-f]{64}$/);
    }
    expect(decisions).toMatchObject([{ action: 'ALLOW' }, { action: 'BLOCK', rule_id: 'no-delete' }]);
  });

  it('in the data of a run that was opened', async () => {
    const world = await start();
    const answer = await (await world.operator()).request('run.begin', runBegin());
    expect(RunOpened.parse(answer.data)).toEqual(answer.data);
  });

  it.each(['operatorKey', 'enrolKey'] as const)('in the key file %s', async (name) => {
    const world = await start();
    const file: unknown = JSON.parse(readFileSync(world.paths[name], 'utf8'));
    expect(Credential.parse(file)).toEqual(file);
  });
});
