import * as z from 'zod';
import { Label } from '../json.js';

/**
 * `world.open`: a network of its own for a program of the run. The answer names the process that holds it.
 * `folder` is the folder that the program may write.
 */
export const WorldOpenPayload = z.strictObject({
  shim_id: Label.optional(),
  /** The server that will live there; without it the run's own program. */
  server_name: Label.optional(),
  folder: z.string().min(1).max(4096),
});
export type WorldOpenPayload = z.infer<typeof WorldOpenPayload>;

/** `world.close`: the program is gone, and its network goes. */
export const WorldClosePayload = z.strictObject({ world_id: Label });
export type WorldClosePayload = z.infer<typeof WorldClosePayload>;
