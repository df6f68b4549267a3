import { sha256Hex } from '@subluminal/core-types';
import { refuse, success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { closeShimCalls, type CloseCallParts } from '../../runs/close-calls.js';
import type { UpstreamStore } from '../../store/upstreams.js';
import { ENDS, life } from './life.js';

/** `upstream.end`: the shim says that its server, and all that it started, is gone. */
export function upstreamEnd(upstreams: UpstreamStore, closing: CloseCallParts): ActionOf<'upstream.end'> {
  return life(ENDS, (call, { shim_id: shimId, token, exit_code, signal }) => ({
    record: () => {
      const upstream = upstreams.find(token);
      if (upstream === undefined || upstream.runId !== call.runId || upstream.shimId !== shimId) {
        return refuse('not_found', 'there is no such upstream in this run');
      }
      const token_hash = sha256Hex(token);
      const data = {
        req: call.requestFields,
        shim_id: shimId,
        token_hash,
        cause: 'reported',
        exit_code,
        signal,
      };
      return [{ type: 'upstream_end', ts: call.now, runId: call.runId, ref: upstream.beginSeq, data }];
    },
    execute: async () => {
      upstreams.remove(token);
      const why = 'the server ended before the end of the call was reported';
      await closeShimCalls(closing, call.run, shimId, why);
      return success({});
    },
  }));
}
