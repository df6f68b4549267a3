import type { JsonObject } from '@subluminal/core-types';

/** What may be unusual, in the order of docs/anomalies.md. */
export const ANOMALY_KINDS = [
  'burst',
  'new_domain',
  'large_payload',
  'new_for_agent',
  'send_after_untrusted_read',
] as const;
export type AnomalyKind = (typeof ANOMALY_KINDS)[number];

/** `approve`: the operator is asked first. `flag`: it is only recorded. */
export type AnomalyReaction = 'approve' | 'flag';

/** What `config.toml` says of each kind; `off`: it is not looked for. */
export type AnomalyReactions = Readonly<Record<AnomalyKind, AnomalyReaction | 'off'>>;

/**
 * Something unusual, before it is known what becomes of it. `summary` is for people, `facts` for programs.
 */
export interface Finding {
  readonly kind: AnomalyKind;
  readonly summary: string;
  readonly facts: JsonObject;
}

/** Something unusual about one request. */
export interface AnomalyFlag extends Finding {
  readonly reaction: AnomalyReaction;
}
