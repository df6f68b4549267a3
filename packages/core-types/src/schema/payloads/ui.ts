import * as z from 'zod';
import { Sha256Hex } from '../json.js';

/**
 * `ui.session`: the gateway itself records what becomes of a session of the page. `code_reused`: its code was
 * shown a second time, so it ended.
 */
export const UiSessionPayload = z.strictObject({
  event: z.enum(['begun', 'ended', 'code_reused', 'unlocked', 'unlock_failed', 'locked']),
});

/**
 * `ui.layer`: a session of the page decides on a layer. `shown`: the digest of what it was shown; `paths`: as
 * it was shown them, left out for all; `risky`: also those that a person is asked about; `overwrite`: also
 * those that the project has changed since, as it was shown.
 */
export const UiLayerPayload = z.strictObject({
  does: z.enum(['commit', 'discard']),
  layer_id: z.string().regex(/^[0-9a-f]{8,64}$/),
  shown: Sha256Hex,
  paths: z.array(z.string().min(1).max(65_536)).min(1).max(2000).optional(),
  risky: z.literal(true).optional(),
  overwrite: z.literal(true).optional(),
});
export type UiLayerPayload = z.infer<typeof UiLayerPayload>;

/**
 * `ui.rule`: a session of the page has a rule written into the policy file, for the refused call of that
 * entry. `as`: what makes a call alike. `shown`: the digest of the difference that it was shown.
 */
export const UiRulePayload = z.strictObject({
  entry: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  as: z.string().regex(/^[a-z]{1,20}$/),
  shown: Sha256Hex,
});
export type UiRulePayload = z.infer<typeof UiRulePayload>;
