import type { CheckpointText } from '@subluminal/core-types';

/** A checkpoint that is to be put somewhere outside. */
export interface Fresh extends CheckpointText {
  readonly note: string;
}

/** Where it was put, and what shows it. */
export interface Placed {
  readonly kind: 'file' | 'git' | 'cmd';
  readonly target: string;
  readonly evidence: Readonly<Record<string, string>>;
}
