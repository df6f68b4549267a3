import { newId, type GatewayConfig } from '@subluminal/core-types';
import { AccountStore, ACTIONS_OF, Approvals, Pipeline, ToolCalls, toolReads } from '@subluminal/gateway';
import { composeHandlers } from './handlers.js';
import type { Deciders, PipelineFoundation } from './pipeline-parts.js';
import { composeStages } from './stages.js';

/** Waiting approvals in all, and of one client. */
const MAX_APPROVALS = 1000;
const MAX_APPROVALS_PER_CLIENT = 50;

/** Wires the one road of every request: its stages in their order, and what each action does at the end of it. */
export function composePipeline(from: PipelineFoundation): Pipeline {
  const { settings, db, clock, log, ledger, recorder, late, rejections } = from;
  const { tools, pins, runSecrets } = from;
  const { secrets } = from.injection;
  const approvals = new Approvals(db, clock, newId, {
    expiresAfterMs: () => settings.now.approvals.expires_after_s * 1000,
    maxPending: MAX_APPROVALS,
    maxPendingPerClient: MAX_APPROVALS_PER_CLIENT,
    onAsked: ({ id, client, action, summary, expires_at: expiresAtMs }, { destination }) =>
      from.notifier.tell({
        event: 'approval_requested',
        id,
        client,
        action,
        summary,
        destination,
        expiresAtMs,
      }),
  });
  const deciders: Deciders = {
    tools,
    pins,
    secrets,
    accounts: new AccountStore({
      db,
      secrets,
      runSecrets,
      clock,
      changed: (kind) => approvals.withdraw(ACTIONS_OF[kind]),
    }),
    allowlist: from.allowlist,
    detector: from.detector,
    approvals,
    toolCalls: new ToolCalls({
      policy: from.policy,
      lifecycle: from.lifecycle,
      recorder,
      tools: pins,
      reads: toolReads(from.detector, () => settings.now.anomaly),
      holdsSecret: (runId, text) => runSecrets.isIn(runId, text),
      timeoutOf: (server) => callTimeout(settings.now, server),
      limits: () => ({
        maxInspectBytes: settings.now.inspect.max_inspect_bytes,
        maxPreviewBytes: settings.now.inspect.max_preview_bytes,
      }),
    }),
  };
  const stages = composeStages(from, deciders, composeHandlers(from, deciders));
  return new Pipeline({ stages, ledger, recorder, late, rejections, clock, log });
}

/** A server's own time, else that of all. */
function callTimeout({ calls, servers = {} }: GatewayConfig, server: string): number | undefined {
  const own = Object.hasOwn(servers, server) ? servers[server] : undefined;
  return own?.timeout_ms ?? calls?.timeout_ms;
}
