import { redact, type JsonObject, type JsonValue } from '@subluminal/core-types';

/** What the operator is told of. */
export type Notice =
  | {
      readonly event: 'approval_requested';
      readonly id: string;
      readonly action: string;
      /** Who asks: a run's id, or `operator`. */
      readonly client: string;
      readonly destination: string | undefined;
      readonly summary: string;
      readonly expiresAtMs: number;
    }
  | {
      readonly event: 'tool_held';
      readonly server: string;
      readonly tool: string;
      readonly reason: string;
      readonly run: string;
    }
  | {
      readonly event: 'run_terminated';
      readonly run: string;
      readonly agent: string;
      readonly reason: string;
    };

const MAX_TEXT = 500;

/**
 * The line of JSON that the program reads. `missed`: notices that were not told, since the last one that was.
 */
export function noticeLine(notice: Notice, at: { readonly nowMs: number; readonly missed: number }): string {
  const common = { v: 1, event: notice.event, at: new Date(at.nowMs).toISOString(), missed: at.missed };
  return `${JSON.stringify({ ...common, ...fieldsOf(notice) })}\n`;
}

function fieldsOf(notice: Notice): JsonObject {
  if (notice.event === 'approval_requested') {
    const { id, action, client, destination, summary, expiresAtMs } = notice;
    return {
      approval_id: id,
      action,
      run_id: client === 'operator' ? null : client,
      destination: destination === undefined ? null : shown(destination),
      summary: shown(summary),
      expires_at: new Date(expiresAtMs).toISOString(),
    } satisfies Record<string, JsonValue>;
  }
  if (notice.event === 'tool_held') {
    const { server, tool, reason, run } = notice;
    return { server_name: shown(server), tool_name: shown(tool), reason, run_id: run };
  }
  return { run_id: notice.run, agent_id: shown(notice.agent), reason: shown(notice.reason) };
}

/**
 * Words of agents and servers: no credential, no control or bidirectional character, and not too many of
 * them.
 */
export function shown(text: string): string {
  const clipped = text.slice(0, MAX_TEXT * 4);
  const clean = redact(clipped).text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
  const isWhole = clipped === text && clean.length <= MAX_TEXT;
  return isWhole ? clean : `${clean.slice(0, MAX_TEXT - 1)}…`;
}
