import type { GatewayConfig } from '@subluminal/core-types';
import { allowlistStage } from '../pipeline/allowlist.js';
import { anomalyStage } from '../pipeline/anomaly.js';
import { auditPendingStage } from '../pipeline/audit-pending.js';
import { auditResultStage } from '../pipeline/audit-result.js';
import { executeStage } from '../pipeline/execute.js';
import { ActionHandlers } from '../pipeline/handlers.js';
import { rateLimitStage } from '../pipeline/rate-limit.js';
import { schemaStage } from '../pipeline/schema.js';
import { ServicePlaces } from '../pipeline/service-places.js';
import { signatureStage } from '../pipeline/signature.js';
import type { Stage } from '../pipeline/stage.js';
import { stoppedStage } from '../pipeline/stopped.js';
import { createServiceRegistry } from '../services/registry.js';
import { ServerClaims } from '../mcp-http/claims.js';
import { OwnListeners } from '../net/own-listeners.js';
import { composeAdapters } from './services.js';
import type { Deciders, PipelineFoundation } from './pipeline-parts.js';

/** The stages of every request, in their order. */
export function composeStages(
  from: PipelineFoundation,
  { allowlist, detector, approvals, toolCalls, accounts }: Deciders,
  handlers: ActionHandlers,
): readonly Stage[] {
  const { options, settings, ledger, recorder, late, limiter, enrolments, clock, log } = from;
  const services = createServiceRegistry(
    options.adapters ??
      composeAdapters({ dialer: from.dialer, accounts, clock, db: from.db, allowlist, recorder }),
  );
  const resolver = from.resolver;
  const claims = new ServerClaims(from.paths.config);
  const egress = (): GatewayConfig['egress'] => settings.now.egress;
  return [
    schemaStage(from.speaks),
    signatureStage,
    stoppedStage(from.panic),
    allowlistStage({
      allowlist,
      services,
      resolver,
      placeholders: from.injection.placeholders,
      listeners: new OwnListeners([() => from.http.door.port ?? null, () => from.proxyPlace.port]),
      egress,
      detector,
      traffic: from.traffic,
      clock,
      toolCalls,
      claims,
      headers: from.injection.headers,
    }),
    rateLimitStage({ limiter, enrolments, places: new ServicePlaces(), clock }),
    anomalyStage({ detector, approvals }),
    auditPendingStage({ ledger, recorder, handlers, detector, approvals }),
    executeStage({ handlers, services, allowlist, panic: from.panic, log, egress }),
    auditResultStage({ recorder, late, clock, egress, detector }),
  ];
}
