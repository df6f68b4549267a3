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

const Limits = z
  .array(z.enum(['memory', 'cpus', 'processes', 'wall', 'disk']))
  .max(5)
  .optional();

/**
 * `world.close`: the program is gone, and its network goes. Of the limits that its world had, `exact` says
 * which the kernel held and `approximate` which were looked after; `reached` says for which one a program of it
 * was ended, or all of it.
 */
export const WorldClosePayload = z.strictObject({
  world_id: Label,
  exact: Limits,
  approximate: Limits,
  reached: z.enum(['memory', 'wall']).optional(),
});
export type WorldClosePayload = z.infer<typeof WorldClosePayload>;
