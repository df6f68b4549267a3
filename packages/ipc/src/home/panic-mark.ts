import { closeSync, fsyncSync, lstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { readOwnText } from './own-file.js';
import { isSublError } from '@subluminal/core-types';

/** Since when, and why, everything is stopped. */
export interface PanicMark {
  /** Epoch milliseconds. */
  readonly sinceMs: number;
  /** The operator's words; empty for none. */
  readonly reason: string;
}

const MAX_BYTES = 4096;
/** Longest reason that is kept, in characters. */
export const MAX_PANIC_REASON = 500;

/**
 * Tells whether the mark stands there. Whatever has that name counts, and so does a place that cannot be
 * looked at: a mark that cannot be read stops everything all the same.
 */
export function hasPanicMark(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/**
 * The content of the mark; undefined where there is none. One that cannot be read says nothing, and counts.
 */
export function readPanicMark(path: string, nowMs: number): PanicMark | undefined {
  if (!hasPanicMark(path)) return undefined;
  const unread = { sinceMs: nowMs, reason: '' };
  try {
    const text = readOwnText(path, { maxBytes: MAX_BYTES, forbidden: 0o022 });
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value !== 'object' || value === null) return unread;
    const { since_ms: sinceMs, reason }: Readonly<Record<string, unknown>> = { ...value };
    if (!Number.isSafeInteger(sinceMs) || typeof sinceMs !== 'number' || typeof reason !== 'string')
      return unread;
    return { sinceMs, reason: reason.slice(0, MAX_PANIC_REASON) };
  } catch (error) {
    if (error instanceof SyntaxError || isSublError(error)) return unread;
    throw error;
  }
}

/**
 * Puts the mark there, synced. One that stands there already stays: it is older. Where its words cannot be
 * written, on a full disk for one, it stands there without them, and counts.
 */
export function writePanicMark(path: string, { sinceMs, reason }: PanicMark): void {
  if (hasPanicMark(path)) return;
  const draft = `${path}.new-${process.pid}`;
  const file = openSync(draft, 'w', 0o600);
  try {
    writeFileSync(file, `${JSON.stringify({ since_ms: sinceMs, reason })}\n`);
    fsyncSync(file);
  } catch {
    // A mark that cannot be read stops everything all the same.
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
