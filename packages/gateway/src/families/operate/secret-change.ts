import { SublError, type JsonObject } from '@subluminal/core-types';
import type { Call } from '../../pipeline/call.js';
import type { Recorder } from '../../recording/recorder.js';

/**
 * Records a change of a secret before it is done (`secret_changed`): names and no value, which an entry of
 * pending and result would repeat from the answer.
 *
 * @throws SublError `audit_unavailable`
 */
export async function recordSecretChange(recorder: Recorder, call: Call, secret: JsonObject): Promise<void> {
  const data = { req: call.requestFields, secret };
  const result = await recorder.append({
    entries: [{ type: 'secret_changed', ts: call.now, runId: null, data }],
  });
  if (!result.ok) throw new SublError('audit_unavailable', 'this could not be recorded, so it has no effect');
}
