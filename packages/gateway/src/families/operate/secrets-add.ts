import { secretProblem, SublError } from '@subluminal/core-types';
import type { Recorder } from '../../recording/recorder.js';
import { recordSecretChange } from './secret-change.js';
import type { SecretStore } from '../../secrets/store.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operateRecorded } from './operate.js';

/** `secrets.add` */
export function secretsAdd(store: SecretStore, recorder: Recorder): ActionOf<'secrets.add'> {
  return operateRecorded(async ({ name, value, replace }, call) => {
    const problem = secretProblem(value, { redact: false });
    if (problem !== undefined) throw new SublError('usage', `this cannot be a secret: ${problem}`);
    store.assertRoom(name, replace);
    const change = store.has(name) ? 'replaced' : 'added';
    await recordSecretChange(recorder, call, { change, name, source: 'store' });
    // A secret that came meanwhile is overwritten only where that was asked for.
    store.assertRoom(name, replace);
    store.put(name, value);
    return { name, change };
  });
}
