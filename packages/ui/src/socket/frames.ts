import { isSublError, parseJson } from '@subluminal/core-types';
import * as z from 'zod';
import { MOST_CREDIT, type PageFrame } from '../protocol/socket.js';

const MAX_FILTER = 4096;
const Seq = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const From = Seq.nullable();

const Frame = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('hello'),
    token: z.string().min(1).max(256),
    filter: z.string().max(MAX_FILTER),
    from: From,
    credit: z.number().int().min(1).max(MOST_CREDIT),
  }),
  z.strictObject({ t: z.literal('ack'), n: Seq }),
  z.strictObject({ t: z.literal('pause') }),
  z.strictObject({ t: z.literal('resume'), from: From }),
]);

/** A frame of the page; undefined for what is none. */
export function readFrame(text: string): PageFrame | undefined {
  try {
    return Frame.safeParse(parseJson(text)).data;
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}
