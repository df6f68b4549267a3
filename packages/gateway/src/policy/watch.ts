import { FileWatch } from '../base/file-watch.js';
import type { Logger } from '../base/logger.js';
import { signaturePath } from './accept.js';
import { policyStamp } from './file.js';
import type { PolicyHolder } from './holder.js';

/**
 * Loads the policy file when it has changed. Where the policy has to be signed, a changed signature counts as
 * well: the second of the two completes the pair.
 */
export function watchPolicy(path: string, holder: PolicyHolder, log: Logger): FileWatch {
  const paths = holder.accept === 'signed' ? [path, signaturePath(path)] : [path];
  return new FileWatch({
    name: 'policy',
    stamp: () => paths.map((one) => policyStamp(one)).join(' '),
    reload: () => holder.reload({ asked: false }),
    isOwed: () => holder.failure?.code === 'audit_unavailable',
    log,
  });
}
