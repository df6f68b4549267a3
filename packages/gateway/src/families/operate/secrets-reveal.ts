import type { Recorder } from '../../recording/recorder.js';
import { recordSecretChange } from './secret-change.js';
import type { SecretStore } from '../../secrets/store.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operateRecorded } from './operate.js';

/** `secrets.reveal`: the value itself, for the operator. */
export function secretsReveal(store: SecretStore, recorder: Recorder): ActionOf<'secrets.reveal'> {
  return operateRecorded(async ({ name }, call) => {
    store.assertStored(name);
    await recordSecretChange(recorder, call, { change: 'revealed', name, source: 'store' });
    return { name, value: store.read(name) };
  });
}
