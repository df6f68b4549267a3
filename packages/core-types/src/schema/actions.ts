import type * as z from 'zod';
import {
  AccountAddPayload,
  AccountClaimPayload,
  AccountListPayload,
  AccountNamePayload,
  AccountTestPayload,
} from './payloads/account.js';
import { AuditAnchoredPayload, AuditAnchorPayload } from './payloads/audit.js';
import { CalendarCreatePayload, CalendarFetchPayload, CalendarUpdatePayload } from './payloads/calendar.js';
import { EmailFetchPayload, EmailSendPayload } from './payloads/email.js';
import {
  AllowAddPayload,
  AllowIdPayload,
  ApprovePayload,
  DenyPayload,
  EmptyPayload,
  PanicBeginPayload,
  RunsListPayload,
} from './payloads/operator.js';
import { HttpReachPayload } from './payloads/http.js';
import {
  LayerCommitPayload,
  LayerDiscardPayload,
  LayerEndPayload,
  LayerRecoverPayload,
} from './payloads/layer.js';
import { NetConnectPayload, NetEndPayload, NetNamePayload } from './payloads/net.js';
import {
  HintsPromotePayload,
  PolicyExplainPayload,
  PolicyReloadPayload,
  PolicyShowPayload,
  PolicyTrustPayload,
  PolicyUntrustPayload,
} from './payloads/policy.js';
import { FinanceFetchPayload, HealthFetchPayload } from './payloads/records.js';
import { RunIngestPayload } from './payloads/ingest.js';
import { RunBeginPayload, RunEndPayload, RunReadPayload, VerbRefusedPayload } from './payloads/run.js';
import {
  SecretsAddPayload,
  SecretsBoundPayload,
  SecretsInjectedPayload,
  SecretsKeptPayload,
  SecretsNamePayload,
  SecretsReleasePayload,
} from './payloads/secrets.js';
import { ServiceApiCallPayload } from './payloads/service.js';
import { SpoolIngestPayload } from './payloads/spool.js';
import { ToolCallBeginPayload, ToolCallEndPayload } from './payloads/tool-call.js';
import {
  ToolsApprovePayload,
  ToolsDiffPayload,
  ToolsForgetPayload,
  ToolsListedPayload,
  ToolsListPayload,
} from './payloads/tools.js';
import { UiLayerPayload, UiRulePayload, UiSessionPayload } from './payloads/ui.js';
import { HookContextPayload, HookEventPayload } from './payloads/hooks.js';
import { MessageDroppedPayload, UpstreamBeginPayload, UpstreamEndPayload } from './payloads/upstream.js';
import { WorldClosePayload, WorldOpenPayload, WorldResumePayload } from './payloads/world.js';

