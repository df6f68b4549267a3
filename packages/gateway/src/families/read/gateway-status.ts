import type { JsonObject, Speaks } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import type { Ledger } from '@subluminal/ledger';
import { panicData } from '../../panic/panic-data.js';
import type { Panic } from '../../panic/panic.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { PolicyHolder } from '../../policy/holder.js';
import { policySummary } from '../../policy/summary.js';
import type { RunRegistry } from '../../runs/registry.js';
import type { Served } from '../../store/served.js';
import type { Wing } from '../../wing.js';
import { read } from './read.js';

export interface GatewayStatusParts {
  readonly speaks: Speaks;
  readonly paths: HomePaths;
  readonly startedMs: number;
  readonly durability: string;
  readonly headsLog: string;
  readonly ledger: Ledger;
  readonly registry: RunRegistry;
  readonly policy: PolicyHolder;
  readonly panic: Panic;
  readonly connections: () => number;
  /** How many questions about calls wait for a person, and whether any are put. */
  readonly questions: () => JsonObject;
  /** The versions that have served the home, this one first. */
  readonly served: () => readonly Served[];
  /** How much of its budget the ledger has used. */
  readonly budget: () => JsonObject;
  readonly wings: () => readonly Pick<Wing, 'name' | 'status'>[];
  /** Which `config.toml` is in force, what of it waits for a start, and why it is not in force. */
  readonly config: () => JsonObject;
}

/** `gateway.status` */
export function gatewayStatus(parts: GatewayStatusParts): ActionOf<'gateway.status'> {
  const { ledger, registry } = parts;
  return read(() => {
    const head = ledger.head();
    const runs = registry.all();
    return {
      pid: process.pid,
      version: parts.speaks.version,
      protocol: parts.speaks.protocol,
      home: parts.paths.home,
      socket: parts.paths.socket,
      started_at: new Date(parts.startedMs).toISOString(),
      served: parts.served().map(({ version, firstMs, lastMs }) => ({
        version,
        first_at: new Date(firstMs).toISOString(),
        last_at: new Date(lastMs).toISOString(),
      })),
      connections: parts.connections(),
      runs: {
        live: runs.length,
        attested: runs.filter((run) => run.attested).length,
        open_calls: runs.reduce((sum, run) => sum + run.openCalls.size, 0),
      },
      questions: parts.questions(),
      ...panicData(parts.panic),
      policy: policySummary(parts.policy),
      config: parts.config(),
      ...Object.fromEntries(parts.wings().map((wing) => [wing.name, wing.status()])),
      ledger: {
        ledger_id: ledger.ledgerId,
        genesis_fingerprint: ledger.genesisFingerprint,
        seq: head.seq,
        leaf: head.leaf,
        durability: parts.durability,
        queue_depth: ledger.queueDepth,
        heads_log: parts.headsLog,
        memory: ledger.memory,
        index: { up_to: Math.min(ledger.index.upTo, head.seq), failure: ledger.index.failure },
        budget: parts.budget(),
      },
    };
  });
}
