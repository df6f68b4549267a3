import * as z from 'zod';
import { ProcessIdentity } from '../identity.js';
import { Label } from '../json.js';
import { FsDiff } from './fs-diff.js';

/**
 * `world.open`: a network of its own for a program of the run. The answer names the process that holds it.
 * `folder` is the folder that the program may write.
 */
export const WorldOpenPayload = z.strictObject({
  /** The process that starts the program: with it the world ends. Without it, with the run. */
  starter: ProcessIdentity.optional(),
  shim_id: Label.optional(),
  /** The server that will live there; without it the run's own program. */
  server_name: Label.optional(),
  /** Its programs may ask the gateway, by a door of their own. */
  has_door: z.literal(true).optional(),
  /** The client whose own sandbox was turned off: it would fail there. */
  sandbox_off: z.enum(['claude', 'codex']).optional(),
  folder: z.string().min(1).max(4096),
  /** The most that whoever starts the program can make of it; `full` without it. */
  network: z.enum(['full', 'named', 'any']).optional(),
  /** Why it can make no more. */
  shortfall: z
    .string()
    .min(1)
    .max(300)
    .regex(/^[\x20-\x7e]*$/)
    .optional(),
});
export type WorldOpenPayload = z.infer<typeof WorldOpenPayload>;

/**
 * `world.resume`: another gateway than this one had the world of the run, and this one is to serve it.
 * `inside` is a process in its network.
 */
export const WorldResumePayload = z.strictObject({ world_id: Label, inside: ProcessIdentity });
export type WorldResumePayload = z.infer<typeof WorldResumePayload>;

const Limits = z
  .array(z.enum(['memory', 'cpus', 'processes', 'wall', 'disk']))
  .max(5)
  .optional();

/** A program that was started there, the one that started it, and how often. Testimony of the world. */
const Program = z.strictObject({
  path: z.string().max(512),
  by: z.string().max(512),
  count: z.number().int().positive(),
});

/**
 * `world.close`: the program is gone, and its network goes. Of the limits that its world had, `exact` says
 * which the kernel held and `approximate` which were looked after; `reached` says for which one a program of
 * it was ended, or all of it. `programs` are the most frequent ones, `programs_more` counts the other starts.
 * `made` are files that other programs run or obey, and that were not there before; `replaced` are files that
 * the world may not change or read, and that somebody outside replaced meanwhile. `fs_diff` are the files
 * of its layer that differ from the project.
 */
export const WorldClosePayload = z.strictObject({
  world_id: Label,
  exact: Limits,
  approximate: Limits,
  reached: z.enum(['memory', 'wall']).optional(),
  programs: z.array(Program).max(64).optional(),
  programs_more: z.number().int().positive().optional(),
  made: z.array(z.string().min(1).max(4096)).max(32).optional(),
  replaced: z.array(z.string().min(1).max(4096)).max(32).optional(),
  fs_diff: FsDiff.optional(),
});
export type WorldClosePayload = z.infer<typeof WorldClosePayload>;
