import type { JsonObject, Speaks } from '@subluminal/core-types';
import type { Ledger } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success } from '../../pipeline/reply.js';
import type { PolicyHolder } from '../../policy/holder.js';
import type { Served } from '../../store/served.js';
import type { BudgetState } from '../../disk/budget.js';
import type { RunRegistry } from '../../runs/registry.js';
import { runData } from '../life/run.js';
import { panicData } from '../operate/panic.js';
import type { Panic } from '../../panic/panic.js';
import { policySummary } from '../operate/policy-reload.js';

/** What the gateway tells of itself. */
export interface GatewayHandlerParts {
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
  /** The versions that have served the home, this one first. */
  readonly served: () => readonly Served[];
  readonly budget: () => BudgetState;
  /** How many servers' tools are known, how many tools are held, and `[tools] pin`. */
  readonly tools: () => JsonObject;
  /** The door for HTTP: whether it is open, and what goes on behind it. */
  readonly http: () => JsonObject;
  /** Where connections of runs pass, under which rule, and how many are open. */
  readonly proxy: () => JsonObject;
  /** Which `config.toml` is in force, what of it waits for a start, and why it is not in force. */
  readonly config: () => JsonObject;
  /** Begins the shutdown; the answer to this request is still sent. */
  readonly stopSoon: () => void;
}

/** `gateway.status`, `gateway.stop` and `runs.list`. */
export function gatewayHandlers(
  parts: GatewayHandlerParts,
): Readonly<Record<'gateway.status' | 'gateway.stop' | 'runs.list', ActionHandler>> {
  const { ledger, registry } = parts;
  return {
    'gateway.status': {
      execute: () => {
        const head = ledger.head();
        const runs = registry.all();
        return success({
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
          ...panicData(parts.panic),
          policy: policySummary(parts.policy),
          config: parts.config(),
          tools: parts.tools(),
          http: parts.http(),
          proxy: parts.proxy(),
          ledger: {
            ledger_id: ledger.ledgerId,
            genesis_fingerprint: ledger.genesisFingerprint,
            seq: head.seq,
            leaf: head.leaf,
            durability: parts.durability,
            queue_depth: ledger.queueDepth,
            writer: ledger.writer,
            heads_log: parts.headsLog,
            memory: ledger.memory,
            budget: budgetData(parts.budget()),
          },
        });
      },
    },
    'gateway.stop': {
      execute: () => {
        parts.stopSoon();
        return success({ pid: process.pid });
      },
    },
    'runs.list': {
      execute: (call) => {
        const { limit } = payloadOf(call, 'runs.list');
        return success({ runs: registry.all().slice(-limit).toReversed().map(runData) });
      },
    },
  };
}

function budgetData({ level, usedBytes, maxBytes }: BudgetState): JsonObject {
  return { level, used_bytes: usedBytes, max_bytes: maxBytes };
}
