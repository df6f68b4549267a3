// Prints how long `decide` and `compilePolicy` take. Run after the build: node
// packages/policy/bench/decide.mjs
import { compilePolicy, decide, PolicyState, snapshotFromPlain } from '@subluminal/policy';

const ROUNDS = 100_000;
const ACCESS = { action: 'BLOCK', reason_code: 'DENYLIST_MATCH', message: 'not allowed' };
const identity = { agent_id: 'agent', client: 'claude', env: 'dev' };

const MATCHES = {
  'literal and prefix globs': (at) => ({ tool_name: { glob: [`delete_thing_${at}`, `drop_${at}_*`] } }),
  'globs around a text': (at) => ({
    server_name: { glob: ['git*'] },
    tool_name: { glob: [`*secret_${at}*`] },
  }),
  'globs with classes': (at) => ({ tool_name: { glob: [`{delete,drop}_[a-z]*_${at}`] } }),
  regexes: (at) => ({ tool_name: { regex: [`(delete|drop)_.*_${at}`] } }),
  arguments: (at) => ({
    args: { key_equals: { [`key${at}`]: at }, numeric_range: { amount: { min: 12 + at } } },
  }),
};
const deny = (match) => ({ kind: 'deny', match, effect: ACCESS });
const LIMITS = [
  {
    budget: {
      scope: 'run',
      limit_calls: 1e9,
      limit_cost_units: 1e9,
      cost_units_from: 'amount',
      on_exceed: 'BLOCK',
    },
  },
  {
    rate_limit: { scope: 'tool', capacity: 1e6, refill_tokens: 1000, refill_period_ms: 1, on_limit: 'BLOCK' },
  },
  {
    breaker: {
      scope: 'server_tool',
      error_threshold: 5,
      window_ms: 60_000,
      repeat_threshold: 50,
      repeat_window_ms: 60_000,
      on_trip: 'BLOCK',
    },
  },
  { dedupe: { scope: 'server_tool', window_ms: 60_000, key: 'args_hash', on_duplicate: 'BLOCK' } },
];
const limit = (at) => {
  const effect = LIMITS[at % LIMITS.length];
  return { kind: Object.keys(effect)[0], match: { server_name: { glob: ['git*'] } }, effect };
};
/** A policy as people write them: nine denies of names to one limit or one rule on arguments. */
const mixed = (rules) => (at) => {
  if (at < 8) return limit(at);
  const matches = Object.values(MATCHES);
  return deny(matches[at % 10 === 9 && at < rules / 10 ? 4 : at % 4](at));
};

const small = { owner: 'someone', repo: 'something', title: 'a title', body: 'a body', amount: 12 };
const large = {
  ...small,
  body: 'x'.repeat(1 << 20),
  list: Array.from({ length: 1000 }, (_, at) => ({ at })),
};

console.log('100 rules, none matches (the longest way through)');
for (const [name, match] of Object.entries(MATCHES)) {
  const started = performance.now();
  const snapshot = compiled(100, (at) => deny(match(at)));
  const compileMs = performance.now() - started;
  row(name, snapshot, { args: small }, `compile ${compileMs.toFixed(1)} ms`);
}

console.log('\na mixed policy, eight of its rules limits that count every call');
for (const rules of [100, 1000, 10_000]) {
  const started = performance.now();
  const snapshot = built(rules, mixed(rules));
  const buildMs = performance.now() - started;
  row(`${rules} rules`, snapshot, { args: small }, `built in ${buildMs.toFixed(0)} ms`);
  row(`${rules} rules, 1 MB arguments`, snapshot, { args: large });
  row(`${rules} rules, a new name every call`, snapshot, { args: small, fresh: true });
  row(`${rules} rules, a hostile name every call`, snapshot, { args: small, fresh: true, hostile: true });
}

function row(name, snapshot, options, more = '') {
  const { p50, p99, mean } = timed(snapshot, options);
  const figures = [mean, p50, p99].map((µs) => µs.toFixed(2).padStart(8)).join(' ');
  console.log(`${name.padEnd(38)} mean, p50, p99 ${figures} µs   ${more}`);
}

function timed(snapshot, { args, fresh = false, hostile = false }) {
  let state = PolicyState.empty();
  const rounds = fresh ? ROUNDS / 20 : ROUNDS;
  const times = new Float64Array(rounds);
  const tool = (round) => {
    if (!fresh) return 'create_pull_request';
    return hostile ? `${'delete_drop_secret_'.repeat(13)}x${round}` : `create_thing_number_${round}`;
  };
  const hash = (round) => String(round).padStart(64, '0');
  for (let round = -rounds / 5; round < rounds; round += 1) {
    if (round % 10_000 === 0) state = PolicyState.empty();
    const call = { server_name: 'github', tool_name: tool(round), args, args_hash: hash(round), identity };
    const started = performance.now();
    const { charge, effective } = decide(snapshot, state, call, 1_000_000 + round);
    if (round >= 0) times[round] = (performance.now() - started) * 1000;
    state.apply(charge, 1_000_000 + round);
    if (effective.action !== 'ALLOW')
      throw new Error(`a call was not decided as expected: ${effective.summary}`);
  }
  const mean = times.reduce((sum, one) => sum + one, 0) / rounds;
  times.sort();
  return { p50: times[rounds >> 1], p99: times[Math.floor(rounds * 0.99)], mean };
}

function bundle(rules, rule) {
  const all = Array.from({ length: rules }, (_, at) => {
    return { rule_id: `rule-${at}`, enabled: true, severity: 'warn', ...rule(at) };
  });
  const defaults = { decision_on_error: 'BLOCK' };
  return { policy_id: 'bench', version: '1.0.0', mode: 'guardrails', defaults, selectors: {}, rules: all };
}

function compiled(rules, rule) {
  const result = compilePolicy(JSON.stringify(bundle(rules, rule)));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

/** More rules than one file can hold, from their normal form: a hundred at a time. */
function built(rules, rule) {
  const plain = [];
  let frame;
  for (let from = 0; from < rules; from += 100) {
    const part = compiled(100, (at) => ({ ...rule(from + at), rule_id: `rule-${from + at}` })).plain;
    frame = part;
    plain.push(...part.rules);
  }
  return snapshotFromPlain({ ...frame, rules: plain });
}
