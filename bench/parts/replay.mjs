/**
 * How long `sub policy replay` takes over recorded calls, and how much memory: under a policy of 20 rules
 * with every kind of limit, in one file and in many, with all arguments kept and with none.
 */
import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalize, sha256Hex } from '@subluminal/core-types';
import { homePaths } from '@subluminal/ipc';
import { openLedger } from '@subluminal/ledger';
import { openHome } from '../home.mjs';
import { figure, median, table } from '../measure.mjs';

const RUNS = 64;
const A_COMMIT = 64;
const TOOLS = ['read_file', 'write_file', 'list_directory', 'search', 'fetch', 'send_mail'];

export async function replay({ short }) {
  const calls = short ? 20_000 : 100_000;
  const rounds = short ? 3 : 5;
  const rows = [];
  for (const [name, options] of [
    ['one file, all arguments kept', { kept: true }],
    ['one file, no arguments kept', { kept: false }],
    ['files of 8 MB, all arguments kept', { kept: true, segmentBytes: 8 << 20 }],
  ]) {
    const home = openHome('process');
    try {
      home.up();
      home.stop();
      await record(home, calls, options);
      const file = join(home.home, 'replayed.yaml');
      writeFileSync(file, policy());
      const took = [];
      let said;
      let memory = 0;
      for (let round = 0; round < rounds; round += 1) {
        const { ms, peakMb, stdout } = await timed(home, ['policy', 'replay', file, '--json']);
        took.push(ms);
        memory = Math.max(memory, peakMb);
        said = JSON.parse(stdout);
      }
      const { newly_blocked: blocked, unknown } = said.counts;
      rows.push([name, figure(median(took) / 1000), figure(memory), blocked, unknown, said.calls]);
    } finally {
      rmSync(home.root, { recursive: true, force: true });
    }
  }
  table(['recorded calls', 'seconds', 'memory MB', 'newly blocked', 'unknown', 'calls'], rows);
}

