import type { Finding } from './flag.js';
import { bytesText } from './words.js';

/** A run is compared with the largest of its agent's newest runs, where there are so many at least. */
export const VOLUME_MIN_RUNS = 5;
export const VOLUME_FACTOR = 8;
/** Less than this (4 MiB) is never unusual. */
export const VOLUME_FLOOR_BYTES = 4 * 1_048_576;

/** What a run sent, to one host or (undefined) in all, and what to compare it with. */
export interface Volume {
  readonly agent: string;
  readonly host: string | undefined;
  /** Sent by this run, in bytes. */
  readonly bytes: number;
  /** What runs before sent. */
  readonly past: readonly number[];
  /** They are those of every agent here: its own are too few. */
  readonly ofAll?: boolean;
}

/** How much a run may send before that is unusual; undefined where there is too little to compare with. */
export function volumeLimit(past: readonly number[]): number | undefined {
  if (past.length < VOLUME_MIN_RUNS) return undefined;
  return Math.max(VOLUME_FLOOR_BYTES, VOLUME_FACTOR * Math.max(...past));
}

/** That a run has sent far more than its agent's runs before. */
export function unusualVolume({ agent, host, bytes, past, ofAll = false }: Volume): Finding | undefined {
  const limit = volumeLimit(past);
  if (limit === undefined || bytes <= limit) return undefined;
  const largest = Math.max(...past);
  const where = host === undefined ? 'in all' : `to \`${host}\``;
  return {
    kind: 'unusual_volume',
    summary: `${bytesText(bytes)} sent ${where} in this run of \`${agent}\`; the largest of ${past.length} runs before${ofAll ? ', of any agent here,' : ''} was ${bytesText(largest)}`,
    facts: {
      agent,
      ...(host === undefined ? {} : { host }),
      bytes,
      largest,
      limit,
      runs: past.length,
      of: ofAll ? 'all' : 'agent',
    },
  };
}

/**
 * The volume that a run counts as for later ones: one that sent more than was usual raises the limit no
 * faster than by its factor.
 */
export function pastVolume(bytes: number, past: readonly number[]): number {
  const limit = volumeLimit(past);
  return limit === undefined ? bytes : Math.min(bytes, limit);
}
