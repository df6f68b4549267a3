import { readCall } from '@subluminal/readings';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { keysOfAll } from '../lookup/tool-keys.js';
import type { PolicyCall } from '../match/call.js';
import { PolicyState } from '../meter/policy-state.js';
import { projectPolicy, type PolicySnapshot } from '../snapshot/snapshot.js';
import { decide } from '../decide/decide.js';
import { decideNarrowed } from './narrowed.js';

/** From what lets most through to what lets least. A question is a `REJECT_WITH_HINT`. */
const ORDER = ['ALLOW', 'THROTTLE', 'REJECT_WITH_HINT', 'BLOCK', 'TERMINATE_RUN'];
const PLACE = { project: '/work/shop', home: '/home/dev', tmp: '/tmp', cwd: ['/work/shop'] };

const folder = fc.constantFrom('/tmp', '$PROJECT', '/etc');
const match = fc.oneof(
  fc.record({ path: fc.record({ under: fc.tuple(folder) }) }),
  fc.record({ path: fc.record({ outside: fc.tuple(folder) }) }),
  fc.record({ command: fc.record({ program: fc.tuple(fc.constantFrom('rm', 'wipe', 'ls')) }) }),
  fc.record({ command: fc.record({ writes_to: fc.record({ under: fc.tuple(folder) }) }) }),
  fc.record({ risk_class: fc.constantFrom(['odd'], ['write_like']) }),
  fc.constant({}),
);
const effect = fc.constantFrom(
  ['allow', { action: 'ALLOW', reason_code: 'R', message: '' }],
  ['deny', { action: 'BLOCK', reason_code: 'R', message: '' }],
  ['deny', { action: 'BLOCK', reason_code: 'R', message: '', hint_text: 'otherwise' }],
  ['ask', { action: 'ASK', message: 'asked' }],
  ['tag', { tag: { add_risk_class: ['odd', 'write_like'] } }],
  ['budget', { budget: { scope: 'run', limit_write_actions: 1, on_exceed: 'BLOCK' } }],
  ['budget', { budget: { scope: 'run', limit_calls: 1, on_exceed: 'ASK' } }],
);
const policy = fc
  .record({
    mode: fc.constantFrom('observe', 'guardrails', 'control'),
    defaults: fc.record({
      decision_on_error: fc.constantFrom('ALLOW', 'BLOCK'),
      no_match: fc.constantFrom('ALLOW', 'BLOCK'),
    }),
    rules: fc.array(fc.tuple(effect, match), { maxLength: 5 }),
    tools: fc.option(fc.constant([{ paths: ['note'], commands: ['say'] }]), { nil: undefined }),
    programs: fc.option(fc.constant({ ls: { deletes: ['operands'] } }), { nil: undefined }),
  })
  .map(({ rules, ...rest }) => {
    const all = rules.map(([[kind, how], what], at) => {
      return { rule_id: `r${at}`, kind, enabled: true, severity: 'warn', match: what, effect: how };
    });
    const bundle = { policy_id: 'p', version: '1', selectors: {}, ...rest, rules: all };
    const compiled = compilePolicy(JSON.stringify(bundle));
    return compiled.ok ? compiled.snapshot : undefined;
  })
  .filter((snapshot) => snapshot !== undefined);
const args = fc.record({
  path: fc.constantFrom('/tmp/a', '/etc/b', 'src/c'),
  note: fc.constantFrom('/tmp/a', '/etc/b', 'src/c'),
  command: fc.constantFrom('ls /tmp/x', 'rm -rf /etc/y', 'wipe $(id)', 'echo "'),
  say: fc.constantFrom('rm /tmp/z', 'ls /etc'),
});

function readingsBy(policies: readonly PolicySnapshot[], call: PolicyCall): PolicyCall['readings'] {
  const { server_name: server, tool_name: tool, args: given = {} } = call;
  return readCall({ server, tool, args: given, keys: keysOfAll(policies, server, tool) }, PLACE);
}

it('no project lets a call pass that the home does not, whatever keys, classes and programs it names', () => {
  fc.assert(
    fc.property(policy, policy, fc.array(args, { minLength: 1, maxLength: 4 }), (home, plain, calls) => {
      const project = projectPolicy(plain, '/work/shop/.subluminal.yaml');
      const [together, alone] = [PolicyState.empty(), PolicyState.empty()];
      for (const given of calls) {
        const bare = {
          server_name: 's',
          tool_name: 'run',
          args: given,
          args_hash: JSON.stringify(given),
          identity: { agent_id: 'agent', client: 'claude' as const, env: 'dev' as const },
        };
        const call = { ...bare, readings: readingsBy([home], bare) };
        const narrowed = decideNarrowed(home, [{ kind: 'project', snapshot: project }], together, call, 0, {
          held: undefined,
          canAsk: true,
          readingsOf: (snapshot) => readingsBy([home, snapshot], bare),
        });
        const own = decide(home, alone, call, 0, { canAsk: true });
        const [place, least] = [narrowed, own].map(({ effective }) => ORDER.indexOf(effective.action));
        expect(place).toBeGreaterThanOrEqual(least ?? Infinity);
        together.apply(narrowed.charge, 0);
        // A call that the project refuses costs the home's limits no less: both are charged the same.
        alone.apply(
          narrowed.charge.filter(({ scope }) => !scope.startsWith('project_')),
          0,
        );
      }
    }),
    { numRuns: 500 },
  );
});

it('a key that a project names raises no class that the home allows', () => {
  const rule = (rule_id: string, kind: string, what: object, how: object): object => {
    return { rule_id, kind, enabled: true, severity: 'warn', match: what, effect: how };
  };
  const compiled = (bundle: object): PolicySnapshot => {
    const frame = { policy_id: 'p', version: '1', mode: 'control', selectors: {}, rules: [] };
    const result = compilePolicy(JSON.stringify({ ...frame, ...bundle }));
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return result.snapshot;
  };
  const home = compiled({
    defaults: { decision_on_error: 'BLOCK', no_match: 'BLOCK' },
    rules: [
      rule('scratch', 'tag', { path: { under: ['/tmp'] } }, { tag: { add_risk_class: ['scratch'] } }),
      rule('free', 'allow', { risk_class: ['scratch'] }, { action: 'ALLOW', reason_code: 'R', message: '' }),
    ],
  });
  const project = compiled({
    defaults: { decision_on_error: 'BLOCK' },
    tools: [{ paths: ['note'] }],
  });
  const call = {
    server_name: 's',
    tool_name: 'run',
    args: { path: '/etc/b', note: '/tmp/a' },
    args_hash: 'h',
    identity: { agent_id: 'agent', client: 'claude' as const, env: 'dev' as const },
  };
  const actionWith = (readings: PolicyCall['readings']): string =>
    decideNarrowed(
      home,
      [{ kind: 'project', snapshot: projectPolicy(project, '/work/.subluminal.yaml') }],
      PolicyState.empty(),
      { ...call, readings },
      0,
      { held: undefined, readingsOf: () => readingsBy([home, project], call) },
    ).effective.action;
  expect(actionWith(readingsBy([home], call))).toBe('BLOCK');
  // Read by the keys of both it would be allowed: the home has to be asked by its own.
  expect(actionWith(readingsBy([home, project], call))).toBe('ALLOW');
});
