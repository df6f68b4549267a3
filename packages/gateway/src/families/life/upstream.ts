import { redact, sha256Hex, type PolicyRef } from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import { policyData } from '../tool/entries.js';
import type { ProxyTold } from '../connection/proxy-place.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { refuse, success } from '../../pipeline/reply.js';
import { requestFields } from '../../pipeline/entries.js';
import { aboutHash } from '../../secrets/about.js';
import type { UpstreamStore } from '../../store/upstreams.js';
import { closeShimCalls, type CloseCallParts } from '../../runs/close-calls.js';

/** Servers of one run that live at once: each of them is looked after every second. */
const MAX_UPSTREAMS = 128;

/** `upstream.begin`: the gateway knows of a server before it is spawned, so that nothing is ever left behind unseen. */
export function upstreamBegin(
  upstreams: UpstreamStore,
  proxy: () => ProxyTold | null,
  maxInspectBytes: () => number,
  policy: () => PolicyRef,
): ActionHandler {
  return {
    entries: (call) => {
      const payload = payloadOf(call, 'upstream.begin');
      const { shim_id, proc_id, server_name, argv_hash, token, shim } = payload;
      if (!isAlive(shim)) return refuse('invalid_request', 'the process of the shim is gone');
      if (upstreams.find(token) !== undefined) return refuse('invalid_request', 'the token is in use');
      const { run } = call.caller;
      if (run === undefined) return refuse('not_permitted', 'only a run has servers');
      if (upstreams.count(run.id) + run.startingUpstreams >= MAX_UPSTREAMS) {
        return refuse('overloaded', `${MAX_UPSTREAMS} servers of this run have not ended`);
      }
      run.startingUpstreams += 1;
      call.atEnd(() => {
        run.startingUpstreams -= 1;
      });
      return [
        {
          type: 'upstream_begin',
          ts: call.now,
          runId: call.runId,
          data: {
            req: requestFields(call),
            shim_id,
            proc_id,
            server_name: redact(server_name).text,
            argv_hash,
            token_hash: sha256Hex(token),
            shim: { pid: shim.pid, start: shim.start },
          },
        },
      ];
    },
    execute: (call) => {
      const payload = payloadOf(call, 'upstream.begin');
      const { token, shim_id: shimId, shim } = payload;
      if (call.pendingSeq === undefined || call.runId === null)
        throw new Error('an upstream began without its entry');
      const about = aboutHash(payload.server_name, payload.argv_hash);
      const beginSeq = call.pendingSeq;
      upstreams.add({ token, runId: call.runId, shimId, shim, beginSeq, aboutHash: about });
      return success({ proxy: proxy(), max_inspect_bytes: maxInspectBytes(), policy: policyData(policy()) });
    },
  };
}

/** `upstream.end`: the shim says that its server, and all that it started, is gone. */
export function upstreamEnd(upstreams: UpstreamStore, closing: CloseCallParts): ActionHandler {
  return {
    entries: (call) => {
      const { shim_id, token, exit_code, signal } = payloadOf(call, 'upstream.end');
      const upstream = upstreams.find(token);
      if (upstream === undefined || upstream.runId !== call.runId || upstream.shimId !== shim_id) {
        return refuse('not_found', 'there is no such upstream in this run');
      }
      return [
        {
          type: 'upstream_end',
          ts: call.now,
          runId: call.runId,
          ref: upstream.beginSeq,
          data: {
            req: requestFields(call),
            shim_id,
            token_hash: sha256Hex(token),
            cause: 'reported',
            exit_code,
            signal,
          },
        },
      ];
    },
    execute: async (call) => {
      const { token, shim_id: shimId } = payloadOf(call, 'upstream.end');
      upstreams.remove(token);
      const { run } = call.caller;
      if (run !== undefined) {
        await closeShimCalls(
          closing,
          run,
          shimId,
          'the server ended before the end of the call was reported',
        );
      }
      return success({});
    },
  };
}

/** `message.dropped`: something came that could not be judged, and went no further. */
export const messageDropped: ActionHandler = {
  entries: (call) => {
    const payload = payloadOf(call, 'message.dropped');
    const { shim_id, direction, reason, bytes, stream_hash } = payload;
    const server_name = redact(payload.server_name).text;
    const method = payload.method === undefined ? undefined : redact(payload.method).text;
    return [
      {
        type: 'message_dropped',
        ts: call.now,
        runId: call.runId,
        tool: [server_name, `mcp:${method ?? 'unknown'}`],
        data: {
          req: requestFields(call),
          shim_id,
          server_name,
          direction,
          reason,
          ...(method === undefined ? {} : { method }),
          bytes,
          ...(stream_hash === undefined ? {} : { stream_hash }),
        },
      },
    ];
  },
  execute: () => success({}),
};
