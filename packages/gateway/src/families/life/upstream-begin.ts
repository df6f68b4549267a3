import {
  redact,
  sha256Hex,
  type PayloadOf,
  type PolicyRef,
  type ProcessIdentity,
} from '@subluminal/core-types';
import { isAlive } from '@subluminal/ipc';
import type { Call } from '../../pipeline/call.js';
import { refuse, success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { policyData } from '../../policy/policy-data.js';
import { aboutHash } from '../../secrets/about.js';
import type { Projects } from '../../projects/port.js';
import type { UpstreamStore } from '../../store/upstreams.js';
import type { ProxyTold } from './proxy-place.js';
import { BEGINS, life } from './life.js';

/** Servers of one run that live at once: each of them is looked after every second. */
const MAX_UPSTREAMS = 128;

export interface UpstreamBeginParts {
  readonly projects: Pick<Projects, 'enter'>;
  readonly upstreams: UpstreamStore;
  readonly proxy: () => ProxyTold | null;
  readonly maxInspectBytes: () => number;
  readonly policy: () => PolicyRef;
}

/**
 * `upstream.begin`: the gateway knows of a server before it is spawned, so that nothing is ever left behind
 * unseen.
 */
export function upstreamBegin(parts: UpstreamBeginParts): ActionOf<'upstream.begin'> {
  const { upstreams, projects, proxy, maxInspectBytes, policy } = parts;
  return life(BEGINS, (call, payload) => ({
    record: () => {
      const { shim_id, proc_id, server_name, argv_hash, token, cwd } = payload;
      const shim = ownerOf(call, payload);
      if (!isAlive(shim)) return refuse('invalid_request', 'the process of the shim is gone');
      if (upstreams.find(token) !== undefined) return refuse('invalid_request', 'the token is in use');
      const { run } = call;
      if (upstreams.count(run.id) + run.startingUpstreams >= MAX_UPSTREAMS) {
        return refuse('overloaded', `${MAX_UPSTREAMS} servers of this run have not ended`);
      }
      run.startingUpstreams += 1;
      call.atEnd(() => {
        run.startingUpstreams -= 1;
      });
      const data = {
        req: call.requestFields,
        shim_id,
        proc_id,
        server_name: redact(server_name).text,
        argv_hash,
        token_hash: sha256Hex(token),
        shim: { pid: shim.pid, start: shim.start },
        ...(cwd === undefined ? {} : { cwd: redact(cwd).text }),
      };
      return [{ type: 'upstream_begin', ts: call.now, runId: run.id, data }];
    },
    execute: () => {
      const { token, shim_id: shimId } = payload;
      const shim = ownerOf(call, payload);
      if (call.pendingSeq === undefined) throw new Error('an upstream began without its entry');
      const about = aboutHash(payload.server_name, payload.argv_hash);
      const beginSeq = call.pendingSeq;
      call.run.routed.add(payload.server_name);
      if (payload.cwd !== undefined) projects.enter(call.run, payload.cwd);
      upstreams.add({ token, runId: call.run.id, shimId, shim, beginSeq, aboutHash: about }, payload.cwd);
      return success({ proxy: proxy(), max_inspect_bytes: maxInspectBytes(), policy: policyData(policy()) });
    },
  }));
}

/**
 * The process that the server must not outlive. In a world processes have other numbers, which are strangers'
 * outside: there everything ends with the process that holds its network.
 */
function ownerOf({ caller }: Call, { shim }: PayloadOf<'upstream.begin'>): ProcessIdentity {
  return caller.world?.holder ?? shim;
}
