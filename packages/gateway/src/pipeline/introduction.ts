import {
  type ClientSide,
  describeMismatch,
  type JsonObject,
  nextStep,
  type Speaks,
} from '@subluminal/core-types';
import * as z from 'zod';
import type { Caller } from './caller.js';
import { refuse, type Refusal } from './reply.js';

const SpeaksSchema = z.object({
  protocol: z.number().int().nonnegative(),
  version: z.string().regex(/^[0-9A-Za-z.+-]{1,64}$/),
});

/** A payload, and beside it the client's word about itself. */
export interface Introduced {
  readonly payload: JsonObject;
  /** The protocol that the client says it speaks; undefined where it says nothing. */
  readonly speaks: unknown;
}

/** Takes a client's word about itself out of a payload. */
export function takeSpeaks(payload: JsonObject): Introduced {
  if (!Object.hasOwn(payload, 'speaks')) return { payload, speaks: undefined };
  const { speaks, ...rest } = payload;
  return { payload: rest, speaks };
}

/** The refusal of a client whose first request does not say what it speaks. */
export function silence(caller: Caller): Refusal {
  return refuse('version_mismatch', 'the client does not say which protocol it speaks', {
    help: nextStep(sideOf(caller), 'silent'),
  });
}

/** The refusal of what a client says of itself; undefined where it speaks what this gateway does. */
export function mismatch(caller: Caller, speaks: unknown, ours: Speaks): Refusal | undefined {
  const read = SpeaksSchema.safeParse(speaks);
  if (!read.success) return silence(caller);
  if (read.data.protocol === ours.protocol) return undefined;
  const { message, help } = describeMismatch(sideOf(caller), read.data, ours);
  return refuse('version_mismatch', message, { help });
}

function sideOf({ kind }: Caller): ClientSide {
  return kind === 'operator' ? 'operator' : 'agent';
}
