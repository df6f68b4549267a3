import { redact, type JsonObject } from '@subluminal/core-types';

/** Why a tool is held. */
const REASONS = ['changed', 'new', 'renamed', 'shadows', 'looks_like', 'duplicate', 'too_large'] as const;
export type ReasonKind = (typeof REASONS)[number];

/** Why a tool is held, and what that is seen by. */
export interface Reason {
  readonly kind: ReasonKind;
  /** The members that differ from what was approved. */
  readonly members?: readonly string[];
  /** The tool that it was (renamed), or that it is taken for. */
  readonly of?: { readonly server: string; readonly tool: string };
}

/** Nothing is approved by a hash here: there is no one definition, or it is not kept. */
export function isApprovable({ kind }: Reason): boolean {
  return kind !== 'duplicate' && kind !== 'too_large';
}

/** Why a tool may not be called, in words for the one who called it. */
export function heldSummary(tool: string, kind: ReasonKind | 'unknown'): string {
  if (kind === 'unknown') {
    return `the tool \`${redact(tool).text}\` is in no list of its server; use one that is listed`;
  }
  return `the tool \`${redact(tool).text}\` ${WORDS[kind]}; go on without it, and tell the user that it waits for their review`;
}

const WORDS: Readonly<Record<ReasonKind, string>> = {
  changed: 'is no longer what was approved',
  new: 'was not among the tools that were approved',
  renamed: 'has another name than when it was approved',
  shadows: 'has the name of a tool of another server',
  looks_like: 'has a name that looks like that of a tool of another server',
  duplicate: 'is described in two ways by its server',
  too_large: 'has a description that is too large to be reviewed',
};

/** A reason as JSON. */
export function reasonData({ kind, members, of }: Reason): JsonObject {
  return {
    kind,
    ...(members === undefined ? {} : { members: [...members] }),
    ...(of === undefined ? {} : { of: { server: of.server, tool: of.tool } }),
  };
}
