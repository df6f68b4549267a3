import type { Recorder } from '../../recording/recorder.js';
import { recordSecretChange } from './secret-change.js';
import type { SecretStore } from '../../secrets/store.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operateRecorded } from './operate.js';

/** `secrets.remove` */
export function secretsRemove(store: SecretStore, recorder: Recorder): ActionOf<'secrets.remove'> {
  return operateRecorded(async ({ name }, call) => {
    store.assertStored(name);
    await recordSecretChange(recorder, call, { change: 'removed', name, source: 'store' });
    store.remove(name);
    return { name };
  });
}
