// Prints how long `decide` and `compilePolicy` take. Run after the build: node packages/policy/bench/decide.mjs
import { compilePolicy, decide, PolicyState } from '@subluminal/policy';

const RULES = 100;
const ROUNDS = 200_000;

const MATCHES = {
  'literal and prefix globs': (at) => ({ tool_name: { glob: [`delete_thing_${at}`, `drop_${at}_*`] } }),
  'globs around a text': (at) => ({
    server_name: { glob: ['git*'] },
    tool_name: { glob: [`*secret_${at}*`] },
  }),
  'globs with classes': (at) => ({ tool_name: { glob: [`{delete,drop}_[a-z]*_${at}`] } }),
  regexes: (at) => ({ tool_name: { regex: [`(delete|drop)_.*_${at}`] } }),
  arguments: (at) => ({ args: { key_equals: { [`key${at}`]: at }, numeric_range: { amount: { min: at } } } }),
};

const call = {
  server_name: 'github',
  tool_name: 'create_pull_request',
  args: { owner: 'someone', repo: 'something', title: 'a title', body: 'a body', amount: 12 },
  args_hash: '0'.repeat(64),
  identity: { agent_id: 'agent', client: 'claude', env: 'dev' },
};

console.log(`${RULES} rules, none matches (the longest way through)`);
for (const [name, match] of Object.entries(MATCHES)) {
  const source = bundle(match);
  const started = performance.now();
  const compiled = compilePolicy(source);
  const compileMs = performance.now() - started;
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const µs = timed(compiled.snapshot);
  console.log(
    `${name.padEnd(26)} decide ${µs.toFixed(2).padStart(6)} µs   compile ${compileMs.toFixed(1)} ms`,
  );
}

function timed(snapshot) {
  const state = PolicyState.empty();
  for (let round = 0; round < ROUNDS / 10; round += 1) decide(snapshot, state, call, 0);
  const started = performance.now();
  let allowed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (decide(snapshot, state, call, round).effective.action === 'ALLOW') allowed += 1;
  }
  if (allowed !== ROUNDS) throw new Error('a call was not decided as expected');
  return ((performance.now() - started) * 1000) / ROUNDS;
}

function bundle(match) {
  const effect = { action: 'BLOCK', reason_code: 'DENYLIST_MATCH', message: 'not allowed' };
  const rules = Array.from({ length: RULES }, (_, at) => {
    return { rule_id: `rule-${at}`, kind: 'deny', enabled: true, severity: 'warn', match: match(at), effect };
  });
  const defaults = { decision_on_error: 'BLOCK' };
  return JSON.stringify({
    policy_id: 'bench',
    version: '1.0.0',
    mode: 'guardrails',
    defaults,
    selectors: {},
    rules,
  });
}
