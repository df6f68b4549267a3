import type { GatewayConfig } from '@subluminal/core-types';
import {
  ActionHandlers,
  allowlistStage,
  anomalyStage,
  auditPendingStage,
  auditResultStage,
  createServiceRegistry,
  executeStage,
  OwnListeners,
  rateLimitStage,
  schemaStage,
  ServerClaims,
  ServicePlaces,
  signatureStage,
  type Stage,
  stoppedStage,
} from '@subluminal/gateway';
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
