/** Kinds of work that a reader of a session tells from each other. */
export type WorkKind = 'change' | 'check' | 'deliver' | 'explore' | 'other';

export const WORK_KINDS = ['change', 'check', 'deliver', 'explore', 'other'] as const;
