import { parseJson, type JsonObject } from '@subluminal/core-types';
import * as z from 'zod';

const Id = z.union([z.string(), z.number(), z.instanceof(Object)]).nullable();
const Answer = z.union([
  z
    .looseObject({ jsonrpc: z.literal('2.0'), id: Id, result: z.unknown() })
    .refine((value) => 'result' in value),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: Id,
    error: z.looseObject({ code: z.number().int(), message: z.string() }),
  }),
]);

/** Lines that each are one strict JSON text and one JSON-RPC answer. Throws where one is not. */
export function answersOf(lines: readonly Buffer[]): JsonObject[] {
  return lines.map((line) => {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    const value = parseJson(text);
    Answer.parse(value);
    return value as JsonObject;
  });
}
