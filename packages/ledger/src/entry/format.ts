import type { CodeName, EntryType } from './kinds.js';

/** `rp` of the first entry of a run. */
export const NO_LEAF = '0'.repeat(64);

/**
 * The part of a body before its data. Nothing in it but `code` varies, and the data always starts with `{`.
 */
export function bodyPrefix(code: CodeName | null): string {
  return code === null ? '{"code":null,"data":' : `{"code":"${code}","data":`;
}

/**
 * Every member of a body after `data`, in canonical order. `run` and `tool` are JSON texts as `dict.name`
 * holds them.
 */
export interface BodyTail {
  readonly ref: number | null;
  readonly ri: number;
  readonly rp: string;
  readonly run: string | null;
  readonly tool: string | null;
  readonly ts: number;
  readonly type: EntryType;
}

/**
 * The part of a body after its data. Prefix and suffix hold everything that the projected columns repeat, so
 * that verify compares text with text and never parses JSON.
 */
export function bodySuffix(tail: BodyTail): string {
  return `,"ref":${tail.ref},"ri":${tail.ri},"rp":"${tail.rp}","run_id":${tail.run},"tool":${tail.tool},"ts":${tail.ts},"type":"${tail.type}","v":1}`;
}