/** One use of `sub`: how long, and the most memory that it had (Linux). */
async function timed(home, args) {
  const start = performance.now();
  const child = spawn(process.execPath, [home.sub, ...args, '--home', home.home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  let peakMb = Number.NaN;
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  const look = setInterval(() => (peakMb = peakOf(child.pid) ?? peakMb), 20);
  const [code] = await once(child, 'close');
  clearInterval(look);
  if (code !== 0) throw new Error(`sub ${args.join(' ')} ended with ${code}`);
  return { ms: performance.now() - start, peakMb, stdout };
}

function peakOf(pid) {
  try {
    const kb = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    // It has just ended, or this is no Linux.
    return undefined;
  }
}

/**
 * Writes calls into the ledger of a home whose gateway has stopped: start, decision and end, and a tenth
 * refused.
 */
async function record(home, calls, { kept, segmentBytes }) {
  const paths = homePaths(home.home);
  const ledger = await openLedger({
    path: paths.ledgerDb,
    signingKey: { privateKey: createPrivateKey(readFileSync(paths.logKey)) },
    sealKeyPath: paths.sealKey,
    headsLog: home.headsLog,
    durability: 'process',
    clock: Date.now,
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
  });
  const ts = Date.now() - calls * 20;
  for (let run = 0; run < RUNS; run += 1) {
    const data = { agent_id: 'agent', client: 'claude', env: 'dev', host_id: 'h', attested: true };
    await ledger.append({ entries: [{ type: 'run_start', ts, runId: runOf(run), data }] });
  }
  for (let from = 0; from < calls; from += A_COMMIT) {
    const many = Array.from({ length: Math.min(A_COMMIT, calls - from) }, (_, at) => from + at);
    await Promise.all(many.map((call) => recordCall(ledger, call, ts + call * 20, kept)));
  }
  await ledger.close();
}

async function recordCall(ledger, call, ts, kept) {
  const refused = call % 10 === 0;
  const args = canonicalize({
    path: `/src/file-${call % 977}.ts`,
    size: call % 4001,
    content: 'x'.repeat(120),
  });
  const own = {
    call: { args_hash: sha256Hex(args), call_id: `call_${String(call).padStart(12, '0')}` },
    shim: 'shim_1',
  };
  const common = { runId: runOf(call % RUNS), tool: ['files', TOOLS[call % TOOLS.length]] };
  const preview = { redactions: 0, truncated: !kept };
  const start = {
    ...own,
    call: { ...own.call, bytes_in: 310, preview, seq: call, transport: 'mcp_stdio' },
    req: { id: own.call.call_id, sig: 's'.repeat(43) },
  };
  const action = refused ? 'BLOCK' : 'ALLOW';
  const decision = {
    ...own,
    decision: {
      action,
      explain: {
        reason_code: refused ? 'DENYLIST_MATCH' : 'NO_MATCH_ALLOWED',
        summary: 'words of the rule that decided',
      },
      rule_id: refused ? 'old-rule' : null,
      severity: 'info',
    },
    policy: { policy_hash: 'a'.repeat(64), policy_id: 'default', policy_version: '1.0.0' },
  };
  const end = {
    ...own,
    bytes_out: 3120,
    latency_ms: 12,
    preview: { truncated: false },
    status: refused ? 'ERROR' : 'OK',
    ...(refused ? { error: { class: 'policy_block', code: 'X', message: 'no' } } : {}),
  };
  const begun = await ledger.append({
    entries: [
      {
        ...common,
        type: 'tool_call_start',
        ts,
        data: start,
        ...(kept ? { blobs: { 'call.preview.args_preview': args } } : {}),
      },
      { ...common, type: 'tool_call_decision', ts, code: action, data: decision },
      ...(refused ? [{ ...common, type: 'tool_call_end', ts, code: 'ERROR', data: end }] : []),
    ],
    seen: { runId: common.runId, id: own.call.call_id },
  });
  if (!begun.ok) throw new Error('a call was not recorded');
  if (refused) return;
  const ref = begun.entries[1].seq;
  await ledger.append({
    entries: [{ ...common, type: 'tool_call_end', ts: ts + 12, code: 'OK', ref, data: end }],
  });
}

function runOf(number) {
  return `01J8Z${String(number).padStart(21, '0')}`;
}

/** Twenty rules: every limit in every scope, predicates on arguments, classes. */
function policy() {
  const rules = [];
  const rule = (kind, match, effect) =>
    rules.push({ rule_id: `${kind}-${rules.length}`, kind, enabled: true, severity: 'warn', match, effect });
  rule('tag', { tool_name: { glob: ['write_*', 'send_*'] } }, { tag: { add_risk_class: ['write_like'] } });
  for (let n = 0; n < 7; n += 1) {
    const match = { tool_name: { glob: [`tool_${n}*`, 'delete_*'] } };
    rule('deny', match, { action: 'BLOCK', reason_code: 'NO', message: 'no' });
  }
  const size = { tool_name: { glob: ['write_*'] }, args: { numeric_range: { size: { min: 4000 } } } };
  rule('deny', size, { action: 'BLOCK', reason_code: 'LARGE', message: 'too large' });
  for (const scope of ['run', 'tool', 'server_tool']) {
    rule(
      'budget',
      {},
      { budget: { scope, limit_calls: 1400, limit_write_actions: 500, on_exceed: 'BLOCK' } },
    );
    const rate = {
      scope,
      capacity: 50,
      refill_tokens: 10,
      refill_period_ms: 1000,
      on_limit: 'THROTTLE',
      backoff_ms: 100,
    };
    rule('rate_limit', {}, { rate_limit: rate });
    const windows = {
      error_threshold: 20,
      window_ms: 60_000,
      repeat_threshold: 20,
      repeat_window_ms: 60_000,
    };
    rule('breaker', {}, { breaker: { scope, ...windows, on_trip: 'BLOCK' } });
  }
  const writes = { risk_class: ['write_like'] };
  rule('dedupe', writes, {
    dedupe: { scope: 'run', window_ms: 60_000, key: 'args_hash', on_duplicate: 'BLOCK' },
  });
  rule('allow', {}, { action: 'ALLOW', reason_code: 'OK', message: 'fine' });
  const defaults = { decision_on_error: 'BLOCK' };
  return JSON.stringify({
    policy_id: 'bench',
    version: '1',
    mode: 'guardrails',
    defaults,
    selectors: {},
    rules,
  });
}
