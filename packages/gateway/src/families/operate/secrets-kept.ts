import type { Recorder } from '../../recording/recorder.js';
import { recordSecretChange } from './secret-change.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operateRecorded } from './operate.js';

/** `secrets.kept`: the command line has put a secret into the keychain of the system. */
export function secretsKept(recorder: Recorder): ActionOf<'secrets.kept'> {
  return operateRecorded(async (payload, call) => {
    await recordSecretChange(recorder, call, { ...payload, source: 'keychain' });
    return {};
  });
}
