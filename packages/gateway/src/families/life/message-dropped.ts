import { redact } from '@subluminal/core-types';
import { success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { life, TELLS } from './life.js';

/** `message.dropped`: something came that could not be judged, and went no further. */
export const messageDropped: ActionOf<'message.dropped'> = life(TELLS, (call, payload) => ({
  record: () => {
    const { shim_id, direction, reason, bytes, stream_hash, count } = payload;
    const server_name = redact(payload.server_name).text;
    const method = payload.method === undefined ? undefined : redact(payload.method).text;
    return [
      {
        type: 'message_dropped',
        ts: call.now,
        runId: call.runId,
        tool: [server_name, `mcp:${method ?? 'unknown'}`],
        data: {
          req: call.requestFields,
          shim_id,
          server_name,
          direction,
          reason,
          ...(method === undefined ? {} : { method }),
          bytes,
          ...(stream_hash === undefined ? {} : { stream_hash }),
          ...(count === undefined ? {} : { count }),
        },
      },
    ];
  },
  execute: () => success({}),
}));
