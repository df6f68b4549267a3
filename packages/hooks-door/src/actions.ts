import { type HookEventPayload, redact } from '@subluminal/core-types';
import { soundsLike } from '@subluminal/hooks';
import { type ActionOf, life, read, success, TELLS } from '@subluminal/gateway';

/** The actions of a run whose client has hooks. */
export interface HookActions {
  readonly 'hook.event': ActionOf<'hook.event'>;
  readonly 'hook.routes': ActionOf<'hook.routes'>;
}

/** Events of clients besides their calls, and the servers that the gateway carries itself. */
export function hookActions(): HookActions {
  return {
    'hook.event': hookEvent,
    'hook.routes': read((_payload, { run }) => ({
      servers: run.routed.all().filter((name) => !run.unseen.has(name)),
    })),
  };
}

/** `hook.event`: recorded as the client's testimony. */
export const hookEvent: ActionOf<'hook.event'> = life(TELLS, (call, payload) => ({
  record: () => {
    const { facts, linked, server_name: server, tool_name: tool, tool_use_id: id } = payload;
    const { routed, seenIds, unseen } = call.run;
    const isUnseen = linked === true && isOver(payload) && id !== undefined && !seenIds.has(id);
    // From now on its calls are asked for by hooks.
    if (isUnseen && server !== undefined)
      for (const name of routed.all()) if (soundsLike(name, server)) unseen.add(name);
    return [
      {
        type: 'hook_event',
        ts: call.now,
        runId: call.runId,
        ...(server === undefined || tool === undefined
          ? {}
          : { tool: [redact(server).text, redact(tool).text] as const }),
        data: {
          facts,
          hook: {
            ...named(payload),
            event: redact(payload.event).text,
            ...(linked === true ? { linked } : {}),
            // The client made a call of a server that it reaches through the gateway, and no message of it
            // came by.
            ...(isUnseen ? { message: 'missing' } : {}),
            via: payload.via,
          },
          req: call.requestFields,
        },
      },
    ];
  },
  execute: () => success({}),
}));

function isOver({ event }: HookEventPayload): boolean {
  return event !== 'PreToolUse';
}

function named({ agent_id, agent_type, session_id, tool_use_id }: HookEventPayload): Record<string, string> {
  const names = { agent_id, agent_type, session: session_id, tool_use_id };
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, redact(value).text]],
    ),
  );
}
