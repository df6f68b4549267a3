import { redact } from '@subluminal/core-types';
import type { Recorder } from '../../recording/recorder.js';
import { recordSecretChange } from './secret-change.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { operateRecorded } from './operate.js';

/** `secrets.bound`: the command line has bound a secret to a server, or unbound it. */
export function secretsBound(recorder: Recorder): ActionOf<'secrets.bound'> {
  return operateRecorded(async ({ secret_ref, server_name, inject, hosts, url, ...facts }, call) => {
    await recordSecretChange(recorder, call, {
      ...facts,
      ...(inject === 'egress' ? { inject, hosts: [...(hosts ?? [])] } : {}),
      ...(inject === 'header' ? { inject, url: redact(url ?? '').text } : {}),
      server_name: redact(server_name).text,
      secret_ref: redact(secret_ref).text,
    });
    return {};
  });
}
