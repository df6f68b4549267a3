import { afterAll, describe, expect, it } from 'vitest';
import { campaign, type CampaignReport } from './engine/campaign.js';
import { keepInputs, keptInputs } from './engine/corpus.js';
import type { Target } from './engine/target.js';
import { answers } from './targets/answers.js';
import { clientFiles } from './targets/clients.js';
import { configuration, policies } from './targets/documents.js';
import { frames } from './targets/frames.js';
import { policyCases, policySignatures } from './targets/governance.js';
import { clientHandshake, serverHandshake } from './targets/handshakes.js';
import { json } from './targets/json.js';
import { lines } from './targets/lines.js';
import { headsLog, notes } from './targets/memory.js';
import { messages } from './targets/messages.js';
import { proxyHeads, tlsGate } from './targets/proxy.js';
import { redaction } from './targets/redaction.js';
import { requests } from './targets/requests.js';

const LONG = process.env['SUB_LONG'] !== undefined;
/** SUB_FUZZ_SCALE shortens the long form; SUB_FUZZ_KEEP has what was found kept in the corpus. */
const SCALE = Number(process.env['SUB_FUZZ_SCALE'] ?? 1);
const SEED = LONG ? Number(process.env['SUB_FUZZ_SEED'] ?? Date.now() % 0xffffffff) : 20_260_102;

/**
 * Every target with its share of the ten million executions of the long form, and its inputs in the short
 * one.
 */
const TARGETS: readonly (readonly [Target, { readonly long: number; readonly short: number }])[] = [
  [frames, { long: 1_500_000, short: 5000 }],
  [lines, { long: 1_500_000, short: 5000 }],
  [messages, { long: 1_800_000, short: 5000 }],
  [json, { long: 1_500_000, short: 5000 }],
  [notes, { long: 500_000, short: 2000 }],
  [requests, { long: 900_000, short: 4000 }],
  [answers, { long: 600_000, short: 2000 }],
  [serverHandshake, { long: 700_000, short: 2000 }],
  [clientHandshake, { long: 600_000, short: 2000 }],
  [redaction, { long: 150_000, short: 1000 }],
  [tlsGate, { long: 500_000, short: 2000 }],
  [proxyHeads, { long: 500_000, short: 2000 }],
  [headsLog(), { long: 150_000, short: 500 }],
  [policies, { long: 50_000, short: 300 }],
  [policyCases, { long: 50_000, short: 300 }],
  [policySignatures(), { long: 150_000, short: 500 }],
  [clientFiles, { long: 100_000, short: 300 }],
  [configuration(), { long: 50_000, short: 200 }],
];

const reports: CampaignReport[] = [];

afterAll(() => {
  for (const [target] of TARGETS) target.close?.();
  if (LONG) process.stdout.write(`${summaryOf(reports)}\n`);
});

describe('no input breaks what a target promises', () => {
  it.each(TARGETS.map(([target, size]) => [target.name, target, size] as const))(
    '%s',
    async (name, target, { long, short }) => {
      const total = LONG ? Math.ceil(long * SCALE) : short;
      const guided = Math.ceil(total / (LONG ? 20 : 12));
      const seeds = [...target.seeds, ...keptInputs(name)];
      const report = await campaign({ ...target, seeds }, { seed: SEED, guided, blind: total - guided });
      reports.push(report);
      expect(report.executions).toBeGreaterThanOrEqual(total);
      expect(report.taken, 'honest inputs are taken').toBeGreaterThan(0);
      if (process.env['SUB_FUZZ_KEEP'] !== undefined) keepInputs(name, report.corpus.slice(seeds.length));
    },
    LONG ? 3_600_000 : 60_000,
  );
});

function summaryOf(all: readonly CampaignReport[]): string {
  const rows = all.map(
    ({ target, executions, perSecond, corpus, blocks, slowestMs }) =>
      `${target.padEnd(18)} ${String(executions).padStart(10)} executions ${String(perSecond).padStart(8)}/s ` +
      `${String(corpus.length).padStart(5)} seeds ${String(blocks).padStart(5)} blocks, slowest ${slowestMs.toFixed(0)} ms`,
  );
  const total = all.reduce((sum, { executions }) => sum + executions, 0);
  return [`seed ${SEED}`, ...rows, `${total} executions over ${all.length} targets, 0 failures`].join('\n');
}
