import { readFileSync } from 'node:fs';
import type { JsonObject } from '@subluminal/core-types';
import { alsoFrom, placeOf, readCall } from '@subluminal/readings';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile.js';
import { decide } from './decide/decide.js';
import { PolicyState } from './meter/policy-state.js';

interface Vector {
  readonly name: string;
  readonly kind: 'allow' | 'ask' | 'deny';
  readonly match: JsonObject;
  readonly tools?: readonly JsonObject[];
  readonly programs?: JsonObject;
  readonly call: { readonly server: string; readonly tool: string; readonly args: JsonObject };
  readonly action: string;
  readonly project?: null;
  readonly server_cwd?: string;
  readonly read?: false;
}

const FILE = new URL('../../../vectors/policy/objects.json', import.meta.url);
const { cases }: { readonly cases: readonly Vector[] } = JSON.parse(readFileSync(FILE, 'utf8'));
const identity = { agent_id: 'agent', client: 'claude', env: 'dev' } as const;

const EFFECTS: Readonly<Record<string, string>> = { allow: 'ALLOW', ask: 'ASK', deny: 'BLOCK' };

function snapshotOf({ kind, match, tools, programs }: Vector): Parameters<typeof decide>[0] {
  const action = EFFECTS[kind] ?? '';
  const compiled = compilePolicy(
    JSON.stringify({
      policy_id: 'vector',
      version: '1',
      mode: 'guardrails',
      defaults: { decision_on_error: 'BLOCK', no_match: kind === 'allow' ? 'BLOCK' : 'ALLOW' },
      selectors: {},
      ...(tools === undefined ? {} : { tools }),
      ...(programs === undefined ? {} : { programs }),
      rules: [
        {
          rule_id: 'r',
          kind,
          enabled: true,
          severity: 'warn',
          match,
          effect: { action, ...(kind === 'ask' ? {} : { reason_code: 'RULE' }), message: 'why' },
        },
      ],
    }),
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.snapshot;
}

describe('rules on the objects of a call', () => {
  it.each(cases.map((vector) => [vector.kind, vector.name, vector] as const))('%s: %s', (_, __, vector) => {
    const { server, tool, args } = vector.call;
    const machine = {
      home: '/home/dev',
      tmp: '/tmp',
      exists: (path: string) => path === '/home/dev/shop/.git',
    };
    const place = {
      ...alsoFrom(
        placeOf('/home/dev/shop', machine),
        vector.server_cwd === undefined ? [] : [vector.server_cwd],
      ),
      ...(vector.project === null ? { project: undefined } : {}),
    };
    const snapshot = snapshotOf(vector);
    const keys = snapshot.keysOf(server, tool);
    const { decision } = decide(
      snapshot,
      PolicyState.empty(),
      {
        server_name: server,
        tool_name: tool,
        args,
        args_hash: 'hash',
        identity,
        readings: vector.read === false ? undefined : readCall({ server, tool, args, keys }, place),
      },
      0,
    );
    expect(decision.action).toBe(vector.action);
  });
});
