import { randomBytes } from 'node:crypto';

const TOOLS = ['read_file', 'write_file', 'list_directory', 'search', 'fetch', 'run'];
const SIGNATURE = randomBytes(32).toString('base64url');
const HASH = randomBytes(32).toString('hex');

/**
 * The content of the `index`-th commit of `groups` groups: the begins of new calls (start and decision) and
 * the ends of the calls that the commit before began.
 */
export function* schedule(index, groups) {
  if (groups === 1) {
    yield { call: index >> 1, ends: index % 2 === 1 };
    return;
  }
  const half = groups >> 1;
  for (let at = 0; at < half; at += 1) yield { call: index * half + at, ends: false };
  if (index === 0) return;
  for (let at = 0; at < half; at += 1) yield { call: (index - 1) * half + at, ends: true };
}

/**
 * The group of entries that begins or ends a call. `ref` is the seq of the decision that an end reports on.
 */
export function groupOf({ call, ends }, ref) {
  const runId = runOf(call);
  const tool = ['filesystem', TOOLS[call % TOOLS.length]];
  const ts = 1_760_000_000_000 + call;
  const callId = `call_${String(call).padStart(12, '0')}`;
  if (ends) {
    const data = {
      shim: 'shim_1',
      call: { call_id: callId, args_hash: HASH },
      latency_ms: 12,
      bytes_out: 3120,
      preview: { truncated: false },
    };
    return { entries: [{ type: 'tool_call_end', ts, runId, tool, code: 'OK', ref, data }] };
  }
  const start = {
    shim: 'shim_1',
    req: { id: requestOf(call), sig: SIGNATURE },
    call: {
      call_id: callId,
      transport: 'mcp_stdio',
      args_hash: HASH,
      bytes_in: 310,
      preview: { truncated: false },
      seq: call,
    },
  };
  const decision = {
    shim: 'shim_1',
    call: { call_id: callId, args_hash: HASH },
    decision: {
      action: 'ALLOW',
      rule_id: null,
      severity: 'info',
      explain: { summary: 'no rule matches', reason_code: 'NO_MATCH' },
    },
    policy: { policy_id: 'default', policy_version: '1.0.0', policy_hash: HASH },
  };
  return {
    entries: [
      { type: 'tool_call_start', ts, runId, tool, data: start },
      { type: 'tool_call_decision', ts, runId, tool, code: 'ALLOW', data: decision },
    ],
    seen: { runId, id: start.req.id },
  };
}

/**
 * The one entry that begins or ends a service action: a pending with its claim, a result. About 400 bytes
 * each.
 */
export function actionOf({ call, ends }, ref) {
  const runId = runOf(call);
  const base = { ts: 1_760_000_000_000 + call, runId, tool: 'service.api_call' };
  if (ends) {
    const data = {
      service: 'tracker',
      http_status: 200,
      latency_ms: 12,
      bytes_out: 3120,
      response_hash: HASH,
    };
    return { entries: [{ ...base, type: 'action_result', code: 'success', ref, data }] };
  }
  const data = { service: 'tracker', payload_hash: HASH, req: { id: requestOf(call), sig: SIGNATURE } };
  return {
    entries: [{ ...base, type: 'action_pending', code: 'pending', ref: null, data }],
    seen: { runId, id: data.req.id },
  };
}

function runOf(call) {
  return `01J8Z${String(call % 64).padStart(21, '0')}`;
}

function requestOf(call) {
  return `req_${String(call).padStart(16, '0')}`;
}
