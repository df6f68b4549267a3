import type { Change, FileState } from '../../diff/change.js';
import type { CommitStep } from '../steps.js';
import { isNear } from '../../files/near.js';
import { modeOf } from './modes.js';

/** A change of something that the layer has. */
export type Put = Change & { readonly after: FileState };

/** The steps of a change whose bytes the project has already: their permissions may be other ones. */
export function doneSteps({ path, before, after }: Put, now: FileState | undefined): readonly CommitStep[] {
  if (now === undefined || after.kind === 'link' || after.kind === 'other') return [];
  // It is the project that has other ones since.
  if (before === undefined ? after.kind === 'folder' : before.mode === after.mode) return [];
  const mode = modeOf({ after, now, before });
  return mode === (now.mode & 0o7777) ? [] : [{ does: 'set_mode', path, now, mode }];
}

/** The steps by which the project gets what the layer has there. */
export function putSteps(
  { path, how, before, after }: Put,
  now: FileState | undefined,
): readonly CommitStep[] {
  const mode = modeOf({ before, after, now });
  if (after.kind === 'link') return [{ does: 'put_link', path, now, target: after.target ?? path }];
  if (after.kind === 'folder')
    return now?.kind === 'folder'
      ? [{ does: 'set_mode', path, now, mode }]
      : [{ does: 'make_folder', path, now, mode }];
  const isSameBytes = now?.kind === 'file' && (how === 'mode' || how === 'touched');
  if (!isSameBytes) return [{ does: 'put_file', path, now, from: after, mode }];
  const isSameMode = mode === (now.mode & 0o7777);
  return [
    ...(isSameMode ? [] : [{ does: 'set_mode', path, now, mode } as const]),
    ...(before !== undefined && isNear(before.modifiedAt, after.modifiedAt)
      ? []
      : // The first step changes what the second would compare with.
        [
          {
            does: 'set_time',
            path,
            now: isSameMode ? now : undefined,
            modifiedAt: after.modifiedAt,
          } as const,
        ]),
  ];
}