/** The kinds of key a client may hold. */
export const CREDENTIAL_KINDS = ['operator', 'enrol', 'run'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/**
 * The holder of a key, the gateway itself on a run's behalf, or a session of the page: for these two there is
 * no key.
 */
export type CallerKind = CredentialKind | 'gateway' | 'ui';

/** The gateway's knowledge of an action before it looks at a request. */
export interface ActionDefinition {
  readonly payload: z.ZodType;
  /** The callers that may ask for it. An action that lists none is open to nobody. */
  readonly permitted: readonly CallerKind[];
  /**
   * `service`: an effect outside, by an adapter. `net`: a connection through the proxy. `tool`: an effect by
   * a shim. `life`: runs and their processes. `reach`: where the gateway itself will dial for a run, and it
   * is recorded before it does. `operate`: changes what is allowed. `read`: shows state; recorded only when
   * it is refused.
   */
  readonly family: 'service' | 'net' | 'reach' | 'tool' | 'life' | 'operate' | 'read';
  /** After it more is allowed, or known to somebody, than before. */
  readonly widens: boolean;
}

/** A definition that remembers what its payload is. */
interface Defined<P extends z.ZodType> extends ActionDefinition {
  readonly payload: P;
}

const service = <P extends z.ZodType>(payload: P): Defined<P> => ({
  payload,
  permitted: ['operator', 'run'],
  family: 'service',
  widens: false,
});
const operate = <P extends z.ZodType>(payload: P): Defined<P> => ({
  payload,
  permitted: ['operator'],
  family: 'operate',
  widens: false,
});
/** One that allows more than before. */
const widen = <P extends z.ZodType>(payload: P): Defined<P> => ({ ...operate(payload), widens: true });
const show = <P extends z.ZodType>(payload: P): Defined<P> => ({
  payload,
  permitted: ['operator'],
  family: 'read',
  widens: false,
});
/** The same, also open to a session of the page. */
const orPage = <P extends z.ZodType>(definition: Defined<P>): Defined<P> => ({
  ...definition,
  permitted: [...definition.permitted, 'ui'],
});

/** Every action there is. An action that is not in this table does not exist. */
export const ACTIONS = {
  'email.fetch': service(EmailFetchPayload),
  'email.send': service(EmailSendPayload),
  'email.draft': service(EmailSendPayload),
  'calendar.fetch': service(CalendarFetchPayload),
  'calendar.create': service(CalendarCreatePayload),
  'calendar.update': service(CalendarUpdatePayload),
  'finance.fetch_transactions': service(FinanceFetchPayload),
  'health.fetch': service(HealthFetchPayload),
  'service.api_call': service(ServiceApiCallPayload),
  // Reaches out as the account's own actions do, and is decided as they are.
  'account.test': { payload: AccountTestPayload, permitted: ['operator'], family: 'service', widens: false },
  'account.claim': { payload: AccountClaimPayload, permitted: ['operator'], family: 'service', widens: true },

  'tool.call.begin': { payload: ToolCallBeginPayload, permitted: ['run'], family: 'tool', widens: false },
  'tool.call.end': { payload: ToolCallEndPayload, permitted: ['run'], family: 'tool', widens: false },

  'run.begin': { payload: RunBeginPayload, permitted: ['operator', 'enrol'], family: 'life', widens: false },
  'run.end': { payload: RunEndPayload, permitted: ['operator', 'run'], family: 'life', widens: false },
  // Refused whoever asks, so that the attempt is recorded.
  'verb.refused': {
    payload: VerbRefusedPayload,
    permitted: ['operator', 'run'],
    family: 'life',
    widens: false,
  },
  'run.read': { payload: RunReadPayload, permitted: ['run'], family: 'read', widens: false },
  'upstream.begin': { payload: UpstreamBeginPayload, permitted: ['run'], family: 'life', widens: false },
  'upstream.end': { payload: UpstreamEndPayload, permitted: ['run'], family: 'life', widens: false },
  'tools.listed': { payload: ToolsListedPayload, permitted: ['run'], family: 'life', widens: false },
  'spool.ingest': { payload: SpoolIngestPayload, permitted: ['run'], family: 'life', widens: false },
  'secrets.release': { payload: SecretsReleasePayload, permitted: ['run'], family: 'life', widens: false },
  'secrets.injected': { payload: SecretsInjectedPayload, permitted: ['run'], family: 'life', widens: false },
  'secrets.held': { payload: SecretsInjectedPayload, permitted: ['run'], family: 'life', widens: false },
  'hook.event': { payload: HookEventPayload, permitted: ['run'], family: 'life', widens: false },
  'hook.context': { payload: HookContextPayload, permitted: ['run'], family: 'life', widens: false },
  'hook.routes': { payload: EmptyPayload, permitted: ['run'], family: 'read', widens: false },
  'message.dropped': { payload: MessageDroppedPayload, permitted: ['run'], family: 'life', widens: false },
  'world.open': { payload: WorldOpenPayload, permitted: ['run'], family: 'life', widens: false },
  'world.resume': { payload: WorldResumePayload, permitted: ['run'], family: 'life', widens: false },
  'world.close': { payload: WorldClosePayload, permitted: ['run'], family: 'life', widens: false },
  // The gateway's own account of what it dials and carries: no key may write it.
  'http.reach': { payload: HttpReachPayload, permitted: ['gateway'], family: 'reach', widens: false },
  'net.connect': { payload: NetConnectPayload, permitted: ['gateway'], family: 'net', widens: false },
  'net.end': { payload: NetEndPayload, permitted: ['gateway'], family: 'net', widens: false },
  'net.name': { payload: NetNamePayload, permitted: ['gateway'], family: 'net', widens: false },

  // Of `life`: its entries are its own, and stand alone.
  'run.ingest': { payload: RunIngestPayload, permitted: ['operator'], family: 'life', widens: false },
  'gateway.status': orPage(show(EmptyPayload)),
  'gateway.stop': operate(EmptyPayload),
  'http.listen': operate(EmptyPayload),
  'http.stop': operate(EmptyPayload),
  'http.status': show(EmptyPayload),
  'ui.listen': operate(EmptyPayload),
  'ui.unlock': widen(EmptyPayload),
  'ui.end': operate(EmptyPayload),
  'ui.session': { payload: UiSessionPayload, permitted: ['ui'], family: 'operate', widens: false },
  'ui.layer': { payload: UiLayerPayload, permitted: ['ui'], family: 'operate', widens: false },
  'ui.rule': { payload: UiRulePayload, permitted: ['ui'], family: 'operate', widens: true },
  // Of `life`, since it is carried out also where nothing can be recorded any more.
  'panic.begin': { payload: PanicBeginPayload, permitted: ['operator', 'ui'], family: 'life', widens: false },
  'panic.end': orPage(widen(EmptyPayload)),
  'allow.list': show(EmptyPayload),
  'allow.add': widen(AllowAddPayload),
  'allow.remove': operate(AllowIdPayload),
  'allow.deactivate': operate(AllowIdPayload),
  'approvals.list': orPage(show(EmptyPayload)),
  'approvals.approve': orPage(widen(ApprovePayload)),
  'approvals.deny': orPage(operate(DenyPayload)),
  'policy.show': orPage(show(PolicyShowPayload)),
  'policy.reload': orPage(widen(PolicyReloadPayload)),
  'policy.trust': widen(PolicyTrustPayload),
  'policy.untrust': widen(PolicyUntrustPayload),
  'policy.explain': show(PolicyExplainPayload),
  'hints.promote': orPage(widen(HintsPromotePayload)),
  'runs.list': show(RunsListPayload),
  'tools.list': orPage(show(ToolsListPayload)),
  'tools.diff': orPage(show(ToolsDiffPayload)),
  'tools.approve': orPage(widen(ToolsApprovePayload)),
  'tools.forget': widen(ToolsForgetPayload),
  'secrets.list': show(EmptyPayload),
  'secrets.add': widen(SecretsAddPayload),
  'secrets.remove': operate(SecretsNamePayload),
  'secrets.reveal': widen(SecretsNamePayload),
  'secrets.kept': operate(SecretsKeptPayload),
  'secrets.bound': widen(SecretsBoundPayload),
  'account.list': show(AccountListPayload),
  'account.add': widen(AccountAddPayload),
  'account.remove': operate(AccountNamePayload),
  'layer.commit': widen(LayerCommitPayload),
  'layer.discard': operate(LayerDiscardPayload),
  'layer.recover': operate(LayerRecoverPayload),
  'layer.end': operate(LayerEndPayload),
  'plane.learnt': show(EmptyPayload),
  'plane.forget': operate(EmptyPayload),
  'audit.checkpoint': orPage(show(EmptyPayload)),
  'audit.anchored': operate(AuditAnchoredPayload),
  'audit.anchor': operate(AuditAnchorPayload),
} as const satisfies Record<string, ActionDefinition>;

/** The name of an action. */
export type ActionName = keyof typeof ACTIONS;

/** The payload of an action as its schema gives it, defaults filled in. */
export type PayloadOf<A extends ActionName> = z.infer<(typeof ACTIONS)[A]['payload']>;

/** The actions after which more is allowed than before. */
export const WIDENING_ACTIONS: ReadonlySet<string> = new Set(
  Object.entries<ActionDefinition>(ACTIONS).flatMap(([name, { widens }]) => (widens ? [name] : [])),
);

/** Tells whether `text` names an action. */
export function isActionName(text: string): text is ActionName {
  return Object.hasOwn(ACTIONS, text);
}

/**
 * The actions that a program in a world may ask for by the door of its run: those of a client's servers and
 * hooks. A new action is none of them.
 */
export const WORLD_ACTIONS: ReadonlySet<ActionName> = new Set<ActionName>([
  'tool.call.begin',
  'tool.call.end',
  'run.read',
  'upstream.begin',
  'upstream.end',
  'tools.listed',
  'secrets.release',
  'hook.event',
  'hook.context',
  'hook.routes',
  'message.dropped',
]);

/** The nine actions that an adapter executes on a service outside. */
export const SERVICE_ACTIONS = [
  'email.fetch',
  'email.send',
  'email.draft',
  'calendar.fetch',
  'calendar.create',
  'calendar.update',
  'finance.fetch_transactions',
  'health.fetch',
  'service.api_call',
] as const satisfies readonly ActionName[];
export type ServiceAction = (typeof SERVICE_ACTIONS)[number];

/** Every action that an adapter executes: the nine, trying an account, and claiming one. */
export const ADAPTER_ACTIONS = [
  ...SERVICE_ACTIONS,
  'account.test',
  'account.claim',
] as const satisfies readonly ActionName[];
export type AdapterAction = (typeof ADAPTER_ACTIONS)[number];
