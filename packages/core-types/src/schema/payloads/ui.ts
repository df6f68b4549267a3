import * as z from 'zod';

/**
 * `ui.session`: the gateway itself records what becomes of a session of the page. `code_reused`: its code was
 * shown a second time, so it ended.
 */
export const UiSessionPayload = z.strictObject({
  event: z.enum(['begun', 'ended', 'code_reused', 'unlocked', 'unlock_failed']),
});
